#include "berth/plugins/node_ports.h"

#include <algorithm>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using framework::Verdict;

class PortFilter final : public framework::PodFilter {
 public:
  explicit PortFilter(std::shared_ptr<const api::CompiledPod> pod) : pod_(std::move(pod)) {}

  Verdict check(const cache::NodeState& node) const override {
    const bool is_taken = std::ranges::any_of(node.used_ports, [this](const api::HostPort& used) {
      return std::ranges::any_of(pod_->host_ports,
                                 [&used](const api::HostPort& wanted) { return api::conflicts(wanted, used); });
    });
    return is_taken ? Verdict::unschedulable(0) : Verdict();
  }
  framework::Reason reason(unsigned) const override { return framework::ReasonCode::kNoFreeHostPorts; }
  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    narrow_by(rows, rejected, [&](cache::RowId row) { return PortFilter::check(table.at(row)); });
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::shared_ptr<const api::CompiledPod> pod_;
};

class NodePorts final : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit NodePorts(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodePorts; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    if (pod.compiled->host_ports.empty()) {
      return {.status = framework::Status::skip(), .filter = {}, .node_names = {}};
    }
    return {.status = {}, .filter = std::make_unique<PortFilter>(pod.compiled), .node_names = {}};
  }

 private:
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_ports(const framework::PluginContext& context,
                                                           const PluginQuirks& quirks) {
  return std::make_unique<NodePorts>(hint_options(context, quirks));
}

}  // namespace berth::plugins
