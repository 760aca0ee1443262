#include "berth/text/page.h"

#include <utility>

#include "berth/text/render.h"

namespace berth::text {

void Page::headline(Line text) {
  pieces_.push_back({.kind = Kind::kHeadline, .text = std::move(text)});
}
void Page::paragraph(Line text) {
  pieces_.push_back({.kind = Kind::kParagraph, .text = std::move(text)});
}
void Page::note(Line text) {
  pieces_.push_back({.kind = Kind::kNote, .text = std::move(text)});
}
void Page::section(Line heading) {
  pieces_.push_back({.kind = Kind::kSection, .text = std::move(heading)});
}
void Page::bullet(Line text) {
  pieces_.push_back({.kind = Kind::kBullet, .text = std::move(text)});
}
void Page::item(Line text) {
  pieces_.push_back({.kind = Kind::kItem, .text = std::move(text)});
}
void Page::detail(Line text) {
  pieces_.push_back({.kind = Kind::kDetail, .text = std::move(text)});
}
void Page::command(std::string text) {
  pieces_.push_back({.kind = Kind::kCommand, .text = Line(std::move(text), Meaning::kName)});
}
void Page::pair(Line key, Line text, Align align) {
  pieces_.push_back({.kind = Kind::kPair, .text = std::move(text), .key = std::move(key), .align = align});
}
void Page::bar(Line key, double share, Line text) {
  pair(std::move(key), std::move(text), Align::kRight);
  pieces_.back().bar = share;
}
void Page::table(Table table) {
  if (!table.rows().empty()) pieces_.push_back({.kind = Kind::kTable, .text = {}, .table = std::move(table)});
}
void Page::gap() {
  if (!pieces_.empty()) pieces_.push_back({.kind = Kind::kGap, .text = {}});
}
void Page::append(const Page& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
}

std::string Page::render(const Style& style) const {
  // A section without anything in it says nothing.
  std::vector<const Piece*> kept;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const bool ends_next =
        i + 1 == pieces_.size() || pieces_[i + 1].kind == Kind::kSection || pieces_[i + 1].kind == Kind::kGap;
    if (pieces_[i].kind != Kind::kSection || !ends_next) kept.push_back(&pieces_[i]);
  }
  switch (style.form) {
    case Style::Form::kText: return render_text(kept, style);
    case Style::Form::kMarkdown: return render_markdown(kept);
  }
  return "";
}

}  // namespace berth::text
