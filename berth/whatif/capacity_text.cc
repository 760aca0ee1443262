// The two forms of an answer about capacity: for people, in the words of cluster-capacity where it has some, and the
// names of its JSON members. docs/capacity.md documents both.
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "berth/text/table.h"
#include "berth/text/words.h"
#include "berth/whatif/capacity.h"

namespace berth::whatif {

namespace {

// Above this many nodes the table is by pool.
constexpr std::size_t kMaxNodeRows = 30;
constexpr std::size_t kMaxNamed = 8;

using text::Align;
using text::Line;
using text::Meaning;

text::Table nodes_table(std::span<const NodeCapacity> placement) {
  text::Table table;
  table.add_column("node");
  table.add_column("pool");
  table.add_column("instances", Align::kRight);
  for (const NodeCapacity& row : placement) {
    table.add_row({Line(row.node, Meaning::kName), row.pool.empty() ? "-" : row.pool, text::grouped(row.instances)});
  }
  return table;
}

text::Table pools_table(std::span<const NodeCapacity> placement) {
  struct Sum {
    std::int64_t nodes = 0;
    std::int64_t instances = 0;
  };
  std::map<std::string, Sum> pools;
  for (const NodeCapacity& row : placement) {
    Sum& sum = pools[row.pool];
    ++sum.nodes;
    sum.instances += row.instances;
  }
  text::Table table;
  table.add_column("pool");
  table.add_column("nodes used", Align::kRight);
  table.add_column("instances", Align::kRight);
  for (const auto& [pool, sum] : pools) {
    table.add_row(
        {Line(pool.empty() ? "-" : pool, Meaning::kName), text::grouped(sum.nodes), text::grouped(sum.instances)});
  }
  return table;
}

}  // namespace

void add_placement(std::span<const NodeCapacity> placement, const CapacityText& options, text::Page& page) {
  if (placement.empty()) return;
  const bool is_by_node = options.all_nodes || placement.size() <= kMaxNodeRows;
  page.section(is_by_node ? "Pods per node" : "Pods per pool (--all for every node)");
  page.table(is_by_node ? nodes_table(placement) : pools_table(placement));
}

void add_victims_and_notes(std::span<const std::string> victims, std::span<const std::string> notes,
                           const CapacityText& options, text::Page& page) {
  if (!victims.empty()) {
    page.gap();
    page.paragraph(fmt::format("{} evicted for them: {}.", text::counted(victims.size(), "pod is", "pods are"),
                               text::listed(victims, options.all_nodes ? victims.size() : kMaxNamed)));
  }
  if (!notes.empty()) page.gap();
  for (const std::string& note : notes) page.note(note);
}

std::string to_text(const Capacity& capacity, const CapacityText& options) {
  const std::string_view name = std::string_view(capacity.pod).substr(capacity.pod.find('/') + 1);
  text::Page page;
  page.paragraph(capacity.requests.empty() ? fmt::format("{} asks for no resources.", capacity.pod)
                                           : fmt::format("{} asks for {}.", capacity.pod, capacity.requests));
  page.headline(
      {fmt::format("The cluster can schedule {} instance(s) of the pod {}.", text::grouped(capacity.instances), name),
       capacity.instances > 0 ? Meaning::kGood : Meaning::kBad});
  page.gap();
  page.paragraph(capacity.message.empty()
                     ? fmt::format("Termination reason: {}", capacity.stop.text())
                     : fmt::format("Termination reason: {}: {}", capacity.stop.text(), capacity.message));
  if (!capacity.sentence.empty()) page.paragraph(capacity.sentence);
  add_placement(capacity.placement, options, page);
  add_victims_and_notes(capacity.victims, capacity.notes, options, page);
  return page.render(options.style);
}

}  // namespace berth::whatif

namespace berth::api {

// Defined where the explanation's are.
template <>
const Schema& schema_of<explain::NodeGroup>();

template <>
const Schema& schema_of<whatif::NodeCapacity>() {
  using N = whatif::NodeCapacity;
  static const Schema schema("NodeCapacity", {
                                                 field<&N::node>("node", 0, kAlways),
                                                 field<&N::pool>("pool", 0),
                                                 field<&N::instances>("instances", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<whatif::Capacity>() {
  using C = whatif::Capacity;
  static const Schema schema("Capacity", {
                                             field<&C::pod>("pod", 0, kAlways),
                                             field<&C::requests>("requests", 0),
                                             field<&C::nodes>("nodes", 0, kAlways),
                                             field<&C::instances>("instances", 0, kAlways),
                                             field<&C::stop>("stop", 0, kAlways),
                                             field<&C::message>("message", 0),
                                             field<&C::sentence>("sentence", 0),
                                             field<&C::placement>("placement", 0),
                                             field<&C::victims>("victims", 0),
                                             field<&C::groups>("groups", 0),
                                             field<&C::notes>("notes", 0),
                                         });
  return schema;
}

}  // namespace berth::api
