#include "berth/config/go_types.h"

#include <algorithm>

namespace berth::config {

namespace {

// Fields whose Go type has a name of its own, or is not what the C++ member suggests.
struct NamedType {
  std::string_view owner;
  std::string_view field;
  std::string_view type;
};
constexpr NamedType kNamedTypes[] = {
    {"ClientConnectionConfiguration", "qps", "float32"},
    {"ExtenderTLSConfig", "certData", "[]uint8"},
    {"ExtenderTLSConfig", "keyData", "[]uint8"},
    {"ExtenderTLSConfig", "caData", "[]uint8"},
    {"LabelSelectorRequirement", "operator", "v1.LabelSelectorOperator"},
    {"NodeSelectorRequirement", "operator", "v1.NodeSelectorOperator"},
    {"PodTopologySpreadArgs", "defaultingType", "v1.PodTopologySpreadConstraintsDefaulting"},
    {"ScoringStrategy", "type", "v1.ScoringStrategyType"},
    {"TopologySpreadConstraint", "whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"},
    {"TopologySpreadConstraint", "nodeAffinityPolicy", "v1.NodeInclusionPolicy"},
    {"TopologySpreadConstraint", "nodeTaintsPolicy", "v1.NodeInclusionPolicy"},
};

// Structs of component-base; all others are in packages called v1.
constexpr std::string_view kComponentTypes[] = {"LeaderElectionConfiguration", "ClientConnectionConfiguration"};

std::string go_type(const api::Type& type) {
  switch (type.kind) {
    case api::Kind::kBool: return "bool";
    case api::Kind::kInt32: return "int32";
    case api::Kind::kInt64: return "int64";
    case api::Kind::kDouble: return "float64";
    case api::Kind::kString:
    case api::Kind::kSymbol: return "string";
    case api::Kind::kDuration: return "v1.Duration";
    case api::Kind::kTime: return "v1.Time";
    case api::Kind::kMicroTime: return "v1.MicroTime";
    case api::Kind::kQuantity: return "resource.Quantity";
    case api::Kind::kIntOrString: return "intstr.IntOrString";
    case api::Kind::kRawJson: return "runtime.RawExtension";
    case api::Kind::kOptional:
    case api::Kind::kInterned: return go_type(*type.element);
    case api::Kind::kList: return "[]" + go_type(*type.element);
    case api::Kind::kMap: return "map[string]" + go_type(*type.element);
    case api::Kind::kObject: {
      const std::string_view name = type.schema().name();
      const bool is_component = std::ranges::find(kComponentTypes, name) != std::end(kComponentTypes);
      return (is_component ? "v1alpha1." : "v1.") + std::string(name);
    }
  }
  return "";
}

}  // namespace

std::string go_type_of(const api::Schema& owner, const api::Field& field) {
  for (const NamedType& named : kNamedTypes) {
    if (named.owner == owner.name() && named.field == field.json_name) return std::string(named.type);
  }
  return go_type(*field.type);
}

std::string_view go_element(std::string_view go_type) {
  return go_type.substr(go_type.starts_with("[]") ? 2 : go_type.starts_with("map[string]") ? 11 : 0);
}

std::string_view go_embedded_in(const api::Schema& owner, std::string_view json_name) {
  const bool is_debugging = json_name == "enableProfiling" || json_name == "enableContentionProfiling";
  return is_debugging && owner.name() == "KubeSchedulerConfiguration" ? "DebuggingConfiguration" : std::string_view();
}

bool is_go_bytes(std::string_view go_type) {
  return go_type == "[]uint8";
}

}  // namespace berth::config
