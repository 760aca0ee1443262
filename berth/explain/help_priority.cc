#include <fmt/format.h>

#include <algorithm>

#include "berth/explain/help_search.h"
#include "berth/explain/preemption_view.h"
#include "berth/explain/stable_order.h"

namespace berth::explain {

// The lowest priority class with which preemption makes room.
void raise_priority(HelpSearch& search) {
  if (search.preemption.helps) return;
  std::vector<const api::PriorityClass*> classes;
  search.cluster.objects.priority_classes.for_each([&](const auto& each) {
    const bool is_reserved = each->metadata.name.starts_with("system-");
    const bool preempts = !each->preemption_policy || *each->preemption_policy != "Never";
    if (!is_reserved && preempts && each->value > api::priority_of(search.pod())) classes.push_back(each.get());
  });
  sort_stably(classes, {}, [](const api::PriorityClass* each) { return each->value; });
  for (std::size_t i = 0; i < std::min(kMaxGuesses, classes.size()); ++i) {
    Step step{.kind = "priority",
              .text = fmt::format("give it the priority class {} ({})", classes[i]->metadata.name, classes[i]->value)};
    step.pod = [chosen = classes[i]](api::PodTemplate& spec) {
      spec.priority = chosen->value;
      spec.priority_class_name = Symbol(chosen->metadata.name);
      spec.preemption_policy.reset();
    };
    const api::PodPtr changed = changed_pod(search.pod(), step.pod);
    const Evaluation now = evaluate(search.profile, search.cluster, changed);
    if (now.error || now.fits()) continue;
    const Preemption preemption = preemption_of(search.profile, search.cluster, now);
    if (!preemption.helps) continue;
    std::vector<api::PodPtr> victims;
    for (const std::string& victim : preemption.victims) {
      const auto it = search.cluster.pods.find(victim);
      if (it != search.cluster.pods.end()) victims.push_back(it->second);
    }
    if (preemption.budget_violations > 0 || !search.may_be_moved(victims)) continue;
    // To take the place of its own kind helps nobody.
    const bool evicts_its_like = std::ranges::any_of(victims, [&](const api::PodPtr& victim) {
      return victim->metadata.name_space == search.pod().metadata.name_space &&
             !search.pod().metadata.labels->empty() && victim->metadata.labels == search.pod().metadata.labels;
    });
    if (evicts_its_like) return;
    search.say(std::span(&step, 1), preemption.node,
               fmt::format("preemption would evict {} on {}", listed(preemption.victims, 3), preemption.node));
    return;
  }
}

}  // namespace berth::explain
