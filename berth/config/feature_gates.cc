#include "berth/config/feature_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "berth/config/suggest.h"

namespace berth::config {

namespace {

constexpr Stage kAlpha = Stage::kAlpha;
constexpr Stage kBeta = Stage::kBeta;
constexpr Stage kGa = Stage::kGa;
constexpr Stage kDeprecated = Stage::kDeprecated;

constexpr FeatureSpec kFeatures[] = {
#define BERTH_FEATURE(name, enabled, stage, locked) {Feature::k##name, #name, enabled, stage, locked},
    BERTH_FEATURE_GATES(BERTH_FEATURE)
#undef BERTH_FEATURE
};

struct Dependency {
  Feature feature;
  Feature needs;
};

// By name of the feature, and for one feature in the order in which upstream names them.
constexpr Dependency kDependencies[] = {
    {Feature::kAuthorizeNodeWithSelectors, Feature::kAuthorizeWithSelectors},
    {Feature::kClusterTrustBundleProjection, Feature::kClusterTrustBundle},
    {Feature::kDRAAdminAccess, Feature::kDynamicResourceAllocation},
    {Feature::kDRAConsumableCapacity, Feature::kDynamicResourceAllocation},
    {Feature::kDRADeviceBindingConditions, Feature::kDRAResourceClaimDeviceStatus},
    {Feature::kDRADeviceBindingConditions, Feature::kDynamicResourceAllocation},
    {Feature::kDRADeviceTaintRules, Feature::kDRADeviceTaints},
    {Feature::kDRADeviceTaints, Feature::kDynamicResourceAllocation},
    {Feature::kDRAExtendedResource, Feature::kDynamicResourceAllocation},
    {Feature::kDRAListTypeAttributes, Feature::kDynamicResourceAllocation},
    {Feature::kDRANodeAllocatableResources, Feature::kDynamicResourceAllocation},
    {Feature::kDRAPartitionableDevices, Feature::kDynamicResourceAllocation},
    {Feature::kDRAPrioritizedList, Feature::kDynamicResourceAllocation},
    {Feature::kDRAResourceClaimGranularStatusAuthorization, Feature::kDRAResourceClaimDeviceStatus},
    {Feature::kDRAResourceClaimGranularStatusAuthorization, Feature::kDynamicResourceAllocation},
    {Feature::kDRAResourcePoolStatus, Feature::kDynamicResourceAllocation},
    {Feature::kDRASchedulerFilterTimeout, Feature::kDynamicResourceAllocation},
    {Feature::kDRAWorkloadResourceClaims, Feature::kDynamicResourceAllocation},
    {Feature::kDRAWorkloadResourceClaims, Feature::kGenericWorkload},
    {Feature::kDeclarativeValidationBeta, Feature::kDeclarativeValidation},
    {Feature::kDeclarativeValidationTakeover, Feature::kDeclarativeValidation},
    {Feature::kDisableAllocatorDualWrite, Feature::kMultiCIDRServiceAllocator},
    {Feature::kExtendWebSocketsToKubelet, Feature::kNodeDeclaredFeatures},
    {Feature::kGangScheduling, Feature::kGenericWorkload},
    {Feature::kGracefulNodeShutdownBasedOnPodPriority, Feature::kGracefulNodeShutdown},
    {Feature::kImageVolumeWithDigest, Feature::kImageVolume},
    {Feature::kInPlacePodLevelResourcesVerticalScaling, Feature::kInPlacePodVerticalScaling},
    {Feature::kInPlacePodLevelResourcesVerticalScaling, Feature::kNodeDeclaredFeatures},
    {Feature::kInPlacePodLevelResourcesVerticalScaling, Feature::kPodLevelResources},
    {Feature::kInPlacePodVerticalScalingExclusiveCPUs, Feature::kInPlacePodVerticalScaling},
    {Feature::kInPlacePodVerticalScalingExclusiveMemory, Feature::kInPlacePodVerticalScaling},
    {Feature::kInPlacePodVerticalScalingInitContainers, Feature::kInPlacePodVerticalScaling},
    {Feature::kInPlacePodVerticalScalingInitContainers, Feature::kNodeDeclaredFeatures},
    {Feature::kMatchLabelKeysInPodTopologySpreadSelectorMerge, Feature::kMatchLabelKeysInPodTopologySpread},
    {Feature::kPodCertificateRequest, Feature::kAuthorizeNodeWithSelectors},
    {Feature::kPodLevelResourceManagers, Feature::kPodLevelResources},
    {Feature::kPodLifecycleSleepActionAllowZero, Feature::kPodLifecycleSleepAction},
    {Feature::kProcMountType, Feature::kUserNamespacesSupport},
    {Feature::kResourceHealthStatus, Feature::kDynamicResourceAllocation},
    {Feature::kResourceHealthStatusMessage, Feature::kResourceHealthStatus},
    {Feature::kRestartAllContainersOnContainerExits, Feature::kContainerRestartRules},
    {Feature::kRestartAllContainersOnContainerExits, Feature::kNodeDeclaredFeatures},
    {Feature::kServiceAccountTokenNodeBinding, Feature::kServiceAccountTokenNodeBindingValidation},
    {Feature::kStaleControllerConsistencyDaemonSet, Feature::kAtomicFIFO},
    {Feature::kStaleControllerConsistencyJob, Feature::kAtomicFIFO},
    {Feature::kStaleControllerConsistencyReplicaSet, Feature::kAtomicFIFO},
    {Feature::kStaleControllerConsistencyStatefulSet, Feature::kAtomicFIFO},
    {Feature::kStorageVersionAPI, Feature::kAPIServerIdentity},
    {Feature::kStructuredAuthenticationConfigurationEgressSelector, Feature::kStructuredAuthenticationConfiguration},
    {Feature::kStructuredAuthenticationConfigurationJWKSMetrics, Feature::kStructuredAuthenticationConfiguration},
    {Feature::kTopologyAwareWorkloadScheduling, Feature::kGenericWorkload},
    {Feature::kUnknownVersionInteroperabilityProxy, Feature::kAPIServerIdentity},
    {Feature::kUserNamespacesHostNetworkSupport, Feature::kNodeDeclaredFeatures},
    {Feature::kUserNamespacesHostNetworkSupport, Feature::kUserNamespacesSupport},
    {Feature::kWindowsGracefulNodeShutdown, Feature::kGracefulNodeShutdown},
    {Feature::kWorkloadAwarePreemption, Feature::kGangScheduling},
    {Feature::kWorkloadWithJob, Feature::kGenericWorkload},
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// As Go's strconv.ParseBool.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::string_view kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, text) != std::end(kTrue)) return true;
  if (std::ranges::find(kFalse, text) != std::end(kFalse)) return false;
  return std::nullopt;
}

Error unknown_gate(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FeatureSpec& spec : kFeatures) names.push_back(spec.name);
  Error error(fmt::format("unrecognized feature gate: {}", name));
  const std::string_view meant = nearest_name(name, names);
  return meant.empty() ? error : std::move(error).with_fix(fmt::format("did you mean {}?", meant));
}

// What the text says, by name of the gate; the last word on a gate counts.
std::expected<std::map<std::string, bool, std::less<>>, Error> parse_settings(std::string_view text) {
  std::map<std::string, bool, std::less<>> settings;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (part.empty()) continue;
    // A component may stand in front: "kube:A=true". There is only this one.
    if (part.starts_with("kube:")) part.remove_prefix(std::string_view("kube:").size());
    const std::size_t equals = part.find('=');
    const std::string_view name = trim(part.substr(0, equals));
    if (equals == std::string_view::npos) return fail(fmt::format("missing bool value for {}", name));
    const std::string_view value = trim(part.substr(equals + 1));
    const std::optional<bool> on = parse_bool(value);
    if (!on) {
      return fail(fmt::format("invalid value of {}={}, err: strconv.ParseBool: parsing \"{}\": invalid syntax", name,
                              value, value));
    }
    settings[std::string(name)] = *on;
  }
  return settings;
}

}  // namespace

std::span<const FeatureSpec> all_features() {
  return kFeatures;
}

const FeatureSpec* find_feature(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFeatures, name, {}, &FeatureSpec::name);
  return found == std::end(kFeatures) || found->name != name ? nullptr : found;
}

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::kAlpha: return "ALPHA";
    case Stage::kBeta: return "BETA";
    case Stage::kGa: return "GA";
    case Stage::kDeprecated: return "DEPRECATED";
  }
  return "";
}

FeatureGates::FeatureGates() {
  static_assert(std::size(kFeatures) <= kCapacity);
  for (const FeatureSpec& spec : kFeatures) enabled_[static_cast<std::size_t>(spec.feature)] = spec.enabled;
}

std::expected<FeatureGates, std::vector<Error>> FeatureGates::parse(std::string_view text) {
  const auto settings = parse_settings(text);
  if (!settings) return std::unexpected(std::vector{settings.error()});

  FeatureGates gates;
  std::vector<Error> errors;
  const auto set_stage = [&](Stage stage, bool on) {
    for (const FeatureSpec& spec : kFeatures) {
      if (spec.stage == stage && !settings->contains(spec.name))
        gates.enabled_[static_cast<std::size_t>(spec.feature)] = on;
    }
  };
  for (const auto& [name, on] : *settings) {
    const FeatureSpec* spec = find_feature(name);
    if (spec == nullptr) {
      errors.push_back(unknown_gate(name));
      continue;
    }
    if (spec->locked && spec->enabled != on) {
      errors.push_back(
          Error(fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, on, spec->enabled)));
      continue;
    }
    if (spec->feature == Feature::kAllAlpha) set_stage(Stage::kAlpha, on);
    if (spec->feature == Feature::kAllBeta) set_stage(Stage::kBeta, on);
    gates.enabled_[static_cast<std::size_t>(spec->feature)] = on;
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));

  for (auto at = std::begin(kDependencies); at != std::end(kDependencies);) {
    const Feature feature = at->feature;
    std::vector<std::string_view> missing;
    for (; at != std::end(kDependencies) && at->feature == feature; ++at) {
      if (!gates.enabled(at->needs)) missing.push_back(kFeatures[static_cast<std::size_t>(at->needs)].name);
    }
    if (gates.enabled(feature) && !missing.empty()) {
      errors.push_back(Error(fmt::format("{} is enabled, but depends on features that are disabled: [{}]",
                                         kFeatures[static_cast<std::size_t>(feature)].name, fmt::join(missing, " "))));
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return gates;
}

std::string FeatureGates::differences() const {
  std::vector<std::string> parts;
  for (const FeatureSpec& spec : kFeatures) {
    const bool on = enabled(spec.feature);
    if (on != spec.enabled) parts.push_back(fmt::format("{}={}", spec.name, on));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

FeatureGates FeatureGates::with(Feature feature, bool on) const {
  FeatureGates changed = *this;
  changed.enabled_[static_cast<std::size_t>(feature)] = on;
  return changed;
}

}  // namespace berth::config
