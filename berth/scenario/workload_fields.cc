// Workloads: what is said about them besides their pods.
#include <array>
#include <limits>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/scenario/pod_fields.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

constexpr std::int64_t kMostReplicas = 10'000'000;

// NAME:SIZE[:CLASS]
Done add_claim_template(WorkloadDraft& draft, std::string_view, std::string_view value) {
  const std::string form = "a template such as data:10Gi or data:10Gi:fast";
  const std::size_t first = value.find(':');
  if (first == std::string_view::npos || first == 0) return std::unexpected(form);
  const std::string_view rest = value.substr(first + 1);
  const std::size_t second = rest.find(':');
  const auto size = read_quantity(rest.substr(0, second));
  if (!size) return std::unexpected(form);
  api::PersistentVolumeClaim claim;
  claim.metadata.name = std::string(value.substr(0, first));
  claim.spec.access_modes = {Symbol("ReadWriteOnce")};
  claim.spec.resources.requests[Symbol("storage")] = *size;
  if (second != std::string_view::npos) claim.spec.storage_class_name = Symbol(rest.substr(second + 1));
  draft.claim_templates.push_back(std::move(claim));
  return {};
}

constexpr auto kWorkloadFields = std::to_array<FieldSpec<WorkloadDraft>>({
    {{"replicas", "COUNT", "How many pods; of a job, how many at once. 1 if not given"},
     [](WorkloadDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.replicas, read_number(value, 0, kMostReplicas));
     }},
    {{"completions", "COUNT", "Of a job: how many have to succeed; `replicas` if not given"},
     [](WorkloadDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.completions, read_number(value, 0, kMostReplicas));
     }},
    {{"parallel", "", "Of a statefulset: all pods at once, not one after the other"},
     [](WorkloadDraft& draft, std::string_view, std::string_view) -> Done {
       draft.is_parallel = true;
       return {};
     }},
    {{"max-unavailable", "COUNT|PERCENT", "Of a deployment or daemonset, while it is rolled out"},
     [](WorkloadDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.max_unavailable, read_count_or_percentage(value));
     }},
    {{"max-surge", "COUNT|PERCENT", "Of a deployment, while it is rolled out"},
     [](WorkloadDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.max_surge, read_count_or_percentage(value));
     }},
    {{"claim-template", "NAME:SIZE[:CLASS]", "Of a statefulset: a volume for each pod; may be repeated"},
     add_claim_template},
});

constexpr auto kWorkloadWords =
    std::to_array<std::string_view>({"deployment", "replicaset", "statefulset", "daemonset", "job"});

api::UpdateStrategy strategy_of(const WorkloadDraft& workload) {
  api::UpdateStrategy strategy;
  strategy.type = Symbol("RollingUpdate");
  strategy.rolling_update = api::RollingUpdate{workload.max_unavailable, workload.max_surge};
  return strategy;
}

template <typename Workload>
api::AnyObject as_object(Workload workload) {
  return api::AnyObject(std::make_shared<const Workload>(std::move(workload)));
}

api::AnyObject make_stateful_set(api::StatefulSet set, const WorkloadDraft& workload) {
  set.spec.replicas = workload.replicas;
  set.spec.service_name = set.metadata.name;
  set.spec.volume_claim_templates = workload.claim_templates;
  set.spec.pod_management_policy = Symbol(workload.is_parallel ? "Parallel" : "OrderedReady");
  set.spec.update_strategy.type = Symbol("RollingUpdate");
  return as_object(std::move(set));
}

}  // namespace

std::span<const FieldSpec<WorkloadDraft>> workload_fields() {
  return kWorkloadFields;
}

std::span<const std::string_view> workload_words() {
  return kWorkloadWords;
}

api::AnyObject make_workload(std::string_view word, const std::string& name, const WorkloadDraft& workload,
                             PodDraft pod) {
  if (pod.labels.empty()) pod.labels[Symbol("app")] = Symbol(name);
  if (word == "job") pod.spec.restart_policy = Symbol("Never");
  const api::LabelSelector selector{pod.labels, {}};
  const api::Pod finished = finish(std::move(pod));
  api::PodTemplateSpec pod_template;
  pod_template.metadata.labels = finished.metadata.labels;
  pod_template.metadata.annotations = finished.metadata.annotations;
  pod_template.spec = finished.spec;

  const auto fill = [&](auto set) {
    set.metadata.name = name;
    set.metadata.name_space = finished.metadata.name_space;
    set.spec.selector = selector;
    set.spec.pod_template = pod_template;
    return set;
  };
  if (word == "deployment") {
    auto deployment = fill(api::Deployment());
    deployment.spec.replicas = workload.replicas;
    deployment.spec.strategy = strategy_of(workload);
    return as_object(std::move(deployment));
  }
  if (word == "replicaset") {
    auto set = fill(api::ReplicaSet());
    set.spec.replicas = workload.replicas;
    return as_object(std::move(set));
  }
  if (word == "statefulset") return make_stateful_set(fill(api::StatefulSet()), workload);
  if (word == "daemonset") {
    auto set = fill(api::DaemonSet());
    set.spec.update_strategy = strategy_of(workload);
    return as_object(std::move(set));
  }
  auto job = fill(api::Job());
  job.spec.parallelism = workload.replicas;
  job.spec.completions = workload.completions.value_or(workload.replicas);
  return as_object(std::move(job));
}

}  // namespace berth::scenario
