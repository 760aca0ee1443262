#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "berth/config/suggest.h"
#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/help_search.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// How many pods one suggestion moves at most, and to how many times its value it raises maxSkew.
constexpr std::size_t kMaxMoved = 5;
constexpr std::int64_t kMaxSkewGrowth = 3;

std::vector<api::PodPtr> pods_of(const std::vector<Neighbour>& neighbours) {
  std::vector<api::PodPtr> pods;
  for (const Neighbour& each : neighbours) {
    if (std::ranges::find(pods, each.pod) == pods.end()) pods.push_back(each.pod);
  }
  return pods;
}

std::string names_of(const std::vector<Neighbour>& neighbours) {
  std::vector<std::string> names;
  for (const api::PodPtr& pod : pods_of(neighbours)) names.push_back(api::full_name(pod->metadata));
  return listed(names);
}

// The node with the fewest pods in the way, if moving them is enough. text_of(neighbours, row) says so.
template <typename InTheWay, typename TextOf>
void without_neighbours(HelpSearch& search, std::string_view plugin, std::string_view kind, InTheWay&& in_the_way,
                        TextOf&& text_of) {
  std::vector<std::pair<std::vector<Neighbour>, cache::RowId>> guesses;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(plugin)) continue;
    std::vector<Neighbour> neighbours = in_the_way(finding.row);
    if (!neighbours.empty() && neighbours.size() <= kMaxMoved) guesses.emplace_back(std::move(neighbours), finding.row);
  }
  sort_stably(guesses, {}, [](const auto& guess) { return guess.first.size(); });
  for (std::size_t i = 0; i < std::min(kMaxGuesses, guesses.size()); ++i) {
    const auto& [neighbours, row] = guesses[i];
    const std::string node_name = search.cluster.name_of(row);
    Step step{.kind = kind, .text = text_of(neighbours, row), .gone_pods = pods_of(neighbours)};
    if (!search.may_be_moved(step.gone_pods)) continue;
    if (search.fits_on(node_name, step)) return search.say_there(step, node_name);
  }
}

std::optional<Step> other_ports_step(const HelpSearch& search, const std::set<std::int32_t>& taken) {
  // In the host's network the port is taken whether it is declared or not.
  if (taken.empty() || search.pod().spec->host_network) return std::nullopt;
  std::vector<std::string> ports;
  for (const std::int32_t port : taken) ports.push_back(std::to_string(port));
  Step step{.kind = "port", .text = fmt::format("ask for another host port than {}, or for none", listed(ports))};
  step.pod = [taken](api::PodTemplate& spec) {
    for (api::Container& container : spec.containers) {
      for (api::ContainerPort& port : container.ports) {
        if (taken.contains(port.host_port)) port.host_port = 0;
      }
    }
  };
  return step;
}

// All ports of the pod that some pod on the node holds.
std::set<std::int32_t> taken_ports(const HelpSearch& search, cache::RowId row) {
  std::set<std::int32_t> taken;
  for (const api::HostPort& wanted : search.evaluation.pod.compiled->host_ports) {
    const bool is_taken = std::ranges::any_of(search.node(row).pods, [&](const cache::PlacedPod& placed) {
      return std::ranges::any_of(placed.compiled->host_ports,
                                 [&](const api::HostPort& held) { return conflicts(wanted, held); });
    });
    if (is_taken) taken.insert(wanted.port);
  }
  return taken;
}

}  // namespace

std::optional<Step> port_step(HelpSearch& search, cache::RowId row) {
  return other_ports_step(search, taken_ports(search, row));
}

void free_port(HelpSearch& search) {
  std::set<std::int32_t> taken;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (finding.fails_only(name::kNodePorts)) taken.merge(taken_ports(search, finding.row));
  }
  if (taken.empty()) return;
  if (const auto step = other_ports_step(search, taken)) {
    if (const auto where = search.best_node(*step)) search.say_on(*step, *where);
  }
  without_neighbours(
      search, name::kNodePorts, "port",
      [&](cache::RowId row) { return port_conflict(search.evaluation, search.node(row)).holders; },
      [&](const std::vector<Neighbour>& holders, cache::RowId row) {
        return fmt::format("free host port {} on {}, which {} {}",
                           port_conflict(search.evaluation, search.node(row)).port, search.cluster.name_of(row),
                           names_of(holders), holders.size() == 1 ? "holds" : "hold");
      });
}

void move_neighbours(HelpSearch& search) {
  without_neighbours(
      search, name::kInterPodAffinity, "neighbours",
      [&](cache::RowId row) {
        const std::span rows(&row, 1);
        std::vector<Neighbour> pods = search.neighbourhood().avoided(rows);
        std::ranges::move(search.neighbourhood().avoiding(rows), std::back_inserter(pods));
        return pods;
      },
      [&](const std::vector<Neighbour>& pods, cache::RowId row) {
        return fmt::format("move {} away from {}", names_of(pods), search.cluster.name_of(row));
      });
}

// Pods that take what is missing on a node, the largest first, until it would do.
void make_room(HelpSearch& search) {
  std::vector<std::pair<double, const NodeFinding*>> guesses;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kNodeResourcesFit)) continue;
    const auto found = shortages(search.evaluation, search.node(finding.row), finding.failing[0]);
    const bool is_taken =
        std::ranges::all_of(found, [](const Shortage& each) { return each.kind == Shortage::Kind::kTaken; });
    if (!found.empty() && is_taken) guesses.emplace_back(distance_of(found), &finding);
  }
  sort_stably(guesses, {}, &std::pair<double, const NodeFinding*>::first);
  for (std::size_t i = 0; i < std::min(kMaxGuesses, guesses.size()); ++i) {
    const cache::RowId row = guesses[i].second->row;
    const std::string node_name = search.cluster.name_of(row);
    std::vector<std::pair<std::int64_t, Neighbour>> candidates;
    for (const cache::PlacedPod& placed : search.node(row).pods) {
      if (!search.may_be_moved(std::span(&placed.pod, 1))) continue;
      const api::ResourceVector& held = placed.compiled->usage.requested;
      // Bytes of memory are many where thousandths of a cpu are few: each as a part of what the pod wants.
      const api::ResourceVector& wanted = search.evaluation.pod.compiled->usage.requested;
      const auto part = [](std::int64_t of, std::int64_t all) { return all > 0 ? of * 1000 / all : 0; };
      candidates.emplace_back(-part(held.milli_cpu, wanted.milli_cpu) - part(held.memory / 1024, wanted.memory / 1024),
                              Neighbour{placed.pod, node_name});
    }
    sort_stably(candidates, {}, [](const auto& each) { return each.first; });
    std::vector<Neighbour> moved;
    for (const auto& [share, candidate] : candidates) {
      if (moved.size() == kMaxMoved) break;
      moved.push_back(candidate);
      Step step{.kind = "neighbours",
                .text = fmt::format("move {} away from {}", names_of(moved), node_name),
                .gone_pods = pods_of(moved)};
      if (!search.may_be_moved(step.gone_pods)) break;
      if (search.fits_on(node_name, step)) return search.say_there(step, node_name);
    }
  }
}

namespace {

std::optional<Step> skew_step(const SpreadState& state, std::int64_t skew) {
  // Not so much that the constraint would as well not be there.
  if (skew > kMaxSkewGrowth * state.max_skew) return std::nullopt;
  Step step{
      .kind = "spread",
      .text = fmt::format("allow maxSkew {} instead of {} over {}", skew, state.max_skew, state.topology_key.text())};
  step.pod = [key = state.topology_key, before = state.max_skew,
              max_skew = static_cast<std::int32_t>(skew)](api::PodTemplate& spec) {
    for (api::TopologySpreadConstraint& each : spec.topology_spread_constraints) {
      if (each.topology_key == key && each.max_skew == before && each.when_unsatisfiable != "ScheduleAnyway") {
        each.max_skew = max_skew;
      }
    }
  };
  return step;
}

}  // namespace

std::optional<Step> spread_step(HelpSearch& search, cache::RowId row) {
  std::optional<Step> step;
  for (const SpreadState& state : spread_states(search.cluster, search.evaluation)) {
    const auto skew = state.skew_on(search.node(row));
    if (!skew) return std::nullopt;
    if (*skew <= state.max_skew) continue;
    // Two constraints at once would be more than one change.
    if (step) return std::nullopt;
    step = skew_step(state, *skew);
    if (!step) return std::nullopt;
  }
  return step;
}

namespace {

// A key that nodes have, instead of one that none has and that was probably meant to be it.
void correct_spread_key(HelpSearch& search) {
  const std::vector<Symbol> known = label_keys(search.cluster);
  std::vector<std::string_view> keys;
  for (const Symbol key : known) keys.push_back(key.text());
  for (const api::TopologySpreadConstraint& each : search.pod().spec->topology_spread_constraints) {
    if (each.when_unsatisfiable == "ScheduleAnyway" || std::ranges::find(known, each.topology_key) != known.end()) {
      continue;
    }
    const std::string_view nearest = config::nearest_name(each.topology_key.text(), keys);
    if (nearest.empty()) continue;
    Step step{.kind = "spread",
              .text = fmt::format("spread it over {} instead of {}", nearest, each.topology_key.text())};
    step.pod = [old = each.topology_key, key = Symbol(nearest)](api::PodTemplate& spec) {
      for (api::TopologySpreadConstraint& constraint : spec.topology_spread_constraints) {
        if (constraint.topology_key == old) constraint.topology_key = key;
      }
    };
    if (const auto where = search.best_node(step)) return search.say_on(step, *where);
  }
}

}  // namespace

void relax_spread(HelpSearch& search) {
  correct_spread_key(search);
  for (const SpreadState& state : spread_states(search.cluster, search.evaluation)) {
    std::optional<std::int64_t> least;
    for (const NodeFinding& finding : search.diagnosis.findings) {
      if (!finding.fails_only(name::kPodTopologySpread)) continue;
      const auto skew = state.skew_on(search.node(finding.row));
      if (skew && *skew > state.max_skew && (!least || *skew < *least)) least = skew;
    }
    if (!least) continue;
    const std::optional<Step> step = skew_step(state, *least);
    if (!step) continue;
    if (const auto where = search.best_node(*step)) return search.say_on(*step, *where);
  }
}

}  // namespace berth::explain
