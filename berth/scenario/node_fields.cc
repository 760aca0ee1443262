#include "berth/scenario/node_fields.h"

#include <array>

#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

Done set_resource(NodeDraft& draft, Symbol resource, Value<api::Quantity> amount) {
  if (!amount) return std::unexpected(amount.error());
  draft.node.status.capacity[resource] = *amount;
  draft.node.status.allocatable[resource] = *std::move(amount);
  return {};
}

Done set_named_resource(NodeDraft& draft, std::string_view name, std::string_view value) {
  return set_resource(draft, Symbol(name), read_amount(Symbol(name), value));
}

Done set_extended_resource(NodeDraft& draft, std::string_view name, std::string_view value) {
  return set_resource(draft, Symbol(name), read_whole_amount(Symbol(name), value));
}

Done set_label(NodeDraft& draft, std::string_view name, std::string_view value) {
  const auto key = read_label_key(name);
  if (!key) return std::unexpected(key.error());
  return set_to(draft.labels[*key], read_label_value(value));
}

Done set_images(NodeDraft& draft, std::string_view, std::string_view value) {
  // NAME@SIZE; the name may have a registry and a tag.
  const std::size_t at = value.rfind('@');
  const auto size = read_quantity(at == std::string_view::npos ? "500Mi" : value.substr(at + 1));
  if (!size || value.empty()) return std::unexpected("an image such as nginx or nginx@200Mi");
  std::vector<api::ContainerImage> images = *draft.node.status.images;
  images.push_back({.names = {Symbol(value.substr(0, at))}, .size_bytes = size->value()});
  draft.node.status.images = images;
  return {};
}

constexpr auto kNodeFields = std::to_array<FieldSpec<NodeDraft>>({
    {{"cpu", "AMOUNT", "4 if not given"}, set_named_resource},
    {{"memory", "AMOUNT", "16Gi if not given"}, set_named_resource},
    {{"pods", "COUNT", "How many pods may run; 110 if not given"}, set_extended_resource},
    {{"ephemeral-storage", "AMOUNT", "Local disk"}, set_named_resource},
    {{"gpu", "COUNT", "Short for nvidia.com/gpu"},
     [](NodeDraft& draft, std::string_view, std::string_view value) {
       return set_extended_resource(draft, "nvidia.com/gpu", value);
     }},
    {{"hugepages-", "AMOUNT", "Huge pages of a size: `hugepages-2Mi=4Gi`"}, set_named_resource},
    {{"zone", "NAME", "The label topology.kubernetes.io/zone"},
     [](NodeDraft& draft, std::string_view, std::string_view value) { return set_label(draft, kZoneLabel, value); }},
    {{"region", "NAME", "The label topology.kubernetes.io/region"},
     [](NodeDraft& draft, std::string_view, std::string_view value) { return set_label(draft, kRegionLabel, value); }},
    {{"label.", "VALUE", "A label: `label.disk=ssd`"}, set_label},
    {{"taint", "KEY[=VALUE]:EFFECT", "A taint; may be repeated"},
     [](NodeDraft& draft, std::string_view, std::string_view value) {
       return add_to(draft.node.spec.taints, read_taint(value));
     }},
    {{"image", "NAME[@SIZE]", "An image that is there already; may be repeated"}, set_images},
    {{"unschedulable", "", "Cordoned from the start"},
     [](NodeDraft& draft, std::string_view, std::string_view) -> Done {
       draft.node.spec.unschedulable = true;
       return {};
     }},
    {{"DOMAIN/NAME", "COUNT", "An extended resource: `example.com/fpga=2`"}, set_extended_resource},
});

constexpr auto kPoolFields = std::to_array<FieldSpec<NodeDraft>>({
    {{"count", "COUNT", "How many nodes; 1 if not given"},
     [](NodeDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.count, read_number(value, 0, 1'000'000));
     }},
});

constexpr auto kManyNodesFields = std::to_array<FieldSpec<NodeDraft>>({
    {{"zones", "A,B,...", "The nodes are spread over these zones, one after the other"},
     [](NodeDraft& draft, std::string_view, std::string_view value) { return set_to(draft.zones, read_list(value)); }},
});

}  // namespace

std::span<const FieldSpec<NodeDraft>> node_fields() {
  return kNodeFields;
}

std::span<const FieldSpec<NodeDraft>> many_nodes_fields() {
  return kManyNodesFields;
}

std::span<const FieldSpec<NodeDraft>> pool_fields() {
  return kPoolFields;
}

NodeDraft new_node() {
  NodeDraft draft;
  for (const auto& [name, amount] : {std::pair{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}}) {
    (void)set_named_resource(draft, name, amount);
  }
  api::NodeCondition ready;
  ready.type = Symbol("Ready");
  ready.status = Symbol("True");
  draft.node.status.conditions.push_back(std::move(ready));
  return draft;
}

NodeDraft draft_of(const api::Node& node) {
  NodeDraft draft;
  draft.node = node;
  draft.labels = *node.metadata.labels;
  return draft;
}

api::Node finish(const NodeDraft& draft, const std::string& name, std::size_t index) {
  api::Node node = draft.node;
  api::Labels labels = draft.labels;
  labels[Symbol(kHostnameLabel)] = Symbol(name);
  if (!draft.zones.empty()) labels[Symbol(kZoneLabel)] = draft.zones[index % draft.zones.size()];
  node.metadata.name = name;
  node.metadata.labels = std::move(labels);
  return node;
}

}  // namespace berth::scenario
