// DaemonSets: one pod for each node that the template can run on. The pod is bound to its node by a required node
// affinity on metadata.name and placed by the scheduler, as in a real cluster; it tolerates what goes wrong with nodes.
//
// A new template replaces pods at most maxUnavailable at a time; with maxSurge a new pod is made beside the old one,
// which goes when the new one is ready.
//
// Looks only at the nodes that changed, unless the DaemonSet itself did.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "berth/api/node_selector.h"
#include "berth/sim/controller_work.h"
#include "berth/sim/owned_pods.h"
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

class DaemonSetController {
 public:
  DaemonSetController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes, const Rng& rng);

  void on_change(const Change& change);
  void node_changed(const Change& change);
  // Of a pod that a DaemonSet has or had.
  void pod_changed(const Change& change);

 private:
  using NodeNames = std::set<Symbol, SymbolTextLess>;
  struct Daemon {
    ObjectKey key;
    std::map<Symbol, std::vector<api::PodPtr>, SymbolTextLess> pods;  // by the node that they are for
    NodeNames to_look_at;
    bool looks_at_all = true;
    bool is_updated = false;  // the template changed while we looked
    api::RequiredNodeAffinity affinity;
    NodeNames refused;    // nodes whose pods the API server did not let us create
    std::string refusal;  // what it said about the last
  };

  void look(const ObjectKey& key);
  void look_at_node(const api::DaemonSet& set, Daemon& daemon, Symbol name);
  // Looks at these nodes again if the API server refused their pods.
  void make_pod(const api::DaemonSet& set, Daemon& daemon, Symbol node);
  void note_refusals(const api::DaemonSet& set, Daemon& daemon);
  void update_some(const api::DaemonSet& set, Daemon& daemon);
  void surge_some(const api::DaemonSet& set, Daemon& daemon, std::int32_t surge);
  // The pods of a node without those that only surge, and without the old one beside a new one that is ready.
  std::vector<api::PodPtr> settled(const api::DaemonSet& set, const Daemon& daemon, std::vector<api::PodPtr> pods);
  void write_status(const api::DaemonSet& set, const Daemon& daemon);

  Surroundings around_;
  const OwnedPods& pods_;
  PodPrototypes& prototypes_;
  Rng names_;
  WorkList sets_;
  std::map<std::string, Daemon, std::less<>> daemons_;  // by UID
};

}  // namespace berth::sim
