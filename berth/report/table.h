// Aligned columns for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::report {

// Rows of cells, the first row being the heads. Columns are as wide as their widest cell, two blanks apart; the whole
// is indented by two. Numbers go to the right.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };

  void add_column(std::string head, Align align = Align::kLeft);
  // Requires: as many cells as columns.
  void add_row(std::vector<std::string> cells);
  // Nothing if there are no rows. Blanks at the ends of lines are cut.
  std::string str() const;

 private:
  struct Column {
    std::string head;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace berth::report
