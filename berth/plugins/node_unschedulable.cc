#include "berth/plugins/node_unschedulable.h"

#include "berth/api/taint.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

using framework::Verdict;

constexpr Verdict kCordoned = Verdict::unresolvable(0);

class CordonFilter final : public framework::PodFilter {
 public:
  explicit CordonFilter(bool tolerates) : tolerates_(tolerates) {}

  Verdict check(const cache::NodeState& node) const override {
    return tolerates_ || !node.node->spec.unschedulable ? Verdict() : kCordoned;
  }
  framework::Reason reason(unsigned) const override { return framework::ReasonCode::kNodeUnschedulable; }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    if (tolerates_ || !rows.intersects(table.unschedulable())) return;
    Bitset cordoned = rows;
    cordoned &= table.unschedulable();
    rows.and_not(cordoned);
    cordoned.for_each([&](std::size_t row) { rejected(static_cast<cache::RowId>(row), kCordoned); });
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  bool tolerates_;
};

class NodeUnschedulable final : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit NodeUnschedulable(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeUnschedulable; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    static const api::Taint kTaint{.key = Symbol("node.kubernetes.io/unschedulable"),
                                   .value = {},
                                   .effect = Symbol("NoSchedule"),
                                   .time_added = {}};
    const bool tolerates =
        api::tolerates(pod->spec->tolerations, kTaint, hints_.features.taint_toleration_comparison_operators);
    return {.status = {}, .filter = std::make_unique<CordonFilter>(tolerates), .node_names = {}};
  }

 private:
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_unschedulable(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks) {
  return std::make_unique<NodeUnschedulable>(hint_options(context, quirks));
}

}  // namespace berth::plugins
