// The two forms of an answer about capacity: for people, in the words of cluster-capacity where it has some, and the
// names of its JSON members. docs/capacity.md documents both.
#include <fmt/format.h>

#include <map>

#include "berth/explain/words.h"
#include "berth/report/table.h"
#include "berth/report/words.h"
#include "berth/whatif/capacity.h"

namespace berth::whatif {

namespace {

// Above this many nodes the table is by pool.
constexpr std::size_t kMaxNodeRows = 30;
constexpr std::size_t kWidth = 100;
constexpr std::size_t kMaxNamed = 8;

using Align = report::Table::Align;

std::string nodes_table(const Capacity& capacity) {
  report::Table table;
  table.add_column("node");
  table.add_column("pool");
  table.add_column("instances", Align::kRight);
  for (const NodeCapacity& row : capacity.placement) {
    table.add_row({row.node, row.pool.empty() ? "-" : row.pool, report::grouped(row.instances)});
  }
  return table.str();
}

std::string pools_table(const Capacity& capacity) {
  struct Sum {
    std::int64_t nodes = 0;
    std::int64_t instances = 0;
  };
  std::map<std::string, Sum> pools;
  for (const NodeCapacity& row : capacity.placement) {
    Sum& sum = pools[row.pool];
    ++sum.nodes;
    sum.instances += row.instances;
  }
  report::Table table;
  table.add_column("pool");
  table.add_column("nodes used", Align::kRight);
  table.add_column("instances", Align::kRight);
  for (const auto& [pool, sum] : pools) {
    table.add_row({pool.empty() ? "-" : pool, report::grouped(sum.nodes), report::grouped(sum.instances)});
  }
  return table.str();
}

}  // namespace

std::string to_text(const Capacity& capacity, const CapacityText& options) {
  const std::string_view name = std::string_view(capacity.pod).substr(capacity.pod.find('/') + 1);
  std::string text =
      capacity.requests.empty()
          ? fmt::format("{} asks for no resources.\n", capacity.pod)
          : report::wrapped(fmt::format("{} asks for {}.", capacity.pod, capacity.requests), kWidth, "", "");
  text += fmt::format("The cluster can schedule {} instance(s) of the pod {}.\n", capacity.instances, name);
  text += "\n" + report::wrapped(capacity.message.empty() ? fmt::format("Termination reason: {}", capacity.stop.text())
                                                          : fmt::format("Termination reason: {}: {}",
                                                                        capacity.stop.text(), capacity.message),
                                 kWidth, "", "  ");
  if (!capacity.sentence.empty()) text += report::wrapped(capacity.sentence, kWidth, "", "");
  if (!capacity.placement.empty()) {
    const bool is_by_node = options.all_nodes || capacity.placement.size() <= kMaxNodeRows;
    text += fmt::format("\nPods per {}\n{}", is_by_node ? "node" : "pool (--all for every node)",
                        is_by_node ? nodes_table(capacity) : pools_table(capacity));
  }
  if (!capacity.victims.empty()) {
    text +=
        "\n" +
        report::wrapped(
            fmt::format("{} evicted for them: {}.",
                        capacity.victims.size() == 1 ? "1 pod is" : fmt::format("{} pods are", capacity.victims.size()),
                        explain::listed(capacity.victims, options.all_nodes ? capacity.victims.size() : kMaxNamed)),
            kWidth, "", "  ");
  }
  if (!capacity.notes.empty()) text += "\n";
  for (const std::string& note : capacity.notes) text += report::wrapped("Note: " + note, kWidth, "", "  ");
  return text;
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
