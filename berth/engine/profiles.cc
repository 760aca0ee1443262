#include "berth/engine/profiles.h"

#include <fmt/format.h>

#include <utility>

#include "berth/engine/extenders.h"
#include "berth/engine/metrics.h"
#include "berth/plugins/default_plugins.h"

namespace berth::engine {

Result<void> Profiles::build(const Options& options, const plugins::PreemptionsUnderWay& under_way,
                             const framework::ClusterView& view, queue::QueueOptions& queue_options) {
  plugins::add_default_plugins(registry_, options.quirks.plugins, &under_way);
  if (options.add_plugins) {
    if (auto added = options.add_plugins(registry_); !added) return added;
  }
  const config::SchedulerConfig& configuration = options.config.config;
  for (const config::Profile& each : configuration.profiles) {
    auto built = framework::Profile::build(each, registry_, options.gates, view.objects, &view.nodes);
    if (!built) {
      return fail(fmt::format("creating profile for scheduler name {}: {}", each.name(), built.error().message()));
    }
    const framework::Profile& profile = **built;
    (*built)->set_metrics(options.metrics);
    for (queue::HintRegistration& hint : profile.hints()) queue_options.hints.push_back(std::move(hint));
    for (queue::PreEnqueueCheck& check : profile.pre_enqueue_checks()) {
      queue_options.pre_enqueue.push_back(std::move(check));
    }
    if (!configuration.extenders.empty()) {
      const queue::ClusterEvent any_event(queue::resource::kAny, queue::action::kAll);
      queue_options.hints.push_back({profile.scheduler_name(), Symbol(kExtenderPlugin), any_event, {}});
    }
    queue_options.profiles.push_back(profile.scheduler_name());
    auto memory = std::make_unique<framework::EquivalenceCache>(profile, view, options.equivalence_cache);
    profiles_.push_back({std::move(*built), std::move(memory)});
  }
  if (!profiles_.empty()) queue_options.queue_sort = profiles_.front().profile->queue_sort().queue_sort();
  return {};
}

ProfileInUse* Profiles::find(Symbol scheduler_name) {
  for (ProfileInUse& each : profiles_) {
    if (each.profile->scheduler_name() == scheduler_name) return &each;
  }
  return nullptr;
}

}  // namespace berth::engine
