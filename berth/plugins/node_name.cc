#include "berth/plugins/node_name.h"

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

using framework::Verdict;

constexpr Verdict kOtherNode = Verdict::unresolvable(0);

class NameFilter final : public framework::PodFilter {
 public:
  explicit NameFilter(Symbol wanted) : wanted_(wanted) {}

  Verdict check(const cache::NodeState& node) const override {
    return wanted_.empty() || wanted_ == node.name ? Verdict() : kOtherNode;
  }
  framework::Reason reason(unsigned) const override { return framework::ReasonCode::kOtherNodeRequested; }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    if (wanted_.empty()) return;
    const cache::RowId wanted = table.row_of(wanted_);
    const bool is_among = wanted != cache::kNoRow && rows.test(wanted);
    if (is_among) rows.reset(wanted);
    rows.for_each([&](std::size_t row) { rejected(static_cast<cache::RowId>(row), kOtherNode); });
    rows.clear();
    if (is_among) rows.set(wanted);
  }

  // Pods of one class may name different nodes.
  Scope scope() const override { return wanted_.empty() ? Scope::kNode : Scope::kAttempt; }

 private:
  Symbol wanted_;
};

class NodeName final : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit NodeName(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeName; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    return {.status = {}, .filter = std::make_unique<NameFilter>(pod->spec.node_name), .node_names = {}};
  }

 private:
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_name(const framework::PluginContext& context,
                                                          const PluginQuirks& quirks) {
  return std::make_unique<NodeName>(hint_options(context, quirks));
}

}  // namespace berth::plugins
