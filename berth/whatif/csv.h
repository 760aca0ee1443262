// Tables of comma-separated values (RFC 4180) with a line of column names on top: fields may be quoted, lines may end
// as on Windows, columns are found by their names and may stand in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"

namespace berth::whatif {

class CsvTable {
 public:
  struct Row {
    std::size_t line = 0;  // of the file, from 1 on
    std::vector<std::string> fields;
  };

  // `name` stands in messages for the file. The error says which line: a quote that does not end, a row with more or
  // fewer fields than there are columns, a column that is missing.
  static Result<CsvTable> read(std::string_view text, std::string_view name,
                               std::initializer_list<std::string_view> columns);

  const std::vector<Row>& rows() const { return rows_; }
  // Requires: the column is one of those that read() was told.
  const std::string& at(const Row& row, std::string_view column) const;
  // A whole number that is not negative; a fraction is cut off. The error names file, line and column.
  Result<std::int64_t> number(const Row& row, std::string_view column) const;
  // "FILE:LINE: what"
  Error error(const Row& row, std::string what) const;

 private:
  std::size_t index_of(std::string_view column) const;

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace berth::whatif
