#include "berth/codec/known_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "berth/base/check.h"

namespace berth::codec {

namespace {

constexpr std::string_view kTable =
#include "berth/codec/known_fields.inc"
    ;

struct KindRow {
  std::string_view api_version;
  std::string_view kind;
  std::string_view type_name;
};

struct ScalarForm {
  std::string_view name;
  FieldForm form;
};
constexpr auto kScalarForms = std::to_array<ScalarForm>({
    {"string", FieldForm::kString},
    {"bool", FieldForm::kBool},
    {"int", FieldForm::kInteger},
    {"number", FieldForm::kNumber},
    {"quantity", FieldForm::kQuantity},
    {"intOrString", FieldForm::kIntOrString},
    {"bytes", FieldForm::kText},
    {"time", FieldForm::kText},
    {"duration", FieldForm::kText},
    {"any", FieldForm::kAny},
});

// No field is nested deeper: lists of maps of lists.
constexpr std::string_view kListsAndMaps[] = {"", "l", "m", "ll", "lm", "ml", "mm"};

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

class Table {
 public:
  Table() {
    std::string_view rest = kTable;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    for (auto& [field_place, type_name] : to_resolve_) {
      KnownField& field = types_[field_place.first].fields[field_place.second];
      field.type = find_type(type_name);
      BERTH_CHECK(field.type != nullptr, "the table of fields has no type {}", type_name);
    }
  }

  const KnownType* of_kind(std::string_view api_version, std::string_view kind) const {
    for (const KindRow& row : kinds_) {
      if (row.kind == kind && row.api_version == api_version) return find_type(row.type_name);
    }
    return nullptr;
  }

 private:
  void read_line(std::string_view line) {
    if (line.empty()) return;
    const bool is_continued = line.front() == ' ';
    if (line.front() == '=') {
      line.remove_prefix(1);
      KindRow row;
      row.api_version = take_word(line);
      row.kind = take_word(line);
      row.type_name = take_word(line);
      kinds_.push_back(row);
      return;
    }
    if (!is_continued) types_.push_back({.name = take_word(line), .fields = {}});
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) add_field(word);
  }

  void add_field(std::string_view word) {
    KnownField field;
    const std::size_t colon = word.find(':');
    field.name = word.substr(0, colon);
    if (const std::size_t hash = field.name.find('#'); hash != std::string_view::npos) {
      for (const char digit : field.name.substr(hash + 1)) {
        field.number = 10 * field.number + static_cast<std::uint32_t>(digit - '0');
      }
      field.name = field.name.substr(0, hash);
    }
    std::string_view form = colon == std::string_view::npos ? "string" : word.substr(colon + 1);
    std::string containers;
    for (; form.starts_with("[]") || form.starts_with("{}"); form.remove_prefix(2)) {
      containers += form.front() == '[' ? 'l' : 'm';
    }
    const auto* known = std::ranges::find(kListsAndMaps, containers);
    BERTH_CHECK(known != std::end(kListsAndMaps), "the table of fields has a {}", word);
    field.containers = *known;
    const auto* scalar = std::ranges::find(kScalarForms, form, &ScalarForm::name);
    field.form = scalar != kScalarForms.end() ? scalar->form : FieldForm::kObject;
    std::vector<KnownField>& fields = types_.back().fields;
    if (field.form == FieldForm::kObject) {
      to_resolve_.push_back({{types_.size() - 1, fields.size()}, form});
    }
    fields.push_back(field);
  }

  const KnownType* find_type(std::string_view name) const {
    const auto found = std::ranges::find(types_, name, &KnownType::name);
    return found != types_.end() ? &*found : nullptr;
  }

  std::vector<KindRow> kinds_;
  std::vector<KnownType> types_;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string_view>> to_resolve_;
};

const Table& table() {
  static const Table table;
  return table;
}

}  // namespace

const KnownField* KnownType::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &KnownField::name);
  return found != fields.end() ? &*found : nullptr;
}

const KnownType* known_type(std::string_view api_version, std::string_view kind) {
  return table().of_kind(api_version, kind);
}

}  // namespace berth::codec
