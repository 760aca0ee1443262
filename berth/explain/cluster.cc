#include "berth/explain/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/autoscaler/find_groups.h"
#include "berth/config/suggest.h"

namespace berth::explain {

namespace {

bool is_placed(const api::Pod& pod) {
  return !pod.spec.node_name.empty() && !api::is_terminal(pod);
}

Error not_found(std::string_view name, const Cluster& cluster) {
  const std::size_t slash = name.find('/');
  const std::string_view name_space = slash == std::string_view::npos ? "" : name.substr(0, slash);
  const std::string_view short_name = name.substr(slash == std::string_view::npos ? 0 : slash + 1);
  Error error(cluster.pods.empty()
                  ? fmt::format("there is no pod {}: what was read has no pods at all", name)
                  : fmt::format("there is no pod {} among the {} that were read", name, cluster.pods.size()));

  std::vector<std::string> elsewhere;
  std::vector<std::string_view> names, waiting, others;  // the last two: whose names start like this
  bool is_namespace_known = name_space.empty();
  for (const auto& [full, pod] : cluster.pods) {
    is_namespace_known |= pod->metadata.name_space == name_space;
    if (pod->metadata.name == short_name) elsewhere.push_back(full);
    if (name_space.empty() || pod->metadata.name_space == name_space) {
      names.push_back(pod->metadata.name);
      // The name of a workload stands for its pods: first those that wait.
      if (pod->metadata.name.starts_with(short_name)) (pod->spec.node_name.empty() ? waiting : others).push_back(full);
    }
  }
  std::string_view meant;
  if (!elsewhere.empty()) {
    meant = elsewhere.front();
  } else if (short_name.size() >= 2 && (!waiting.empty() || !others.empty())) {
    meant = waiting.empty() ? others.front() : waiting.front();
  } else if (const std::string_view nearest = config::nearest_name(short_name, names); !nearest.empty()) {
    const auto it = std::ranges::find_if(cluster.pods, [&](const auto& entry) {
      return entry.second->metadata.name == nearest &&
             (name_space.empty() || entry.second->metadata.name_space == name_space);
    });
    if (it != cluster.pods.end()) meant = it->first;
  }
  if (!meant.empty()) return std::move(error).with_fix(fmt::format("did you mean {}?", meant));
  if (!is_namespace_known) return std::move(error).with_fix(fmt::format("nor is any in namespace {}", name_space));
  return error;
}

}  // namespace

api::PodPtr with_identity(api::PodPtr pod) {
  if (!pod->metadata.uid.empty() && !pod->metadata.name_space.empty()) return pod;
  api::Pod completed = *pod;
  if (completed.metadata.name_space.empty()) completed.metadata.name_space = Symbol("default");
  if (completed.metadata.uid.empty()) completed.metadata.uid = api::full_name(completed.metadata);
  return std::make_shared<const api::Pod>(std::move(completed));
}

Cluster::Cluster(std::span<const api::AnyObject> dump) {
  for (const api::AnyObject& object : dump) {
    if (const api::NodePtr node = object.as<api::Node>()) {
      cache.set_node(node);
    } else if (api::PodPtr pod = object.as<api::Pod>()) {
      pod = with_identity(std::move(pod));
      pods[api::full_name(pod->metadata)] = pod;
    } else if (!events.add(object) && !objects.set(object) && object.kind().metadata != nullptr) {
      const api::ObjectMeta& metadata = object.metadata();
      others[{object.kind().kind, metadata.name_space.str(), metadata.name}] = object;
    }
  }
  for (const auto& [name, pod] : pods) {
    if (is_placed(*pod)) {
      // Two pods of one UID are not of this world; the first counts.
      if (!cache.add(pod)) continue;
      const cache::RowId row = cache.nodes().row_of(pod->spec.node_name);
      if (cache.nodes().at(row).node == nullptr) dangling.push_back(name);
    } else if (!api::is_terminal(*pod) && !pod->status.nominated_node_name.empty()) {
      nominated.add(pod->status.nominated_node_name, {.pod = pod, .compiled = cache.compile(*pod)});
    }
  }
}

Result<api::PodPtr> Cluster::find_pod(std::string_view name) const {
  if (const auto it = pods.find(name); it != pods.end()) return it->second;
  if (name.find('/') == std::string_view::npos) {
    if (const auto it = pods.find(fmt::format("default/{}", name)); it != pods.end()) return it->second;
    std::vector<std::string> found;
    api::PodPtr only;
    for (const auto& [full, pod] : pods) {
      if (pod->metadata.name != name) continue;
      found.push_back(full);
      only = pod;
    }
    if (found.size() == 1) return only;
    if (found.size() > 1) {
      return fail(Error(fmt::format("there are {} pods of the name {}: {}", found.size(), name, listed(found, 5)))
                      .with_fix("say NAMESPACE/NAME"));
    }
  }
  return fail(not_found(name, *this));
}

const std::vector<autoscaler::NodeGroup>& Cluster::node_groups() {
  if (node_groups_) return *node_groups_;
  std::vector<api::AnyObject> dump;
  dump.reserve(others.size() + cache.nodes().node_count() + pods.size());
  for (const auto& [key, object] : others) dump.push_back(object);
  for (const cache::RowId row : rows_by_name()) dump.emplace_back(cache.nodes().at(row).node);
  for (const auto& [name, pod] : pods) dump.emplace_back(pod);
  return node_groups_.emplace(autoscaler::find_groups(dump));
}

std::vector<cache::RowId> Cluster::rows_by_name() const {
  // Trying things out asks for this again and again, with a node more or less: what has stayed keeps its place.
  const auto name_less = [this](cache::RowId a, cache::RowId b) {
    return natural_less(cache.nodes().at(a).name.text(), cache.nodes().at(b).name.text());
  };
  const Bitset& known = cache.nodes().nodes();
  std::erase_if(ordered_, [&](const OrderedRow& each) {
    return each.row >= known.size() || !known.test(each.row) || cache.nodes().at(each.row).name != each.name;
  });
  std::vector<bool> is_ordered(known.size());
  std::vector<cache::RowId> rows;
  for (const OrderedRow& each : ordered_) {
    is_ordered[each.row] = true;
    rows.push_back(each.row);
  }
  std::vector<cache::RowId> added;
  known.for_each([&](std::size_t row) {
    if (!is_ordered[row]) added.push_back(static_cast<cache::RowId>(row));
  });
  if (added.empty()) return rows;
  std::ranges::sort(added, name_less);
  if (rows.empty()) {
    rows = std::move(added);
  } else {
    for (const cache::RowId row : added) rows.insert(std::ranges::upper_bound(rows, row, name_less), row);
  }
  ordered_.clear();
  for (const cache::RowId row : rows) ordered_.push_back({row, cache.nodes().at(row).name});
  return rows;
}

}  // namespace berth::explain
