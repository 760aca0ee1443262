#include "berth/cache/node_table.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"

namespace berth::cache {
namespace {

// Empty classes that are kept before they are swept: their number, or that of the classes in use if there are more.
constexpr std::size_t kFewEmptyClasses = 4096;

// Images are known by the names under which the node lists them.
template <typename Fn>
void for_each_image(const api::Node& node, Fn&& fn) {
  for (const api::ContainerImage& image : *node.status.images) {
    for (const Symbol name : image.names) fn(name, image.size_bytes);
  }
}

// Calls fn(column) for each column of numbers.
template <typename Fn>
void for_each_column(NodeColumns& columns, Fn&& fn) {
  fn(columns.allocatable_milli_cpu);
  fn(columns.allocatable_memory);
  fn(columns.allocatable_ephemeral_storage);
  fn(columns.allocatable_pods);
  fn(columns.requested_milli_cpu);
  fn(columns.requested_memory);
  fn(columns.requested_ephemeral_storage);
  fn(columns.non_zero_milli_cpu);
  fn(columns.non_zero_memory);
  fn(columns.pods);
  fn(columns.taints);
}

bool has_affinity_terms(const api::CompiledPod& pod) {
  return !pod.required_affinity.empty() || !pod.required_anti_affinity.empty() || !pod.preferred_affinity.empty() ||
         !pod.preferred_anti_affinity.empty();
}

}  // namespace

NodeTable::NodeTable() : taint_lists_(1) {}

RowId NodeTable::row_of(Symbol name) const {
  const auto it = row_by_name_.find(name);
  return it == row_by_name_.end() ? kNoRow : it->second;
}

const TopologyColumn& NodeTable::topology(Symbol label_key) const {
  std::unique_ptr<TopologyColumn>& column = topology_[label_key];
  if (!column) {
    column = std::make_unique<TopologyColumn>(label_key);
    column->resize(rows());
    nodes_.for_each([&](std::size_t row) { column->set(static_cast<RowId>(row), &states_[row]->labels()); });
  }
  return *column;
}

std::span<const RowId> NodeTable::order() const {
  return node_order_.list();
}

const ImageState* NodeTable::image(Symbol name) const {
  const auto it = images_.find(name);
  return it == images_.end() ? nullptr : &it->second.state;
}

std::size_t NodeTable::claim_users(Symbol name_space, std::string_view claim_name) const {
  const auto it = claim_users_.find(std::pair(name_space, std::string(claim_name)));
  return it == claim_users_.end() ? 0 : it->second;
}

// --- Rows ------------------------------------------------------------------------------------------------------------

NodeState& NodeTable::state_for(Symbol name) {
  const auto [it, is_new] = row_by_name_.try_emplace(name, kNoRow);
  if (!is_new) return *states_[it->second];
  if (free_rows_.empty()) {
    it->second = static_cast<RowId>(states_.size());
    states_.push_back(std::make_unique<NodeState>());
    const std::size_t size = states_.size();
    nodes_.resize(size);
    unschedulable_.resize(size);
    for_each_column(columns_, [size](auto& column) { column.resize(size); });
    for (auto& [key, column] : topology_) column->resize(size);
    for (auto& [image, entry] : images_) entry.rows.resize(size);
  } else {
    it->second = free_rows_.back();
    free_rows_.pop_back();
    *states_[it->second] = {};
  }
  NodeState& state = *states_[it->second];
  state.name = name;
  state.row = it->second;
  return state;
}

void NodeTable::release_if_unused(NodeState& state) {
  if (state.node || !state.pods.empty()) return;
  row_by_name_.erase(state.name);
  free_rows_.push_back(state.row);
}

void NodeTable::write_columns(const NodeState& state) {
  const RowId row = state.row;
  const bool has_node = state.node != nullptr;
  columns_.allocatable_milli_cpu[row] = state.allocatable.milli_cpu;
  columns_.allocatable_memory[row] = state.allocatable.memory;
  columns_.allocatable_ephemeral_storage[row] = state.allocatable.ephemeral_storage;
  columns_.allocatable_pods[row] = state.allocatable.allowed_pods;
  columns_.requested_milli_cpu[row] = has_node ? state.requested.milli_cpu : 0;
  columns_.requested_memory[row] = has_node ? state.requested.memory : 0;
  columns_.requested_ephemeral_storage[row] = has_node ? state.requested.ephemeral_storage : 0;
  columns_.non_zero_milli_cpu[row] = has_node ? state.non_zero_milli_cpu : 0;
  columns_.non_zero_memory[row] = has_node ? state.non_zero_memory : 0;
  columns_.pods[row] = has_node ? static_cast<std::int64_t>(state.pods.size()) : 0;
}

std::uint32_t NodeTable::taint_list_of(const std::vector<api::Taint>& taints) {
  // When a taint was added makes no difference to anybody here.
  const auto is_same = [](const api::Taint& a, const api::Taint& b) {
    return a.key == b.key && a.value == b.value && a.effect == b.effect;
  };
  for (std::size_t i = 0; i < taint_lists_.size(); ++i) {
    if (std::ranges::equal(taint_lists_[i], taints, is_same)) return static_cast<std::uint32_t>(i);
  }
  taint_lists_.push_back(taints);
  return static_cast<std::uint32_t>(taint_lists_.size() - 1);
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

RowId NodeTable::set_node(const api::NodePtr& node) {
  NodeState& state = state_for(Symbol(node->metadata.name));
  const RowId row = state.row;
  const api::NodePtr old_node = state.node;
  if (old_node) {
    node_order_.update(row, *old_node, *node);
  } else {
    ++node_count_;
    nodes_.set(row);
    node_order_.add(row, *node);
  }

  const bool images_changed = !old_node || old_node->status.images != node->status.images;
  if (old_node && images_changed) count_images(state, false);
  state.set_node(node);
  if (images_changed) count_images(state, true);
  write_columns(state);
  const std::uint32_t taints = taint_list_of(node->spec.taints);
  const bool taints_changed =
      !old_node || columns_.taints[row] != taints || old_node->spec.unschedulable != node->spec.unschedulable;
  columns_.taints[row] = taints;
  unschedulable_.set(row, node->spec.unschedulable);
  const bool labels_changed = !old_node || old_node->metadata.labels != node->metadata.labels;
  if (labels_changed) {
    for (auto& [key, column] : topology_) column->set(row, &state.labels());
  }

  if (!old_node) {
    for (const PlacedPod& placed : state.pods) count_claims(placed, true);
    journal_.append({Change::Kind::kNodeAdded, row, nullptr});
    return row;
  }
  if (old_node->status.allocatable != node->status.allocatable) {
    journal_.append({Change::Kind::kNodeCapacity, row, nullptr});
  }
  if (labels_changed) journal_.append({Change::Kind::kNodeLabels, row, nullptr});
  if (taints_changed) journal_.append({Change::Kind::kNodeTaints, row, nullptr});
  if (images_changed || old_node->status.declared_features != node->status.declared_features) {
    journal_.append({Change::Kind::kNodeOther, row, nullptr});
  }
  return row;
}

void NodeTable::remove_node(Symbol name) {
  const RowId row = row_of(name);
  BERTH_CHECK(row != kNoRow && states_[row]->node, "node {} is not in the table", name.text());
  NodeState& state = *states_[row];
  --node_count_;
  nodes_.reset(row);
  unschedulable_.reset(row);
  node_order_.remove(row, *state.node);
  count_images(state, false);
  for (const PlacedPod& placed : state.pods) count_claims(placed, false);
  state.set_node(nullptr);
  write_columns(state);
  columns_.taints[row] = 0;
  for (auto& [key, column] : topology_) column->set(row, nullptr);
  journal_.append({Change::Kind::kNodeRemoved, row, nullptr});
  release_if_unused(state);
}

void NodeTable::count_images(const NodeState& state, bool present) {
  // A node may list a name twice: the second time nothing is left to do.
  for_each_image(*state.node, [&](Symbol name, std::int64_t size_bytes) {
    if (present) {
      Image& image = images_[name];
      image.rows.resize(rows());
      if (image.rows.test(state.row)) return;
      image.rows.set(state.row);
      if (++image.state.nodes == 1) image.state.size_bytes = size_bytes;
    } else if (const auto it = images_.find(name); it != images_.end() && it->second.rows.test(state.row)) {
      it->second.rows.reset(state.row);
      if (--it->second.state.nodes == 0) images_.erase(it);
    }
  });
}

// --- Pods ------------------------------------------------------------------------------------------------------------

void NodeTable::count_claims(const PlacedPod& placed, bool present) {
  if (!placed.compiled->has_volume_claims) return;
  for (const api::Volume& volume : placed.pod->spec->volumes) {
    if (!volume.source.persistent_volume_claim) continue;
    std::pair key(placed.pod->metadata.name_space, volume.source.persistent_volume_claim->claim_name);
    if (present) {
      ++claim_users_[std::move(key)];
    } else if (const auto it = claim_users_.find(key); --it->second == 0) {
      claim_users_.erase(it);
    }
  }
}

PodClass& NodeTable::class_for(const api::Pod& pod, const std::shared_ptr<const api::CompiledPod>& compiled) {
  const bool is_terminating = pod.metadata.deletion_timestamp.is_set();
  const ClassKey key{pod.metadata.name_space, pod.metadata.labels.identity(), compiled.get(), is_terminating};
  PodClass*& pod_class = classes_[key];
  if (pod_class == nullptr) {
    auto made = std::make_unique<PodClass>();
    made->id = next_class_id_++;
    made->name_space = pod.metadata.name_space;
    made->labels = pod.metadata.labels;
    made->compiled = compiled;
    made->is_terminating = is_terminating;
    pod_class = made.get();
    classes_by_namespace_[made->name_space].push_back(pod_class);
    if (has_affinity_terms(*compiled)) classes_with_affinity_.push_back(pod_class);
    classes_by_id_.emplace(made->id, std::move(made));
    ++empty_classes_;
  }
  return *pod_class;
}

void NodeTable::add_pod(api::PodPtr pod, std::shared_ptr<const api::CompiledPod> compiled) {
  BERTH_CHECK(!pod->spec.node_name.empty(), "pod {} is on no node", pod->metadata.name);
  PodClass& pod_class = class_for(*pod, compiled);
  NodeState& state = state_for(pod->spec.node_name);
  ++pods_by_priority_[api::priority_of(*pod)];
  state.add_pod({std::move(pod), std::move(compiled), &pod_class});
  if (pod_class.pods++ == 0) --empty_classes_;
  ++pod_class.pods_on_row[state.row];
  if (state.node) count_claims(state.pods.back(), true);
  write_columns(state);
  journal_.append({Change::Kind::kPodAdded, state.row, &pod_class});
}

bool NodeTable::replace_pod(const api::PodPtr& old_pod, const api::PodPtr& new_pod, const api::CompiledPod& compiled) {
  const RowId row = row_of(new_pod->spec.node_name);
  if (row == kNoRow) return false;
  std::vector<PlacedPod>& pods = states_[row]->pods;
  // From the back: pods change most when they are new.
  const auto placed =
      std::find_if(pods.rbegin(), pods.rend(), [&](const PlacedPod& each) { return each.pod == old_pod; });
  if (placed == pods.rend()) return false;
  const PodClass& pod_class = *placed->pod_class;
  const bool is_same = placed->compiled.get() == &compiled && pod_class.name_space == new_pod->metadata.name_space &&
                       pod_class.labels.identity() == new_pod->metadata.labels.identity() &&
                       pod_class.is_terminating == new_pod->metadata.deletion_timestamp.is_set() &&
                       // What a pod takes up while it is being resized stands in its status.
                       api::takes_the_same(*old_pod, *new_pod, compiled);
  if (is_same) placed->pod = new_pod;
  return is_same;
}

void NodeTable::remove_pod(const api::Pod& pod) {
  const RowId row = row_of(pod.spec.node_name);
  BERTH_CHECK(row != kNoRow, "pod {} is on {}, which is not in the table", pod.metadata.name,
              pod.spec.node_name.text());
  NodeState& state = *states_[row];
  const PlacedPod removed = state.remove_pod(pod.metadata.uid);
  BERTH_CHECK(removed.pod != nullptr, "pod {} is not on {}", pod.metadata.name, state.name.text());
  if (const auto it = pods_by_priority_.find(api::priority_of(*removed.pod)); --it->second == 0) {
    pods_by_priority_.erase(it);
  }
  PodClass& pod_class = *removed.pod_class;
  if (const auto it = pod_class.pods_on_row.find(row); --it->second == 0) pod_class.pods_on_row.erase(it);
  if (--pod_class.pods == 0) ++empty_classes_;
  if (state.node) count_claims(removed, false);
  write_columns(state);
  journal_.append({Change::Kind::kPodRemoved, row, &pod_class});
  release_if_unused(state);
  if (empty_classes_ > std::max(kFewEmptyClasses, classes_.size() / 2)) drop_empty_classes();
}

void NodeTable::drop_empty_classes() {
  const auto is_empty = [](const PodClass* pod_class) { return pod_class->pods == 0; };
  absl::erase_if(classes_, [&](const auto& entry) { return is_empty(entry.second); });
  for (auto it = classes_by_namespace_.begin(); it != classes_by_namespace_.end();) {
    std::erase_if(it->second, is_empty);
    if (it->second.empty()) {
      classes_by_namespace_.erase(it++);
    } else {
      ++it;
    }
  }
  std::erase_if(classes_with_affinity_, is_empty);
  std::erase_if(classes_by_id_, [&](const auto& entry) { return is_empty(entry.second.get()); });
  empty_classes_ = 0;
  journal_.reset();  // it refers to them
}

}  // namespace berth::cache
