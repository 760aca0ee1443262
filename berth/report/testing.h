// What the tests of reports share: a history told step by step, and a cluster in a few lines. For tests only; the
// library must not include it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/engine/attempt_log.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/queued_pod.h"
#include "berth/sim/history.h"

namespace berth::report::testing {

inline Instant epoch() {
  return Instant::from_unix_seconds(1'767'225'600);
}
inline Instant at_ms(std::int64_t milliseconds) {
  return epoch() + Duration::milliseconds(milliseconds);
}

// A history as a world would write it. Pods are of namespace "default".
class Teller {
 public:
  sim::History history;

  void node(std::string_view name, std::int64_t ms) {
    history.note(sim::HistoryEvent::Kind::kNodeAdded, at_ms(ms), "", Symbol(name));
  }
  void pod(const std::string& name, std::int64_t ms, std::string group = "") {
    api::Pod pod;
    pod.metadata.name = name;
    pod.metadata.uid = name + "-uid";
    pod.metadata.name_space = Symbol("default");
    pods_[name] = std::make_shared<const api::Pod>(pod);
    history.created(pod, std::move(group), at_ms(ms));
    moved(name, queue::QueueName::kActive, "UnschedulablePodAdd", ms);
  }
  void moved(const std::string& name, queue::QueueName queue, std::string_view label, std::int64_t ms) {
    queue::QueuedPod queued;
    queued.pod = pods_.at(name);
    history.pod_moved(queued, queue, Symbol(label), at_ms(ms));
  }
  void rejected(const std::string& name, std::string message, std::int64_t ms) {
    engine::AttemptRecord record;
    record.result = engine::AttemptResult::kUnschedulable;
    record.add_detail().message = std::move(message);
    history.attempt_ended(*pods_.at(name), record, at_ms(ms));
    moved(name, queue::QueueName::kUnschedulable, "ScheduleAttemptFailure", ms);
  }
  void woken(const std::string& name, const queue::ClusterEvent& event, std::int64_t ms) {
    history.event_happened(event, at_ms(ms));
    moved(name, queue::QueueName::kActive, event.label().text(), ms);
  }
  void placed(const std::string& name, std::string_view node, std::int64_t ms) {
    engine::AttemptRecord record;
    record.result = engine::AttemptResult::kPlaced;
    record.node = Symbol(node);
    history.attempt_ended(*pods_.at(name), record, at_ms(ms));
  }
  void bound(const std::string& name, std::string_view node, std::int64_t ms) {
    api::Pod pod = *pods_.at(name);
    pod.spec.node_name = Symbol(node);
    pods_[name] = std::make_shared<const api::Pod>(pod);
    history.bound_in_api(pod, at_ms(ms));
  }
  void placed_and_bound(const std::string& name, std::string_view node, std::int64_t ms) {
    placed(name, node, ms);
    bound(name, node, ms + 2);
  }
  void preempts(const std::string& name, std::string_view node, const std::vector<std::string>& victims,
                std::int64_t ms) {
    std::vector<api::PodPtr> pods;
    for (const std::string& victim : victims) pods.push_back(pods_.at(victim));
    history.preemption_began(*pods_.at(name), Symbol(node), pods, at_ms(ms));
    for (const api::PodPtr& victim : pods) history.evicted(*victim, at_ms(ms));
  }
  void ended(const std::string& name, std::int64_t ms) { history.pod_gone(*pods_.at(name), true, at_ms(ms)); }

 private:
  std::map<std::string, api::PodPtr> pods_;
};

}  // namespace berth::report::testing
