// A plugin of one's own, tested in a virtual cluster: the program takes a scenario, as `berth sim` does, and runs it
// with the plugin among kube-scheduler's. docs/scenarios.md has the language; plugins/quiet-hours.berth is an example.
//
// QuietHours keeps pods labelled "noisy" off nodes that are labelled "quiet=true". It says which events may help a pod
// that it rejected, so that the pod is woken as soon as a node's label goes, and by nothing else.
#include <fmt/core.h>

#include "berth/framework/per_node.h"
#include "berth/scenario/runner.h"

using namespace berth;

class QuietHours : public framework::Plugin, public framework::PerNodeFilter {
 public:
  std::string_view name() const override { return "QuietHours"; }
  framework::Status filter(const framework::PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* quiet = node.labels().find(Symbol("quiet"));
    const bool is_quiet = quiet != nullptr && *quiet == "true";
    if (!is_quiet || !pod->metadata.labels->contains(Symbol("noisy"))) return {};
    return framework::Status::unresolvable("node(s) had quiet hours");
  }
  bool is_filter_by_class() const override { return true; }  // it looks at labels alone

  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    const auto nodes = queue::action::kAdd | queue::action::kUpdateNodeLabel;
    return std::vector<queue::HintRegistration>{
        {profile, Symbol(name()), queue::ClusterEvent(queue::resource::kNode, nodes), {}},
        {profile,
         Symbol(name()),
         queue::ClusterEvent(queue::resource::kUnschedulablePod, queue::action::kUpdatePodLabel),
         {}}};
  }
};

Result<void> add_plugins(framework::PluginRegistry& registry) {
  return registry.add({.name = "QuietHours", .points = {config::ExtensionPoint::kFilter}, .build = [](const auto&) {
                         return std::make_unique<QuietHours>();
                       }});
}

int main(int count, char** arguments) {
  if (count != 2) return fmt::print(stderr, "usage: {} SCENARIO\n", arguments[0]), 2;
  const auto parsed = scenario::parse_file(arguments[1], add_plugins);
  if (!parsed) {
    for (const Error& error : parsed.error()) fmt::print(stderr, "{}\n", error.message());
    return 2;
  }
  scenario::RunOptions options;
  options.check_wakeups = true;    // a pod that fits and sleeps on is a failure,
  options.check_decisions = true;  // and so is a cached answer that asking again does not give
  const auto result = scenario::run(*parsed, options);
  if (!result) return fmt::print(stderr, "{}\n", result.error().message()), 2;
  for (const scenario::Failure& failure : result->failures) fmt::print("{}", scenario::to_text(failure));
  fmt::print("{} of {} expectations hold\n",
             result->expectations - std::min(result->expectations, result->failures.size()), result->expectations);
  return result->passed() ? 0 : 1;
}
