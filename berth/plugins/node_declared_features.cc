#include "berth/plugins/node_declared_features.h"

#include <algorithm>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/node_declared_features_hints.h"

namespace berth::plugins {

namespace {

using framework::Verdict;

class FeatureFilter final : public framework::PodFilter {
 public:
  explicit FeatureFilter(const std::vector<std::string_view>& needed) : needed_(needed.begin(), needed.end()) {}

  Verdict check(const cache::NodeState& node) const override {
    const std::vector<Symbol>& declared = *node.node->status.declared_features;
    const bool has_all = std::ranges::all_of(
        needed_, [&](Symbol feature) { return std::ranges::find(declared, feature) != declared.end(); });
    return has_all ? Verdict() : Verdict::unresolvable(0);
  }
  framework::Reason reason(unsigned) const override { return framework::ReasonCode::kFeaturesNotDeclared; }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::vector<Symbol> needed_;
};

class NodeDeclaredFeatures final : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit NodeDeclaredFeatures(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeDeclaredFeatures; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }
  bool needs_no_events() const override { return !hints_.features.node_declared_features; }  // it rejects nobody then

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    const auto needed =
        hints_.features.node_declared_features ? needed_features(*pod->spec) : std::vector<std::string_view>{};
    if (needed.empty()) return {.status = framework::Status::skip(), .filter = {}, .node_names = {}};
    return {.status = {}, .filter = std::make_unique<FeatureFilter>(needed), .node_names = {}};
  }

 private:
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_declared_features(const framework::PluginContext& context,
                                                                       const PluginQuirks& quirks) {
  return std::make_unique<NodeDeclaredFeatures>(hint_options(context, quirks));
}

}  // namespace berth::plugins
