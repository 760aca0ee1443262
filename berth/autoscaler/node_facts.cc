#include "berth/autoscaler/node_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace berth::autoscaler {

namespace {

constexpr std::array<std::string_view, 9> kMachineKeys = {"node.kubernetes.io/instance-type",
                                                          "beta.kubernetes.io/instance-type",
                                                          "kubernetes.io/arch",
                                                          "beta.kubernetes.io/arch",
                                                          "kubernetes.io/os",
                                                          "beta.kubernetes.io/os",
                                                          "topology.kubernetes.io/region",
                                                          "node.kubernetes.io/windows-build",
                                                          "failure-domain.beta.kubernetes.io/region"};
constexpr std::array<std::string_view, 4> kMachinePrefixes = {"karpenter.k8s.aws/", "karpenter.azure.com/",
                                                              "karpenter.k8s.gcp/", "eks.amazonaws.com/instance-"};
constexpr std::array<std::string_view, 15> kTemporaryTaints = {
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/out-of-service",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cloudprovider.kubernetes.io/shutdown",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
    "karpenter.sh/unregistered",
};
constexpr std::array<std::string_view, 3> kTemporaryPrefixes = {"startup-taint.cluster-autoscaler.kubernetes.io/",
                                                                "ignore-taint.cluster-autoscaler.kubernetes.io/",
                                                                "status-taint.cluster-autoscaler.kubernetes.io/"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What the name of an AWS instance type says: "c5n.4xlarge".
struct AwsType {
  std::string_view family;      // c5n
  std::string_view size;        // 4xlarge
  std::string_view category;    // c
  std::string_view generation;  // 5
};
std::optional<AwsType> aws_type(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
  AwsType type{.family = name.substr(0, dot), .size = name.substr(dot + 1), .category = {}, .generation = {}};
  std::size_t digits = 0;
  while (digits < dot && !is_digit(name[digits])) ++digits;
  std::size_t end = digits;
  while (end < dot && is_digit(name[end])) ++end;
  if (digits == 0 || end == digits) return std::nullopt;
  type.category = name.substr(0, digits);
  type.generation = name.substr(digits, end - digits);
  return type;
}

const api::Quantity* capacity_of(const api::Node& node, Symbol resource) {
  const api::Quantity* found = node.status.capacity.find(resource);
  return found != nullptr ? found : node.status.allocatable.find(resource);
}

}  // namespace

bool is_of_machine(Symbol label_key) {
  const std::string_view key = label_key.text();
  return std::ranges::find(kMachineKeys, key) != kMachineKeys.end() ||
         std::ranges::any_of(kMachinePrefixes, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

bool is_zone_key(Symbol label_key) {
  return label_key == "topology.kubernetes.io/zone" || label_key == "failure-domain.beta.kubernetes.io/zone";
}

bool is_temporary(const api::Taint& taint) {
  const std::string_view key = taint.key.text();
  return std::ranges::find(kTemporaryTaints, key) != kTemporaryTaints.end() || key.ends_with("/agent-not-ready") ||
         std::ranges::any_of(kTemporaryPrefixes, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

bool is_healthy(const api::Node& node) {
  return !node.spec.unschedulable && !node.metadata.deletion_timestamp.is_set() &&
         std::ranges::none_of(node.spec.taints, is_temporary);
}

bool comes_with_node(const api::Pod& pod) {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  return owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node");
}

Symbol zone_of(const api::Node& node) {
  static const Symbol zone("topology.kubernetes.io/zone"), beta("failure-domain.beta.kubernetes.io/zone");
  if (const Symbol* found = node.metadata.labels->find(zone)) return *found;
  const Symbol* found = node.metadata.labels->find(beta);
  return found != nullptr ? *found : Symbol();
}

Symbol instance_type_of(const api::Node& node) {
  static const Symbol key("node.kubernetes.io/instance-type"), beta("beta.kubernetes.io/instance-type");
  if (const Symbol* found = node.metadata.labels->find(key)) return *found;
  const Symbol* found = node.metadata.labels->find(beta);
  return found != nullptr ? *found : Symbol();
}

std::optional<Symbol> machine_label(const api::Node& node, Symbol key) {
  static const Symbol cpu("cpu"), memory("memory");
  if (const Symbol* found = node.metadata.labels->find(key)) return *found;
  const std::string_view text = key.text();
  const std::string_view name = text.substr(std::min(text.find('/'), text.size() - 1) + 1);
  const Symbol instance_type = instance_type_of(node);
  if (key == "node.kubernetes.io/instance-type" && !instance_type.empty()) return instance_type;
  if (name == "instance-cpu" || name == "sku-cpu") {
    const api::Quantity* found = capacity_of(node, cpu);
    return found == nullptr ? std::nullopt : std::optional(Symbol(fmt::format("{}", found->value())));
  }
  if (name == "instance-memory" || name == "sku-memory") {
    // Of machines in MiB; a node reports a little less than its machine has.
    const api::Quantity* found = capacity_of(node, memory);
    return found == nullptr ? std::nullopt : std::optional(Symbol(fmt::format("{}", found->value() / (1024 * 1024))));
  }
  if (text.starts_with("karpenter.k8s.aws/")) {
    if (const auto type = aws_type(instance_type.text())) {
      if (name == "instance-family") return Symbol(type->family);
      if (name == "instance-size") return Symbol(type->size);
      if (name == "instance-category") return Symbol(type->category);
      if (name == "instance-generation") return Symbol(type->generation);
    }
  }
  return std::nullopt;
}

api::Node as_model(const api::Node& node) {
  static const Symbol hostname("kubernetes.io/hostname");
  api::Node model = node;
  api::Labels labels = *model.metadata.labels;
  labels.erase(hostname);
  model.metadata = api::ObjectMeta();
  model.metadata.name = node.metadata.name;
  model.metadata.labels = std::move(labels);
  model.spec.provider_id.clear();
  model.spec.unschedulable = false;
  std::erase_if(model.spec.taints, is_temporary);
  model.status.conditions.clear();
  return model;
}

}  // namespace berth::autoscaler
