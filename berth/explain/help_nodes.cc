#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "berth/explain/help_search.h"
#include "berth/explain/new_places.h"
#include "berth/explain/stable_order.h"

namespace berth::explain {

namespace {

// How many pods that wait like this one are counted in when nodes are added, and how many nodes are added at most.
constexpr std::size_t kMaxSiblings = 50;
constexpr std::size_t kMaxNewNodes = 20;
// How many pools are offered to grow.
constexpr std::size_t kMaxPools = 2;

// Pods that wait and that the scheduler cannot tell from this one.
std::vector<api::PodPtr> siblings(const HelpSearch& search) {
  std::vector<api::PodPtr> result;
  for (const auto& [full, other] : search.cluster.pods) {
    if (other->metadata.uid == search.pod().metadata.uid || !other->spec.node_name.empty() ||
        api::is_terminal(*other)) {
      continue;
    }
    if (other->metadata.name_space != search.pod().metadata.name_space ||
        other->metadata.labels != search.pod().metadata.labels || other->spec.shared != search.pod().spec.shared ||
        !other->status.nominated_node_name.empty()) {
      continue;
    }
    result.push_back(other);
    if (result.size() == kMaxSiblings) break;
  }
  return result;
}

struct Addition {
  Step step;
  std::vector<const NewPlace*> places;  // of step.new_nodes
  std::string first_goes_to;            // of the first pod
};

// How many new nodes at the places it takes to place all of `waiting`, the first of which fits nowhere now. For each
// pod that does not fit, the first place that makes it fit gets a node. They and the pods of their DaemonSets are
// returned as a step.
std::optional<Addition> nodes_needed(HelpSearch& search, std::span<const NewPlace> places,
                                     const std::vector<api::PodPtr>& waiting) {
  Addition result{.step = {.kind = "nodes"}, .places = {}, .first_goes_to = {}};
  std::vector<api::PodPtr> new_pods;
  const auto place_pod = [&](const api::PodPtr& pod, const std::string& node_name) {
    api::Pod placed = *pod;
    placed.spec.node_name = Symbol(node_name);
    new_pods.push_back(std::make_shared<const api::Pod>(std::move(placed)));
    (void)search.cluster.cache.add(new_pods.back());
  };
  // Adds a node, if the pod fits then; and says where.
  const auto try_place = [&](const NewPlace& place, const api::PodPtr& pod) -> std::optional<std::string> {
    const NewNode added = new_node_at(search.cluster, place, result.step.new_nodes.size() + 1);
    search.cluster.cache.set_node(added.node);
    if (added.csi_node != nullptr) search.cluster.objects.set(api::AnyObject(added.csi_node));
    const std::size_t pods_before = new_pods.size();
    for (const api::PodPtr& agent : added.pods) place_pod(agent, added.node->metadata.name);
    auto where = best_node(search.profile, search.cluster, pod);
    if (where) {
      result.step.new_nodes.push_back(added.node);
      if (added.csi_node != nullptr) result.step.objects.emplace_back(added.csi_node);
      result.step.new_pods.insert(result.step.new_pods.end(),
                                  new_pods.begin() + static_cast<std::ptrdiff_t>(pods_before), new_pods.end());
      result.places.push_back(&place);
      return where;
    }
    while (new_pods.size() > pods_before) {
      (void)search.cluster.cache.remove(*new_pods.back());
      new_pods.pop_back();
    }
    if (added.csi_node != nullptr) search.cluster.objects.remove(api::AnyObject(added.csi_node));
    (void)search.cluster.cache.remove_node(*added.node);
    return std::nullopt;
  };

  bool are_placed = true;
  for (const api::PodPtr& pod : waiting) {
    auto where = result.step.new_nodes.empty() ? std::nullopt : best_node(search.profile, search.cluster, pod);
    for (std::size_t i = 0; !where && i < places.size() && result.step.new_nodes.size() < kMaxNewNodes; ++i) {
      where = try_place(places[i], pod);
    }
    are_placed = where.has_value();
    if (!are_placed) break;
    if (result.first_goes_to.empty()) result.first_goes_to = *where;
    place_pod(pod, *where);
  }
  for (const api::PodPtr& pod : new_pods) (void)search.cluster.cache.remove(*pod);
  for (const api::AnyObject& object : result.step.objects) search.cluster.objects.remove(object);
  for (const api::NodePtr& added : result.step.new_nodes) (void)search.cluster.cache.remove_node(*added);
  if (!are_placed) return std::nullopt;
  return result;
}

// "add a node like n1 to pool web in zone b and 2 nodes like n3 to pool web in zone c"
std::string text_of(const HelpSearch& search, const Addition& addition) {
  std::vector<std::pair<std::string, std::size_t>> kinds;  // in the order in which they were added
  for (const NewPlace* place : addition.places) {
    std::string text = fmt::format("like {}", search.cluster.name_of(place->model));
    if (!place->pool.empty()) text += " to pool " + place->pool;
    if (!place->text.empty()) text += " " + place->text;
    const auto known = std::ranges::find(kinds, text, &std::pair<std::string, std::size_t>::first);
    if (known != kinds.end()) {
      ++known->second;
    } else {
      kinds.emplace_back(std::move(text), 1);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [text, count] : kinds) {
    texts.push_back(fmt::format("{} {}", count == 1 ? "a node" : counted(count, "node"), text));
  }
  return "add " + listed(texts);
}

}  // namespace

void add_nodes(HelpSearch& search) {
  struct Offer {
    std::size_t nodes;
    std::int64_t milli_cpu;  // of one node: the smaller is the cheaper
    Addition addition;
    bool is_for_all;
  };
  std::vector<api::PodPtr> waiting = {search.evaluation.pod.pod};
  const std::vector<api::PodPtr> others = siblings(search);
  waiting.insert(waiting.end(), others.begin(), others.end());
  std::vector<Offer> offers;
  std::vector<NewPlace> all_places;
  const std::vector<std::vector<NewPlace>> by_pool = new_places(search.cluster, search.evaluation);
  for (const std::vector<NewPlace>& places : by_pool) {
    all_places.insert(all_places.end(), places.begin(), places.end());
    std::optional<Addition> addition = nodes_needed(search, places, {search.evaluation.pod.pod});
    if (!addition) continue;
    const std::int64_t milli_cpu = search.node(addition->places.front()->model).allocatable.milli_cpu;
    std::optional<Addition> for_all = others.empty() ? std::nullopt : nodes_needed(search, places, waiting);
    const bool is_for_all = for_all.has_value();
    if (is_for_all) addition = std::move(for_all);
    const std::size_t nodes = addition->step.new_nodes.size();
    offers.push_back({nodes, milli_cpu, *std::move(addition), is_for_all});
  }
  const bool is_one_enough = std::ranges::any_of(offers, &Offer::is_for_all);
  if (!offers.empty() && !others.empty() && !is_one_enough && by_pool.size() > 1) {
    // No pool alone is enough for all that wait: nodes of several.
    if (std::optional<Addition> mixed = nodes_needed(search, all_places, waiting)) {
      const std::size_t nodes = mixed->step.new_nodes.size();
      offers.push_back({nodes, 0, *std::move(mixed), true});
    }
  }
  sort_stably(offers, {}, [](const Offer& offer) { return std::tuple(offer.nodes, offer.milli_cpu); });
  for (std::size_t i = 0; i < std::min(kMaxPools, offers.size()); ++i) {
    Addition& addition = offers[i].addition;
    addition.step.text = text_of(search, addition);
    const bool is_new = std::ranges::any_of(addition.step.new_nodes, [&](const api::NodePtr& node) {
      return node->metadata.name == addition.first_goes_to;
    });
    std::string then = is_new ? "it fits there" : "it fits on " + addition.first_goes_to;
    if (offers[i].is_for_all) {
      then += others.size() == 1 ? ", and so does the other pod like it that waits"
                                 : fmt::format(", and so do the {} other pods like it that wait", others.size());
    }
    search.say(std::span(&addition.step, 1), "", then);
  }
}

}  // namespace berth::explain
