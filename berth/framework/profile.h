// A profile: the plugins that schedule the pods of one scheduler name, built and in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/scheduler_config.h"
#include "berth/framework/metrics.h"
#include "berth/framework/plugin.h"
#include "berth/framework/registry.h"
#include "berth/queue/pre_enqueue.h"
#include "berth/queue/queueing_hint.h"

namespace berth::framework {

class Profile {
 public:
  // A plugin that decides about nodes. Filter and PreFilter are two points of the configuration: a plugin may be
  // enabled at one of them only.
  struct Filter {
    Symbol name;
    const FilterPlugin* plugin = nullptr;
    bool at_pre_filter = false;  // its PreFilter result counts: it can skip itself, reject the pod, restrict the nodes
    bool at_filter = false;
  };
  struct Score {
    Symbol name;
    const ScorePlugin* plugin = nullptr;
    std::int64_t weight = 1;
    bool at_pre_score = false;  // it can skip itself
  };
  template <typename Interface>
  struct At {
    Symbol name;
    Interface* plugin = nullptr;
  };

  // The errors are kube-scheduler's: an unknown plugin, one that does not implement its point, bad arguments; and a
  // plugin that can reject pods and says by mistake that nothing wakes them (Plugin::events()). `nodes` are those whose
  // events will come; null if there will be none.
  static Result<std::unique_ptr<Profile>> build(const config::Profile& configuration, const PluginRegistry& registry,
                                                const config::FeatureGates& gates, const cache::ClusterObjects& objects,
                                                const cache::NodeTable* nodes = nullptr);

  Symbol scheduler_name() const { return scheduler_name_; }
  std::optional<std::int32_t> percentage_of_nodes_to_score() const { return percentage_of_nodes_to_score_; }

  // In the order of the PreFilter point, then those that are at Filter alone.
  const std::vector<Filter>& filters() const { return filters_; }
  // Indices into filters(), in the order of the Filter point: whose verdict comes first.
  const std::vector<std::uint8_t>& filter_order() const { return filter_order_; }
  const std::vector<Score>& scores() const { return scores_; }
  const std::vector<At<const PreEnqueuePlugin>>& pre_enqueue() const { return pre_enqueue_; }
  const std::vector<At<const PostFilterPlugin>>& post_filter() const { return post_filter_; }
  const std::vector<At<ReservePlugin>>& reserve() const { return reserve_; }
  const std::vector<At<PermitPlugin>>& permit() const { return permit_; }
  const std::vector<At<PreBindPlugin>>& pre_bind() const { return pre_bind_; }
  const std::vector<At<const BindPlugin>>& bind() const { return bind_; }
  const std::vector<At<PostBindPlugin>>& post_bind() const { return post_bind_; }
  const QueueSortPlugin& queue_sort() const { return *queue_sort_; }
  const config::PluginLists& plugin_lists() const { return lists_; }

  // Who is told what runs and how it ends; null: nobody. It outlives the profile.
  FrameworkMetrics* metrics() const { return metrics_; }
  void set_metrics(FrameworkMetrics* metrics) { metrics_ = metrics; }

  // Null if the profile does not have it.
  const Plugin* plugin(std::string_view name) const;

  // What wakes the pods of this profile, and what holds them back: for the options of the queue.
  std::vector<queue::HintRegistration> hints() const;
  std::vector<queue::PreEnqueueCheck> pre_enqueue_checks() const;

 private:
  Profile() = default;
  bool can_reject(Symbol plugin) const;
  Result<void> check_events(const Plugin& plugin) const;

  Symbol scheduler_name_;
  std::optional<std::int32_t> percentage_of_nodes_to_score_;
  config::PluginLists lists_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::vector<Filter> filters_;
  std::vector<std::uint8_t> filter_order_;
  std::vector<Score> scores_;
  std::vector<At<const PreEnqueuePlugin>> pre_enqueue_;
  std::vector<At<const PostFilterPlugin>> post_filter_;
  std::vector<At<ReservePlugin>> reserve_;
  std::vector<At<PermitPlugin>> permit_;
  std::vector<At<PreBindPlugin>> pre_bind_;
  std::vector<At<const BindPlugin>> bind_;
  std::vector<At<PostBindPlugin>> post_bind_;
  const QueueSortPlugin* queue_sort_ = nullptr;
  FrameworkMetrics* metrics_ = nullptr;
};

}  // namespace berth::framework
