// An autoscaler in a simulated cluster: it adds nodes to groups for pods that the scheduler could not place, each some
// time after it was asked for, and takes nodes away that were hardly used for long.
//
// As cluster-autoscaler does, it looks at the cluster every scan interval; a scan that would find nothing new is left
// out, so that a world with nothing to do is idle. Pods count that have the condition PodScheduled=False for the reason
// Unschedulable; not those that wait for a preemption, that a DaemonSet owns, or whose priority is below -10. Whether a
// pod would fit on a new node, or its node's pods elsewhere, the profile's own filters say, on a copy of the cluster.
//
// A node is taken away if less than a share of its cpu and of its memory has been requested for the whole time, its
// pods fit on other nodes, and nothing forbids to move them: a budget, an annotation, a pod without a controller. What
// is to come that late does not keep the world from being idle.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/autoscaler/node_group.h"
#include "berth/autoscaler/scale_up.h"
#include "berth/autoscaler/trial.h"
#include "berth/base/error.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/framework/profile.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/evictions.h"
#include "berth/sim/history.h"

namespace berth::sim {

struct AutoscalerOptions {
  bool is_on = true;
  Duration scan_interval = Duration::seconds(10);
  Duration add_after = Duration::seconds(90);     // from the decision to a ready node
  Duration remove_after = Duration::minutes(10);  // that a node has to be unneeded
  int threshold_percent = 50;                     // of its cpu and memory: below, a node may be unneeded
  bool removes = true;
  autoscaler::Expander expander = autoscaler::Expander::kLeastWaste;
};

struct AutoscalerCounts {
  struct Group {
    std::string name;
    std::int64_t nodes = 0;  // now
    std::int64_t added = 0;
    std::int64_t removed = 0;
    std::int64_t most = 0;  // at any time
  };
  std::vector<Group> groups;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  double node_hours = 0;  // of the nodes of all groups
};

class Autoscaler {
 public:
  using Profiles = std::vector<std::unique_ptr<framework::Profile>>;
  using BuildProfiles = std::function<Result<Profiles>(const cache::ClusterObjects&)>;
  // All outlive it.
  struct Surroundings {
    ApiServer& api;
    Agenda& agenda;
    History& history;
    Evictions& evictions;
  };

  // Knows what the API server has; from then on on_change() has to be called for every change.
  static Result<std::unique_ptr<Autoscaler>> make(const Surroundings& around, const BuildProfiles& build, Rng rng);

  void on_change(const Change& change);

  AutoscalerOptions& options() { return options_; }
  // Something about it was changed: look again.
  void options_changed() { request_scan(Agenda::Urgency::kWork); }
  // A group that is there already is changed. Its missing nodes up to the minimum are made at once. The error: a node
  // cannot be made.
  Result<void> set_group(autoscaler::NodeGroup group);
  bool has_groups() const { return !groups_.empty(); }
  AutoscalerCounts counts() const;

 private:
  struct Added {
    const autoscaler::NodeShape* shape = nullptr;
    bool is_there = false;
  };
  struct Group {
    autoscaler::NodeGroup spec;
    std::vector<std::vector<api::PodPtr>> own_daemons;  // by shape: those of DaemonSets that nobody plays
    std::map<std::string, Added> added;                 // by node: those that it added and that are there or to come
    std::map<std::string, Instant> members;             // nodes that are there, with the time since when they count
    std::int64_t count_added = 0;
    std::int64_t count_removed = 0;
    std::int64_t most = 0;
    double node_seconds = 0;  // of nodes that are gone
    int next_number = 1;
  };
  struct Unneeded {
    Instant since;
    bool was_seen = false;  // in this scan
  };

  Autoscaler(const Surroundings& around, Rng rng) : around_(around), rng_(rng) {}

  void take_in(const Change& change);
  void take_in_pod(const Change& change);
  void take_in_node(const Change& change);
  Group* group_of(const api::Node& node);
  void join(Group& group, const std::string& node);

  void request_scan(Agenda::Urgency urgency);
  void scan();

  // --- Scale up
  std::vector<autoscaler::WaitingPod> waiting() const;
  const framework::Profile* profile_of(const api::Pod& pod) const;
  std::vector<const autoscaler::NodeShape*> planned(const Group& group) const;
  void renew_daemons(Group& group);
  std::vector<autoscaler::WaitingPod> without_those_that_fit(std::vector<autoscaler::WaitingPod> pods,
                                                             autoscaler::Trial& trial);
  void scale_up();
  void order(Group& group, const autoscaler::ScaleUp& chosen);
  void explain_refusals(const std::vector<autoscaler::WaitingPod>& pods, autoscaler::Trial& trial);
  std::string refusal_of(const autoscaler::WaitingPod& pod, autoscaler::Trial& trial) const;
  std::string next_name(Group& group);
  Result<void> create_node(Group& group, const autoscaler::NewNode& node);

  // --- Scale down
  void scale_down();
  std::int64_t size_of(const Group& group) const;
  bool is_unneeded(const Group& group, const cache::NodeState& state);
  bool may_be_moved(const api::Pod& pod) const;
  bool have_budget(const std::vector<api::PodPtr>& pods) const;
  bool fit_elsewhere(const cache::NodeState& state, const std::vector<api::PodPtr>& pods);
  std::vector<api::PodPtr> pods_to_move(const cache::NodeState& state) const;
  void remove_node(Group& group, const std::string& name);
  void finish_removal(const std::string& name);

  Surroundings around_;
  Rng rng_;
  AutoscalerOptions options_;
  Instant began_;
  cache::SchedulerCache cache_;
  cache::ClusterObjects objects_;
  Profiles profiles_;
  std::map<std::string, std::unique_ptr<Group>> groups_;                  // by name
  std::map<std::string, api::PodPtr> waiting_;                            // by full name
  std::map<std::string, std::shared_ptr<const api::DaemonSet>> daemons_;  // by full name
  std::map<std::string, autoscaler::NewNode> coming_;                     // by name
  std::map<std::string, Unneeded> unneeded_;                              // by node
  std::set<std::string> leaving_;                                         // nodes that are being emptied
  std::set<std::pair<std::string, std::string>> refused_;                 // UID and what was said
  bool is_scan_urgent_ = false;
  bool is_scan_planned_ = false;
  Instant check_at_;  // when a node may be due to be removed; unset: none is
};

}  // namespace berth::sim
