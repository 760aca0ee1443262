#include "berth/whatif/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "berth/api/pod_requests.h"
#include "berth/base/rng.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/pod_defaults.h"
#include "berth/explain/what_if.h"
#include "berth/explain/words.h"
#include "berth/framework/class_memory.h"
#include "berth/plugins/default_plugins.h"

namespace berth::whatif {

namespace {

// --- The pod ---------------------------------------------------------------------------------------------------------

// As a new pod of that template: what a pod that was taken from a cluster has got there is left out.
api::PodPtr as_new(const api::Pod& given, std::vector<std::string>& notes) {
  api::Pod pod = given;
  if (!pod.spec.node_name.empty()) {
    notes.push_back(fmt::format("The pod names a node ({}); that is left out.", pod.spec.node_name.text()));
    pod.spec.node_name = Symbol();
  }
  pod.metadata.uid.clear();
  pod.metadata.resource_version.clear();
  pod.metadata.deletion_timestamp = Instant();
  pod.status = api::PodStatus();
  if (!pod.spec->scheduling_gates.empty()) {
    notes.emplace_back("The pod waits behind scheduling gates; they are left out.");
    api::PodTemplate spec = *pod.spec.shared;
    spec.scheduling_gates.clear();
    pod.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  }
  return std::make_shared<const api::Pod>(std::move(pod));
}

// Claims whose volumes are made where the pod goes have a say in where that is. Others are bound before any pod is
// looked at, and nobody knows to what.
std::vector<api::PersistentVolumeClaim> claims_that_wait(const api::StatefulSet& set,
                                                         const cache::ClusterObjects& objects,
                                                         std::vector<std::string>& notes) {
  static const Symbol waits("WaitForFirstConsumer");
  std::vector<api::PersistentVolumeClaim> claims;
  for (const api::PersistentVolumeClaim& claim : set.spec.volume_claim_templates) {
    const Symbol name = claim.spec.storage_class_name.value_or(Symbol());
    const api::StorageClass* found = objects.storage_classes.find(name.text());
    if (found != nullptr && found->volume_binding_mode == waits) {
      claims.push_back(claim);
    } else {
      notes.push_back(fmt::format(
          "The claim {} is not looked at: {}.", claim.metadata.name,
          found == nullptr ? "its storage class was not read" : "its volume is made before a node is chosen"));
    }
  }
  return claims;
}

std::string requests_text(const api::PodTemplate& spec) {
  const api::ResourceVector requests(api::pod_requests(spec, api::PodRequestsOptions{}));
  std::vector<std::string> parts;
  const auto add = [&](Symbol resource, std::int64_t amount) {
    if (amount > 0) parts.push_back(explain::amount_of(resource, amount, explain::Round::kUp));
  };
  add(Symbol("cpu"), requests.milli_cpu);
  add(Symbol("memory"), requests.memory);
  add(Symbol("ephemeral-storage"), requests.ephemeral_storage);
  for (const auto& [resource, amount] : requests.scalars) add(resource, amount);
  return explain::listed(parts);
}

// --- Placing ---------------------------------------------------------------------------------------------------------

class Filler {
 public:
  Filler(explain::Cluster& cluster, const Probe& probe, const framework::Profile& profile,
         const CapacityOptions& options)
      : cluster_(cluster),
        probe_(probe),
        profile_(profile),
        options_(options),
        memory_(profile, cluster.view()),
        rng_(options.seed) {}

  void fill(Capacity& result) {
    while (options_.limit == 0 || result.instances < options_.limit) {
      const framework::PodToPlace next = make_instance(result.instances + 1);
      const Symbol node = find_node(next, result);
      if (node.empty()) return;
      if (!place(next, node, result)) return;
      ++result.instances;
      ++per_node_[node.str()];
    }
    result.stop = Symbol(stop::kLimitReached);
    result.sentence = fmt::format("The limit of {} is reached; there may be room for more.", options_.limit);
  }

  const std::map<std::string, std::int64_t>& per_node() const { return per_node_; }

 private:
  framework::PodToPlace make_instance(std::int64_t number) {
    auto pod = std::make_shared<api::Pod>(*probe_.pod);
    pod->metadata.name = fmt::format("{}-{}", probe_.pod->metadata.name, number);
    // No UID of a real pod has a blank.
    pod->metadata.uid = fmt::format("instance {}", number);
    if (!probe_.claims.empty()) add_claims(*pod);
    auto compiled = cluster_.cache.compile(*pod);
    return {std::move(pod), std::move(compiled)};
  }

  void add_claims(api::Pod& pod) {
    api::PodTemplate spec = *pod.spec.shared;
    for (const api::PersistentVolumeClaim& each : probe_.claims) {
      auto claim = std::make_shared<api::PersistentVolumeClaim>(each);
      claim->metadata.name = fmt::format("{}-{}", each.metadata.name, pod.metadata.name);
      claim->metadata.name_space = pod.metadata.name_space;
      claim->metadata.uid = fmt::format("{} of {}", each.metadata.name, pod.metadata.uid);
      claim->status.phase = Symbol("Pending");
      std::erase_if(spec.volumes, [&](const api::Volume& volume) { return volume.name == each.metadata.name; });
      api::Volume& volume = spec.volumes.emplace_back();
      volume.name = each.metadata.name;
      volume.source.persistent_volume_claim.emplace().claim_name = claim->metadata.name;
      cluster_.objects.persistent_volume_claims.set(std::move(claim));
    }
    pod.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  }

  // Empty if there is none; the result says why then.
  Symbol find_node(const framework::PodToPlace& next, Capacity& result) {
    const framework::Decision decision = memory_.decide(next, cluster_.nominated, rng_.next_u64());
    if (!decision.error.is_success()) {
      end_with_error(decision.error.message(), result);
      return {};
    }
    if (decision.row != cache::kNoRow) return cluster_.cache.nodes().at(decision.row).name;
    if (cluster_.cache.nodes().node_count() == 0) {
      result.stop = Symbol(stop::kUnschedulable);
      result.message = "no nodes available to schedule pods";
      result.sentence = "There are no nodes.";
      return {};
    }
    const framework::ClusterView view = cluster_.view();
    const framework::FailedAttempt attempt(profile_, next, view, cluster_.nominated, *decision.pre_filter,
                                           decision.filtered);
    std::string preemption_message;
    if (options_.preemption) {
      const framework::PostFiltered post = framework::run_post_filter(profile_, attempt);
      if (post.status.is_success() && post.nominated_node && !post.nominated_node->empty()) {
        const Symbol node = *post.nominated_node;
        for (const api::PodPtr& victim : post.victims) {
          result.victims.push_back(api::full_name(victim->metadata));
          (void)cluster_.cache.remove(*victim);
        }
        return node;
      }
      preemption_message = post.status.message();
    }
    result.stop = Symbol(stop::kUnschedulable);
    result.message = attempt.message(preemption_message);
    explain_end(next, result);
    return {};
  }

  void explain_end(const framework::PodToPlace& next, Capacity& result) {
    const explain::Evaluation evaluation = explain::evaluate(profile_, cluster_, next.pod);
    if (evaluation.error || evaluation.fits()) return;
    explain::Diagnosis diagnosis = explain::diagnose(profile_, cluster_, evaluation);
    result.sentence = fmt::format("{} {}.", result.instances == 0 ? "The pod" : "The next one", diagnosis.headline);
    result.groups = std::move(diagnosis.groups);
  }

  void end_with_error(std::string message, Capacity& result) {
    result.stop = Symbol(stop::kError);
    result.sentence = fmt::format("A plugin fails: {}.", message);
    result.message = std::move(message);
  }

  bool place(const framework::PodToPlace& next, Symbol node, Capacity& result) {
    // What plugins keep for a pod besides the node's resources: volumes.
    for (const auto& reserve : profile_.reserve()) {
      const framework::Status status = reserve.plugin->reserve(next, cluster_.view(), node);
      if (status.is_success()) continue;
      end_with_error(status.message(), result);
      return false;
    }
    auto placed = std::make_shared<api::Pod>(*next);
    placed->spec.node_name = node;
    if (const auto added = cluster_.cache.add(std::move(placed)); !added) {
      end_with_error(added.error().message(), result);
      return false;
    }
    return true;
  }

  explain::Cluster& cluster_;
  const Probe& probe_;
  const framework::Profile& profile_;
  const CapacityOptions& options_;
  framework::ClassMemory memory_;
  Rng rng_;
  std::map<std::string, std::int64_t> per_node_;
};

void add_placement(const explain::Cluster& cluster, const std::map<std::string, std::int64_t>& per_node,
                   Capacity& result) {
  std::map<std::string, std::string> pool_of;
  for (const explain::Pool& pool : explain::pools_of(cluster)) {
    for (const cache::RowId row : pool.rows) pool_of[cluster.name_of(row)] = pool.name;
  }
  for (const auto& [node, instances] : per_node) result.placement.push_back({node, pool_of[node], instances});
  std::ranges::sort(result.placement,
                    [](const NodeCapacity& a, const NodeCapacity& b) { return explain::natural_less(a.node, b.node); });
}

void note_what_was_read(const explain::Cluster& cluster, Capacity& result) {
  const auto is_waiting = [](const auto& entry) {
    return entry.second->spec.node_name.empty() && !api::is_terminal(*entry.second);
  };
  if (const auto pending = std::ranges::count_if(cluster.pods, is_waiting); pending > 0) {
    result.notes.push_back(fmt::format("{} pending in what was read and {} no room here.",
                                       pending == 1 ? "1 pod is" : fmt::format("{} pods are", pending),
                                       pending == 1 ? "takes up" : "take up"));
  }
  if (!cluster.dangling.empty()) {
    result.notes.push_back(
        fmt::format("{} on nodes that were not read ({}).",
                    cluster.dangling.size() == 1 ? "1 pod is" : fmt::format("{} pods are", cluster.dangling.size()),
                    explain::listed(cluster.dangling, 3)));
  }
}

}  // namespace

Result<Probe> probe_of(std::span<const api::AnyObject> manifest, const cache::ClusterObjects& objects) {
  Error why("there is no pod in it");
  for (const api::AnyObject& object : manifest) {
    const auto found = explain::pod_of_manifest(object);
    if (!found) {
      if (manifest.size() == 1) why = found.error();
      continue;
    }
    Probe probe;
    auto pod = explain::with_api_defaults(*as_new(**found, probe.notes), objects);
    if (!pod) return fail(pod.error());
    probe.pod = *std::move(pod);
    const auto has_pod = [](const api::AnyObject& each) { return explain::pod_of_manifest(each).has_value(); };
    if (const auto others = std::ranges::count_if(manifest, has_pod) - 1; others > 0) {
      probe.notes.push_back(fmt::format("The manifest has {} more pod{} or workload{}; the first counts.", others,
                                        others == 1 ? "" : "s", others == 1 ? "" : "s"));
    }
    if (const auto set = object.as<api::StatefulSet>()) probe.claims = claims_that_wait(*set, objects, probe.notes);
    return probe;
  }
  return fail(std::move(why));
}

Result<Capacity> capacity_of(explain::Cluster& cluster, const Probe& probe, const report::Settings& settings,
                             const CapacityOptions& options) {
  const auto& profiles = settings.config.config.profiles;
  const Symbol scheduler = probe.pod->spec->scheduler_name;
  const auto configured = std::ranges::find_if(
      profiles, [&](const config::Profile& profile) { return profile.name() == scheduler.text(); });
  if (configured == profiles.end()) {
    return fail(
        Error(fmt::format("the pod asks for the scheduler {}, which the configuration does not have", scheduler.text()))
            .with_fix("give its configuration with --config"));
  }
  const auto profile =
      framework::Profile::build(*configured, plugins::default_registry(), settings.gates, cluster.objects);
  if (!profile) return fail(profile.error());

  Capacity result;
  result.pod = api::full_name(probe.pod->metadata);
  result.requests = requests_text(*probe.pod->spec.shared);
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  result.notes = probe.notes;
  note_what_was_read(cluster, result);
  Filler filler(cluster, probe, **profile, options);
  filler.fill(result);
  add_placement(cluster, filler.per_node(), result);
  return result;
}

}  // namespace berth::whatif
