#include "berth/validation/workloads.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "berth/api/label_selector.h"
#include "berth/codec/json.h"
#include "berth/validation/validate.h"

namespace berth::validation {

namespace {

const Path kSpec("spec");

std::string shown_labels(const api::Labels& labels) {
  return codec::to_json(labels);
}

void check_matches(const api::LabelMatcher& selector, const api::PodTemplateSpec& pod_template, Errors& errors) {
  if (selector.matches(*pod_template.metadata.labels)) return;
  errors.push_back(config::invalid(kSpec.child("template").child("metadata").child("labels"),
                                   shown_labels(*pod_template.metadata.labels),
                                   "`selector` does not match template `labels`"));
}

// `kind` is what the API server calls it: "deployment".
void check_selector(const std::optional<api::LabelSelector>& selector, std::string_view kind,
                    const api::PodTemplateSpec& pod_template, Errors& errors) {
  const Path path = kSpec.child("selector");
  if (!selector) {
    errors.push_back(config::required(path).with_fix("apps/v1 has no default: repeat the template's labels"));
    return;
  }
  const std::size_t before = errors.size();
  check_label_selector(*selector, path, errors);
  if (selector->match_labels.empty() && selector->match_expressions.empty()) {
    errors.push_back(config::invalid(path, "{}", fmt::format("empty selector is invalid for {}", kind)));
    return;
  }
  if (errors.size() != before) return;
  if (const auto matcher = api::LabelMatcher::compile(*selector)) check_matches(*matcher, pod_template, errors);
}

void check_template(const api::PodTemplateSpec& pod_template, Errors& errors) {
  const Path path = kSpec.child("template");
  check_pod_template(pod_template, path, errors);
  check_choice(pod_template.spec->restart_policy, {"Always"}, path.child("spec").child("restartPolicy"), errors);
}

bool is_zero(const std::optional<api::IntOrString>& value) {
  return value && (value->text ? *value->text == "0%" : value->number == 0);
}

void check_update_strategy(const api::UpdateStrategy& strategy, std::string_view other_type, const Path& path,
                           Errors& errors) {
  check_choice(strategy.type, {other_type, "RollingUpdate"}, path.child("type"), errors);
  if (!strategy.rolling_update) return;
  const Path rolling = path.child("rollingUpdate");
  if (!strategy.type.empty() && strategy.type != "RollingUpdate") {
    errors.push_back(config::forbidden(
        rolling, fmt::format("may not be specified when strategy `type` is '{}'", strategy.type.text())));
  }
  check_count_or_percentage(strategy.rolling_update->max_unavailable, rolling.child("maxUnavailable"), errors);
  check_count_or_percentage(strategy.rolling_update->max_surge, rolling.child("maxSurge"), errors);
  if (is_zero(strategy.rolling_update->max_unavailable) && is_zero(strategy.rolling_update->max_surge)) {
    errors.push_back(config::invalid(rolling.child("maxUnavailable"), "0", "may not be 0 when `maxSurge` is 0"));
  }
}

}  // namespace

void check_deployment(const api::Deployment& deployment, Errors& errors) {
  const api::DeploymentSpec& spec = deployment.spec;
  check_at_least(0, spec.replicas, kSpec.child("replicas"), errors);
  check_selector(spec.selector, "deployment", spec.pod_template, errors);
  check_template(spec.pod_template, errors);
  check_update_strategy(spec.strategy, "Recreate", kSpec.child("strategy"), errors);
  check_at_least(0, std::int64_t{spec.min_ready_seconds}, kSpec.child("minReadySeconds"), errors);
  check_at_least(0, spec.revision_history_limit, kSpec.child("revisionHistoryLimit"), errors);
  check_at_least(0, spec.progress_deadline_seconds, kSpec.child("progressDeadlineSeconds"), errors);
}

void check_replica_set(const api::ReplicaSet& set, Errors& errors) {
  check_at_least(0, set.spec.replicas, kSpec.child("replicas"), errors);
  check_selector(set.spec.selector, "replicaset", set.spec.pod_template, errors);
  check_template(set.spec.pod_template, errors);
  check_at_least(0, std::int64_t{set.spec.min_ready_seconds}, kSpec.child("minReadySeconds"), errors);
}

void check_stateful_set(const api::StatefulSet& set, Errors& errors) {
  const api::StatefulSetSpec& spec = set.spec;
  check_choice(spec.pod_management_policy, {"OrderedReady", "Parallel"}, kSpec.child("podManagementPolicy"), errors);
  check_choice(spec.update_strategy.type, {"RollingUpdate", "OnDelete"}, kSpec.child("updateStrategy").child("type"),
               errors);
  if (const auto& rolling = spec.update_strategy.rolling_update) {
    const Path at = kSpec.child("updateStrategy").child("rollingUpdate");
    check_at_least(0, rolling->partition, at.child("partition"), errors);
    check_count_or_percentage(rolling->max_unavailable, at.child("maxUnavailable"), errors);
  }
  check_at_least(0, spec.replicas, kSpec.child("replicas"), errors);
  check_selector(spec.selector, "statefulset", spec.pod_template, errors);
  check_template(spec.pod_template, errors);
  // The API server takes any template here, and the controller then cannot create the claims.
  for (std::size_t i = 0; i < spec.volume_claim_templates.size(); ++i) {
    check_claim_spec(spec.volume_claim_templates[i].spec, kSpec.child("volumeClaimTemplates").index(i).child("spec"),
                     errors);
  }
}

void check_daemon_set(const api::DaemonSet& set, Errors& errors) {
  check_selector(set.spec.selector, "daemonset", set.spec.pod_template, errors);
  check_template(set.spec.pod_template, errors);
  check_update_strategy(set.spec.update_strategy, "OnDelete", kSpec.child("updateStrategy"), errors);
  check_at_least(0, std::int64_t{set.spec.min_ready_seconds}, kSpec.child("minReadySeconds"), errors);
}

void check_replication_controller(const api::ReplicationController& controller, Errors& errors) {
  const api::ReplicationControllerSpec& spec = controller.spec;
  check_at_least(0, spec.replicas, kSpec.child("replicas"), errors);
  if (!spec.pod_template) {
    errors.push_back(config::required(kSpec.child("template")));
    return;
  }
  const api::Labels& selector = spec.selector.empty() ? *spec.pod_template->metadata.labels : spec.selector;
  if (selector.empty()) errors.push_back(config::required(kSpec.child("selector")));
  check_labels(spec.selector, kSpec.child("selector"), errors);
  check_matches(api::LabelMatcher::of_labels(selector), *spec.pod_template, errors);
  check_template(*spec.pod_template, errors);
}

void check_job(const api::Job& job, Errors& errors) {
  const api::JobSpec& spec = job.spec;
  check_at_least(0, spec.parallelism, kSpec.child("parallelism"), errors);
  check_at_least(0, spec.completions, kSpec.child("completions"), errors);
  check_at_least(0, spec.backoff_limit, kSpec.child("backoffLimit"), errors);
  check_at_least(0, spec.backoff_limit_per_index, kSpec.child("backoffLimitPerIndex"), errors);
  check_at_least(0, spec.ttl_seconds_after_finished, kSpec.child("ttlSecondsAfterFinished"), errors);
  check_choice(spec.completion_mode, {"NonIndexed", "Indexed"}, kSpec.child("completionMode"), errors);
  if (spec.selector && spec.manual_selector.value_or(false)) {
    if (const auto matcher = api::LabelMatcher::compile(*spec.selector)) {
      check_matches(*matcher, spec.pod_template, errors);
    }
  }
  const Path path = kSpec.child("template");
  check_pod_template(spec.pod_template, path, errors);
  // A template without a policy has Always by default, which a Job may not have.
  const Path policy = path.child("spec").child("restartPolicy");
  if (spec.pod_template.spec->restart_policy.empty()) {
    errors.push_back(config::required(policy, "valid values: \"OnFailure\", \"Never\""));
  } else if (spec.pod_template.spec->restart_policy == "Always") {
    check_choice(spec.pod_template.spec->restart_policy, {"OnFailure", "Never"}, policy, errors);
  }
}

}  // namespace berth::validation
