#include "berth/cache/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace berth::cache {

std::vector<std::string> compare(const SchedulerCache& cache, std::span<const api::NodePtr> nodes,
                                 std::span<const api::PodPtr> pods) {
  std::vector<std::string> differences;
  const NodeTable& table = cache.nodes();

  std::map<std::string, const api::Node*> expected_nodes;
  for (const api::NodePtr& node : nodes) expected_nodes.emplace(node->metadata.name, node.get());
  std::set<std::string> cached_nodes;
  table.nodes().for_each([&](std::size_t row) { cached_nodes.insert(table.at(static_cast<RowId>(row)).name.str()); });
  for (const auto& [name, node] : expected_nodes) {
    if (!cached_nodes.contains(name)) differences.push_back(fmt::format("node {} is missing in the cache", name));
  }
  for (const std::string& name : cached_nodes) {
    if (!expected_nodes.contains(name)) differences.push_back(fmt::format("node {} should not be in the cache", name));
  }

  std::map<std::string, const api::Pod*> expected_pods;  // by UID
  for (const api::PodPtr& pod : pods) {
    if (!pod->spec.node_name.empty() && !api::is_terminal(*pod)) expected_pods.emplace(pod->metadata.uid, pod.get());
  }
  std::map<std::string, const api::Pod*> cached_pods;
  cache.for_each_pod([&](const api::PodPtr& pod, bool is_assumed) {
    if (!is_assumed || expected_pods.contains(pod->metadata.uid)) cached_pods.emplace(pod->metadata.uid, pod.get());
  });
  for (const auto& [uid, pod] : expected_pods) {
    const auto it = cached_pods.find(uid);
    if (it == cached_pods.end()) {
      differences.push_back(fmt::format("pod {} is missing in the cache", api::full_name(pod->metadata)));
    } else if (it->second->spec.node_name != pod->spec.node_name) {
      differences.push_back(fmt::format("pod {} is on {}, the cache has it on {}", api::full_name(pod->metadata),
                                        pod->spec.node_name.text(), it->second->spec.node_name.text()));
    }
  }
  for (const auto& [uid, pod] : cached_pods) {
    if (!expected_pods.contains(uid)) {
      differences.push_back(fmt::format("pod {} should not be in the cache", api::full_name(pod->metadata)));
    }
  }
  return differences;
}

std::vector<std::string> compare_sums(const NodeTable& table) {
  std::vector<std::string> differences;
  std::map<const PodClass*, std::map<RowId, std::uint32_t>> class_rows;
  for (RowId row = 0; row < table.rows(); ++row) {
    const NodeState& state = table.at(row);
    if (table.row_of(state.name) != row) continue;  // a free row
    NodeState expected;
    expected.name = state.name;
    expected.row = row;
    expected.set_node(state.node);
    for (const PlacedPod& placed : state.pods) {
      expected.add_pod(placed);
      ++class_rows[placed.pod_class][row];
    }
    const auto differ = [&](std::string_view what, auto is, auto should) {
      if (is != should) {
        differences.push_back(fmt::format("node {}: {} is {}, should be {}", state.name.text(), what, is, should));
      }
    };
    differ("requested cpu", state.requested.milli_cpu, expected.requested.milli_cpu);
    differ("requested memory", state.requested.memory, expected.requested.memory);
    differ("requested ephemeral storage", state.requested.ephemeral_storage, expected.requested.ephemeral_storage);
    differ("non-zero cpu", state.non_zero_milli_cpu, expected.non_zero_milli_cpu);
    differ("non-zero memory", state.non_zero_memory, expected.non_zero_memory);
    differ("number of used ports", state.used_ports.size(), expected.used_ports.size());
    for (const auto& scalar : expected.requested.scalars) {
      const std::int64_t* is = state.requested.scalars.find(scalar.key);
      differ(scalar.key.text(), is == nullptr ? 0 : *is, scalar.value);
    }
    const bool has_node = state.node != nullptr;
    const NodeColumns& columns = table.columns();
    differ("presence", table.nodes().test(row), has_node);
    differ("column of pods", columns.pods[row], has_node ? static_cast<std::int64_t>(state.pods.size()) : 0);
    differ("column of requested cpu", columns.requested_milli_cpu[row], has_node ? expected.requested.milli_cpu : 0);
    differ("column of requested memory", columns.requested_memory[row], has_node ? expected.requested.memory : 0);
    differ("column of allocatable cpu", columns.allocatable_milli_cpu[row], expected.allocatable.milli_cpu);
    differ("column of allocatable memory", columns.allocatable_memory[row], expected.allocatable.memory);
    differ("column of allocatable pods", columns.allocatable_pods[row], expected.allocatable.allowed_pods);
  }
  table.for_each_class([&](const PodClass& pod_class) {
    const auto it = class_rows.find(&pod_class);
    const std::map<RowId, std::uint32_t> expected = it == class_rows.end() ? decltype(it->second)() : it->second;
    if (std::map<RowId, std::uint32_t>(pod_class.pods_on_row.begin(), pod_class.pods_on_row.end()) != expected) {
      differences.push_back(fmt::format("pod class {}: its pods are not where the nodes have them", pod_class.id));
    }
  });
  return differences;
}

}  // namespace berth::cache
