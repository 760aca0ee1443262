// A page as Markdown (GitHub's, which has tables), to paste into a ticket. Names and commands are code, so that nothing
// in them is taken for a link or a mention.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/text/escape.h"
#include "berth/text/render.h"

namespace berth::text {
namespace {

using Kind = Page::Kind;

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// In more backticks than are in it. A "|" would end a cell even in code.
std::string code(std::string_view text, bool is_in_table) {
  std::string shown = escaped(text);
  if (is_in_table && shown.find('|') != std::string::npos) return escaped_markdown(text);
  const std::string ticks(longest_run(shown, '`') + 1, '`');
  const std::string_view pad = shown.starts_with('`') || shown.ends_with('`') ? " " : "";
  return fmt::format("{}{}{}{}{}", ticks, pad, shown, pad, ticks);
}

std::string inline_text(const Line& line, bool is_in_table = false) {
  std::string result;
  for (const Span& span : line.spans()) {
    switch (span.meaning) {
      case Meaning::kName: result += code(span.text, is_in_table); break;
      case Meaning::kStrong: result += fmt::format("**{}**", escaped_markdown(span.text)); break;
      case Meaning::kPlain:
      case Meaning::kGood:
      case Meaning::kWarning:
      case Meaning::kBad:
      case Meaning::kDim: result += escaped_markdown(span.text); break;
    }
  }
  return result;
}

// What begins a line as a list, a heading or a quotation does would be one.
std::string block_text(const Line& line) {
  std::string result = inline_text(line);
  const std::size_t digits = std::min(result.find_first_not_of("0123456789"), result.size());
  if (digits > 0 && digits < result.size() && (result[digits] == '.' || result[digits] == ')')) {
    result.insert(digits, "\\");
  } else if (!result.empty() && std::string_view("#+-=").find(result[0]) != std::string_view::npos) {
    result.insert(0, "\\");
  }
  return result;
}

bool is_list(Kind kind) {
  return kind == Kind::kBullet || kind == Kind::kItem || kind == Kind::kPair;
}

std::string table_text(const Table& table) {
  std::string heads = "|", rule = "|", rows;
  for (const Table::Column& column : table.columns()) {
    heads += fmt::format(" {} |", escaped_markdown(column.head));
    rule += column.align == Align::kRight ? " ---: |" : " --- |";
  }
  for (const std::vector<Line>& row : table.rows()) {
    rows += "|";
    for (const Line& cell : row) rows += fmt::format(" {} |", inline_text(cell, true));
    rows += "\n";
  }
  return heads + "\n" + rule + "\n" + rows;
}

}  // namespace

std::string render_markdown(std::span<const Page::Piece* const> pieces) {
  std::string text;
  const auto separate = [&] {
    if (!text.empty() && !text.ends_with("\n\n")) text += "\n";
  };
  bool is_in_list = false;
  for (const Page::Piece* piece : pieces) {
    const bool is_about_entry = is_in_list && (piece->kind == Kind::kDetail || piece->kind == Kind::kCommand);
    if (!(is_in_list && is_list(piece->kind)) && !is_about_entry) separate();
    is_in_list = is_list(piece->kind) || is_about_entry;
    switch (piece->kind) {
      case Kind::kHeadline: text += fmt::format("**{}**\n", inline_text(piece->text)); break;
      case Kind::kParagraph: text += block_text(piece->text) + "\n"; break;
      case Kind::kNote: text += fmt::format("> Note: {}\n", inline_text(piece->text)); break;
      case Kind::kSection: text += fmt::format("### {}\n", inline_text(piece->text)); break;
      case Kind::kBullet:
      case Kind::kItem: text += fmt::format("- {}\n", block_text(piece->text)); break;
      case Kind::kPair: text += fmt::format("- **{}**: {}\n", inline_text(piece->key), inline_text(piece->text)); break;
      case Kind::kDetail:
        // Two blanks at the end of a line break it.
        if (is_about_entry && text.ends_with("\n") && !text.ends_with("```\n")) text.insert(text.size() - 1, "  ");
        text += (is_about_entry ? "  " : "") + block_text(piece->text) + "\n";
        break;
      case Kind::kCommand: {
        std::string command;
        for (const Span& span : piece->text.spans()) command += escaped(span.text);
        const std::string fence(std::max<std::size_t>(3, longest_run(command, '`') + 1), '`');
        const std::string_view indent = is_about_entry ? "  " : "";
        text += fmt::format("{0}{1}sh\n{0}{2}\n{0}{1}\n", indent, fence, command);
        break;
      }
      case Kind::kTable: text += table_text(piece->table); break;
      case Kind::kGap: break;
    }
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace berth::text
