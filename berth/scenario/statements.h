// The grammar: every statement of the language with its form, a sentence of help, and the function that reads the rest
// of its line and makes its meaning. Each group of statements has a file of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/scenario/fields.h"
#include "berth/scenario/meaning.h"
#include "berth/scenario/reader.h"
#include "berth/scenario/scenario.h"

namespace berth::scenario {

// What reading a statement may need from around it.
struct Context {
  const ParseOptions& options;
  std::vector<std::string>& notes;
};

// The file that a statement names, looked for beside the scenario.
struct NamedText {
  std::string name;  // as messages show it
  std::string text;
};
// A document `<<END`, or the contents of the file that the next word names. Lines of the text count as in the file.
Parsed<NamedText> read_document_or_file(Reader& reader, const Context& context, std::string_view what);

enum class Group : std::uint8_t { kThings, kSettings, kChanges, kTime, kFaults, kExpectations };
std::string_view title_of(Group group);

struct StatementSpec {
  std::string_view word;
  std::string_view form;  // what follows the word
  std::string_view help;
  Group group;
  // `word` is the one of the row: rows that differ in a word only share a function.
  Parsed<Meaning> (*compile)(std::string_view word, Reader& reader, const Context& context);
};

std::span<const StatementSpec> thing_statements();
std::span<const StatementSpec> setting_statements();
std::span<const StatementSpec> change_statements();
std::span<const StatementSpec> time_statements();
std::span<const StatementSpec> fault_statements();
std::span<const StatementSpec> expectation_statements();

// autoscaler_statements.cc
Parsed<Meaning> compile_autoscaler(std::string_view word, Reader& reader, const Context& context);
Parsed<Meaning> compile_node_group(std::string_view word, Reader& reader, const Context& context);

// The fields of `config`, `extender`, `autoscaler`, `nodegroup` and `faults`, and what `latency` is about.
std::vector<FieldHelp> config_field_help();
std::vector<FieldHelp> extender_field_help();
std::vector<FieldHelp> autoscaler_field_help();
std::vector<FieldHelp> node_group_field_help();
std::vector<FieldHelp> fault_field_help();
std::vector<FieldHelp> latency_help();

// All of them, group by group.
std::span<const StatementSpec> all_statements();

// Reads a whole statement, from its word on.
Parsed<Meaning> compile_statement(Reader& reader, const Context& context);

// A word of the language, for help and for the documentation.
struct VocabularyEntry {
  std::string title;  // of the table it belongs to: "Nodes", "Conditions on pods"
  std::string_view word;
  std::string_view form;
  std::string_view help;
};
std::vector<VocabularyEntry> vocabulary();

}  // namespace berth::scenario
