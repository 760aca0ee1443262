#include "berth/plugins/scheduling_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

class SchedulingGates final : public framework::Plugin, public framework::PreEnqueuePlugin {
 public:
  explicit SchedulingGates(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kSchedulingGates; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::Status pre_enqueue(const api::Pod& pod) const override {
    if (pod.spec->scheduling_gates.empty()) return {};
    std::vector<std::string_view> gates;
    for (const api::PodSchedulingGate& gate : pod.spec->scheduling_gates) gates.push_back(gate.name.text());
    return framework::Status::unresolvable(fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " ")));
  }

 private:
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_scheduling_gates(const framework::PluginContext& context,
                                                                 const PluginQuirks& quirks) {
  return std::make_unique<SchedulingGates>(hint_options(context, quirks));
}

}  // namespace berth::plugins
