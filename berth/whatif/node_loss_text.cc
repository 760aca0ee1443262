// The two forms of an answer about lost nodes: for people, and the names of its JSON members. docs/capacity.md
// documents both.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/text/table.h"
#include "berth/text/words.h"
#include "berth/whatif/node_loss.h"

namespace berth::whatif {

namespace {

constexpr std::size_t kMaxRows = 30;
constexpr std::size_t kMaxNamed = 4;

using text::Align;
using text::Line;
using text::Meaning;

text::Table table_of(const NodeLosses& losses, std::size_t rows) {
  const bool is_by_node = losses.by == "node";
  text::Table table;
  table.add_column(is_by_node ? "node" : losses.by);
  table.add_column("nodes", Align::kRight);
  table.add_column("pods", Align::kRight);
  table.add_column("fit elsewhere", Align::kRight);
  table.add_column("have no place", Align::kRight);
  for (std::size_t i = 0; i < rows; ++i) {
    const Loss& loss = losses.losses[i];
    table.add_row({Line(loss.domain, Meaning::kName), text::grouped(loss.nodes), text::grouped(loss.pods),
                   text::grouped(loss.placed), text::grouped(loss.stranded.size())});
  }
  return table;
}

}  // namespace

std::string to_text(const NodeLosses& losses, const LossText& options) {
  text::Page page;
  page.headline({(losses.ok ? "ok: " : "not ok: ") + losses.sentence, losses.ok ? Meaning::kGood : Meaning::kBad});
  if (!losses.losses.empty()) {
    const std::size_t rows = options.all ? losses.losses.size() : std::min(losses.losses.size(), kMaxRows);
    page.section("Not survivable, worst first");
    page.table(table_of(losses, rows));
    if (rows < losses.losses.size()) {
      page.item({fmt::format("and {} more (--all for every one)", text::grouped(losses.losses.size() - rows)),
                 Meaning::kDim});
    }
    page.section("Pods without a place");
  }
  for (const Loss& loss : losses.losses) {
    if (loss.sentences.empty()) continue;
    page.item({fmt::format("{}: {}", loss.domain,
                           text::listed(loss.stranded, options.all ? loss.stranded.size() : kMaxNamed)),
               Meaning::kWarning});
    for (const StrandedPods& group : loss.sentences) page.detail(group.sentence);
  }
  if (!losses.notes.empty()) page.gap();
  for (const std::string& note : losses.notes) page.note(note);
  return page.render(options.style);
}

}  // namespace berth::whatif

namespace berth::api {

template <>
const Schema& schema_of<whatif::StrandedPods>() {
  using S = whatif::StrandedPods;
  static const Schema schema("StrandedPods", {
                                                 field<&S::pods>("pods", 0, kAlways),
                                                 field<&S::sentence>("sentence", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<whatif::Loss>() {
  using L = whatif::Loss;
  static const Schema schema("Loss", {
                                         field<&L::domain>("domain", 0, kAlways),
                                         field<&L::nodes>("nodes", 0, kAlways),
                                         field<&L::pods>("pods", 0, kAlways),
                                         field<&L::placed>("placed", 0, kAlways),
                                         field<&L::stranded>("withoutAPlace", 0, kAlways),
                                         field<&L::sentences>("sentences", 0),
                                     });
  return schema;
}

template <>
const Schema& schema_of<whatif::NodeLosses>() {
  using L = whatif::NodeLosses;
  static const Schema schema("NodeLosses", {
                                               field<&L::by>("by", 0, kAlways),
                                               field<&L::nodes>("nodes", 0, kAlways),
                                               field<&L::domains>("domains", 0, kAlways),
                                               field<&L::survivable>("survivable", 0, kAlways),
                                               field<&L::ok>("ok", 0, kAlways),
                                               field<&L::sentence>("sentence", 0, kAlways),
                                               field<&L::losses>("losses", 0),
                                               field<&L::notes>("notes", 0),
                                           });
  return schema;
}

}  // namespace berth::api
