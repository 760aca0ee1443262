// A page as text. Entries are indented by two, what is about them by six; a table that does not fit has its cells
// wrapped, and where that is not enough its rows become entries of their own.
#include <algorithm>
#include <numeric>
#include <utility>

#include "berth/text/render.h"
#include "berth/text/unicode.h"
#include "berth/text/wrap.h"

namespace berth::text {
namespace {

using Kind = Page::Kind;

constexpr std::size_t kIndent = 2;
constexpr std::size_t kDetailIndent = 6;
// Between columns.
constexpr std::size_t kApart = 2;
// In less room than this nothing reads well: lines get this long, and the terminal breaks them.
constexpr std::size_t kLeastWidth = 20;
constexpr std::size_t kMostBarColumns = 40;
// A cell of more lines than this is hard to read beside the others.
constexpr std::size_t kMaxCellLines = 4;

// What a page says that no piece has a meaning for is put in this one.
Line with_meaning(const Line& line, Meaning meaning) {
  Line result;
  for (const Span& span : line.spans()) result.add(span.text, span.meaning == Meaning::kPlain ? meaning : span.meaning);
  return result;
}

bool is_entry(Kind kind) {
  switch (kind) {
    case Kind::kBullet:
    case Kind::kItem:
    case Kind::kDetail:
    case Kind::kCommand:
    case Kind::kPair:
    case Kind::kTable: return true;
    case Kind::kHeadline:
    case Kind::kParagraph:
    case Kind::kNote:
    case Kind::kSection:
    case Kind::kGap: return false;
  }
  return false;
}

class Renderer {
 public:
  explicit Renderer(const Style& style)
      : width_(style.width == 0 ? 0 : std::max(style.width, kLeastWidth)), has_colour_(style.has_colour) {}

  std::string render(std::span<const Page::Piece* const> pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Page::Piece& piece = *pieces[i];
      const bool is_set_off =
          piece.kind == Kind::kSection || (i > 0 && is_entry(pieces[i - 1]->kind) && !is_entry(piece.kind));
      if (is_set_off) add_empty_line();
      switch (piece.kind) {
        case Kind::kHeadline: add(with_meaning(piece.text, Meaning::kStrong), "", 0); break;
        case Kind::kParagraph: add(piece.text, "", 0); break;
        case Kind::kNote: add(Line("Note: ", Meaning::kStrong).append(piece.text), "", kIndent); break;
        case Kind::kSection: add(with_meaning(piece.text, Meaning::kStrong), "", 0); break;
        case Kind::kBullet: add(piece.text, "  - ", kIndent + 2); break;
        case Kind::kItem: add(piece.text, "  ", kIndent + 2); break;
        case Kind::kDetail: add(piece.text, "      ", kDetailIndent); break;
        case Kind::kCommand: add_line("      ", paint(piece.text)); break;
        case Kind::kPair: i += add_pairs(pieces.subspan(i)) - 1; break;
        case Kind::kTable: add_table(piece.table); break;
        case Kind::kGap: add_empty_line(); break;
      }
    }
    while (text_.ends_with("\n\n")) text_.pop_back();
    return std::move(text_);
  }

 private:
  void add_empty_line() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += "\n";
  }

  void add_line(std::string_view before, const Painted& line) {
    const std::string coloured_line = coloured(line, has_colour_);
    std::string whole = std::string(before) + coloured_line;
    whole.erase(whole.find_last_not_of(' ') + 1);
    text_ += whole + "\n";
  }

  std::size_t room_after(std::size_t columns_before) const {
    if (width_ == 0) return 0;
    return std::max(width_, columns_before + kLeastWidth / 2) - columns_before;
  }

  // The first line follows `first`, the others are indented. The first takes up what remains of the line.
  void add(const Line& line, std::string_view first, std::size_t indent) {
    add_hanging(paint(line), std::string(first), columns(first), indent);
  }

  // `first` may have codes in it; it takes up `first_columns`.
  void add_hanging(const Painted& line, const std::string& first, std::size_t first_columns, std::size_t indent) {
    const std::size_t room = room_after(std::max(first_columns, indent));
    const std::vector<Painted> lines = wrapped(line, room);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      add_line(i == 0 ? first : std::string(indent, ' '), lines[i]);
    }
  }

  static std::string padded(const std::string& shown, std::size_t columns_shown, std::size_t width, Align align) {
    const std::string padding(width - std::min(width, columns_shown), ' ');
    return align == Align::kRight ? padding + shown : shown + padding;
  }

  // All pairs from the first on; returns how many they are.
  std::size_t add_pairs(std::span<const Page::Piece* const> pieces) {
    std::size_t count = 0;
    std::size_t key_columns = 0;
    for (; count < pieces.size() && pieces[count]->kind == Kind::kPair; ++count) {
      key_columns = std::max(key_columns, paint(pieces[count]->key).columns());
    }
    // Keys that leave too little room beside them get a line of their own.
    const bool is_stacked = width_ > 0 && kIndent + key_columns + kApart > width_ / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const Painted key = paint(pieces[i]->key);
      if (is_stacked) {
        add(pieces[i]->key, "  ", kIndent);
        add(pieces[i]->text, "      ", kDetailIndent);
        continue;
      }
      const std::size_t indent = kIndent + key_columns + kApart;
      const std::string first = std::string(kIndent, ' ') +
                                padded(coloured(key, has_colour_), key.columns(), key_columns, pieces[i]->align) +
                                std::string(kApart, ' ');
      add_hanging(paint(with_bar(*pieces[i], indent)), first, indent, indent);
    }
    return count;
  }

  // The same number of columns is the whole for all bars of a page, whatever stands behind them.
  Line with_bar(const Page::Piece& piece, std::size_t indent) const {
    if (piece.bar <= 0) return piece.text;
    constexpr std::size_t kTextColumns = 10;
    const std::size_t room = width_ == 0 ? kMostBarColumns : room_after(indent + kTextColumns);
    const auto whole = static_cast<double>(std::min(room, kMostBarColumns));
    // What is more than nothing is seen.
    const auto shown = std::max<std::size_t>(static_cast<std::size_t>(std::min(piece.bar, 1.0) * whole), 1);
    return Line(std::string(shown, '#') + " ", Meaning::kName).append(piece.text);
  }

  // --- Tables --------------------------------------------------------------------------------------------------------

  using Cells = std::vector<Painted>;

  void add_table(const Table& table) {
    std::vector<Cells> rows(1);
    for (const Table::Column& column : table.columns()) rows[0].push_back(paint(Line(column.head, Meaning::kDim)));
    for (const std::vector<Line>& row : table.rows()) {
      Cells& cells = rows.emplace_back();
      for (const Line& cell : row) cells.push_back(paint(cell));
    }
    if (const std::vector<std::size_t> widths = column_widths(table, rows); !widths.empty()) {
      for (const Cells& cells : rows) add_row(table, cells, widths);
    } else {
      add_stacked(table, rows);
    }
  }

  // Nothing if the table does not fit, even with its cells wrapped.
  std::vector<std::size_t> column_widths(const Table& table, const std::vector<Cells>& rows) const {
    const std::size_t count = table.columns().size();
    std::vector<std::size_t> natural(count), least(count);
    for (const Cells& cells : rows) {
      for (std::size_t i = 0; i < count; ++i) {
        natural[i] = std::max(natural[i], cells[i].columns());
        // Numbers are not wrapped, but their heads are.
        const bool is_whole = table.columns()[i].align == Align::kRight && &cells != &rows[0];
        least[i] = std::max(least[i], is_whole ? cells[i].columns() : longest_word(cells[i].text));
      }
    }
    const auto sum = [](const std::vector<std::size_t>& of) { return std::accumulate(of.begin(), of.end(), 0uz); };
    const std::size_t between = kApart * count;
    if (width_ == 0 || sum(natural) + between <= width_) return natural;
    if (sum(least) + between > width_) return {};
    // What is left goes to the columns that lack least first, so that most get all that they need.
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t i = 0; i < count; ++i) order.emplace_back(natural[i] - least[i], i);
    std::ranges::sort(order);
    std::size_t left = width_ - between - sum(least);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t more = std::min(order[k].first, left / (count - k));
      least[order[k].second] += more;
      left -= more;
    }
    for (const Cells& cells : rows) {
      for (std::size_t i = 0; i < count; ++i) {
        if (wrapped(cells[i], least[i]).size() > kMaxCellLines) return {};
      }
    }
    return least;
  }

  void add_row(const Table& table, const Cells& cells, const std::vector<std::size_t>& widths) {
    std::vector<std::vector<Painted>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines.push_back(wrapped(cells[i], width_ == 0 ? 0 : widths[i]));
      height = std::max(height, lines.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Painted cell = k < lines[i].size() ? lines[i][k] : Painted();
        line += std::string(kApart, ' ') +
                padded(coloured(cell, has_colour_), cell.columns(), widths[i], table.columns()[i].align);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
    }
  }

  // A row becomes an entry: the first text in it, and below that the other cells with their heads.
  void add_stacked(const Table& table, const std::vector<Cells>& rows) {
    const Cells& heads = rows[0];
    for (std::size_t r = 1; r < rows.size(); ++r) {
      const std::size_t title = title_of(table, rows[r]);
      add_hanging(rows[r][title], std::string(kIndent, ' '), kIndent, kIndent);
      Painted line;
      for (std::size_t i = 0; i < heads.size(); ++i) {
        if (i == title || rows[r][i].text.empty()) continue;
        if (!line.text.empty()) append("; ", Meaning::kDim, line);
        append(heads[i], line);
        if (!heads[i].text.empty()) append(": ", Meaning::kDim, line);
        append(rows[r][i], line);
      }
      if (!line.text.empty()) add_hanging(line, std::string(kDetailIndent, ' '), kDetailIndent, kDetailIndent);
    }
  }

  static std::size_t title_of(const Table& table, const Cells& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (table.columns()[i].align == Align::kLeft && !cells[i].text.empty()) return i;
    }
    return 0;
  }

  static void append(const Painted& text, Painted& to) {
    to.text += text.text;
    to.meanings.insert(to.meanings.end(), text.meanings.begin(), text.meanings.end());
  }

  static void append(std::string_view text, Meaning meaning, Painted& to) {
    to.text += text;
    to.meanings.resize(to.text.size(), meaning);
  }

  std::size_t width_;  // 0: no limit
  bool has_colour_;
  std::string text_;
};

}  // namespace

std::string render_text(std::span<const Page::Piece* const> pieces, const Style& style) {
  return Renderer(style).render(pieces);
}

}  // namespace berth::text
