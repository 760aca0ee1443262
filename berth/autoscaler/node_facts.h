// What can be told from a node, a taint or a pod about the machines of a group: which labels belong to the machine,
// which taints are gone once a node has started, which pods come with every node.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::autoscaler {

// Labels whose value the kind of machine decides: its instance type, architecture, number of CPUs.
bool is_of_machine(Symbol label_key);
bool is_zone_key(Symbol label_key);

// Taints that describe a state of the node, or that its own agents take away when they run: a new node does not keep
// them.
bool is_temporary(const api::Taint& taint);
bool is_healthy(const api::Node& node);

// Runs on every node of its kind: a DaemonSet's pod or a static one.
bool comes_with_node(const api::Pod& pod);

Symbol zone_of(const api::Node& node);
// "m5.large"; empty if no label says it.
Symbol instance_type_of(const api::Node& node);

// The value of a label of the machine: that of the node or, where the node lacks it, what its instance type and its
// capacity say ("karpenter.k8s.aws/instance-family" of an m5.large is m5). Nothing if it is not known.
std::optional<Symbol> machine_label(const api::Node& node, Symbol key);

// A node as a new one of that machine would be: without a name, temporary taints and what tells one node from another.
api::Node as_model(const api::Node& node);

}  // namespace berth::autoscaler
