#include "berth/autoscaler/machine_objects.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "berth/api/autoscaling.h"

namespace berth::autoscaler {

namespace {

constexpr std::string_view kMinSize = "cluster-api-autoscaler-node-group-min-size";
constexpr std::string_view kMaxSize = "cluster-api-autoscaler-node-group-max-size";
constexpr std::string_view kCapacity = "capacity.cluster-autoscaler.kubernetes.io/";
constexpr std::string_view kTemplate = "k8s.io/cluster-autoscaler/node-template/";

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || number < 0) return std::nullopt;
  return number;
}

// "KEY=VALUE:EFFECT"
std::optional<api::Taint> taint_in(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view front = text.substr(0, colon);
  const std::size_t equals = std::min(front.find('='), front.size());
  api::Taint taint;
  taint.key = Symbol(front.substr(0, equals));
  taint.value = Symbol(front.substr(std::min(equals + 1, front.size())));
  taint.effect = Symbol(text.substr(colon + 1));
  return taint;
}

// Calls fn for each part between commas.
template <typename Fn>
void for_each_part(std::string_view text, Fn&& fn) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) fn(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// What the annotations say about the nodes of a group.
class Hints {
 public:
  void take(std::string_view key, std::string_view value) {
    if (key.starts_with(kCapacity)) {
      take_capacity(key.substr(kCapacity.size()), value);
    } else if (key.starts_with(kTemplate)) {
      take_template(key.substr(kTemplate.size()), value);
    }
  }

  std::optional<NodeShape> shape(const std::string& name) {
    if (!node_.status.allocatable.contains(Symbol("cpu"))) return std::nullopt;
    if (!node_.status.allocatable.contains(Symbol("pods"))) set("pods", "110");
    node_.metadata.name = name;
    node_.metadata.labels = labels_;
    return NodeShape{std::make_shared<const api::Node>(node_), "a node of " + name, {}};
  }

 private:
  void set(std::string_view resource, std::string_view amount) {
    const auto quantity = api::Quantity::parse(amount);
    if (!quantity) return;
    node_.status.allocatable[Symbol(resource)] = *quantity;
    node_.status.capacity[Symbol(resource)] = *quantity;
  }
  void add_label(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    labels_[Symbol(text.substr(0, equals))] = Symbol(text.substr(std::min(equals + 1, text.size())));
  }
  void add_taint(std::string_view text) {
    if (auto taint = taint_in(text)) node_.spec.taints.push_back(*std::move(taint));
  }

  void take_capacity(std::string_view name, std::string_view value) {
    if (name == "labels") return for_each_part(value, [this](std::string_view part) { add_label(part); });
    if (name == "taints") return for_each_part(value, [this](std::string_view part) { add_taint(part); });
    if (name == "cpu" || name == "memory") return set(name, value);
    if (name == "ephemeral-disk") return set("ephemeral-storage", value);
    if (name == "maxPods") return set("pods", value);
    if (name == "gpu-count") gpus_ = value;
    if (name == "gpu-type") gpu_type_ = value;
    if (!gpus_.empty() && !gpu_type_.empty()) set(gpu_type_, gpus_);
  }
  void take_template(std::string_view name, std::string_view value) {
    constexpr std::string_view kLabel = "label/", kTaint = "taint/", kResources = "resources/";
    if (name.starts_with(kLabel)) labels_[Symbol(name.substr(kLabel.size()))] = Symbol(value);
    if (name.starts_with(kTaint)) add_taint(std::string(name.substr(kTaint.size())) + "=" + std::string(value));
    if (name.starts_with(kResources)) set(name.substr(kResources.size()), value);
  }

  api::Node node_;
  api::Labels labels_;
  std::string gpus_;
  std::string gpu_type_;
};

std::string_view annotation(const api::Node& node, std::string_view key) {
  const std::string* found = node.metadata.annotations->find(Symbol(key));
  return found == nullptr ? std::string_view() : *found;
}

// "md-0-abcde" without its last part.
std::string without_last_part(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  return std::string(name.substr(0, dash == std::string_view::npos ? name.size() : dash));
}

}  // namespace

MachineObjects::MachineObjects(const std::vector<api::AnyObject>& objects) {
  for (const api::AnyObject& object : objects) {
    const std::string_view kind = object.kind().kind;
    if (kind != "MachineDeployment" && kind != "MachineSet" && kind != "MachinePool") continue;
    const api::ObjectMeta& metadata = object.metadata();
    const api::OwnerReference* owner = api::controller_of(metadata);
    if (owner != nullptr && owner->kind == "MachineDeployment") owners_[metadata.name] = owner->name;
    MachineGroup group;
    group.name = metadata.name;
    Hints hints;
    for (const auto& [key, value] : *metadata.annotations) {
      if (key.text().ends_with(kMinSize)) group.min_nodes = number_in(value);
      if (key.text().ends_with(kMaxSize)) group.max_nodes = number_in(value);
      hints.take(key.text(), value);
    }
    group.shape = hints.shape(group.name);
    groups_.push_back(std::move(group));
  }
  std::ranges::sort(groups_, {}, &MachineGroup::name);
}

bool MachineObjects::is_group(const std::string& name) const {
  return std::ranges::any_of(groups_, [&](const MachineGroup& group) { return group.name == name; });
}

std::string MachineObjects::owner_of(const api::Node& node) const {
  std::string owner(annotation(node, "cluster.x-k8s.io/owner-name"));
  if (owner.empty()) {
    // OpenShift names the machine, "NAMESPACE/NAME", which is called after its MachineSet.
    std::string_view machine = annotation(node, "machine.openshift.io/machine");
    machine.remove_prefix(std::min(machine.find('/') + 1, machine.size()));
    if (machine.empty()) return "";
    owner = without_last_part(machine);
  }
  if (const auto found = owners_.find(owner); found != owners_.end()) return found->second;
  if (is_group(owner)) return owner;
  // A MachineSet that was not read is called after its MachineDeployment.
  const std::string above = without_last_part(owner);
  return is_group(above) ? above : "";
}

}  // namespace berth::autoscaler
