#include "berth/text/page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/text/unicode.h"

namespace berth::text {
namespace {

Style wide(std::size_t width, bool has_colour = false) {
  return {.width = width, .has_colour = has_colour};
}

constexpr Style kMarkdown = {.form = Style::Form::kMarkdown};

Page sample() {
  Page page;
  page.headline("default/web fits on none of the 3 nodes: 3 are short of cpu.");
  page.note("the dump has no namespaces.");
  page.section("What would help");
  page.bullet("uncordon n1: it fits there");
  page.command("kubectl uncordon n1");
  page.bullet("add a node");
  page.section("Empty");
  page.gap();
  page.section("Empty too");
  page.section("Looked at again when");
  page.pair("NodeResourcesFit", "a node is added or gets more allocatable resources");
  page.pair("TaintToleration", "a taint is removed");
  page.gap();
  page.paragraph("The end.");
  return page;
}

TEST(Page, IsOneLineASentenceInAPipe) {
  EXPECT_EQ(sample().render({}),
            "default/web fits on none of the 3 nodes: 3 are short of cpu.\n"
            "Note: the dump has no namespaces.\n"
            "\n"
            "What would help\n"
            "  - uncordon n1: it fits there\n"
            "      kubectl uncordon n1\n"
            "  - add a node\n"
            "\n"
            "Looked at again when\n"
            "  NodeResourcesFit  a node is added or gets more allocatable resources\n"
            "  TaintToleration   a taint is removed\n"
            "\n"
            "The end.\n");
}

TEST(Page, IsWrappedAtTheWidthOfATerminal) {
  EXPECT_EQ(sample().render(wide(50)),
            "default/web fits on none of the 3 nodes: 3 are\n"
            "short of cpu.\n"
            "Note: the dump has no namespaces.\n"
            "\n"
            "What would help\n"
            "  - uncordon n1: it fits there\n"
            "      kubectl uncordon n1\n"
            "  - add a node\n"
            "\n"
            "Looked at again when\n"
            "  NodeResourcesFit  a node is added or gets more\n"
            "                    allocatable resources\n"
            "  TaintToleration   a taint is removed\n"
            "\n"
            "The end.\n");
}

TEST(Page, PutsKeysOnLinesOfTheirOwnWhereThereIsLittleRoom) {
  Page page;
  page.pair("NodeResourcesFit", "a node is added or gets more allocatable resources");
  EXPECT_EQ(page.render(wide(36)),
            "  NodeResourcesFit\n"
            "      a node is added or gets more\n"
            "      allocatable resources\n");
}

TEST(Page, NeverBreaksAWord) {
  Page page;
  page.bullet("take node-with-a-name-that-is-longer-than-the-line away");
  EXPECT_EQ(page.render(wide(24)),
            "  - take\n"
            "    node-with-a-name-that-is-longer-than-the-line\n"
            "    away\n");
}

TEST(Page, ColoursByMeaning) {
  Page page;
  page.headline(Line("default/web", Meaning::kBad).add(" fits nowhere"));
  page.item(Line("plain ").add("good", Meaning::kGood));
  EXPECT_EQ(page.render(wide(80, true)),
            "\x1b[31mdefault/web\x1b[0m\x1b[1m fits nowhere\x1b[0m\n"
            "  plain \x1b[32mgood\x1b[0m\n");
}

TEST(Page, ColoursEveryLineThatIsWrapped) {
  Page page;
  page.paragraph({"one two three four five", Meaning::kBad});
  EXPECT_EQ(page.render(wide(20, true)), "\x1b[31mone two three four\x1b[0m\n\x1b[31mfive\x1b[0m\n");
}

TEST(Page, EscapesWhateverIsPutIntoIt) {
  const std::string evil = "x\x1b[2J\n\u202ey\xff";
  Table table;
  table.add_column(evil);
  table.add_column(evil, Align::kRight);
  table.add_row({evil, evil});
  Page page;
  page.headline(evil);
  page.paragraph(evil);
  page.note(evil);
  page.section(evil);
  page.bullet(evil);
  page.item(evil);
  page.detail(evil);
  page.command(evil);
  page.pair(evil, evil);
  page.table(table);
  for (const Style& style : {Style(), wide(20), wide(200), kMarkdown}) {
    const std::string text = page.render(style);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("\u202e"), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    EXPECT_NE(
        text.find(style.form == Style::Form::kText ? R"(x\x1b[2J\n\u202ey\xff)" : R"(x\\x1b\[2J\\n\\u202ey\\xff)"),
        std::string::npos);
  }
}

// --- Tables ----------------------------------------------------------------------------------------------------------

Table nodes() {
  Table table;
  table.add_column("NODE");
  table.add_column("PODS", Align::kRight);
  table.add_column("WHY NOT");
  table.add_row({"n1", "12", "it is short of cpu and of memory"});
  table.add_row({"a-long-one", "1,000", ""});
  return table;
}

std::string put(const Table& table, std::size_t width) {
  Page page;
  page.table(table);
  return page.render(wide(width));
}

TEST(Table, HasColumnsAsWideAsTheirCells) {
  EXPECT_EQ(put(nodes(), 0),
            "  NODE         PODS  WHY NOT\n"
            "  n1             12  it is short of cpu and of memory\n"
            "  a-long-one  1,000\n");
}

TEST(Table, WrapsCellsInANarrowTerminal) {
  EXPECT_EQ(put(nodes(), 40),
            "  NODE         PODS  WHY NOT\n"
            "  n1             12  it is short of cpu\n"
            "                     and of memory\n"
            "  a-long-one  1,000\n");
}

TEST(Table, HasRowsAsEntriesInAVeryNarrowTerminal) {
  EXPECT_EQ(put(nodes(), 24),
            "  n1\n"
            "      PODS: 12; WHY NOT:\n"
            "      it is short of cpu\n"
            "      and of memory\n"
            "  a-long-one\n"
            "      PODS: 1,000\n");
}

TEST(Table, NamesAnEntryByTheFirstCellThatIsNoNumber) {
  Table table;
  table.add_column("PODS", Align::kRight);
  table.add_column("OWNER");
  table.add_column("WHY");
  table.add_row({"12", "a-deployment-with-a-long-name", ""});
  table.add_row({"13", "", "because"});
  EXPECT_EQ(put(table, 30),
            "  a-deployment-with-a-long-name\n"
            "      PODS: 12\n"
            "  because\n"
            "      PODS: 13\n");
}

TEST(Page, HasBarsThatFit) {
  Page page;
  page.bar("< 1s", 1, "1,000");
  page.bar(">= 1s", 0.5, "500");
  page.bar("never", 0, "0");
  EXPECT_EQ(page.render(wide(40)),
            "   < 1s  ##################### 1,000\n"
            "  >= 1s  ########## 500\n"
            "  never  0\n");
  EXPECT_EQ(page.render({}).find('\n'), 9u + 40 + 6);
}

TEST(Table, AlignsWideCharacters) {
  Table table;
  table.add_column("NODE");
  table.add_column("PODS", Align::kRight);
  table.add_row({"\u6771\u4eac", "1"});
  table.add_row({"e\u0301a", "20"});
  EXPECT_EQ(put(table, 0),
            "  NODE  PODS\n"
            "  \u6771\u4eac     1\n"
            "  e\u0301a      20\n");
}

TEST(Table, WithoutRowsIsLeftOutWithItsSection) {
  Page page;
  page.headline("All is well.");
  page.section("Nodes");
  Table table;
  table.add_column("NODE");
  page.table(table);
  EXPECT_EQ(page.render({}), "All is well.\n");
}

TEST(Page, KeepsEveryLineWithinTheTerminal) {
  Page page = sample();
  page.table(nodes());
  for (std::size_t width = 30; width <= 130; ++width) {
    const std::string text = page.render(wide(width));
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(columns(std::string_view(text).substr(at, end - at)), width) << text;
      at = end + 1;
    }
  }
}

// --- Markdown --------------------------------------------------------------------------------------------------------

TEST(Markdown, IsReadyForATicket) {
  Page page = sample();
  page.table(nodes());
  EXPECT_EQ(page.render(kMarkdown),
            "**default/web fits on none of the 3 nodes: 3 are short of cpu.**\n"
            "\n"
            "> Note: the dump has no namespaces.\n"
            "\n"
            "### What would help\n"
            "\n"
            "- uncordon n1: it fits there\n"
            "  ```sh\n"
            "  kubectl uncordon n1\n"
            "  ```\n"
            "- add a node\n"
            "\n"
            "### Looked at again when\n"
            "\n"
            "- **NodeResourcesFit**: a node is added or gets more allocatable resources\n"
            "- **TaintToleration**: a taint is removed\n"
            "\n"
            "The end.\n"
            "\n"
            "| NODE | PODS | WHY NOT |\n"
            "| --- | ---: | --- |\n"
            "| n1 | 12 | it is short of cpu and of memory |\n"
            "| a-long-one | 1,000 |  |\n");
}

TEST(Markdown, TakesNothingOfANameForMarkup) {
  Page page;
  page.headline(Line("a_b", Meaning::kName).add(" waits"));
  page.item("# not a heading");
  page.item("1. not a list");
  page.detail({"a`b", Meaning::kName});
  Table table;
  table.add_column("N|ODE");
  table.add_row({Line("a|b", Meaning::kName)});
  page.table(table);
  EXPECT_EQ(page.render(kMarkdown),
            "**`a_b` waits**\n"
            "\n"
            "- \\# not a heading\n"
            "- 1\\. not a list  \n"
            "  ``a`b``\n"
            "\n"
            "| N\\|ODE |\n"
            "| --- |\n"
            "| a\\|b |\n");
}

}  // namespace
}  // namespace berth::text
