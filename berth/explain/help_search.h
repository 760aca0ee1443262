// What the searches for things that would help have in common: the pod, the cluster, what is wrong with each node, and
// the suggestions found so far. One file per topic; help.cc says in which order they are asked.
//
// A search guesses from the findings about the nodes what could be changed (a Step, suggestion.h), tries it out with
// `fits` or `best_node`, and says it only if the pod fits then.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/explain/diagnosis.h"
#include "berth/explain/facts.h"
#include "berth/explain/neighbourhood.h"
#include "berth/explain/suggestion.h"
#include "berth/explain/what_if.h"

namespace berth::explain {

// How many guesses of one kind are tried out before giving up: the nearest ones come first.
inline constexpr std::size_t kMaxGuesses = 8;

class HelpSearch {
 public:
  HelpSearch(const framework::Profile& of_profile, Cluster& of_cluster, const Evaluation& of_evaluation,
             const Diagnosis& of_diagnosis, const Preemption& of_preemption)
      : profile(of_profile),
        cluster(of_cluster),
        evaluation(of_evaluation),
        diagnosis(of_diagnosis),
        preemption(of_preemption),
        demands(node_demands(*of_evaluation.pod->spec)) {}

  const api::Pod& pod() const { return *evaluation.pod; }
  const cache::NodeState& node(cache::RowId row) const { return cluster.cache.nodes().at(row); }

  // Where the pod goes when the steps are taken; nothing if it fits nowhere.
  std::optional<std::string> best_node(std::span<const Step> steps);
  std::optional<std::string> best_node(const Step& step) { return best_node(std::span(&step, 1)); }
  // Whether it fits on the node then.
  bool fits_on(const std::string& node_name, std::span<const Step> steps);
  bool fits_on(const std::string& node_name, const Step& step) { return fits_on(node_name, std::span(&step, 1)); }

  // Adds the suggestion: "uncordon n1: it fits there".
  // Requires: the pod fits on the node when the steps are taken.
  void say(std::span<const Step> steps, const std::string& node_name, std::string_view then);
  void say_there(const Step& step, const std::string& node_name) {
    say(std::span(&step, 1), node_name, "it fits there");
  }
  void say_on(const Step& step, const std::string& node_name) {
    say(std::span(&step, 1), node_name, "it fits on " + node_name);
  }

  // The pods around, by the pod's affinity and that of others; worked out when it is first asked for.
  const Neighbourhood& neighbourhood();
  // Whether the pods may be asked to go elsewhere: not those of the system, of DaemonSets, or whose disruption budget
  // does not allow it.
  bool may_be_moved(std::span<const api::PodPtr> pods);

  const framework::Profile& profile;
  Cluster& cluster;
  const Evaluation& evaluation;
  const Diagnosis& diagnosis;
  const Preemption& preemption;
  const std::vector<Demand> demands;
  std::vector<Help> help;

 private:
  std::optional<Neighbourhood> neighbourhood_;
};

// --- What can be done about one reason on one node; nothing if nothing can, or nothing that would do good

std::optional<Step> uncordon_step(HelpSearch& search, cache::RowId row);
std::optional<Step> toleration_step(HelpSearch& search, cache::RowId row);
std::optional<Step> request_step(HelpSearch& search, cache::RowId row, const FailingFilter& failing);
std::optional<Step> label_step(HelpSearch& search, cache::RowId row);
std::optional<Step> drop_demands_step(HelpSearch& search, cache::RowId row);
std::optional<Step> port_step(HelpSearch& search, cache::RowId row);
std::optional<Step> spread_step(HelpSearch& search, cache::RowId row);
std::optional<Step> affinity_step(HelpSearch& search, cache::RowId row);
// Corrections of the pod's affinity to other pods, the likeliest first, and doing without it.
std::vector<Step> affinity_steps(HelpSearch& search);

// --- The searches

// help_labels.cc
void correct_selector(HelpSearch& search);
void label_node(HelpSearch& search);
void drop_selector(HelpSearch& search);
// help_taints.cc
void add_tolerations(HelpSearch& search);
// Of nodes that are for the control plane or for critical pods; to be asked last.
void tolerate_control_plane(HelpSearch& search);
void uncordon(HelpSearch& search);
// help_resources.cc
void lower_requests(HelpSearch& search);
// help_neighbours.cc
void free_port(HelpSearch& search);
void move_neighbours(HelpSearch& search);
// For a pod that fits only there; to be asked late, since the others have to go somewhere.
void make_room(HelpSearch& search);
void relax_spread(HelpSearch& search);
// help_affinity.cc
void correct_affinity(HelpSearch& search);
void start_neighbour(HelpSearch& search);
void drop_affinity(HelpSearch& search);
// help_combinations.cc
void combine_steps(HelpSearch& search);
// help_minimal_node.cc: the least node that would do, if no pool has such nodes.
void describe_node(HelpSearch& search);
// help_nodes.cc
void add_nodes(HelpSearch& search);
// help_priority.cc
void raise_priority(HelpSearch& search);
// help_volumes.cc; the first for a pod that PreFilter rejected, the second for one that its volumes keep off nodes.
void provide_claims(HelpSearch& search);
void fit_volumes(HelpSearch& search);

}  // namespace berth::explain
