// Rows of cells under heads. How they are laid out depends on the room: page.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/text/line.h"

namespace berth::text {

enum class Align : std::uint8_t { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string head;
    Align align;
  };

  // Numbers go to the right.
  void add_column(std::string head, Align align = Align::kLeft);
  // Requires: as many cells as columns.
  void add_row(std::vector<Line> cells);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Line>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Line>> rows_;
};

}  // namespace berth::text
