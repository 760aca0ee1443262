// The rollouts of Deployments that are under way: how far each has come, and since when it has come no further.
//
// A rollout begins when a Deployment has a ReplicaSet for its template while pods of another one are there, and is
// complete when there are no others and all wanted pods are ready. One that makes no progress for as long as the
// Deployment's progressDeadlineSeconds is stuck; it may go on later. What happens goes into the history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/workload.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/sim/agenda.h"
#include "berth/sim/history.h"
#include "berth/sim/owned_pods.h"

namespace berth::sim {

// As the deployment controller counts pods; those that are being deleted are not among them.
struct RolloutProgress {
  std::int32_t wanted = 0;
  std::int32_t updated = 0;  // of the newest template
  std::int32_t ready = 0;    // of these
  std::int32_t old = 0;      // of other templates

  bool is_complete() const { return old == 0 && ready >= wanted; }
  bool operator==(const RolloutProgress&) const = default;
};

struct Rollout {
  Symbol name_space;
  std::string deployment;
  std::string replica_set;  // the newest
  std::string set_uid;
  RolloutProgress progress;
  Instant began_at;
  Instant progressed_at;
  Duration deadline;  // 0: none
  bool is_stuck = false;
};

class Rollouts {
 public:
  // All outlive it.
  Rollouts(History& history, Agenda& agenda, const OwnedPods& pods) : history_(history), agenda_(agenda), pods_(pods) {}

  // To be called whenever the Deployment has been looked at; `current` is its newest ReplicaSet.
  void look(const api::Deployment& deployment, const api::ReplicaSet& current, const RolloutProgress& progress);
  void forget(const std::string& deployment_uid) { under_way_.erase(deployment_uid); }

  // In order of namespace and name.
  std::vector<Rollout> under_way() const;

 private:
  struct Following {
    Rollout rollout;
    std::int32_t quarters = 0;  // that have been told
    bool has_timer = false;
  };

  void follow(const std::string& uid, Following& following, const RolloutProgress& progress);
  void set_timer(const std::string& uid, Duration delay);
  void check_deadline(const std::string& uid);
  // "2 pods are pending: 0/4 nodes are available: ..."; empty if no pod of the newest ReplicaSet is.
  std::string reason_of(const Rollout& rollout) const;
  void tell(std::string_view what, std::string text);

  History& history_;
  Agenda& agenda_;
  const OwnedPods& pods_;
  std::map<std::string, Following, std::less<>> under_way_;  // by UID of the Deployment
};

}  // namespace berth::sim
