// What a command answers, as pieces with a meaning, and the one renderer that turns it into text for a terminal, for a
// pipe, or into Markdown.
//
//   text::Page page;
//   page.headline("default/web fits on none of the 3 nodes: 3 are short of cpu.");
//   page.section("What would help (each was tried out)");
//   page.bullet("uncordon n1: it fits there");
//   page.command("kubectl uncordon n1");
//   fmt::print("{}", page.render(style));
//
// The renderer escapes every text (escape.h), wraps at the style's width, and colours by meaning. Words are never
// broken, so that names and commands can be copied. Text for a pipe is neither coloured nor wrapped: a sentence is one
// line, which grep finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/text/line.h"
#include "berth/text/table.h"

namespace berth::text {

// How a page is put. The default is text for a pipe.
struct Style {
  enum class Form : std::uint8_t { kText, kMarkdown };

  Form form = Form::kText;
  std::size_t width = 0;  // columns of a terminal; 0: lines are as long as they come
  bool has_colour = false;
};

class Page {
 public:
  // The answer in a sentence or two. Comes first.
  void headline(Line text);
  void paragraph(Line text);
  // "Note: ...", about what the answer is based on.
  void note(Line text);
  // Begins a part of the page, up to the next one or a gap; one without anything in it is left out.
  void section(Line heading);
  // An entry of a list: indented, with and without a dash before it.
  void bullet(Line text);
  void item(Line text);
  // More about the entry before it, indented further.
  void detail(Line text);
  // A command line to copy, about what is before it; never wrapped.
  void command(std::string text);
  // Entries in two columns, such as a time and what happened then. Neighbours have their keys aligned.
  void pair(Line key, Line text, Align align = Align::kLeft);
  // A pair with a bar before its text, as long as the share (0 to 1) of the room that there is; of a histogram.
  void bar(Line key, double share, Line text);
  // Left out if it has no rows.
  void table(Table table);
  // Sets off what follows with an empty line.
  void gap();
  void append(const Page& other);

  bool empty() const { return pieces_.empty(); }
  // Every line ends with a newline.
  std::string render(const Style& style) const;

  enum class Kind : std::uint8_t {
    kHeadline,
    kParagraph,
    kNote,
    kSection,
    kBullet,
    kItem,
    kDetail,
    kCommand,
    kPair,
    kTable,
    kGap,
  };
  struct Piece {
    Kind kind;
    Line text;
    Line key = {};               // of kPair
    Align align = Align::kLeft;  // of the key
    double bar = 0;              // of kPair; 0: none
    Table table = {};            // of kTable
  };

 private:
  std::vector<Piece> pieces_;
};

// "text" with the codes of an ANSI terminal for its meaning around it, for one that is drawn over (a live view).
std::string painted(std::string_view text, Meaning meaning, bool has_colour);

}  // namespace berth::text
