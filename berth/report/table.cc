#include "berth/report/table.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/report/words.h"

namespace berth::report {

void Table::add_column(std::string head, Align align) {
  columns_.push_back({std::move(head), align});
}

void Table::add_row(std::vector<std::string> cells) {
  BERTH_CHECK(cells.size() == columns_.size(), "a row has as many cells as the table has columns");
  rows_.push_back(std::move(cells));
}

std::string Table::str() const {
  if (rows_.empty()) return "";
  std::vector<std::size_t> widths;
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    heads.push_back(columns_[i].head);
    widths.push_back(columns(columns_[i].head));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - columns(cells[i]), ' ');
      line += "  ";
      line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line(heads);
  for (const auto& row : rows_) add_line(row);
  return text;
}

}  // namespace berth::report
