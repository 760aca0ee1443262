// Is the loss of any one node survivable: would all its pods find a place on the others? The same for all nodes of one
// zone, or of any other label, at a time.
//
// For each of them the nodes and their pods are taken out of the cluster, the pods are placed on what is left, the most
// important first, by the plugins of the scheduler's configuration, and then everything is put back. Pods of DaemonSets
// and static pods belong to their nodes and are not placed. Nobody is preempted: if a pod has to make room, another one
// is without a place. What the scheduler remembers of classes of pods it keeps from node to node, so that the whole
// costs little more than placing each pod once.
//
// A pure function of its arguments: the seed stands for the scheduler's choice between equal nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/schema.h"
#include "berth/base/error.h"
#include "berth/explain/cluster.h"
#include "berth/report/pod_sentence.h"
#include "berth/text/page.h"

namespace berth::whatif {

struct LossOptions {
  std::string by;  // a label: all nodes with one value of it are lost together; empty: each node by itself
  std::uint64_t seed = 1;
  std::size_t explained = 10;  // how many of the worst get sentences
};

// A pod without a place, in a sentence for the first of those that are alike.
struct StrandedPods {
  std::vector<std::string> pods;
  std::string sentence;
};
struct Loss {
  std::string domain;      // a node, or the label's value
  std::int64_t nodes = 0;  // that are lost together
  std::int64_t pods = 0;   // that have to be placed
  std::int64_t placed = 0;
  std::vector<std::string> stranded;    // pods without a place, the most important first
  std::vector<StrandedPods> sentences;  // of the worst ones: see LossOptions
};
struct NodeLosses {
  std::string by;  // "node", or the label
  std::int64_t nodes = 0;
  std::int64_t domains = 0;     // that were tried
  std::int64_t survivable = 0;  // of these
  bool ok = true;               // all are
  std::string sentence;
  std::vector<Loss> losses;  // those that are not survivable, most pods without a place first
  std::vector<std::string> notes;
};

// The cluster is changed meanwhile and put back. The error: a profile that cannot be built, no node, or a label that no
// node has.
Result<NodeLosses> node_losses(explain::Cluster& cluster, const report::Settings& settings,
                               const LossOptions& options = {});

struct LossText {
  bool all = false;  // a row for each, however many
  text::Style style = {};
};
std::string to_text(const NodeLosses& losses, const LossText& options = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::NodeLosses>();
}
