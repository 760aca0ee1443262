#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "berth/explain/help_search.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// Nodes with these are for the cluster itself.
constexpr std::array<std::string_view, 4> kReservedTaints = {"node-role.kubernetes.io/control-plane",
                                                             "node-role.kubernetes.io/master",
                                                             "node-role.kubernetes.io/etcd", "CriticalAddonsOnly"};

bool is_reserved(const api::Taint& taint) {
  return std::ranges::find(kReservedTaints, taint.key.text()) != kReservedTaints.end();
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

// What the pod would have to tolerate, if that would do good: a taint that says what state a node is in goes by itself,
// or the node does.
std::vector<api::Taint> tolerable_taints(HelpSearch& search, cache::RowId row) {
  const api::Node& node = *search.node(row).node;
  std::vector<api::Taint> taints = untolerated_taints(search.pod(), node);
  const bool is_state = std::ranges::any_of(
      taints, [&](const api::Taint& taint) { return !node_state_of(search.cluster, taint).empty(); });
  if (is_state || !node_trouble(node).empty()) taints.clear();
  return taints;
}

Step step_for(const std::vector<api::Taint>& taints) {
  std::vector<std::string> texts;
  std::vector<api::Toleration> tolerations;
  for (const api::Taint& taint : taints) {
    tolerations.push_back(toleration_for(taint));
    texts.push_back(toleration_text(tolerations.back()));
  }
  Step step{.kind = "toleration",
            .text = fmt::format("add the toleration{} {}", texts.size() == 1 ? "" : "s", listed(texts))};
  step.pod = [tolerations](api::PodTemplate& spec) {
    spec.tolerations.insert(spec.tolerations.end(), tolerations.begin(), tolerations.end());
  };
  return step;
}

// By the taints that are in the way: few taints first, then many nodes.
void tolerate(HelpSearch& search, bool reserved) {
  std::map<std::string, std::pair<std::vector<api::Taint>, std::size_t>> by_taints;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kTaintToleration)) continue;
    const std::vector<api::Taint> taints = tolerable_taints(search, finding.row);
    if (taints.empty() || std::ranges::any_of(taints, is_reserved) != reserved) continue;
    std::string key;
    for (const api::Taint& taint : taints) key += taint_text(taint) + "\n";
    auto& entry = by_taints[key];
    entry.first = taints;
    ++entry.second;
  }
  std::vector<std::pair<std::vector<api::Taint>, std::size_t>> lists;
  for (auto& [key, entry] : by_taints) lists.push_back(std::move(entry));
  sort_stably(lists, {}, [](const auto& entry) {
    return std::tuple(entry.first.size(), std::numeric_limits<std::size_t>::max() - entry.second);
  });
  for (std::size_t i = 0; i < std::min(kMaxGuesses, lists.size()); ++i) {
    const Step step = step_for(lists[i].first);
    if (const auto where = search.best_node(step)) return search.say_on(step, *where);
  }
}

}  // namespace

std::optional<Step> toleration_step(HelpSearch& search, cache::RowId row) {
  const std::vector<api::Taint> taints = tolerable_taints(search, row);
  if (taints.empty() || std::ranges::any_of(taints, is_reserved)) return std::nullopt;
  return step_for(taints);
}

std::optional<Step> uncordon_step(HelpSearch& search, cache::RowId row) {
  const api::Node& node = *search.node(row).node;
  if (!node.spec.unschedulable || !node_trouble(node).empty()) return std::nullopt;
  Step step{.kind = "uncordon", .text = fmt::format("uncordon {}", node.metadata.name)};
  step.nodes.push_back({node.metadata.name, remove_cordon});
  return step;
}

void add_tolerations(HelpSearch& search) {
  tolerate(search, false);
}
void tolerate_control_plane(HelpSearch& search) {
  tolerate(search, true);
}

void uncordon(HelpSearch& search) {
  std::size_t tried = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    const bool is_only_cordoned =
        !finding.failing.empty() && finding.failing[0].plugin == name::kNodeUnschedulable &&
        (finding.failing.size() == 1 ||
         (finding.failing.size() == 2 && finding.failing[1].plugin == name::kTaintToleration));
    if (!is_only_cordoned) continue;
    const std::optional<Step> step = uncordon_step(search, finding.row);
    if (!step) continue;
    const std::string node_name = search.cluster.name_of(finding.row);
    if (search.fits_on(node_name, *step)) return search.say_there(*step, node_name);
    if (++tried == kMaxGuesses) return;
  }
}

}  // namespace berth::explain
