#include "berth/autoscaler/trial.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "berth/base/check.h"
#include "berth/framework/attempt.h"

namespace berth::autoscaler {

Trial::~Trial() {
  for (const api::PodPtr& pod : pods_) (void)cache_.remove(*pod);
  for (const api::NodePtr& node : nodes_) (void)cache_.remove_node(*node);
}

void Trial::add(const NewNode& node) {
  cache_.set_node(node.node);
  nodes_.push_back(node.node);
  for (const api::PodPtr& daemon : node.daemons) {
    if (cache_.add(daemon)) pods_.push_back(daemon);
  }
}

void Trial::remove_last() {
  BERTH_CHECK(!nodes_.empty(), "no node was added");
  const api::NodePtr node = nodes_.back();
  nodes_.pop_back();
  std::erase_if(pods_, [&](const api::PodPtr& pod) {
    if (pod->spec.node_name != node->metadata.name) return false;
    (void)cache_.remove(*pod);
    return true;
  });
  (void)cache_.remove_node(*node);
}

void Trial::place(const api::PodPtr& pod, const std::string& node) {
  api::Pod placed = *pod;
  placed.spec.node_name = Symbol(node);
  auto shared = std::make_shared<const api::Pod>(std::move(placed));
  if (cache_.add(shared)) pods_.push_back(std::move(shared));
}

framework::Status Trial::check(const framework::Profile& profile, const api::PodPtr& pod, const std::string& node) {
  const framework::ClusterView view{cache_.nodes(), objects_};
  const framework::PodToPlace to_place{pod, cache_.compile(*pod)};
  const framework::PreFilterResult pre_filter = framework::run_pre_filter(profile, to_place, view);
  if (!pre_filter.status.is_success()) return pre_filter.status;
  const cache::RowId row = view.nodes.row_of(Symbol(node));
  if (!pre_filter.allowed_rows(view.nodes).test(row)) {
    return framework::Status::unresolvable("node(s) didn't match Pod's node affinity/selector")
        .with_plugin(pre_filter.restricting_plugins.front());
  }
  const framework::RowVerdicts::Entry entry = framework::check_node(profile, pre_filter, view.nodes.at(row));
  return framework::status_of(profile, pre_filter, entry);
}

std::optional<std::string> Trial::place_for(const framework::Profile& profile, const api::PodPtr& pod) {
  const framework::ClusterView view{cache_.nodes(), objects_};
  const framework::PodToPlace to_place{pod, cache_.compile(*pod)};
  const framework::PreFilterResult pre_filter = framework::run_pre_filter(profile, to_place, view);
  if (!pre_filter.status.is_success()) return std::nullopt;
  static const framework::NominatedPods nobody;
  const framework::FilterResult filtered = framework::run_filters(profile, pre_filter, to_place, view, nobody);
  std::optional<std::string> found;
  filtered.feasible.for_each([&](std::size_t row) {
    if (!found) found = view.nodes.at(static_cast<cache::RowId>(row)).name.str();
  });
  return found;
}

}  // namespace berth::autoscaler
