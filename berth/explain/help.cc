#include "berth/explain/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "berth/config/suggest.h"
#include "berth/explain/facts.h"
#include "berth/explain/preemption_view.h"
#include "berth/explain/stable_order.h"
#include "berth/explain/what_if.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// How many guesses of one kind are tried out before giving up: the nearest ones come first.
constexpr std::size_t kMaxGuesses = 8;
// How many pods that wait like this one are counted in when nodes are added, and how many nodes are added at most.
constexpr std::size_t kMaxSiblings = 50;
constexpr std::size_t kMaxNewNodes = 20;
// How many pools are offered to grow.
constexpr std::size_t kMaxPools = 2;

// Labels that the kubelet or the cloud provider sets: not for people to put on a node.
bool is_given_by_platform(Symbol key) {
  const std::string_view text = key.text();
  const std::string_view domain = text.substr(0, text.find('/'));
  return domain.size() < text.size() && (domain.ends_with("kubernetes.io") || domain.ends_with("k8s.io"));
}

// {key: gpu, operator: Equal, value: "true", effect: NoSchedule}
std::string toleration_text(const api::Toleration& toleration) {
  if (toleration.op == "Exists") {
    return fmt::format("{{key: {}, operator: Exists, effect: {}}}", toleration.key.text(), toleration.effect.text());
  }
  return fmt::format("{{key: {}, operator: Equal, value: \"{}\", effect: {}}}", toleration.key.text(),
                     toleration.value.text(), toleration.effect.text());
}

api::Toleration toleration_for(const api::Taint& taint) {
  api::Toleration toleration;
  toleration.key = taint.key;
  toleration.op = Symbol(taint.value.empty() ? "Exists" : "Equal");
  toleration.value = taint.value;
  toleration.effect = taint.effect;
  return toleration;
}

// A little less than what is free, in units that people write: 10m of cpu, 1Mi of bytes.
std::int64_t rounded_down(Symbol resource, std::int64_t free) {
  const std::int64_t unit = resource == "cpu"                                         ? 10
                            : resource == "memory" || resource == "ephemeral-storage" ? 1024 * 1024
                                                                                      : 1;
  return free >= unit ? free / unit * unit : free;
}

class HelpFinder {
 public:
  HelpFinder(const framework::Profile& profile, Cluster& cluster, const Evaluation& evaluation,
             const Diagnosis& diagnosis, const Preemption& preemption)
      : profile_(profile),
        cluster_(cluster),
        evaluation_(evaluation),
        diagnosis_(diagnosis),
        preemption_(preemption),
        pod_(*evaluation.pod),
        demands_(node_demands(*evaluation.pod->spec)) {}

  std::vector<Help> run() {
    if (evaluation_.filtered) {
      // A pod that asks for what only tainted nodes have belongs there; any other one rather not.
      const bool wants_special_nodes = !evaluation_.pod.compiled->usage.requested.scalars.empty();
      correct_selector();
      const bool is_corrected = !help_.empty();
      if (wants_special_nodes) add_tolerations();
      uncordon();
      lower_requests();
      free_port();
      move_neighbours();
      relax_spread();
      add_nodes();
      if (!wants_special_nodes) add_tolerations();
      raise_priority();
      if (!is_corrected) label_node();
      drop_selector();
    } else {
      provide_claims();
    }
    if (help_.size() > kMaxHelp) help_.resize(kMaxHelp);
    return std::move(help_);
  }

 private:
  const cache::NodeState& node(cache::RowId row) const { return cluster_.cache.nodes().at(row); }

  std::optional<std::string> try_pod(const api::PodPtr& pod) { return best_node(profile_, cluster_, pod); }
  bool fits_on(const std::string& node_name) {
    const Evaluation now = evaluate(profile_, cluster_, evaluation_.pod.pod);
    const cache::RowId row = cluster_.cache.nodes().row_of(Symbol(node_name));
    return now.fits() && row != cache::kNoRow && now.filtered->feasible.test(row);
  }
  void say(std::string_view kind, std::string_view what, std::string node_name, bool is_there = false) {
    const std::string then = is_there ? "it fits there" : fmt::format("it fits on {}", node_name);
    help_.push_back({Symbol(kind), fmt::format("{}: {}", what, then), std::move(node_name)});
  }

  // --- Labels

  bool is_met_somewhere(const Demand& demand) const {
    return std::ranges::any_of(cluster_.rows_by_name(),
                               [&](cache::RowId row) { return demand.is_met_by(node(row).labels()); });
  }

  // A value or a key that is misspelt.
  void correct_selector() {
    for (const Demand& demand : demands_) {
      if (demand.op != "In" || demand.values.size() != 1 || is_met_somewhere(demand)) continue;
      std::vector<std::pair<Symbol, Symbol>> guesses;
      std::vector<std::string_view> texts;
      for (const LabelValue& each : label_values(cluster_, demand.key)) texts.push_back(each.value.text());
      if (const auto nearest = config::nearest_name(demand.values[0].text(), texts); !nearest.empty()) {
        guesses.emplace_back(demand.key, Symbol(nearest));
      }
      std::vector<std::string_view> keys;
      for (const Symbol key : label_keys(cluster_)) keys.push_back(key.text());
      if (const auto nearest = config::nearest_name(demand.key.text(), keys); !nearest.empty() && texts.empty()) {
        guesses.emplace_back(Symbol(nearest), demand.values[0]);
      }
      for (const auto& [key, value] : guesses) {
        const auto changed =
            changed_pod(pod_, [&](api::PodTemplate& spec) { replace_demand(spec, demand, key, value); });
        if (auto where = try_pod(changed)) {
          say("selector", fmt::format("select {}={} instead of {}", key.text(), value.text(), demand.text), *where);
          return;
        }
      }
    }
  }

  void label_node() {
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (!finding.fails_only(name::kNodeAffinity)) continue;
      const cache::NodeState& state = node(finding.row);
      std::vector<const Demand*> unmet;
      for (const Demand& demand : demands_) {
        if (!demand.is_met_by(state.labels())) unmet.push_back(&demand);
      }
      if (unmet.size() != 1 || unmet[0]->op != "In" || unmet[0]->values.empty()) continue;
      if (is_given_by_platform(unmet[0]->key)) continue;
      const api::NodePtr labelled = with_label(*state.node, unmet[0]->key, unmet[0]->values[0]);
      const std::string node_name = state.name.str();
      if (!with_node(cluster_, labelled, [&] { return fits_on(node_name); })) continue;
      say("label",
          fmt::format("give {} the label {}={} (kubectl label node {} {}={}{})", node_name, unmet[0]->key.text(),
                      unmet[0]->values[0].text(), node_name, unmet[0]->key.text(), unmet[0]->values[0].text(),
                      labelled->metadata.labels->size() == state.labels().size() ? " --overwrite" : ""),
          node_name, true);
      return;
    }
  }

  void drop_selector() {
    const auto try_without = [&](const std::vector<const Demand*>& dropped) {
      const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
        for (const Demand* demand : dropped) drop_demand(spec, *demand);
      });
      const auto where = try_pod(changed);
      if (!where) return false;
      std::vector<std::string> texts;
      for (const Demand* demand : dropped) texts.push_back(demand->text);
      say("selector", fmt::format("do not demand {} of its node", listed(texts)), *where);
      return true;
    };
    for (const Demand& demand : demands_) {
      if (try_without({&demand})) return;
    }
    if (demands_.size() < 2) return;
    std::set<std::vector<const Demand*>> tried;
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (!finding.fails_only(name::kNodeAffinity) || tried.size() >= kMaxGuesses) continue;
      std::vector<const Demand*> unmet;
      for (const Demand& demand : demands_) {
        if (!demand.is_met_by(node(finding.row).labels())) unmet.push_back(&demand);
      }
      if (unmet.size() > 1 && tried.insert(unmet).second && try_without(unmet)) return;
    }
  }

  // --- Taints

  void add_tolerations() {
    // By the taints that are in the way: few taints first, then many nodes.
    std::map<std::string, std::pair<std::vector<api::Taint>, std::size_t>> by_taints;
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (!finding.fails_only(name::kTaintToleration)) continue;
      const std::vector<api::Taint> taints = untolerated_taints(pod_, *node(finding.row).node);
      const bool is_state =
          std::ranges::any_of(taints, [](const api::Taint& taint) { return !node_state_of(taint).empty(); });
      if (taints.empty() || is_state) continue;
      std::string key;
      for (const api::Taint& taint : taints) key += taint_text(taint) + "\n";
      auto& entry = by_taints[key];
      entry.first = taints;
      ++entry.second;
    }
    std::vector<std::pair<std::vector<api::Taint>, std::size_t>> lists;
    for (auto& [key, entry] : by_taints) lists.push_back(std::move(entry));
    sort_stably(lists, {}, [](const auto& entry) {
      const bool is_control_plane = entry.first[0].key == "node-role.kubernetes.io/control-plane";
      return std::tuple(is_control_plane, entry.first.size(), std::numeric_limits<std::size_t>::max() - entry.second);
    });
    for (std::size_t i = 0; i < std::min(kMaxGuesses, lists.size()); ++i) {
      std::vector<std::string> texts;
      const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
        for (const api::Taint& taint : lists[i].first) {
          spec.tolerations.push_back(toleration_for(taint));
          texts.push_back(toleration_text(spec.tolerations.back()));
        }
      });
      const auto where = try_pod(changed);
      if (!where) continue;
      say("toleration", fmt::format("add the toleration{} {}", texts.size() == 1 ? "" : "s", listed(texts)), *where);
      return;
    }
  }

  void uncordon() {
    for (const NodeFinding& finding : diagnosis_.findings) {
      const bool is_only_cordoned =
          !finding.failing.empty() && finding.failing[0].plugin == name::kNodeUnschedulable &&
          (finding.failing.size() == 1 ||
           (finding.failing.size() == 2 && finding.failing[1].plugin == name::kTaintToleration));
      if (!is_only_cordoned) continue;
      const std::string node_name = cluster_.name_of(finding.row);
      if (!with_node(cluster_, uncordoned(*node(finding.row).node), [&] { return fits_on(node_name); })) continue;
      say("uncordon", fmt::format("uncordon {} (kubectl uncordon {})", node_name, node_name), node_name, true);
      return;
    }
  }

  // --- Resources

  void lower_requests() {
    struct Guess {
      double share;  // of the request that has to go
      const NodeFinding* finding;
      std::vector<Shortage> shortages;
    };
    std::vector<Guess> guesses;
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (!finding.fails_only(name::kNodeResourcesFit)) continue;
      Guess guess{0, &finding, shortages(evaluation_, node(finding.row), finding.failing[0])};
      bool is_possible = !guess.shortages.empty();
      for (const Shortage& each : guess.shortages) {
        is_possible &= each.resource != "pods" && each.free > 0;
        guess.share = std::max(guess.share, static_cast<double>(each.missing()) / static_cast<double>(each.needed));
      }
      if (is_possible) guesses.push_back(std::move(guess));
    }
    sort_stably(guesses, {}, &Guess::share);
    for (std::size_t i = 0; i < std::min(kMaxGuesses, guesses.size()); ++i) {
      std::vector<std::string> instead, less;
      const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
        for (const Shortage& each : guesses[i].shortages) {
          const std::int64_t target = rounded_down(each.resource, each.free);
          lower_request(spec, each.resource, target);
          instead.push_back(fmt::format("{} instead of {}", amount_of(each.resource, target, Round::kDown),
                                        amount(each.resource, each.needed, Round::kUp)));
          less.push_back(guesses[i].shortages.size() == 1 ? amount(each.resource, each.needed - target, Round::kUp)
                                                          : amount_of(each.resource, each.needed - target, Round::kUp));
        }
      });
      const auto where = try_pod(changed);
      if (!where) continue;
      say("request", fmt::format("ask for {} ({} less)", listed(instead), listed(less)), *where);
      return;
    }
  }

  // Pods that wait and that the scheduler cannot tell from this one.
  std::vector<api::PodPtr> siblings() const {
    std::vector<api::PodPtr> result;
    for (const auto& [full, other] : cluster_.pods) {
      if (other->metadata.uid == pod_.metadata.uid || !other->spec.node_name.empty() || api::is_terminal(*other)) {
        continue;
      }
      if (other->metadata.name_space != pod_.metadata.name_space || other->metadata.labels != pod_.metadata.labels ||
          other->spec.shared != pod_.spec.shared || !other->status.nominated_node_name.empty()) {
        continue;
      }
      result.push_back(other);
      if (result.size() == kMaxSiblings) break;
    }
    return result;
  }

  // How many new nodes of the pool it takes to place all of `waiting`, the first of which fits nowhere now.
  std::optional<std::size_t> nodes_needed(const Pool& pool, const std::vector<api::PodPtr>& waiting) {
    std::vector<api::NodePtr> new_nodes;
    std::vector<api::PodPtr> new_pods;
    const auto place = [&](const api::PodPtr& pod, const std::string& node_name) {
      api::Pod placed = *pod;
      placed.spec.node_name = Symbol(node_name);
      new_pods.push_back(std::make_shared<const api::Pod>(std::move(placed)));
      (void)cluster_.cache.add(new_pods.back());
    };
    bool are_placed = true;
    for (const api::PodPtr& pod : waiting) {
      auto where = new_nodes.empty() ? std::nullopt : try_pod(pod);
      if (!where && new_nodes.size() < kMaxNewNodes) {
        const NewNode added = new_node_like(cluster_, node(pool.model), new_nodes.size() + 1);
        cluster_.cache.set_node(added.node);
        new_nodes.push_back(added.node);
        for (const api::PodPtr& agent : added.pods) place(agent, added.node->metadata.name);
        where = try_pod(pod);
      }
      are_placed = where.has_value();
      if (!are_placed) break;
      place(pod, *where);
    }
    for (const api::PodPtr& pod : new_pods) (void)cluster_.cache.remove(*pod);
    for (const api::NodePtr& added : new_nodes) (void)cluster_.cache.remove_node(*added);
    return are_placed ? std::optional(new_nodes.size()) : std::nullopt;
  }

  void add_nodes() {
    struct Offer {
      std::size_t nodes;
      std::int64_t milli_cpu;  // of one node: the smaller is the cheaper
      std::string text;
    };
    std::vector<api::PodPtr> waiting = {evaluation_.pod.pod};
    const std::vector<api::PodPtr> others = siblings();
    waiting.insert(waiting.end(), others.begin(), others.end());
    std::vector<Offer> offers;
    for (const Pool& pool : pools_of(cluster_)) {
      if (!nodes_needed(pool, {evaluation_.pod.pod})) continue;
      const std::optional<std::size_t> for_all = others.empty() ? 1 : nodes_needed(pool, waiting);
      const std::size_t nodes = for_all.value_or(1);
      const std::string like = cluster_.name_of(pool.model);
      std::string text = pool.name.empty()
                             ? fmt::format("add {} like {}", nodes == 1 ? "a node" : counted(nodes, "node"), like)
                             : fmt::format("add {} like {} to pool {}", nodes == 1 ? "a node" : counted(nodes, "node"),
                                           like, pool.name);
      text += ": it fits there";
      if (!others.empty() && for_all) {
        text += others.size() == 1 ? ", and so does the other pod like it that waits"
                                   : fmt::format(", and so do the {} other pods like it that wait", others.size());
      }
      offers.push_back({nodes, node(pool.model).allocatable.milli_cpu, std::move(text)});
    }
    sort_stably(offers, {}, [](const Offer& offer) { return std::tuple(offer.nodes, offer.milli_cpu); });
    for (std::size_t i = 0; i < std::min(kMaxPools, offers.size()); ++i) {
      help_.push_back({Symbol("nodes"), std::move(offers[i].text), ""});
    }
  }

  // --- Other pods

  bool fits_without(const std::vector<Neighbour>& neighbours, const std::string& node_name) {
    std::vector<api::PodPtr> pods;
    for (const Neighbour& each : neighbours) {
      if (std::ranges::find(pods, each.pod) == pods.end()) pods.push_back(each.pod);
    }
    return without_pods(cluster_, pods, [&] { return fits_on(node_name); });
  }

  static std::string names_of(const std::vector<Neighbour>& neighbours) {
    std::vector<std::string> names;
    for (const Neighbour& each : neighbours) {
      std::string full = api::full_name(each.pod->metadata);
      if (std::ranges::find(names, full) == names.end()) names.push_back(std::move(full));
    }
    return listed(names);
  }

  // The node with the fewest pods in the way, if moving them is enough.
  template <typename InTheWay, typename Say>
  void without_neighbours(std::string_view plugin, InTheWay&& in_the_way, Say&& say_it) {
    std::vector<std::pair<std::vector<Neighbour>, std::string>> guesses;
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (!finding.fails_only(plugin)) continue;
      std::vector<Neighbour> neighbours = in_the_way(finding.row);
      if (!neighbours.empty()) guesses.emplace_back(std::move(neighbours), cluster_.name_of(finding.row));
    }
    sort_stably(guesses, {}, [](const auto& guess) { return guess.first.size(); });
    for (std::size_t i = 0; i < std::min(kMaxGuesses, guesses.size()); ++i) {
      const auto& [neighbours, node_name] = guesses[i];
      if (!fits_without(neighbours, node_name)) continue;
      say_it(neighbours, node_name);
      return;
    }
  }

  void free_port() {
    const auto is_of_daemon_set = [](const Neighbour& each) {
      const api::OwnerReference* owner = api::controller_of(each.pod->metadata);
      return owner != nullptr && owner->kind == "DaemonSet";
    };
    std::set<std::int32_t> taken;
    for (const NodeFinding& finding : diagnosis_.findings) {
      if (finding.fails_only(name::kNodePorts)) taken.insert(port_conflict(evaluation_, node(finding.row)).port);
    }
    if (taken.empty()) return;
    const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
      for (api::Container& container : spec.containers) {
        std::erase_if(container.ports, [&](const api::ContainerPort& port) { return taken.contains(port.host_port); });
      }
    });
    if (const auto where = try_pod(changed)) {
      std::vector<std::string> ports;
      for (const std::int32_t port : taken) ports.push_back(std::to_string(port));
      say("port", fmt::format("ask for another host port than {}, or for none", listed(ports)), *where);
    }
    without_neighbours(
        name::kNodePorts,
        [&](cache::RowId row) {
          std::vector<Neighbour> holders = port_conflict(evaluation_, node(row)).holders;
          // They would come back.
          if (std::ranges::any_of(holders, is_of_daemon_set)) holders.clear();
          return holders;
        },
        [&](const std::vector<Neighbour>& holders, const std::string& node_name) {
          const cache::RowId row = cluster_.cache.nodes().row_of(Symbol(node_name));
          const std::int32_t port = port_conflict(evaluation_, node(row)).port;
          say("port",
              fmt::format("free host port {} on {}, which {} {}", port, node_name, names_of(holders),
                          holders.size() == 1 ? "holds" : "hold"),
              node_name, true);
        });
  }

  void move_neighbours() {
    without_neighbours(
        name::kInterPodAffinity,
        [&](cache::RowId row) {
          std::vector<Neighbour> pods = avoided_pods(cluster_, evaluation_, row);
          std::ranges::move(avoiding_pods(cluster_, evaluation_, row), std::back_inserter(pods));
          return pods;
        },
        [&](const std::vector<Neighbour>& pods, const std::string& node_name) {
          say("neighbours", fmt::format("move {} away from {}", names_of(pods), node_name), node_name, true);
        });
  }

  void relax_spread() {
    for (const SpreadState& state : spread_states(cluster_, evaluation_)) {
      std::optional<std::int64_t> least;
      for (const NodeFinding& finding : diagnosis_.findings) {
        if (!finding.fails_only(name::kPodTopologySpread)) continue;
        const auto skew = state.skew_on(node(finding.row));
        if (skew && *skew > state.max_skew && (!least || *skew < *least)) least = skew;
      }
      if (!least || *least > std::numeric_limits<std::int32_t>::max()) continue;
      const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
        spec.topology_spread_constraints[state.constraint].max_skew = static_cast<std::int32_t>(*least);
      });
      if (const auto where = try_pod(changed)) {
        say("spread",
            fmt::format("allow maxSkew {} instead of {} over {}", *least, state.max_skew, state.topology_key.text()),
            *where);
        return;
      }
    }
  }

  // The lowest priority class with which preemption makes room.
  void raise_priority() {
    if (preemption_.helps) return;
    std::vector<const api::PriorityClass*> classes;
    cluster_.objects.priority_classes.for_each([&](const auto& each) {
      const bool is_reserved = each->metadata.name.starts_with("system-");
      const bool preempts = !each->preemption_policy || *each->preemption_policy != "Never";
      if (!is_reserved && preempts && each->value > api::priority_of(pod_)) classes.push_back(each.get());
    });
    sort_stably(classes, {}, [](const api::PriorityClass* each) { return each->value; });
    for (std::size_t i = 0; i < std::min(kMaxGuesses, classes.size()); ++i) {
      const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) {
        spec.priority = classes[i]->value;
        spec.priority_class_name = Symbol(classes[i]->metadata.name);
        spec.preemption_policy.reset();
      });
      const Evaluation now = evaluate(profile_, cluster_, changed);
      if (now.error || now.fits()) continue;
      const Preemption preemption = preemption_of(profile_, cluster_, now);
      if (!preemption.helps) continue;
      // To take the place of its own kind helps nobody.
      const bool evicts_its_like = std::ranges::any_of(preemption.victims, [&](const std::string& victim) {
        const auto it = cluster_.pods.find(victim);
        return it != cluster_.pods.end() && it->second->metadata.name_space == pod_.metadata.name_space &&
               !pod_.metadata.labels->empty() && it->second->metadata.labels == pod_.metadata.labels;
      });
      if (evicts_its_like) return;
      help_.push_back(
          {Symbol("priority"),
           fmt::format("give it the priority class {} ({}): preemption would evict {} on {}", classes[i]->metadata.name,
                       classes[i]->value, listed(preemption.victims, 3), preemption.node),
           preemption.node});
      return;
    }
  }

  // --- Volumes

  // Claims that are missing or not bound: without them, does it fit?
  void provide_claims() {
    std::vector<std::string> missing, unbound;
    const auto is_in_the_way = [&](const api::Volume& volume) {
      if (!volume.source.persistent_volume_claim) return false;
      const std::string& claim_name = volume.source.persistent_volume_claim->claim_name;
      const api::PersistentVolumeClaim* claim =
          cluster_.objects.persistent_volume_claims.find(pod_.metadata.name_space, claim_name);
      return claim == nullptr || claim->spec.volume_name.empty();
    };
    for (const api::Volume& volume : pod_.spec->volumes) {
      if (!is_in_the_way(volume)) continue;
      const std::string& claim_name = volume.source.persistent_volume_claim->claim_name;
      const bool is_there =
          cluster_.objects.persistent_volume_claims.find(pod_.metadata.name_space, claim_name) != nullptr;
      (is_there ? unbound : missing).push_back(claim_name);
    }
    if (missing.empty() && unbound.empty()) return;
    const auto changed = changed_pod(pod_, [&](api::PodTemplate& spec) { std::erase_if(spec.volumes, is_in_the_way); });
    const auto where = try_pod(changed);
    if (!where) return;
    std::vector<std::string> steps;
    if (!missing.empty()) steps.push_back("create the PersistentVolumeClaim " + listed(missing));
    if (!unbound.empty()) steps.push_back("have the PersistentVolumeClaim " + listed(unbound) + " bound to a volume");
    help_.push_back({Symbol("claim"),
                     fmt::format("{}: with a volume that {} can reach, it fits there", listed(steps), *where), *where});
  }

  const framework::Profile& profile_;
  Cluster& cluster_;
  const Evaluation& evaluation_;
  const Diagnosis& diagnosis_;
  const Preemption& preemption_;
  const api::Pod& pod_;
  std::vector<Demand> demands_;
  std::vector<Help> help_;
};

}  // namespace

std::vector<Help> what_would_help(const framework::Profile& profile, Cluster& cluster, const Evaluation& evaluation,
                                  const Diagnosis& diagnosis, const Preemption& preemption) {
  return HelpFinder(profile, cluster, evaluation, diagnosis, preemption).run();
}

}  // namespace berth::explain
