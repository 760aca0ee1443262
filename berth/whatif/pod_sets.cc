#include "berth/whatif/pod_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "berth/explain/cluster.h"
#include "berth/whatif/filler.h"

namespace berth::whatif {

namespace {

// What the pods of one set came to; it counts only if all of them have a place.
struct OneSet {
  std::map<std::string, std::int64_t> per_node;
  std::vector<std::string> victims;
};

class SetFiller {
 public:
  SetFiller(explain::Cluster& cluster, std::span<const PodOfSet> pods, const CapacityOptions& options)
      : cluster_(cluster), pods_(pods), options_(options) {}

  Result<void> prepare(std::span<const api::AnyObject> dump, const report::Settings& settings) {
    for (const PodOfSet& pod : pods_) {
      auto made = new_pods(pod.manifest, dump);
      if (!made) return fail(made.error());
      made_.push_back(std::make_unique<NewPods>(*std::move(made)));
      const auto first = made_.back()->probe.make_instance(cluster_);
      if (!first) return fail(first.error());
      auto profile = profile_for(**first, settings, cluster_.objects);
      if (!profile) return fail(profile.error());
      profiles_.push_back(*std::move(profile));
      fillers_.push_back(std::make_unique<Filler>(cluster_, made_.back()->probe, *first, *profiles_.back(), options_,
                                                  fillers_.size()));
    }
    return {};
  }

  void fill(SetCapacity& result) {
    while (options_.limit == 0 || result.sets < options_.limit) {
      OneSet set;
      if (!place_one(set, result)) return;
      ++result.sets;
      for (const auto& [node, instances] : set.per_node) per_node_[node] += instances;
      result.victims.insert(result.victims.end(), set.victims.begin(), set.victims.end());
    }
    result.stop = Symbol(stop::kLimitReached);
    result.sentence = fmt::format("The limit of {} is reached; there may be room for more.", options_.limit);
  }

  const std::map<std::string, std::int64_t>& per_node() const { return per_node_; }

 private:
  bool place_one(OneSet& set, SetCapacity& result) {
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      for (std::int64_t n = 0; n < pods_[i].count; ++n) {
        Filler::Outcome outcome = fillers_[i]->place_next();
        if (outcome.node.empty()) {
          stop_at(result.pods[i].pod, n, pods_[i].count, std::move(outcome), result);
          return false;
        }
        // Quotas count the pods of all.
        for (std::size_t other = 0; other < made_.size(); ++other) {
          if (other != i) made_[other]->probe.placed(outcome.pod);
        }
        ++set.per_node[outcome.node.str()];
        set.victims.insert(set.victims.end(), outcome.victims.begin(), outcome.victims.end());
      }
    }
    return true;
  }

  static void stop_at(const std::string& pod, std::int64_t placed, std::int64_t wanted, Filler::Outcome outcome,
                      SetCapacity& result) {
    result.stop = outcome.stop;
    result.stopped_at = pod;
    result.message = std::move(outcome.message);
    result.groups = std::move(outcome.groups);
    const std::string which = wanted == 1 ? pod : fmt::format("number {} of {} of {}", placed + 1, wanted, pod);
    const std::string lead =
        fmt::format("{}: {}", result.sets == 0 ? "Not even one set fits" : "The next set does not fit", which);
    if (outcome.stop == stop::kError) {
      result.sentence = fmt::format("{}: a plugin fails: {}.", lead, result.message);
    } else if (outcome.stop == stop::kForbidden) {
      result.sentence = fmt::format("{} would not be created: {}.", lead, result.message);
    } else if (outcome.headline.empty()) {
      result.sentence = fmt::format("{} fits nowhere: {}.", lead, result.message);
    } else {
      result.sentence = fmt::format("{} {}.", lead, outcome.headline);
    }
  }

  explain::Cluster& cluster_;
  std::span<const PodOfSet> pods_;
  const CapacityOptions& options_;
  std::vector<std::unique_ptr<NewPods>> made_;
  std::vector<std::unique_ptr<framework::Profile>> profiles_;
  std::vector<std::unique_ptr<Filler>> fillers_;
  std::map<std::string, std::int64_t> per_node_;
};

}  // namespace

Result<SetCapacity> capacity_of_sets(std::span<const api::AnyObject> dump, std::span<const PodOfSet> pods,
                                     const report::Settings& settings, const CapacityOptions& options) {
  SetCapacity result;
  CapacityOptions alone = options;
  for (const PodOfSet& pod : pods) {
    explain::Cluster cluster(dump);
    alone.limit = options.limit * pod.count;
    auto made = new_pods(pod.manifest, dump);
    if (!made) return fail(made.error());
    auto capacity = capacity_of(cluster, *made, settings, alone);
    if (!capacity) return fail(capacity.error());
    result.pods.push_back({capacity->pod, capacity->requests, pod.count, capacity->instances});
    for (std::string& note : capacity->notes) {
      if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(std::move(note));
    }
  }
  explain::Cluster cluster(dump);
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  SetFiller filler(cluster, pods, options);
  if (auto prepared = filler.prepare(dump, settings); !prepared) return fail(prepared.error());
  filler.fill(result);
  result.placement = placement_of(cluster, filler.per_node());
  return result;
}

}  // namespace berth::whatif
