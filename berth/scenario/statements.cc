#include "berth/scenario/statements.h"

#include <fmt/format.h>

#include "berth/scenario/conditions.h"
#include "berth/scenario/node_fields.h"
#include "berth/scenario/object_fields.h"
#include "berth/scenario/pod_fields.h"

namespace berth::scenario {

namespace {

template <typename Fields>
void add_fields(std::string title, const Fields& fields, std::vector<VocabularyEntry>& into) {
  for (const FieldHelp& field : fields) into.push_back({title, field.key, field.form, field.help});
}

template <typename Rows>
void add_rows(std::string title, const Rows& rows, std::vector<VocabularyEntry>& into) {
  for (const auto& row : rows) into.push_back({title, row.help.key, row.help.form, row.help.help});
}

}  // namespace

std::string_view title_of(Group group) {
  switch (group) {
    case Group::kThings: return "Things";
    case Group::kSettings: return "Settings";
    case Group::kChanges: return "Changes";
    case Group::kTime: return "Time";
    case Group::kFaults: return "Faults";
    case Group::kExpectations: return "Expectations";
  }
  return "";
}

std::span<const StatementSpec> all_statements() {
  static const std::vector<StatementSpec> all = [] {
    std::vector<StatementSpec> result;
    for (const auto part : {setting_statements(), thing_statements(), time_statements(), change_statements(),
                            fault_statements(), expectation_statements()}) {
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }();
  return all;
}

Parsed<Meaning> compile_statement(Reader& reader, const Context& context) {
  std::vector<std::string_view> words;
  for (const StatementSpec& statement : all_statements()) words.push_back(statement.word);
  const auto word = reader.one_of(words, "a statement such as node, pod, run or expect");
  if (!word) return std::unexpected(word.error());
  for (const StatementSpec& statement : all_statements()) {
    if (statement.word == *word) return statement.compile(statement.word, reader, context);
  }
  return reader.expected("a statement");
}

std::vector<VocabularyEntry> vocabulary() {
  std::vector<VocabularyEntry> entries;
  for (const StatementSpec& statement : all_statements()) {
    entries.push_back({std::string(title_of(statement.group)), statement.word, statement.form, statement.help});
  }
  add_fields("Fields of config", config_field_help(), entries);
  add_fields("Fields of extender", extender_field_help(), entries);
  add_rows("Fields of nodes", node_fields(), entries);
  add_rows("Fields of nodes", many_nodes_fields(), entries);
  add_rows("Fields of nodes", pool_fields(), entries);
  add_fields("Fields of autoscaler", autoscaler_field_help(), entries);
  add_fields("Fields of nodegroup", node_group_field_help(), entries);
  add_rows("Fields of pods", pod_fields(), entries);
  add_rows("Fields of workloads", workload_fields(), entries);
  for (const ObjectWord& object : object_words())
    add_fields(fmt::format("Fields of {}", object.word), object.fields, entries);
  add_fields("What latency is about", latency_help(), entries);
  add_fields("Fields of faults", fault_field_help(), entries);
  add_fields("Conditions", condition_help(), entries);
  add_rows("Conditions on pods", pod_conditions(), entries);
  add_fields("Conditions on nodes", node_condition_help(), entries);
  add_fields("Conditions on claims", claim_condition_help(), entries);
  add_rows("Numbers", numbers(), entries);
  return entries;
}

}  // namespace berth::scenario
