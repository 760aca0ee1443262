// Pods, and workloads that make pods, as scenarios describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/api/storage.h"
#include "berth/api/workload.h"
#include "berth/scenario/fields.h"

namespace berth::scenario {

struct PodDraft {
  api::Labels labels;
  api::Annotations annotations;
  api::PodTemplate spec;
  Symbol name_space;
  Symbol node_name;
  Symbol nominated_node_name;

  // Where fields about the last `near` and the like go.
  enum class LastTerm : std::uint8_t { kNone, kNear, kAway, kPrefersNear, kPrefersAway };
  LastTerm last_term = LastTerm::kNone;
};

std::span<const FieldSpec<PodDraft>> pod_fields();

// One container that asks for nothing, for the default scheduler, in the namespace `default`.
PodDraft new_pod();
// To change one that is there.
PodDraft draft_of(const api::Pod& pod);
// A pod without a name. Pods that are copied from it share one template.
api::Pod finish(PodDraft draft);
// What is there of `pod` and was not in the draft (identity, status) stays.
api::Pod finish(PodDraft draft, const api::Pod& pod);

struct WorkloadDraft {
  std::int32_t replicas = 1;
  std::optional<std::int32_t> completions;  // of a Job
  bool is_parallel = false;                 // a StatefulSet that does not wait for one pod before the next
  std::optional<api::IntOrString> max_unavailable;
  std::optional<api::IntOrString> max_surge;
  std::vector<api::PersistentVolumeClaim> claim_templates;
};

std::span<const FieldSpec<WorkloadDraft>> workload_fields();

// "deployment", "replicaset", "statefulset", "daemonset", "job"
std::span<const std::string_view> workload_words();
// An object of that kind. Without labels its pods get `app=NAME`.
api::AnyObject make_workload(std::string_view word, const std::string& name, const WorkloadDraft& workload,
                             PodDraft pod);

}  // namespace berth::scenario
