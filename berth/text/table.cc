#include "berth/text/table.h"

#include "berth/base/check.h"

namespace berth::text {

void Table::add_column(std::string head, Align align) {
  columns_.push_back({std::move(head), align});
}

void Table::add_row(std::vector<Line> cells) {
  BERTH_CHECK(cells.size() == columns_.size(), "a row has as many cells as the table has columns");
  rows_.push_back(std::move(cells));
}

}  // namespace berth::text
