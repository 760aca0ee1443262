#include "berth/sim/kubelet.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/sim/world.h"

namespace berth::sim {

namespace {

struct Words {
  Symbol pending{"Pending"}, running{"Running"}, succeeded{"Succeeded"}, failed{"Failed"};
  Symbol ready{"Ready"}, is_true{"True"}, is_false{"False"}, pod_completed{"PodCompleted"};
  Symbol runs{kRunsAnnotation}, terminates_in{kTerminatesInAnnotation}, fails{kFailsAnnotation};
};
const Words& words() {
  static const Words all;
  return all;
}

// Nothing if the annotation is not there or is no duration.
std::optional<Duration> duration_in(const api::Pod& pod, Symbol annotation) {
  const std::string* text = pod.metadata.annotations->find(annotation);
  if (text == nullptr) return std::nullopt;
  const Result<Duration> duration = Duration::parse(*text);
  if (!duration) return std::nullopt;
  return std::max(*duration, Duration());
}

bool fails(const api::Pod& pod) {
  const std::string* text = pod.metadata.annotations->find(words().fails);
  return text != nullptr && *text == "true";
}

bool is_waiting_to_start(const api::Pod& pod) {
  return (pod.status.phase.empty() || pod.status.phase == words().pending);
}

void put_ready(api::PodStatus& pod, bool is_ready, Instant now) {
  const Symbol status = is_ready ? words().is_true : words().is_false;
  const auto at = std::ranges::find_if(
      pod.conditions, [](const api::PodCondition& condition) { return condition.type == words().ready; });
  if (at == pod.conditions.end()) {
    // One more than there are: most pods have two conditions, and there may be a million pods.
    pod.conditions.reserve(pod.conditions.size() + 1);
    api::PodCondition& condition = pod.conditions.emplace_back();
    condition.type = words().ready;
    condition.status = status;
    condition.last_transition_time = now;
  } else if (at->status != status) {
    at->status = status;
    at->last_transition_time = now;
  }
}

}  // namespace

void set_ready(ApiServer& api, const api::Pod& pod, bool is_ready, Instant now) {
  rewrite(api, pod, [&](api::Pod& changed) { put_ready(changed.status, is_ready, now); });
}

Kubelet::Kubelet(const Surroundings& around, const NodePods& pods, const Rng& rng)
    : around_(around), pods_(pods), rng_(rng) {}

void Kubelet::pod_changed(const Change& change) {
  if (change.kind == Change::Kind::kDeleted) return;
  const auto pod = change.object.as<api::Pod>();
  if (pod->spec.node_name.empty()) return;
  if (change.kind == Change::Kind::kModified) {
    const auto before = change.before.as<api::Pod>();
    const bool is_new_here = before->spec.node_name != pod->spec.node_name;
    const bool is_deleted_now =
        before->metadata.deletion_timestamp.is_set() != pod->metadata.deletion_timestamp.is_set();
    // How it goes on after it started is arranged where it starts.
    if (!is_new_here && !is_deleted_now) return;
  }
  take_up(pod);
}

void Kubelet::node_changed(const Change& change) {
  if (change.kind == Change::Kind::kModified) return;
  const Symbol node(change.object.metadata().name);
  if (change.kind == Change::Kind::kDeleted) {
    down_.insert(node);
  } else if (down_.erase(node) > 0) {
    around_.agenda.after(Duration(), Agenda::Urgency::kWork, [this, node] { recover_node(node); });
  }
}

void Kubelet::recover_node(Symbol node) {
  down_.erase(node);
  for (const api::PodPtr& pod : pods_.list(node)) {
    if (state_of(*pod) == PodState::kPending && pod->status.phase == words().running) {
      set_ready(around_.api, *pod, true, around_.now());
    }
    take_up(pod);
  }
}

void Kubelet::take_up(const api::PodPtr& pod) {
  if (is_down(pod->spec.node_name)) return;
  if (pod->metadata.deletion_timestamp.is_set()) {
    const Duration delay = duration_in(*pod, words().terminates_in).value_or(around_.faults.termination.draw(rng_));
    around_.agenda.after(delay, Agenda::Urgency::kWork, [this, pod] { finish(*pod); });
  } else if (is_waiting_to_start(*pod)) {
    around_.agenda.after(around_.faults.pod_start.draw(rng_), Agenda::Urgency::kWork, [this, pod] { start(*pod); });
  } else if (const auto runs = duration_in(*pod, words().runs); runs && pod->status.phase == words().running) {
    const Instant now = around_.now();
    const Instant started = pod->status.start_time.is_set() ? pod->status.start_time : now;
    const Duration left = std::max(started + *runs - now, Duration());
    around_.agenda.after(left, Agenda::Urgency::kLater, [this, pod] { end(*pod); });
  }
}

api::PodPtr Kubelet::current(const api::Pod& pod) const {
  if (is_down(pod.spec.node_name)) return nullptr;
  auto now = around_.api.get<api::Pod>(pod.metadata.name_space, pod.metadata.name);
  return now != nullptr && now->metadata.uid == pod.metadata.uid ? now : nullptr;
}

void Kubelet::start(const api::Pod& pod) {
  const api::PodPtr now = current(pod);
  if (now == nullptr || !is_waiting_to_start(*now) || now->metadata.deletion_timestamp.is_set()) return;
  api::PodStatus status = now->status;
  status.phase = words().running;
  status.start_time = around_.now();
  put_ready(status, true, around_.now());
  take_up(around_.api.write_status(now, std::move(status)));
}

void Kubelet::end(const api::Pod& pod) {
  const api::PodPtr now = current(pod);
  if (now == nullptr || now->status.phase != words().running || now->metadata.deletion_timestamp.is_set()) return;
  api::PodStatus status = now->status;
  status.phase = fails(*now) ? words().failed : words().succeeded;
  put_ready(status, false, around_.now());
  around_.api.write_status(now, std::move(status));
}

void Kubelet::finish(const api::Pod& pod) {
  if (current(pod) == nullptr) return;
  around_.api.finish_deletion(pod.metadata.name_space, pod.metadata.name, pod.metadata.uid);
}

}  // namespace berth::sim
