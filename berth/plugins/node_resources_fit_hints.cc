#include "berth/plugins/node_resources_fit_hints.h"

#include <algorithm>
#include <string>

#include "berth/api/pod_requests.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

using api::ResourceVector;

// A pod may name a device class where it names an extended resource.
constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

std::int64_t amount_of(const ResourceVector& resources, Symbol name) {
  const std::int64_t* amount = resources.scalars.find(name);
  return amount != nullptr ? *amount : 0;
}

// Whether `any_of(needed, amount)` holds for a resource that is asked for; `amount` takes it out of a vector.
template <typename Fn>
bool any_needed(const ResourceVector& needed, Fn&& any_of) {
  const auto ask = [&](std::int64_t ResourceVector::* amount) {
    return needed.*amount != 0 && any_of(needed.*amount, [amount](const ResourceVector& of) { return of.*amount; });
  };
  if (ask(&ResourceVector::milli_cpu) || ask(&ResourceVector::memory) || ask(&ResourceVector::ephemeral_storage)) {
    return true;
  }
  return std::ranges::any_of(needed.scalars, [&](const auto& scalar) {
    const Symbol name = scalar.key;
    return scalar.value != 0 && any_of(scalar.value, [name](const ResourceVector& of) { return amount_of(of, name); });
  });
}

bool is_ignored(Symbol name, const NodeResourcesFitHintOptions& options) {
  if (options.quirks.ignored_resources_count || !api::is_extended_resource(name)) return false;
  if (std::ranges::find(options.ignored_resources, name) != options.ignored_resources.end()) return true;
  const std::string_view group = name.text().substr(0, name.text().find('/'));
  return std::ranges::any_of(options.ignored_resource_groups, [group](Symbol each) { return each == group; });
}

// The node has none of it, but devices may be behind the name; DynamicResources decides then.
bool is_up_to_devices(Symbol name, const ResourceVector& allocatable, const NodeResourcesFitHintOptions& options) {
  return options.dra_extended_resource && amount_of(allocatable, name) <= 0 && options.has_device_class &&
         options.has_device_class(name);
}

bool fits_alone(const ResourceVector& needed, const ResourceVector& allocatable,
                const NodeResourcesFitHintOptions& options) {
  if (allocatable.allowed_pods < 1) return false;
  const auto is_short = [](std::int64_t need, std::int64_t there) { return need > 0 && need > there; };
  if (is_short(needed.milli_cpu, allocatable.milli_cpu) || is_short(needed.memory, allocatable.memory) ||
      is_short(needed.ephemeral_storage, allocatable.ephemeral_storage)) {
    return false;
  }
  return std::ranges::none_of(needed.scalars, [&](const auto& scalar) {
    return scalar.value != 0 && !is_ignored(scalar.key, options) &&
           !is_up_to_devices(scalar.key, allocatable, options) && scalar.value > amount_of(allocatable, scalar.key);
  });
}

bool has_grown(const ResourceVector& needed, const ResourceVector& before, const ResourceVector& after,
               const NodeResourcesFitHintOptions& options) {
  if (after.allowed_pods > before.allowed_pods) return true;
  const bool has_more = any_needed(
      needed, [&](std::int64_t need, const auto& amount) { return need > 0 && amount(after) > amount(before); });
  return has_more || std::ranges::any_of(needed.scalars, [&](const auto& scalar) {
           return scalar.value != 0 && is_up_to_devices(scalar.key, after, options);
         });
}

}  // namespace

HintAnswer node_resources_fit_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                               const NodeResourcesFitHintOptions& options) {
  const ObjectsOf<api::Pod> other(objects);
  if (!other.has_before()) return HintAnswer::kError;
  if (other.after == nullptr) return queue_if(has_place(*other.before));
  if (!options.in_place_pod_vertical_scaling) return HintAnswer::kSkip;
  if (is_same_pod(pod, *other.after)) return HintAnswer::kQueue;
  if (other.after->spec.node_name.empty()) return HintAnswer::kSkip;
  const api::PodRequestsOptions counting{.use_status = true,
                                         .pod_level_status = options.in_place_pod_level_resources_vertical_scaling};
  const ResourceVector before(api::pod_requests(*other.before->spec, other.before->status, counting));
  const ResourceVector after(api::pod_requests(*other.after->spec, other.after->status, counting));
  return queue_if(any_needed(options.compile(pod)->usage.requested,
                             [&](std::int64_t, const auto& amount) { return amount(before) > amount(after); }));
}

HintAnswer node_resources_fit_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                const NodeResourcesFitHintOptions& options) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_after()) return HintAnswer::kError;
  const auto compiled = options.compile(pod);
  const ResourceVector& needed = compiled->usage.requested;
  const ResourceVector after(node.after->status.allocatable);
  if (!fits_alone(needed, after, options)) return HintAnswer::kSkip;
  if (node.before == nullptr) return HintAnswer::kQueue;
  return queue_if(has_grown(needed, ResourceVector(node.before->status.allocatable), after, options));
}

HintAnswer node_resources_fit_after_device_class_change(const api::Pod& pod, const EventObjects& objects,
                                                        const NodeResourcesFitHintOptions& options) {
  const ObjectsOf<api::DeviceClass> device_class(objects);
  if (!device_class.has_after()) return HintAnswer::kError;
  const std::optional<Symbol> offered = device_class.after->spec.extended_resource_name;
  const auto compiled = options.compile(pod);
  const auto asks_for = [&compiled](Symbol name) { return compiled->usage.requested.scalars.contains(name); };
  if (device_class.before != nullptr) {
    const std::optional<Symbol> was_offered = device_class.before->spec.extended_resource_name;
    if (was_offered.value_or(Symbol()) == offered.value_or(Symbol())) return HintAnswer::kSkip;
  } else if (asks_for(Symbol(std::string(kDeviceClassPrefix) + device_class.after->metadata.name))) {
    return HintAnswer::kQueue;
  }
  return queue_if(offered && asks_for(*offered));
}

std::vector<HintRegistration> node_resources_fit_hints(Symbol profile, const NodeResourcesFitHintOptions& options) {
  HintList hints(profile, name::kNodeResourcesFit);
  const queue::ActionSet on_pods = options.in_place_pod_vertical_scaling
                                       ? queue::action::kDelete | queue::action::kUpdatePodScaleDown
                                       : queue::action::kDelete;
  hints.add(queue::resource::kPod, on_pods, [options](const api::Pod& pod, const EventObjects& objects) {
    return node_resources_fit_after_pod_change(pod, objects, options);
  });
  hints.add(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeAllocatable,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return node_resources_fit_after_node_change(pod, objects, options);
            });
  if (options.dra_extended_resource) {
    hints.add(queue::resource::kDeviceClass, queue::action::kAdd | queue::action::kUpdate,
              [options](const api::Pod& pod, const EventObjects& objects) {
                return node_resources_fit_after_device_class_change(pod, objects, options);
              });
  }
  return std::move(hints).take();
}

}  // namespace berth::plugins
