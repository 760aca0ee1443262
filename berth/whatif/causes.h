// Why a pod left its node, or came: which change of the plan, which preemptor, which controller.
//
// The history of the world knows who deleted a pod. A preemptor is itself there for a reason, so causes are followed
// from pod to pod until a change is found: "preempted by web-b, which replaces web-a (evicted by the drain of n-1)".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "berth/sim/world.h"
#include "berth/whatif/change.h"

namespace berth::whatif {

struct Cause {
  std::string sentence;   // "evicted by the drain of n-1"; empty: nobody knows
  std::string change;     // the change that it goes back to, as Plan::words has it; empty: to none of them
  std::string preemptor;  // "namespace/name"
};

class Causes {
 public:
  // Both outlive it. Pods that were there when the changes were made are told by is_old(UID).
  Causes(const Plan& plan, const sim::World& world, std::function<bool(const std::string&)> is_old)
      : plan_(plan), world_(world), is_old_(std::move(is_old)) {}

  // The pod of the first UID takes the place of the second.
  void add_replacement(const std::string& fresh, const std::string& old) { replaced_[fresh] = old; }

  Cause of_leaving(const std::string& uid) const { return of_leaving(uid, 0); }
  // Of a pod that is new.
  Cause of_coming(const std::string& uid) const { return of_coming(uid, 0); }

 private:
  Cause of_leaving(const std::string& uid, int depth) const;
  Cause of_coming(const std::string& uid, int depth) const;
  Cause of_preemption(const sim::PodTimeline& victim, int depth) const;
  Cause of_controller(const sim::PodTimeline& pod_timeline) const;

  const Plan& plan_;
  const sim::World& world_;
  std::function<bool(const std::string&)> is_old_;
  std::map<std::string, std::string, std::less<>> replaced_;  // UIDs: the new pod's, the old one's
};

// "shop/Deployment/web" as people write it: "Deployment shop/web".
std::string workload_words(std::string_view workload);

}  // namespace berth::whatif
