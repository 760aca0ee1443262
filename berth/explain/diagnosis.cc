#include "berth/explain/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "berth/config/suggest.h"
#include "berth/explain/facts.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// How many causes the one sentence names.
constexpr std::size_t kMaxClauses = 4;
// How many pods, domains or label values a detail names.
constexpr std::size_t kMaxNamed = 3;

// What stands behind "1 node " or "4 nodes ", and behind that in parentheses.
struct Phrase {
  std::string one;
  std::string many;
  std::string detail;
};

Phrase verb(std::string_view one, std::string_view many, std::string rest, std::string detail = "") {
  return {fmt::format("{} {}", one, rest), fmt::format("{} {}", many, rest), std::move(detail)};
}
Phrase is(std::string rest, std::string detail = "") {
  return verb("is", "are", std::move(rest), std::move(detail));
}
Phrase has(std::string rest, std::string detail = "") {
  return verb("has", "have", std::move(rest), std::move(detail));
}
Phrase has_not(std::string rest, std::string detail = "") {
  return verb("does not have", "do not have", std::move(rest), std::move(detail));
}

// The pods with their nodes, or, if they are all of one workload, how many of which.
std::string neighbours_text(const std::vector<Neighbour>& neighbours) {
  const api::OwnerReference* owner = neighbours.empty() ? nullptr : api::controller_of(neighbours[0].pod->metadata);
  const bool is_shared = owner != nullptr && std::ranges::all_of(neighbours, [&](const Neighbour& each) {
                           const api::OwnerReference* other = api::controller_of(each.pod->metadata);
                           return other != nullptr && other->uid == owner->uid && other->name == owner->name;
                         });
  if (neighbours.size() > 1 && is_shared) {
    return fmt::format("pods of {} {}/{}", owner->kind.text(), neighbours[0].pod->metadata.name_space.text(),
                       owner->name);
  }
  std::vector<std::string> names;
  for (const Neighbour& each : neighbours) {
    std::string text = fmt::format("{} on {}", api::full_name(each.pod->metadata), each.node);
    if (std::ranges::find(names, text) == names.end()) names.push_back(std::move(text));
  }
  return listed(names, kMaxNamed);
}

// The values that there are instead, nearest first: "3 have disktype=ssd".
std::string other_values(const Cluster& cluster, const Demand& demand) {
  std::vector<LabelValue> values = label_values(cluster, demand.key);
  if (values.empty()) {
    std::vector<std::string_view> keys;
    for (const Symbol key : label_keys(cluster)) keys.push_back(key.text());
    const std::string_view nearest = config::nearest_name(demand.key.text(), keys);
    return nearest.empty() ? "" : fmt::format("there is a label {}", nearest);
  }
  if (!demand.values.empty()) {
    std::vector<std::string_view> texts;
    for (const LabelValue& each : values) texts.push_back(each.value.text());
    const std::string_view nearest = config::nearest_name(demand.values[0].text(), texts);
    sort_stably(values, {}, [&](const LabelValue& each) { return each.value != nearest; });
  }
  std::vector<std::string> texts;
  for (const LabelValue& each : values) {
    texts.push_back(
        fmt::format("{} {} {}={}", each.nodes, each.nodes == 1 ? "has" : "have", demand.key.text(), each.value.text()));
  }
  return listed(texts, 3);
}

class Diagnostician {
 public:
  Diagnostician(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation)
      : profile_(profile),
        cluster_(cluster),
        evaluation_(evaluation),
        demands_(node_demands(*evaluation.pod->spec)),
        spread_(spread_states(cluster, evaluation)) {}

  Diagnosis run() {
    const Bitset& feasible = evaluation_.filtered->feasible;
    for (const cache::RowId row : cluster_.rows_by_name()) {
      if (!feasible.test(row)) look_at(row);
    }
    for (const auto& [key, group] : groups_) add_group(group);
    sort_stably(phrased_, [](const Phrased& a, const Phrased& b) {
      if (a.is_near != b.is_near) return a.is_near;
      return a.group.nodes.size() != b.group.nodes.size() ? a.group.nodes.size() > b.group.nodes.size()
                                                          : natural_less(a.group.nodes[0], b.group.nodes[0]);
    });
    result_.headline = headline();
    for (Phrased& each : phrased_) result_.groups.push_back(std::move(each.group));
    return std::move(result_);
  }

 private:
  // Nodes with the same plugin and key are one group.
  struct Group {
    Symbol plugin;
    std::string key;
    std::string reason;
    std::vector<std::size_t> positions;  // in findings
  };
  struct Phrased {
    NodeGroup group;
    Phrase phrase;
    bool is_near = false;  // some node of it could take the pod but for this
  };

  const cache::NodeState& node(cache::RowId row) const { return cluster_.cache.nodes().at(row); }

  void look_at(cache::RowId row) {
    NodeFinding finding{.row = row, .failing = {}};
    Symbol plugin;
    std::string key, reason;
    if (!evaluation_.filtered->asked.test(row)) {
      const auto& restricting = evaluation_.pre_filter.restricting_plugins;
      if (!restricting.empty()) plugin = restricting.front();
      key = "not asked";
      reason = fmt::format("node(s) didn't satisfy plugin(s) [{}]", plugin.text());
    } else {
      finding.failing = explain::failing(profile_, evaluation_, node(row));
      if (finding.failing.empty()) {
        const auto entry = evaluation_.filtered->verdicts.at(row);
        const framework::Status status = framework::status_of(profile_, evaluation_.pre_filter, entry);
        plugin = status.plugin();
        key = "promised";
        reason = status.message();
      } else {
        const FailingFilter& first = finding.failing.front();
        plugin = first.plugin;
        key = key_of(row, first);
        reason = fmt::format("{}", fmt::join(first.reasons, ", "));
      }
    }
    Group& group = groups_[{plugin.str(), key}];
    group.plugin = plugin;
    group.key = key;
    group.reason = reason;
    group.positions.push_back(result_.findings.size());
    result_.findings.push_back(std::move(finding));
  }

  // --- What makes two nodes fail for the same reason

  std::string key_of(cache::RowId row, const FailingFilter& failing) const {
    if (failing.plugin == name::kNodeResourcesFit) {
      const auto worst = worst_shortages(row, failing);
      // What else is short is said behind.
      if (worst.empty()) return "";
      return fmt::format("{} {}", static_cast<int>(worst[0].kind), worst[0].resource.text());
    }
    if (failing.plugin == name::kTaintToleration) return fmt::format("{}", fmt::join(taint_texts(row), ","));
    if (failing.plugin == name::kNodeAffinity) return unmet_text(row);
    if (failing.plugin == name::kPodTopologySpread) {
      const auto broken = broken_spread(row);
      return broken ? fmt::format("{} {}", broken->second, broken->first->constraint) : "";
    }
    return fmt::format("{}", fmt::join(failing.reasons, ","));
  }

  // What the node does not have at all counts more than what it has too little of, and that more than what is taken.
  std::vector<Shortage> worst_shortages(cache::RowId row, const FailingFilter& failing) const {
    std::vector<Shortage> all = shortages(evaluation_, node(row), failing);
    Shortage::Kind worst = Shortage::Kind::kTaken;
    for (const Shortage& each : all) worst = std::max(worst, each.kind);
    std::erase_if(all, [worst](const Shortage& each) { return each.kind != worst; });
    return all;
  }

  std::vector<std::string> taint_texts(cache::RowId row) const {
    std::vector<std::string> texts;
    for (const api::Taint& taint : untolerated_taints(*evaluation_.pod, *node(row).node)) {
      const std::string_view state = node_state_of(taint);
      std::string text = state.empty() ? taint_text(taint) : std::string(state);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
    return texts;
  }

  std::vector<const Demand*> unmet(cache::RowId row) const {
    std::vector<const Demand*> result;
    for (const Demand& demand : demands_) {
      if (!demand.is_met_by(node(row).labels())) result.push_back(&demand);
    }
    return result;
  }
  std::string unmet_text(cache::RowId row) const {
    std::vector<std::string> texts;
    for (const Demand* demand : unmet(row)) texts.push_back(demand->text);
    return listed(texts);
  }

  // The first constraint that the node breaks, and whether for want of the label.
  std::optional<std::pair<const SpreadState*, bool>> broken_spread(cache::RowId row) const {
    for (const SpreadState& state : spread_) {
      const auto skew = state.skew_on(node(row));
      if (!skew) return std::pair(&state, true);
      if (*skew > state.max_skew) return std::pair(&state, false);
    }
    return std::nullopt;
  }

  // --- The words for a group

  using Members = std::vector<const NodeFinding*>;

  static const FailingFilter& first_of(const NodeFinding& finding) { return finding.failing.front(); }

  Phrase phrase_of(Symbol plugin, std::string_view key, const std::string& reason, const Members& members) const {
    if (key == "not asked") return of_other_names();
    if (key == "promised") return of_promised(members);
    if (plugin == name::kNodeResourcesFit) return of_resources(members);
    if (plugin == name::kTaintToleration) return of_taints(members);
    if (plugin == name::kNodeUnschedulable) return is("cordoned");
    if (plugin == name::kNodeAffinity) return of_node_affinity(members);
    if (plugin == name::kNodePorts) return of_ports(members);
    if (plugin == name::kPodTopologySpread) return of_spread(members);
    if (plugin == name::kInterPodAffinity) return of_pod_affinity(members, reason);
    constexpr std::string_view kNodes = "node(s) ";
    if (reason.starts_with(kNodes)) return {reason.substr(kNodes.size()), reason.substr(kNodes.size()), ""};
    return {fmt::format("was refused by {}", plugin.text()), fmt::format("were refused by {}", plugin.text()), reason};
  }

  Phrase of_other_names() const {
    std::vector<std::string> names;
    bool is_known = false;
    for (const Symbol allowed : *evaluation_.pre_filter.node_names) {
      names.push_back(allowed.str());
      is_known |= cluster_.cache.nodes().row_of(allowed) != cache::kNoRow;
    }
    std::ranges::sort(names, natural_less);
    const auto& restricting = evaluation_.pre_filter.restricting_plugins;
    const bool is_affinity = restricting.size() == 1 && restricting.front() == name::kNodeAffinity;
    return is(fmt::format("not {}", listed(names, kMaxNamed)),
              fmt::format("{} allows no other{}",
                          is_affinity           ? "its node affinity"
                          : restricting.empty() ? "the scheduler"
                                                : restricting.front().text(),
                          is_known ? "" : ", and there is no such node"));
  }

  Phrase of_promised(const Members& members) const {
    std::vector<std::string> names;
    for (const NodeFinding* member : members) {
      for (const cache::PlacedPod* each : cluster_.nominated.competing(node(member->row).name, *evaluation_.pod)) {
        names.push_back(api::full_name(each->pod->metadata));
      }
    }
    return is("kept free", "for " + listed(names, kMaxNamed) + ", which preempted others there");
  }

  Phrase of_resources(const Members& members) const {
    const NodeFinding* nearest = nullptr;
    double nearest_distance = 0;
    std::vector<Shortage> of_nearest;
    for (const NodeFinding* member : members) {
      std::vector<Shortage> found = worst_shortages(member->row, first_of(*member));
      double distance = 0;
      for (const Shortage& each : found) {
        distance = std::max(distance, static_cast<double>(each.missing()) / static_cast<double>(each.needed));
      }
      // The largest node is of more interest than the emptiest if none is large enough.
      if (!found.empty() && found[0].kind == Shortage::Kind::kTooSmall) {
        distance = -static_cast<double>(found[0].allocatable);
      }
      if (nearest != nullptr && distance >= nearest_distance) continue;
      nearest = member;
      nearest_distance = distance;
      of_nearest = std::move(found);
    }
    if (of_nearest.empty()) return is("short of resources");
    const std::string node_name = cluster_.name_of(nearest->row);
    // A resource that only some of the nodes are short of is none of all of them.
    if (!have_same_shortages(members)) of_nearest.resize(1);
    std::vector<std::string> names, wanted, missing, in_total;
    for (const Shortage& each : of_nearest) {
      names.push_back(each.resource.str());
      wanted.push_back(amount_of(each.resource, each.needed, Round::kUp));
      const std::string short_by = amount(each.resource, each.missing(), Round::kUp);
      missing.push_back(of_nearest.size() == 1 ? short_by : short_by + " " + each.resource.str());
      const std::string all = amount(each.resource, each.allocatable, Round::kDown);
      in_total.push_back(of_nearest.size() == 1 ? all : all + " " + each.resource.str());
    }
    switch (of_nearest[0].kind) {
      case Shortage::Kind::kNone: return has_not(names[0] == "pods" ? "room for any pod" : listed(names));
      case Shortage::Kind::kTooSmall:
        return has_not(listed(wanted) + " in total",
                       members.size() == 1 ? fmt::format("{} has {}", node_name, listed(in_total))
                                           : fmt::format("the largest, {}, has {}", node_name, listed(in_total)));
      case Shortage::Kind::kTaken: break;
    }
    if (of_nearest.size() == 1 && names[0] == "pods") {
      return has("no room for another pod",
                 fmt::format("{} has {} of {}", node_name, node(nearest->row).pods.size(), of_nearest[0].allocatable));
    }
    return is("short of " + listed(names), members.size() == 1
                                               ? fmt::format("{} lacks {}", node_name, listed(missing))
                                               : fmt::format("least on {}: {}", node_name, listed(missing)));
  }

  bool have_same_shortages(const Members& members) const {
    const auto resources = [&](const NodeFinding& finding) {
      std::vector<Symbol> names;
      for (const Shortage& each : worst_shortages(finding.row, first_of(finding))) names.push_back(each.resource);
      return names;
    };
    const std::vector<Symbol> of_first = resources(*members.front());
    return std::ranges::all_of(members, [&](const NodeFinding* each) { return resources(*each) == of_first; });
  }

  Phrase of_taints(const Members& members) const {
    const std::vector<api::Taint> taints = untolerated_taints(*evaluation_.pod, *node(members.front()->row).node);
    const std::vector<std::string> texts = taint_texts(members.front()->row);
    const bool are_states =
        std::ranges::all_of(taints, [](const api::Taint& taint) { return !node_state_of(taint).empty(); });
    if (are_states) return is(listed(texts));
    if (taints.size() == 1 && taints[0].key == "node-role.kubernetes.io/control-plane") {
      return is("for the control plane", fmt::format("taint {}", texts[0]));
    }
    return has(
        fmt::format("the {} {}, which it does not tolerate", texts.size() == 1 ? "taint" : "taints", listed(texts)));
  }

  Phrase of_node_affinity(const Members& members) const {
    const std::vector<const Demand*> demands = unmet(members.front()->row);
    if (demands.empty()) {
      const bool is_enforced =
          first_of(*members.front()).reasons.front().find("scheduler-enforced") != std::string::npos;
      return verb("does not match", "do not match",
                  is_enforced ? "the node affinity that the scheduler's configuration adds" : "its node affinity");
    }
    std::vector<std::string> texts, details;
    for (const Demand* demand : demands) {
      texts.push_back(demand->text);
      if (std::ranges::any_of(cluster_.rows_by_name(),
                              [&](cache::RowId row) { return demand->is_met_by(node(row).labels()); })) {
        continue;
      }
      const std::string others = other_values(cluster_, *demand);
      details.push_back(fmt::format("no node has {}{}", demands.size() == 1 ? "it" : demand->text,
                                    others.empty() ? "" : "; " + others));
    }
    return has_not(listed(texts), fmt::format("{}", fmt::join(details, "; ")));
  }

  Phrase of_ports(const Members& members) const {
    std::vector<Neighbour> holders;
    std::set<std::int32_t> ports;
    for (const NodeFinding* member : members) {
      PortConflict conflict = port_conflict(evaluation_, node(member->row));
      ports.insert(conflict.port);
      std::ranges::move(conflict.holders, std::back_inserter(holders));
    }
    std::vector<std::string> texts;
    for (const std::int32_t port : ports) texts.push_back(std::to_string(port));
    return has(fmt::format("host port {} taken", listed(texts)), "by " + neighbours_text(holders));
  }

  Phrase of_spread(const Members& members) const {
    const auto broken = broken_spread(members.front()->row);
    if (!broken) return verb("would break", "would break", "its topology spread constraints");
    const SpreadState& state = *broken->first;
    if (broken->second) return has_not(fmt::format("the label {}, over which it is spread", state.topology_key.text()));
    std::vector<std::pair<std::int64_t, std::string>> counts;
    for (const auto& [domain, count] : state.counts)
      counts.emplace_back(-count, fmt::format("{} has {}", domain, count));
    std::ranges::sort(counts);
    std::vector<std::string> texts;
    for (auto& [count, text] : counts) texts.push_back(std::move(text));
    std::string all = listed(texts, kMaxNamed + 1);
    // Which domain has the fewest is what it is about.
    if (texts.size() > kMaxNamed + 2) all += fmt::format(", the least {}", state.least);
    return verb("would break", "would break", fmt::format("its spread over {}", state.topology_key.text()),
                fmt::format("maxSkew is {}, and {}", state.max_skew, all));
  }

  Phrase of_pod_affinity(const Members& members, const std::string& reason) const {
    if (reason.find("existing pods") != std::string::npos) {
      std::vector<Neighbour> pods;
      for (const NodeFinding* member : members) {
        std::ranges::move(avoiding_pods(cluster_, evaluation_, member->row), std::back_inserter(pods));
      }
      return is("near pods whose anti-affinity keeps it away", neighbours_text(pods));
    }
    if (reason.find("anti-affinity") != std::string::npos) {
      std::vector<Neighbour> pods;
      for (const NodeFinding* member : members) {
        std::ranges::move(avoided_pods(cluster_, evaluation_, member->row), std::back_inserter(pods));
      }
      return is("near pods that its anti-affinity avoids", neighbours_text(pods));
    }
    const Box<api::Affinity>& affinity = evaluation_.pod->spec->affinity;
    std::set<std::string> wanted;
    for (const NodeFinding* member : members) {
      for (const std::size_t term : unmet_affinity_terms(cluster_, evaluation_, member->row)) {
        const api::PodAffinityTerm& of_pod = affinity->pod_affinity->required[term];
        wanted.insert(fmt::format("{} within {}", selector_text(of_pod.label_selector), of_pod.topology_key.text()));
      }
    }
    const std::vector<std::string> texts(wanted.begin(), wanted.end());
    return is("not near the pods that its affinity asks for", texts.empty() ? "" : "none with " + listed(texts));
  }

  // --- What else is wrong with the nodes of a group

  std::string brief(cache::RowId row, const FailingFilter& failing) const {
    if (failing.plugin == name::kNodeResourcesFit) {
      std::vector<std::string> names;
      for (const Shortage& each : shortages(evaluation_, node(row), failing)) names.push_back(each.resource.str());
      return "short of " + listed(names);
    }
    if (failing.plugin == name::kTaintToleration) return "tainted " + listed(taint_texts(row));
    if (failing.plugin == name::kNodeUnschedulable) return "cordoned";
    if (failing.plugin == name::kNodeAffinity) {
      const std::string text = unmet_text(row);
      return text.empty() ? "outside its node affinity" : "without " + text;
    }
    if (failing.plugin == name::kNodePorts) {
      return fmt::format("without host port {} free", port_conflict(evaluation_, node(row)).port);
    }
    if (failing.plugin == name::kPodTopologySpread) return "over its spread limit";
    if (failing.plugin == name::kInterPodAffinity) return "against pod (anti-)affinity";
    return fmt::format("refused by {}", failing.plugin.text());
  }

  std::vector<std::string> also(const Members& members) const {
    std::map<std::string, std::size_t> counts;
    const bool tell_shortages = !members[0]->failing.empty() &&
                                first_of(*members[0]).plugin == name::kNodeResourcesFit &&
                                !have_same_shortages(members);
    for (const NodeFinding* member : members) {
      if (tell_shortages) {
        const std::vector<Shortage> found = worst_shortages(member->row, first_of(*member));
        for (std::size_t i = 1; i < found.size(); ++i) ++counts["short of " + found[i].resource.str()];
      }
      for (std::size_t i = 1; i < member->failing.size(); ++i) {
        const FailingFilter& failing = member->failing[i];
        if (is_the_cordon(*member, failing)) continue;
        ++counts[brief(member->row, failing)];
      }
    }
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts) {
      texts.push_back(count == members.size() ? "also " + text : fmt::format("{} of them also {}", count, text));
    }
    return texts;
  }

  // A cordoned node has a taint that says the same.
  bool is_the_cordon(const NodeFinding& finding, const FailingFilter& failing) const {
    return failing.plugin == name::kTaintToleration && first_of(finding).plugin == name::kNodeUnschedulable &&
           taint_texts(finding.row) == std::vector<std::string>{"cordoned"};
  }

  // Nothing but this keeps the pod off, and it could change.
  bool is_near(const NodeFinding& finding) const {
    if (finding.failing.empty()) return false;
    for (std::size_t i = 1; i < finding.failing.size(); ++i) {
      if (!is_the_cordon(finding, finding.failing[i])) return false;
    }
    if (first_of(finding).plugin != name::kNodeResourcesFit) return true;
    const auto worst = worst_shortages(finding.row, first_of(finding));
    return !worst.empty() && worst[0].kind == Shortage::Kind::kTaken;
  }

  void add_group(const Group& group) {
    Members members;
    for (const std::size_t position : group.positions) members.push_back(&result_.findings[position]);
    Phrased phrased{
        .group = {},
        .phrase = phrase_of(group.plugin, group.key, group.reason, members),
        .is_near = std::ranges::any_of(members, [this](const NodeFinding* each) { return is_near(*each); })};
    const auto& [one, many, detail] = phrased.phrase;
    phrased.group.plugin = group.plugin;
    phrased.group.reason = group.reason;
    phrased.group.sentence =
        nodes_that(members.size(), one, many) + (detail.empty() ? "" : fmt::format(" ({})", detail));
    for (const NodeFinding* member : members) phrased.group.nodes.push_back(cluster_.name_of(member->row));
    phrased.group.also = also(members);
    phrased_.push_back(std::move(phrased));
  }

  // --- The one sentence

  std::string headline() const {
    const std::size_t nodes = cluster_.cache.nodes().node_count();
    if (nodes == 0) return "has nowhere to go: there are no nodes";
    if (const std::string text = of_impossible_demand(nodes); !text.empty()) return text;
    if (const std::string text = of_impossible_request(nodes); !text.empty()) return text;
    std::vector<std::string> clauses;
    for (std::size_t i = 0; i < std::min(kMaxClauses, phrased_.size()); ++i) {
      const auto& [one, many, detail] = phrased_[i].phrase;
      const std::size_t count = phrased_[i].group.nodes.size();
      std::string subject = std::to_string(count);
      if (phrased_.size() == 1) subject = nodes == 1 ? "it" : nodes == 2 ? "both" : fmt::format("all {}", nodes);
      clauses.push_back(
          fmt::format("{} {}{}", subject, count == 1 ? one : many, detail.empty() ? "" : fmt::format(" ({})", detail)));
    }
    if (phrased_.size() > kMaxClauses) {
      std::size_t rest = 0;
      for (std::size_t i = kMaxClauses; i < phrased_.size(); ++i) rest += phrased_[i].group.nodes.size();
      clauses.push_back(fmt::format("{} cannot for other reasons", rest));
    }
    const std::string which =
        nodes == 1 ? fmt::format("does not fit on the only node, {}", cluster_.name_of(cluster_.rows_by_name().front()))
                   : fmt::format("fits on none of the {} nodes", nodes);
    return fmt::format("{}: {}", which, fmt::join(clauses, ", "));
  }

  // A label that no node has.
  std::string of_impossible_demand(std::size_t nodes) const {
    for (const Demand& demand : demands_) {
      const auto rows = cluster_.rows_by_name();
      if (std::ranges::any_of(rows, [&](cache::RowId row) { return demand.is_met_by(node(row).labels()); })) continue;
      const std::string others = other_values(cluster_, demand);
      return fmt::format("fits on no node: {} has {}{}",
                         nodes == 1 ? std::string("not even the only one") : fmt::format("none of the {} nodes", nodes),
                         demand.text, others.empty() ? "" : "; " + others);
    }
    return "";
  }

  // A request that no node could meet even if it were empty.
  std::string of_impossible_request(std::size_t nodes) const {
    std::map<std::string, std::pair<std::size_t, Shortage>> too_small;  // by resource: on how many, the largest
    std::map<std::string, std::string> largest_node;
    for (const NodeFinding& finding : result_.findings) {
      for (const FailingFilter& failing : finding.failing) {
        if (failing.plugin != name::kNodeResourcesFit) continue;
        for (const Shortage& each : shortages(evaluation_, node(finding.row), failing)) {
          if (each.kind == Shortage::Kind::kTaken || each.resource == "pods") continue;
          const std::string resource = each.resource.str();
          auto& [count, largest] = too_small[resource];
          if (count++ > 0 && each.allocatable <= largest.allocatable) continue;
          largest = each;
          largest_node[resource] = cluster_.name_of(finding.row);
        }
      }
    }
    for (const auto& [resource, entry] : too_small) {
      const auto& [count, largest] = entry;
      if (count != nodes) continue;
      const std::string asks =
          fmt::format("fits on no node: it asks for {} and ", amount_of(largest.resource, largest.needed, Round::kUp));
      if (largest.allocatable <= 0) return asks + "no node has any";
      const std::string has = amount(largest.resource, largest.allocatable, Round::kDown);
      if (nodes == 1) return fmt::format("{}the only node, {}, has {} in total", asks, largest_node[resource], has);
      return fmt::format("{}the largest of the {} nodes, {}, has {} in total", asks, nodes, largest_node[resource],
                         has);
    }
    return "";
  }

  const framework::Profile& profile_;
  const Cluster& cluster_;
  const Evaluation& evaluation_;
  std::vector<Demand> demands_;
  std::vector<SpreadState> spread_;

  std::map<std::pair<std::string, std::string>, Group> groups_;
  std::vector<Phrased> phrased_;
  Diagnosis result_;
};

// The claims of the pod that are not bound, in words; empty if there are none.
std::string unbound_claims(const Cluster& cluster, const api::Pod& pod) {
  std::vector<std::string> texts;
  for (const api::Volume& volume : pod.spec->volumes) {
    if (!volume.source.persistent_volume_claim) continue;
    const std::string& claim_name = volume.source.persistent_volume_claim->claim_name;
    const api::PersistentVolumeClaim* claim =
        cluster.objects.persistent_volume_claims.find(pod.metadata.name_space, claim_name);
    if (claim == nullptr || !claim->spec.volume_name.empty()) continue;
    const Symbol storage_class = claim->spec.storage_class_name.value_or(Symbol());
    texts.push_back(storage_class.empty() ? claim_name
                                          : fmt::format("{} (storage class {})", claim_name, storage_class.text()));
  }
  return listed(texts, kMaxNamed);
}

// A rejection by PreFilter, which is about the pod and not about nodes.
std::string rejection_headline(const Cluster& cluster, const Evaluation& evaluation) {
  const std::string message = evaluation.pre_filter.status.message();
  constexpr std::string_view kClaim = "persistentvolumeclaim \"";
  if (message.starts_with(kClaim)) {
    const std::string_view rest = std::string_view(message).substr(kClaim.size());
    const std::string_view claim = rest.substr(0, rest.find('"'));
    if (rest.substr(claim.size()) == "\" not found") {
      return fmt::format("waits for the PersistentVolumeClaim {}, which does not exist in namespace {}", claim,
                         evaluation.pod->metadata.name_space.text());
    }
  }
  if (message == "pod has unbound immediate PersistentVolumeClaims") {
    const std::string claims = unbound_claims(cluster, *evaluation.pod);
    if (!claims.empty()) {
      return fmt::format(
          "waits for its PersistentVolumeClaim {} to be bound to a volume, which does not depend on the "
          "scheduler",
          claims);
    }
  }
  return fmt::format("cannot be placed: {}", message);
}

}  // namespace

Diagnosis diagnose(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation) {
  if (evaluation.filtered) return Diagnostician(profile, cluster, evaluation).run();
  Diagnosis result;
  result.headline = cluster.cache.nodes().node_count() == 0 ? "has nowhere to go: there are no nodes"
                                                            : rejection_headline(cluster, evaluation);
  return result;
}

}  // namespace berth::explain
