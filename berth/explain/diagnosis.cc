#include "berth/explain/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "berth/config/suggest.h"
#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/facts.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// How many causes the one sentence names, unless those that are left are many.
constexpr std::size_t kMaxClauses = 4;

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
        rows_(cluster.rows_by_name()),
        demands_(node_demands(*evaluation.pod->spec)),
        spread_(spread_states(cluster, evaluation)),
        neighbourhood_(cluster, evaluation),
        resources_(cluster, evaluation) {}

  Diagnosis run() {
    const Bitset& feasible = evaluation_.filtered->feasible;
    for (const cache::RowId row : rows_) {
      if (!feasible.test(row)) look_at(row);
    }
    find_impossible();
    for (std::size_t i = 0; i < result_.findings.size(); ++i) sort_in(i);
    for (const auto& [key, group] : groups_) add_group(group);
    sort_stably(phrased_, [](const Phrased& a, const Phrased& b) {
      if (a.group.nodes.size() != b.group.nodes.size()) return a.group.nodes.size() > b.group.nodes.size();
      return a.is_near != b.is_near ? a.is_near : natural_less(a.group.nodes[0], b.group.nodes[0]);
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
    std::vector<framework::Reason> reasons;
    std::vector<std::size_t> positions;  // in findings
  };
  struct Phrased {
    NodeGroup group;
    Phrase phrase;
    Members members;
    bool is_near = false;  // some node of it could take the pod but for this
  };

  const cache::NodeState& node(cache::RowId row) const { return cluster_.cache.nodes().at(row); }

  void look_at(cache::RowId row) {
    NodeFinding finding{.row = row, .failing = {}};
    if (evaluation_.filtered->asked.test(row)) finding.failing = explain::failing(profile_, evaluation_, node(row));
    result_.findings.push_back(std::move(finding));
  }

  // What is wrong with every node is what nodes are grouped by, so that the groups tell what the sentence does.
  void find_impossible() {
    if (evaluation_.filtered->feasible.any() || result_.findings.empty()) return;
    const auto fails_everywhere = [&](std::string_view plugin) {
      return std::ranges::all_of(result_.findings, [&](const NodeFinding& finding) {
        return std::ranges::any_of(finding.failing, [&](const auto& each) { return each.plugin == plugin; });
      });
    };
    const auto make_primary = [&](std::string_view plugin) {
      for (NodeFinding& finding : result_.findings) {
        for (std::size_t i = 0; i < finding.failing.size(); ++i) {
          if (finding.failing[i].plugin == plugin) finding.primary = i;
        }
      }
    };
    if (fails_everywhere(name::kNodeResourcesFit)) {
      resources_.find_impossible(result_.findings);
      if (resources_.is_impossible()) make_primary(name::kNodeResourcesFit);
    }
    if (!fails_everywhere(name::kNodeAffinity)) return;
    for (const Demand& demand : demands_) {
      if (is_met_somewhere(demand)) continue;
      impossible_demand_ = &demand;
      make_primary(name::kNodeAffinity);
      return;
    }
  }

  void sort_in(std::size_t position) {
    const NodeFinding& finding = result_.findings[position];
    Symbol plugin;
    std::string key, reason;
    std::vector<framework::Reason> reasons;
    if (!evaluation_.filtered->asked.test(finding.row)) {
      const auto& restricting = evaluation_.pre_filter.restricting_plugins;
      if (!restricting.empty()) plugin = restricting.front();
      key = "not asked";
      reason = fmt::format("node(s) didn't satisfy plugin(s) [{}]", plugin.text());
    } else if (finding.failing.empty()) {
      const auto entry = evaluation_.filtered->verdicts.at(finding.row);
      const framework::Status status = framework::status_of(profile_, evaluation_.pre_filter, entry);
      plugin = status.plugin();
      key = "promised";
      reason = status.message();
      reasons = status.reasons();
    } else {
      const FailingFilter& primary = finding.primary_filter();
      plugin = primary.plugin;
      key = key_of(finding.row, primary);
      reason = fmt::format("{}", fmt::join(primary.reason_texts(), ", "));
      reasons = primary.reasons;
    }
    Group& group = groups_[{plugin.str(), key}];
    group.plugin = plugin;
    group.key = key;
    if (group.positions.empty()) {
      group.reason = std::move(reason);
      group.reasons = std::move(reasons);
    }
    group.positions.push_back(position);
  }

  // --- What makes two nodes fail for the same reason

  std::string key_of(cache::RowId row, const FailingFilter& failing) const {
    if (failing.plugin == name::kNodeResourcesFit) return resources_.key_of(row, failing);
    if (failing.plugin == name::kTaintToleration) return fmt::format("{}", fmt::join(taint_texts(row), ","));
    if (failing.plugin == name::kNodeAffinity) return impossible_demand_ != nullptr ? "" : unmet_text(row);
    if (failing.plugin == name::kPodTopologySpread) {
      const auto broken = broken_spread(row);
      return broken ? fmt::format("{} {}", broken->second, broken->first->constraint) : "";
    }
    return fmt::format("{}", fmt::join(failing.reason_texts(), ","));
  }

  std::vector<std::string> taint_texts(cache::RowId row) const {
    std::vector<std::string> texts;
    for (const api::Taint& taint : untolerated_taints(*evaluation_.pod, *node(row).node)) {
      const std::string state = node_state_of(cluster_, taint);
      std::string text = state.empty() ? taint_text(taint) : state;
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
    return texts;
  }

  bool has_only_states(const NodeFinding& finding) const {
    return std::ranges::all_of(untolerated_taints(*evaluation_.pod, *node(finding.row).node),
                               [this](const api::Taint& taint) { return !node_state_of(cluster_, taint).empty(); });
  }

  bool is_met_somewhere(const Demand& demand) const {
    return std::ranges::any_of(rows_, [&](cache::RowId row) { return demand.is_met_by(node(row).labels()); });
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

  Phrase phrase_of(Symbol plugin, std::string_view key, const std::string& reason, const Members& members) const {
    if (key == "not asked") return of_other_names();
    if (key == "promised") return of_promised(members);
    if (plugin == name::kNodeResourcesFit) return resources_.phrase(members);
    if (plugin == name::kTaintToleration) return of_taints(members);
    if (plugin == name::kNodeUnschedulable) return is("cordoned");
    if (plugin == name::kNodeAffinity) return of_node_affinity(members);
    if (plugin == name::kNodePorts) return ports_phrase(cluster_, evaluation_, members);
    if (plugin == name::kPodTopologySpread) {
      const auto broken = broken_spread(members.front()->row);
      return broken ? spread_phrase(broken->first, broken->second) : spread_phrase(nullptr, false);
    }
    if (plugin == name::kInterPodAffinity) {
      return pod_affinity_phrase(cluster_, evaluation_, neighbourhood_, members);
    }
    if (auto phrase = volume_phrase(cluster_, evaluation_, plugin, members)) return *phrase;
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
      for (const cache::PlacedPod& each : cluster_.nominated.competing(node(member->row).name, *evaluation_.pod)) {
        names.push_back(api::full_name(each.pod->metadata));
      }
    }
    return is("kept free", "for " + listed(names, kMaxNamed) + ", which preempted others there");
  }

  Phrase of_taints(const Members& members) const {
    const std::vector<api::Taint> taints = untolerated_taints(*evaluation_.pod, *node(members.front()->row).node);
    std::vector<std::string> states, others;
    for (const api::Taint& taint : taints) {
      std::string state = node_state_of(cluster_, taint);
      std::vector<std::string>& texts = state.empty() ? others : states;
      std::string text = state.empty() ? taint_text(taint) : std::move(state);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
    if (others.empty()) return is(listed(states));
    if (states.empty() && others.size() == 1 && taints[0].key == "node-role.kubernetes.io/control-plane") {
      return is("for the control plane", fmt::format("taint {}", others[0]));
    }
    const std::string text =
        fmt::format("the {} {}, which it does not tolerate", others.size() == 1 ? "taint" : "taints", listed(others));
    if (states.empty()) return has(text);
    return {fmt::format("is {} and has {}", listed(states), text),
            fmt::format("are {} and have {}", listed(states), text), ""};
  }

  // "disktype=ssd and zone=a, or gpu exists": what the required node affinity asks for, if it has several terms.
  static std::string terms_text(const api::Pod& pod) {
    const auto& affinity = pod.spec->affinity;
    if (!affinity || !affinity->node_affinity || !affinity->node_affinity->required) return "";
    std::vector<std::string> terms;
    for (const api::NodeSelectorTerm& term : affinity->node_affinity->required->node_selector_terms) {
      std::vector<std::string> parts;
      for (const api::NodeSelectorRequirement& each : term.match_expressions) {
        parts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
      }
      for (const api::NodeSelectorRequirement& each : term.match_fields) {
        parts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
      }
      if (terms.size() == kMaxNamed)
        return fmt::format("it asks for {}, or one of more", fmt::join(terms, ", or for "));
      if (!parts.empty()) terms.push_back(listed(parts));
    }
    return terms.empty() ? "" : fmt::format("it asks for {}", fmt::join(terms, ", or for "));
  }

  Phrase of_node_affinity(const Members& members) const {
    std::vector<const Demand*> demands = unmet(members.front()->row);
    if (impossible_demand_ != nullptr) demands = {impossible_demand_};
    if (demands.empty()) {
      if (members.front()->primary_filter().has(framework::ReasonCode::kAddedNodeAffinity)) {
        return verb("does not match", "do not match", "the node affinity that the scheduler's configuration adds");
      }
      return verb("does not match", "do not match", "its node affinity", terms_text(*evaluation_.pod));
    }
    std::vector<std::string> texts, details;
    for (const Demand* demand : demands) {
      texts.push_back(demand->text);
      if (is_met_somewhere(*demand)) continue;
      const std::string others = other_values(cluster_, *demand);
      details.push_back(fmt::format("no node has {}{}", demands.size() == 1 ? "it" : demand->text,
                                    others.empty() ? "" : "; " + others));
    }
    return has_not(listed(texts), fmt::format("{}", fmt::join(details, "; ")));
  }

  // --- What else is wrong with the nodes of a group

  std::string brief(cache::RowId row, const FailingFilter& failing) const {
    if (failing.plugin == name::kNodeResourcesFit) return resources_.brief(row, failing);
    if (failing.plugin == name::kTaintToleration) {
      return (has_only_states({.row = row, .failing = {}}) ? "" : "tainted ") + listed(taint_texts(row));
    }
    if (failing.plugin == name::kNodeUnschedulable) return "cordoned";
    if (failing.plugin == name::kNodeAffinity) {
      const std::string text = unmet_text(row);
      return text.empty() ? "outside its node affinity" : "without " + text;
    }
    if (failing.plugin == name::kNodePorts) {
      return fmt::format("without host port {} free", port_conflict(evaluation_, node(row)).port);
    }
    if (failing.plugin == name::kPodTopologySpread) return "over its spread limit";
    if (failing.plugin == name::kInterPodAffinity) {
      if (failing.has(framework::ReasonCode::kExistingPodsAntiAffinity)) {
        return "near pods whose anti-affinity keeps it away";
      }
      if (failing.has(framework::ReasonCode::kPodAntiAffinity)) return "near pods that its anti-affinity avoids";
      return "not near the pods that its affinity asks for";
    }
    if (std::string text = brief_of_volumes(cluster_, evaluation_, row, failing); !text.empty()) return text;
    return fmt::format("refused by {}", failing.plugin.text());
  }

  std::vector<std::string> also(const Members& members) const {
    std::map<std::string, std::size_t> counts;
    for (const NodeFinding* member : members) {
      if (member->failing.empty()) continue;
      if (member->primary_filter().plugin == name::kNodeResourcesFit) {
        if (std::string text = resources_.also(*member); !text.empty()) ++counts[std::move(text)];
      }
      if (impossible_demand_ != nullptr) {
        std::vector<std::string> texts;
        for (const Demand* demand : unmet(member->row)) {
          if (demand != impossible_demand_) texts.push_back(demand->text);
        }
        if (!texts.empty()) ++counts["without " + listed(texts)];
      }
      for (std::size_t i = 0; i < member->failing.size(); ++i) {
        const FailingFilter& failing = member->failing[i];
        if (i == member->primary || is_the_cordon(*member, failing)) continue;
        ++counts[brief(member->row, failing)];
      }
    }
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts) {
      texts.push_back(count == members.size() ? "also " + text
                                              : fmt::format("{} of them also {}", text::grouped(count), text));
    }
    return texts;
  }

  // A cordoned node has a taint that says the same.
  bool is_the_cordon(const NodeFinding& finding, const FailingFilter& failing) const {
    return failing.plugin == name::kTaintToleration && finding.primary_filter().plugin == name::kNodeUnschedulable &&
           taint_texts(finding.row) == std::vector<std::string>{"cordoned"};
  }

  // Nothing but this keeps the pod off, and it could change.
  bool is_near(const NodeFinding& finding) const {
    if (finding.failing.empty()) return false;
    for (std::size_t i = 0; i < finding.failing.size(); ++i) {
      if (i != finding.primary && !is_the_cordon(finding, finding.failing[i])) return false;
    }
    const FailingFilter& primary = finding.primary_filter();
    return primary.plugin != name::kNodeResourcesFit || resources_.is_only_taken(finding.row, primary);
  }

  void add_group(const Group& group) {
    Members members;
    for (const std::size_t position : group.positions) members.push_back(&result_.findings[position]);
    Phrased phrased{
        .group = {},
        .phrase = phrase_of(group.plugin, group.key, group.reason, members),
        .members = members,
        .is_near = std::ranges::any_of(members, [this](const NodeFinding* each) { return is_near(*each); })};
    const auto& [one, many, detail] = phrased.phrase;
    phrased.group.plugin = group.plugin;
    phrased.group.reason = group.reason;
    phrased.group.reasons = group.reasons;
    phrased.group.sentence =
        nodes_that(members.size(), one, many) + (detail.empty() ? "" : fmt::format(" ({})", detail));
    for (const NodeFinding* member : members) phrased.group.nodes.push_back(cluster_.name_of(member->row));
    phrased.group.also = also(members);
    phrased_.push_back(std::move(phrased));
  }

  // --- The one sentence

  struct Clause {
    std::size_t nodes;
    Phrase phrase;
  };

  std::string headline() const {
    const std::size_t nodes = cluster_.cache.nodes().node_count();
    if (nodes == 0) return "has nowhere to go: there are no nodes";
    if (const std::string text = of_impossible(nodes); !text.empty()) return text;
    std::vector<Clause> clauses;
    for (const Phrased& each : phrased_) clauses.push_back({each.group.nodes.size(), each.phrase});
    if (clauses.size() > kMaxClauses) clauses = merged_clauses();
    // What is left must be less than the least that is named.
    std::size_t named = std::min(kMaxClauses, clauses.size());
    const auto rest_after = [&](std::size_t count) {
      std::size_t rest = 0;
      for (std::size_t i = count; i < clauses.size(); ++i) rest += clauses[i].nodes;
      return rest;
    };
    while (named < clauses.size() && rest_after(named) >= clauses[named - 1].nodes) ++named;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < named; ++i) {
      const auto& [count, phrase] = clauses[i];
      std::string subject = text::grouped(count);
      if (clauses.size() == 1) {
        subject = nodes == 1 ? "it" : nodes == 2 ? "both" : fmt::format("all {}", text::grouped(nodes));
      }
      texts.push_back(fmt::format("{} {}{}", subject, count == 1 ? phrase.one : phrase.many,
                                  phrase.detail.empty() ? "" : fmt::format(" ({})", phrase.detail)));
    }
    if (named < clauses.size())
      texts.push_back(fmt::format("{} cannot for other reasons", text::grouped(rest_after(named))));
    const std::string which = nodes == 1
                                  ? fmt::format("does not fit on the only node, {}", cluster_.name_of(rows_.front()))
                                  : fmt::format("fits on none of the {}", counted(nodes, "node"));
    return fmt::format("{}: {}", which, fmt::join(texts, ", "));
  }

  // Groups of one plugin as one, the largest first.
  std::vector<Clause> merged_clauses() const {
    std::map<std::string, std::vector<const Phrased*>> by_plugin;
    for (const Phrased& each : phrased_) {
      // Nodes in a bad state are told apart from those that are kept for other pods.
      const bool is_state = each.group.plugin == name::kTaintToleration && has_only_states(*each.members.front());
      by_plugin[each.group.plugin.str() + (is_state ? " of states" : "")].push_back(&each);
    }
    std::vector<Clause> clauses;
    std::vector<std::pair<std::size_t, Clause>> ordered;  // with the position of the first group
    for (const auto& [plugin, groups] : by_plugin) {
      Clause clause{0, groups.front()->phrase};
      for (const Phrased* each : groups) clause.nodes += each->group.nodes.size();
      if (groups.size() > 1) clause.phrase = merged_phrase(groups);
      ordered.emplace_back(static_cast<std::size_t>(groups.front() - phrased_.data()), std::move(clause));
    }
    std::ranges::sort(ordered, [](const auto& a, const auto& b) {
      return a.second.nodes != b.second.nodes ? a.second.nodes > b.second.nodes : a.first < b.first;
    });
    for (auto& [position, clause] : ordered) clauses.push_back(std::move(clause));
    return clauses;
  }

  Phrase merged_phrase(const std::vector<const Phrased*>& groups) const {
    const std::string_view plugin = groups.front()->group.plugin.text();
    std::vector<std::string> texts;
    const auto add = [&](std::string text) {
      if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    };
    for (const Phrased* group : groups) {
      const NodeFinding& first = *group->members.front();
      if (first.failing.empty()) continue;
      if (plugin == name::kTaintToleration) {
        for (std::string& text : taint_texts(first.row)) add(std::move(text));
      } else if (plugin == name::kNodeAffinity) {
        add(unmet_text(first.row));
      } else {
        add(nodes_that(group->group.nodes.size(), group->phrase.one, group->phrase.many));
      }
    }
    if (plugin == name::kTaintToleration && has_only_states(*groups.front()->members.front())) {
      std::string text;
      for (std::size_t i = 0; i < texts.size(); ++i) text += (i == 0 ? "" : " or ") + texts[i];
      return is(text);
    }
    const std::string detail = listed(texts, kMaxNamed);
    if (plugin == name::kTaintToleration) return has("taints that it does not tolerate", detail);
    if (plugin == name::kNodeAffinity) return has_not("the labels that it asks for", detail);
    if (plugin == name::kNodeResourcesFit) return has_not("the resources that it asks for", detail);
    if (plugin == name::kPodTopologySpread) {
      return verb("would break", "would break", "its topology spread constraints", detail);
    }
    if (plugin == name::kInterPodAffinity) {
      return verb("does not suit", "do not suit", "its pod affinity or that of others", detail);
    }
    return verb("was refused by", "were refused by", std::string(plugin), detail);
  }

  // A label that no node has, or a request that no node could meet even if it were empty.
  std::string of_impossible(std::size_t nodes) const {
    std::vector<std::string> texts;
    if (impossible_demand_ != nullptr) {
      const std::string others = other_values(cluster_, *impossible_demand_);
      texts.push_back(fmt::format(
          "{} has {}{}",
          nodes == 1 ? std::string("not even the only one") : fmt::format("none of the {}", counted(nodes, "node")),
          impossible_demand_->text, others.empty() ? "" : "; " + others));
    }
    if (resources_.is_impossible()) texts.push_back(resources_.impossible_text(result_.findings));
    return texts.empty() ? "" : fmt::format("fits on no node: {}", fmt::join(texts, "; and "));
  }

  const framework::Profile& profile_;
  const Cluster& cluster_;
  const Evaluation& evaluation_;
  std::vector<cache::RowId> rows_;
  std::vector<Demand> demands_;
  std::vector<SpreadState> spread_;
  Neighbourhood neighbourhood_;
  ResourceDiagnosis resources_;
  const Demand* impossible_demand_ = nullptr;

  std::map<std::pair<std::string, std::string>, Group> groups_;
  std::vector<Phrased> phrased_;
  Diagnosis result_;
};

}  // namespace

Diagnosis diagnose(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation) {
  if (evaluation.filtered) return Diagnostician(profile, cluster, evaluation).run();
  Diagnosis result;
  result.headline = cluster.cache.nodes().node_count() == 0 ? "has nowhere to go: there are no nodes"
                                                            : rejection_headline(cluster, evaluation);
  return result;
}

}  // namespace berth::explain
