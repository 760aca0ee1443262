#include "berth/plugins/priority_sort.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

class PrioritySort final : public framework::Plugin, public framework::QueueSortPlugin {
 public:
  std::string_view name() const override { return name::kPrioritySort; }
  // What the queue does by itself.
  queue::QueueSort queue_sort() const override { return {}; }
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_priority_sort(const framework::PluginContext&, const PluginQuirks&) {
  return std::make_unique<PrioritySort>();
}

}  // namespace berth::plugins
