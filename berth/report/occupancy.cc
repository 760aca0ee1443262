#include "berth/report/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/api/pod_requests.h"
#include "berth/explain/facts.h"
#include "berth/explain/what_if.h"
#include "berth/explain/words.h"

namespace berth::report {

namespace {

const Symbol& cpu_symbol() {
  static const Symbol cpu("cpu");
  return cpu;
}
const Symbol& memory_symbol() {
  static const Symbol memory("memory");
  return memory;
}
const Symbol& pods_symbol() {
  static const Symbol pods("pods");
  return pods;
}
const Symbol& storage_symbol() {
  static const Symbol storage("ephemeral-storage");
  return storage;
}

std::int64_t amount_in(const api::ResourceVector& vector, Symbol resource) {
  if (resource == cpu_symbol()) return vector.milli_cpu;
  if (resource == memory_symbol()) return vector.memory;
  if (resource == storage_symbol()) return vector.ephemeral_storage;
  if (resource == pods_symbol()) return vector.allowed_pods;
  const std::int64_t* scalar = vector.scalars.find(resource);
  return scalar == nullptr ? 0 : *scalar;
}

ResourceUse use_of(const cache::NodeState& node, Symbol resource) {
  const std::int64_t allocatable = amount_in(node.allocatable, resource);
  if (resource == pods_symbol()) return {resource, std::ssize(node.pods), allocatable};
  return {resource, amount_in(node.requested, resource), allocatable};
}

// What the nodes have, in the order in which people look: pods are counted in a column of their own.
std::vector<Symbol> resources_of(const explain::Cluster& cluster, std::span<const cache::RowId> rows) {
  bool has_storage_requests = false;
  std::set<Symbol, SymbolTextLess> scalars;
  for (const cache::RowId row : rows) {
    const cache::NodeState& node = cluster.cache.nodes().at(row);
    has_storage_requests |= node.requested.ephemeral_storage > 0;
    for (const auto& [resource, amount] : node.allocatable.scalars) {
      if (amount > 0) scalars.insert(resource);
    }
  }
  std::vector<Symbol> resources = {cpu_symbol(), memory_symbol()};
  if (has_storage_requests) resources.push_back(storage_symbol());
  resources.insert(resources.end(), scalars.begin(), scalars.end());
  return resources;
}

double share_of(const ResourceUse& use) {
  return use.allocatable <= 0 ? 0 : static_cast<double>(use.requested) / static_cast<double>(use.allocatable);
}

std::string note_about(const api::Node& node) {
  std::vector<std::string> notes;
  if (node.spec.unschedulable) notes.emplace_back("cordoned");
  for (const api::Taint& taint : node.spec.taints) {
    const std::string_view state = explain::node_state_of(taint);
    // A cordon has a taint of its own.
    if (state.empty() || (node.spec.unschedulable && taint.key == "node.kubernetes.io/unschedulable")) continue;
    if (std::ranges::find(notes, state) == notes.end()) notes.emplace_back(state);
  }
  return explain::listed(notes);
}

PlacementRow node_row(const cache::NodeState& node, std::span<const Symbol> resources) {
  PlacementRow row;
  row.name = node.name.str();
  row.pods = std::ssize(node.pods);
  for (const Symbol resource : resources) row.resources.push_back(use_of(node, resource));
  row.note = note_about(*node.node);
  return row;
}

// Of a pool whose nodes no label names, what they have stands for a name.
std::string pool_name(const explain::Cluster& cluster, const explain::Pool& pool) {
  if (!pool.name.empty()) return pool.name;
  const cache::NodeState& node = cluster.cache.nodes().at(pool.rows.front());
  return fmt::format("{}, {}", explain::amount_of(cpu_symbol(), node.allocatable.milli_cpu, explain::Round::kDown),
                     explain::amount_of(memory_symbol(), node.allocatable.memory, explain::Round::kDown));
}

PlacementRow pool_row(const explain::Cluster& cluster, const explain::Pool& pool, std::span<const Symbol> resources) {
  PlacementRow row;
  row.name = pool_name(cluster, pool);
  row.nodes = std::ssize(pool.rows);
  for (const Symbol resource : resources) row.resources.push_back({resource, 0, 0});
  std::map<std::string, std::size_t> notes;
  for (const cache::RowId each : pool.rows) {
    const PlacementRow node = node_row(cluster.cache.nodes().at(each), resources);
    row.pods += node.pods;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      row.resources[i].requested += node.resources[i].requested;
      row.resources[i].allocatable += node.resources[i].allocatable;
    }
    if (!node.note.empty()) ++notes[node.note];
  }
  std::vector<std::string> texts;
  for (const auto& [note, nodes] : notes) texts.push_back(fmt::format("{} {}", nodes, note));
  row.note = explain::listed(texts);
  return row;
}

std::optional<Utilisation> utilisation_of(const explain::Cluster& cluster, std::span<const cache::RowId> rows,
                                          Symbol resource) {
  Utilisation result{.total = {resource, 0, 0}};
  std::vector<double> shares;
  for (const cache::RowId row : rows) {
    const ResourceUse use = use_of(cluster.cache.nodes().at(row), resource);
    result.total.requested += use.requested;
    result.total.allocatable += use.allocatable;
    if (use.allocatable > 0) shares.push_back(share_of(use));
  }
  if (shares.empty()) return std::nullopt;
  std::ranges::sort(shares);
  result.share = share_of(result.total);
  result.least = shares.front();
  result.median = shares[(shares.size() - 1) / 2];
  result.most = shares.back();
  return result;
}

struct Measure {
  std::string pod;
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
};

// The largest pending pod, or the median of the placed ones; nothing if no pod asks for anything.
std::optional<Measure> measure_of(explain::Cluster& cluster) {
  std::optional<Measure> largest;
  std::vector<std::pair<std::int64_t, std::int64_t>> placed;
  for (const auto& [name, pod] : cluster.pods) {
    if (api::is_terminal(*pod)) continue;
    const api::ResourceVector& requested = cluster.cache.compile(*pod)->usage.requested;
    if (requested.milli_cpu == 0 && requested.memory == 0) continue;
    if (!pod->spec.node_name.empty()) {
      placed.emplace_back(requested.milli_cpu, requested.memory);
    } else if (!largest ||
               std::pair(requested.milli_cpu, requested.memory) > std::pair(largest->milli_cpu, largest->memory)) {
      largest = Measure{name, requested.milli_cpu, requested.memory};
    }
  }
  if (largest || placed.empty()) return largest;
  const auto middle = placed.begin() + (std::ssize(placed) - 1) / 2;
  std::ranges::nth_element(placed, middle);
  return Measure{"the median pod", middle->first, middle->second};
}

std::optional<Fragmentation> fragmentation_of(explain::Cluster& cluster, std::span<const cache::RowId> rows) {
  const std::optional<Measure> measure = measure_of(cluster);
  if (!measure) return std::nullopt;
  Fragmentation result{.pod = measure->pod, .milli_cpu = measure->milli_cpu, .memory = measure->memory};
  for (const cache::RowId row : rows) {
    const cache::NodeState& node = cluster.cache.nodes().at(row);
    const std::int64_t free_cpu = std::max<std::int64_t>(0, node.allocatable.milli_cpu - node.requested.milli_cpu);
    const bool fits = measure->milli_cpu <= free_cpu &&
                      measure->memory <= node.allocatable.memory - node.requested.memory &&
                      std::ssize(node.pods) < node.allocatable.allowed_pods;
    result.free_milli_cpu += free_cpu;
    result.nodes_that_fit += fits ? 1 : 0;
    if (!fits) result.stranded_milli_cpu += free_cpu;
  }
  if (result.free_milli_cpu > 0) {
    result.share = static_cast<double>(result.stranded_milli_cpu) / static_cast<double>(result.free_milli_cpu);
  }
  return result;
}

}  // namespace

Occupancy occupancy_of(explain::Cluster& cluster, std::size_t max_node_rows) {
  Occupancy result;
  const std::vector<cache::RowId> rows = cluster.rows_by_name();
  if (rows.empty()) return result;
  std::vector<Symbol> resources = resources_of(cluster, rows);
  if (rows.size() <= max_node_rows) {
    result.by = "node";
    for (const cache::RowId row : rows) result.rows.push_back(node_row(cluster.cache.nodes().at(row), resources));
  } else {
    result.by = "pool";
    for (const explain::Pool& pool : explain::pools_of(cluster)) {
      result.rows.push_back(pool_row(cluster, pool, resources));
    }
  }
  resources.insert(resources.begin() + 2, pods_symbol());
  for (const Symbol resource : resources) {
    if (auto use = utilisation_of(cluster, rows, resource)) result.utilisation.push_back(*use);
  }
  result.fragmentation = fragmentation_of(cluster, rows);
  return result;
}

}  // namespace berth::report
