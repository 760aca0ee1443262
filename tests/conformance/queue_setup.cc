#include "tests/conformance/queue_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>

#include "berth/api/cluster.h"
#include "berth/plugins/default_hints.h"
#include "tests/conformance/legacy_queue_setup.h"

namespace berth::conformance {

using queue::EventObjects;
using queue::HintAnswer;

namespace {

const api::ObjectMeta* metadata_of(const api::AnyObject& object) {
  return object ? &object.metadata() : nullptr;
}

Symbol label_of(const api::ObjectMeta& metadata, Symbol key) {
  const Symbol* value = metadata.labels->find(key);
  return value != nullptr ? *value : Symbol();
}

bool has_label(const api::Labels& labels, Symbol key, Symbol value) {
  const Symbol* found = labels.find(key);
  return found != nullptr && *found == value;
}

HintAnswer queue_if(bool condition) {
  return condition ? HintAnswer::kQueue : HintAnswer::kSkip;
}

queue::Hint synthetic_hint(Json fn) {
  const std::string type = text_of(fn, "type");
  const Symbol key(text_of(fn, "key"));
  const Symbol value(text_of(fn, "value"));
  if (type == "queue") return [](const api::Pod&, const EventObjects&) { return HintAnswer::kQueue; };
  if (type == "skip") return [](const api::Pod&, const EventObjects&) { return HintAnswer::kSkip; };
  if (type == "error") return [](const api::Pod&, const EventObjects&) { return HintAnswer::kError; };
  if (type == "newName" || type == "oldName") {
    const bool is_new = type == "newName";
    return [value, is_new](const api::Pod&, const EventObjects& objects) {
      const api::ObjectMeta* metadata = metadata_of(is_new ? objects.new_object : objects.old_object);
      return queue_if(metadata != nullptr && metadata->name == value.text());
    };
  }
  if (type == "podLabel") {
    return [key, value](const api::Pod& pod, const EventObjects&) {
      return queue_if(has_label(*pod.metadata.labels, key, value));
    };
  }
  if (type == "self") {
    return [](const api::Pod& pod, const EventObjects& objects) {
      const api::ObjectMeta* metadata = metadata_of(objects.new_object);
      return queue_if(metadata != nullptr && metadata->uid == pod.metadata.uid);
    };
  }
  if (type == "sameLabel") {
    return [key](const api::Pod& pod, const EventObjects& objects) {
      const api::ObjectMeta* metadata = metadata_of(objects.new_object);
      const Symbol* mine = pod.metadata.labels->find(key);
      const Symbol* theirs = metadata != nullptr ? metadata->labels->find(key) : nullptr;
      return queue_if(mine != nullptr && theirs != nullptr && *mine == *theirs);
    };
  }
  if (type == "labelChanged") {
    return [key](const api::Pod&, const EventObjects& objects) {
      const api::ObjectMeta* before = metadata_of(objects.old_object);
      const api::ObjectMeta* after = metadata_of(objects.new_object);
      return queue_if(before != nullptr && after != nullptr && label_of(*before, key) != label_of(*after, key));
    };
  }
  if (type == "errorIfNoNew") {
    return [](const api::Pod&, const EventObjects& objects) {
      return objects.new_object ? HintAnswer::kSkip : HintAnswer::kError;
    };
  }
  if (type == "priorityAtLeast") {
    const std::int64_t least = std::stoll(value.str());
    return [least](const api::Pod& pod, const EventObjects&) { return queue_if(api::priority_of(pod) >= least); };
  }
  throw std::runtime_error("unknown hint function " + type);
}

// Whether the pod is admitted.
std::function<bool(const api::Pod&)> synthetic_check(Json reject, ClusterView& view) {
  const std::string type = text_of(reject, "type");
  const Symbol key(text_of(reject, "key"));
  const Symbol value(text_of(reject, "value"));
  if (type == "label") {
    return [key, value](const api::Pod& pod) { return !has_label(*pod.metadata.labels, key, value); };
  }
  if (type == "namespaceLabel") {
    return [key, value, &view](const api::Pod& pod) {
      const auto found = view.namespaces.find(pod.metadata.name_space.str());
      return found == view.namespaces.end() || !has_label(*found->second, key, value);
    };
  }
  if (type == "gates") {
    return [](const api::Pod& pod) { return pod.spec->scheduling_gates.empty(); };
  }
  throw std::runtime_error("unknown PreEnqueue rejection " + type);
}

Duration seconds(double n) {
  return Duration::nanoseconds(std::llround(n * 1e9));
}

bool priority_sort_then_name(const queue::QueuedPod& a, const queue::QueuedPod& b) {
  if (queue::priority_then_time(a, b)) return true;
  if (queue::priority_then_time(b, a)) return false;
  return api::full_name(a.pod->metadata) < api::full_name(b.pod->metadata);
}

void use_synthetic_functions(Json header, ClusterView& view, queue::QueueOptions& options) {
  for (const Json hint : array_of(header, "hints")) {
    options.hints.push_back({.profile = Symbol(text_of(hint, "profile")),
                             .plugin = Symbol(text_of(hint, "plugin")),
                             .event = queue::ClusterEvent(text_of(hint, "resource"),
                                                          static_cast<queue::ActionSet>(integer_of(hint, "action"))),
                             .hint = with_result(synthetic_hint(hint["fn"].value()), hint["fn"].value())});
  }
  for (const Json check : array_of(header, "preEnqueue")) {
    options.pre_enqueue.push_back({.profile = Symbol(text_of(check, "profile")),
                                   .plugin = Symbol(text_of(check, "plugin")),
                                   .admits = synthetic_check(check["reject"].value(), view)});
  }
}

bool has_device_class(const ClusterView& view, Symbol resource) {
  return std::ranges::any_of(view.device_classes, [resource](const auto& entry) {
    const auto& [name, device_class] = entry;
    return device_class->spec.extended_resource_name == resource ||
           resource == "deviceclass.resource.kubernetes.io/" + name;
  });
}

void use_plugins(Json header, ClusterView& view, queue::QueueOptions& options) {
  const Json gates = header["config"]["featureGates"].value();
  plugins::HintOptions own;
  own.quirks = plugins::HintQuirks::upstream();
  own.features.dra_extended_resource = flag_of(gates, "DRAExtendedResource");
  own.features.dynamic_resource_allocation = flag_of(gates, "DynamicResourceAllocation");
  own.features.in_place_pod_level_resources_vertical_scaling =
      flag_of(gates, "InPlacePodLevelResourcesVerticalScaling");
  own.features.in_place_pod_vertical_scaling = flag_of(gates, "InPlacePodVerticalScaling");
  own.features.match_label_keys_in_pod_topology_spread = flag_of(gates, "MatchLabelKeysInPodTopologySpread");
  own.features.node_declared_features = flag_of(gates, "NodeDeclaredFeatures");
  own.features.scheduler_async_preemption = flag_of(gates, "SchedulerAsyncPreemption");
  own.features.taint_toleration_comparison_operators = flag_of(gates, "TaintTolerationComparisonOperators");
  own.find_claim = [&view](Symbol name_space, std::string_view name) -> std::shared_ptr<const api::ResourceClaim> {
    const auto found = view.claims.find(fmt::format("{}/{}", name_space.text(), name));
    return found == view.claims.end() ? nullptr : found->second;
  };
  own.has_device_class = [&view](Symbol resource) { return has_device_class(view, resource); };
  for (const Symbol profile : options.profiles) {
    std::ranges::move(plugins::default_hints(profile, own), std::back_inserter(options.hints));
    std::ranges::move(plugins::default_pre_enqueue(profile, own), std::back_inserter(options.pre_enqueue));
  }
}

}  // namespace

bool uses_plugins(Json header) {
  return text_of(header, "mode") == "default" && release_of(header) == queue::Release::kV1_36;
}

queue::QueueOptions options_from_header(Json header, ClusterView& view) {
  const Json config = header["config"].value();
  queue::QueueOptions options;
  options.initial_backoff = seconds(number_of(config, "podInitialBackoffSeconds"));
  options.maximum_backoff = seconds(number_of(config, "podMaxBackoffSeconds"));
  options.maximum_in_unschedulable = seconds(number_of(config, "podMaxInUnschedulablePodsSeconds"));
  options.compatibility = release_of(header);
  options.quirks = queue::Quirks::upstream(options.compatibility);
  if (has(config, "featureGates")) {
    const Json gates = config["featureGates"].value();
    options.pop_from_backoff = flag_of(gates, "SchedulerPopFromBackoffQ");
    options.queueing_hints = flag_of(gates, "SchedulerQueueingHints");
  }
  if (text_of(config, "less") == "PrioritySort+name") options.queue_sort = priority_sort_then_name;
  for (const std::string& profile : texts_of(header, "profiles")) options.profiles.emplace_back(profile);

  if (uses_plugins(header)) {
    use_plugins(header, view, options);
  } else {
    use_synthetic_functions(header, view, options);
  }
  options.find_pod = [&view](Symbol name_space, std::string_view name) -> api::PodPtr {
    const auto found = view.pods.find(fmt::format("{}/{}", name_space.text(), name));
    return found == view.pods.end() ? nullptr : found->second;
  };
  options.find_namespace_labels = [&view](Symbol name_space) -> const api::Labels* {
    const auto found = view.namespaces.find(name_space.str());
    return found == view.namespaces.end() ? nullptr : found->second.get();
  };
  return options;
}

std::string registration_difference(Json header, const queue::QueueOptions& options) {
  std::multiset<std::string> expected, actual;
  for (const Json hint : array_of(header, "hints")) {
    const bool has_function = text_of(hint["fn"].value(), "type") == "plugin";
    expected.insert(fmt::format("{} registers {} for {} {}{}", text_of(hint, "profile"), text_of(hint, "plugin"),
                                text_of(hint, "resource"), integer_of(hint, "action"),
                                has_function ? ", with a function" : ""));
  }
  for (const queue::HintRegistration& hint : options.hints) {
    actual.insert(fmt::format("{} registers {} for {} {}{}", hint.profile.text(), hint.plugin.text(),
                              hint.event.resource.text(), hint.event.actions, hint.hint ? ", with a function" : ""));
  }
  for (const Json check : array_of(header, "preEnqueue")) {
    expected.insert(
        fmt::format("{} asks {} before a pod is queued", text_of(check, "profile"), text_of(check, "plugin")));
  }
  for (const queue::PreEnqueueCheck& check : options.pre_enqueue) {
    actual.insert(fmt::format("{} asks {} before a pod is queued", check.profile.text(), check.plugin.text()));
  }
  const auto [first, second] = std::ranges::mismatch(expected, actual);
  if (first == expected.end() && second == actual.end()) return "";
  if (second == actual.end() || (first != expected.end() && *first < *second)) return "only upstream: " + *first;
  return "only Berth: " + *second;
}

}  // namespace berth::conformance
