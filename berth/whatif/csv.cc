#include "berth/whatif/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "berth/base/check.h"

namespace berth::whatif {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Beyond it, doubles do not count in ones any more.
constexpr double kMaxNumber = 9e15;

Error error_at(std::string_view name, std::size_t line, std::string what) {
  return Error(std::move(what)).in_file(fmt::format("{}:{}", name, line));
}

// Splits a text into rows, one at a time.
class Splitter {
 public:
  Splitter(std::string_view text, std::string_view name) : text_(text), name_(name) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  // Nothing at the end. Empty lines are left out.
  Result<std::optional<CsvTable::Row>> next() {
    while (!text_.empty() && (text_.front() == '\n' || text_.starts_with("\r\n"))) {
      text_.remove_prefix(text_.front() == '\n' ? 1 : 2);
      ++line_;
    }
    if (text_.empty()) return std::nullopt;
    CsvTable::Row row;
    row.line = line_;
    for (;;) {
      auto field = take_field();
      if (!field) return fail(field.error());
      row.fields.push_back(*std::move(field));
      if (text_.empty()) break;
      const bool is_end = text_.front() != ',';
      if (is_end && text_.front() == '\r') text_.remove_prefix(1);
      text_.remove_prefix(std::min<std::size_t>(1, text_.size()));
      if (!is_end) continue;
      ++line_;
      break;
    }
    return row;
  }

 private:
  // Up to the comma or the end of the line, which stay.
  Result<std::string> take_field() {
    if (!text_.starts_with('"')) {
      std::size_t end = std::min(text_.find_first_of(",\n"), text_.size());
      if (end > 0 && end < text_.size() && text_[end] == '\n' && text_[end - 1] == '\r') --end;
      std::string field(text_.substr(0, end));
      if (end == text_.size() && field.ends_with('\r')) field.pop_back();
      text_.remove_prefix(end);
      return field;
    }
    const std::size_t began_at = line_;
    std::string field;
    text_.remove_prefix(1);
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"' && !text_.starts_with('"')) {
        if (text_.empty() || text_.front() == ',' || text_.front() == '\n' || text_.front() == '\r') return field;
        return fail(error_at(name_, line_, "expected a comma behind the closing quote"));
      }
      if (c == '"') text_.remove_prefix(1);  // two stand for one
      if (c == '\n') ++line_;
      field += c;
    }
    return fail(error_at(name_, began_at, "the quote that begins here does not end"));
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t line_ = 1;
};

}  // namespace

Result<CsvTable> CsvTable::read(std::string_view text, std::string_view name,
                                std::initializer_list<std::string_view> columns) {
  CsvTable table;
  table.name_ = name;
  Splitter splitter(text, name);
  auto head = splitter.next();
  if (!head) return fail(head.error());
  if (!*head)
    return fail(Error(fmt::format("the file is empty; expected a line {}", fmt::join(columns, ","))).in_file(name));
  table.columns_ = (*head)->fields;
  for (const std::string_view column : columns) {
    if (std::ranges::find(table.columns_, column) != table.columns_.end()) continue;
    return fail(Error(fmt::format("there is no column {}", column))
                    .with_fix(fmt::format("expected a first line {}", fmt::join(columns, ",")))
                    .in_file(fmt::format("{}:{}", name, (*head)->line)));
  }
  for (;;) {
    auto row = splitter.next();
    if (!row) return fail(row.error());
    if (!*row) return table;
    if ((*row)->fields.size() != table.columns_.size()) {
      return fail(table.error(
          **row, fmt::format("expected {} fields, found {}", table.columns_.size(), (*row)->fields.size())));
    }
    table.rows_.push_back(**std::move(row));
  }
}

std::size_t CsvTable::index_of(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  BERTH_CHECK(found != columns_.end(), "{} has no column {}", name_, column);
  return static_cast<std::size_t>(found - columns_.begin());
}

const std::string& CsvTable::at(const Row& row, std::string_view column) const {
  return row.fields[index_of(column)];
}

Result<std::int64_t> CsvTable::number(const Row& row, std::string_view column) const {
  const std::string& text = at(row, column);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = problem == std::errc() && end == text.data() + text.size();
  if (!is_whole || !(value >= 0 && value <= kMaxNumber)) {
    return fail(error(row, fmt::format("{}: expected a number that is not negative, found \"{}\"", column, text)));
  }
  return static_cast<std::int64_t>(std::floor(value));
}

Error CsvTable::error(const Row& row, std::string what) const {
  return error_at(name_, row.line, std::move(what));
}

}  // namespace berth::whatif
