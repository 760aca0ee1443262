#include "berth/sim/pod_script.h"

#include <algorithm>
#include <memory>

#include "berth/api/meta.h"
#include "berth/framework/plugin.h"

namespace berth::sim {

namespace {

constexpr std::string_view kEveryPod = "*";
constexpr std::string_view kDefaultMessage = "the scenario says no";
constexpr Duration kPollInterval = Duration::seconds(1);
constexpr Duration kSlack = Duration::hours(1);  // what PreBind takes is the rule's to say, not a timeout's

std::string message_of(const ScriptRule& rule) {
  return rule.message.empty() ? std::string(kDefaultMessage) : rule.message;
}

framework::Status status_of(const ScriptRule& rule) {
  switch (rule.act) {
    case ScriptRule::Act::kReject: return framework::Status::unschedulable(message_of(rule));
    case ScriptRule::Act::kFail: return framework::Status::error(message_of(rule));
    case ScriptRule::Act::kWait: return {};
  }
  return {};
}

// What a rule says about nodes. Without one, every node passes; it is there because pods of one class share what
// filters say, and rules are about single pods.
class ScriptFilter final : public framework::PodFilter {
 public:
  explicit ScriptFilter(std::optional<ScriptRule> rule) : rule_(std::move(rule)) {}

  framework::Verdict check(const cache::NodeState& node) const override {
    if (!rule_ || rule_->act == ScriptRule::Act::kWait) return {};
    if (!rule_->only_on_node.empty() && rule_->only_on_node != node.name) return {};
    framework::Verdict verdict = framework::Verdict::unschedulable(0);
    if (rule_->act == ScriptRule::Act::kFail) verdict.code = framework::Code::kError;
    return verdict;
  }
  framework::Reason reason(unsigned /*bit*/) const override { return rule_ ? message_of(*rule_) : std::string(); }
  Scope scope() const override { return Scope::kAttempt; }

 private:
  std::optional<ScriptRule> rule_;
};

// Stands for "no rules at all", until there are some.
class NoRules final : public framework::PodFilter {
 public:
  explicit NoRules(const PodScript& script) : script_(script) {}

  framework::Verdict check(const cache::NodeState& /*node*/) const override { return {}; }
  framework::Reason reason(unsigned /*bit*/) const override { return {}; }
  void narrow(const cache::NodeTable& /*table*/, Bitset& /*rows*/, Rejected /*rejected*/) const override {}
  Scope scope() const override { return Scope::kCluster; }
  bool catch_up(const cache::NodeTable& /*table*/, std::span<const cache::Change> /*changes*/) override { return true; }
  bool passes_all() const override { return true; }
  std::uint64_t objects_version(const cache::ClusterObjects& /*objects*/) const override { return script_.version(); }

 private:
  const PodScript& script_;
};

class TakesTime final : public framework::PreBindWork {
 public:
  TakesTime(const PodScript& script, Duration duration) : script_(script), duration_(duration) {
    if (script.now().is_set()) ends_at_ = script.now() + duration;
  }
  std::vector<api::AnyObject> updates() override { return {}; }
  framework::Status poll(const framework::ClusterView& /*cluster*/) override {
    return script_.now() < ends_at_ ? framework::Status(framework::Code::kWait) : framework::Status();
  }
  Duration poll_interval() const override { return std::clamp(duration_, Duration::milliseconds(1), kPollInterval); }
  Duration timeout() const override { return duration_ + kSlack; }

 private:
  const PodScript& script_;
  Duration duration_;
  Instant ends_at_;
};

class ScriptPlugin final : public framework::Plugin,
                           public framework::PreEnqueuePlugin,
                           public framework::FilterPlugin,
                           public framework::ReservePlugin,
                           public framework::PermitPlugin,
                           public framework::PreBindPlugin {
 public:
  explicit ScriptPlugin(PodScript& script) : script_(script) {}

  std::string_view name() const override { return kScriptPlugin; }

  framework::Status pre_enqueue(const api::Pod& pod) const override {
    const auto rule = take(pod, ScriptPoint::kPreEnqueue);
    return rule ? status_of(*rule) : framework::Status();
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& /*cluster*/) const override {
    std::optional<ScriptRule> rule = take_for_attempt(*pod);
    if (!rule && !script_.has_rules_at(ScriptPoint::kFilter)) {
      return {.status = framework::Status::skip(), .filter = std::make_unique<NoRules>(script_), .node_names = {}};
    }
    return {.status = {}, .filter = std::make_unique<ScriptFilter>(std::move(rule)), .node_names = {}};
  }

  framework::Status reserve(const framework::PodToPlace& pod, const framework::ClusterView& /*cluster*/,
                            Symbol /*node_name*/) override {
    const auto rule = take(*pod, ScriptPoint::kReserve);
    return rule ? status_of(*rule) : framework::Status();
  }
  void unreserve(const framework::PodToPlace& /*pod*/, Symbol /*node_name*/) override {}

  framework::Permitted permit(const framework::PodToPlace& pod, Symbol /*node_name*/) override {
    const auto rule = take(*pod, ScriptPoint::kPermit);
    if (!rule) return {};
    if (rule->act != ScriptRule::Act::kWait) return {.status = status_of(*rule), .timeout = {}};
    return {.status = framework::Status(framework::Code::kWait), .timeout = rule->duration};
  }

  framework::PreBinding pre_bind(const framework::PodToPlace& pod, const framework::ClusterView& /*cluster*/,
                                 Symbol /*node_name*/) override {
    const auto rule = take(*pod, ScriptPoint::kPreBind);
    if (!rule) return {.status = framework::Status::skip(), .work = nullptr};
    if (rule->act != ScriptRule::Act::kWait) return {.status = status_of(*rule), .work = nullptr};
    return {.status = {}, .work = std::make_unique<TakesTime>(script_, rule->duration)};
  }

 private:
  std::optional<ScriptRule> take(const api::Pod& pod, ScriptPoint point) const {
    if (!script_.has_rules_at(point)) return std::nullopt;
    return script_.take(api::full_name(pod.metadata), point);
  }

  // An attempt may ask for the filter more than once; it is one use of the rule nevertheless.
  std::optional<ScriptRule> take_for_attempt(const api::Pod& pod) const {
    const Instant now = script_.now();
    const bool is_again = now.is_set() && now == last_at_ && pod.metadata.uid == last_uid_;
    if (!is_again || script_.version() != last_version_) {
      last_rule_ = take(pod, ScriptPoint::kFilter);
      last_at_ = now;
      last_uid_ = pod.metadata.uid;
      last_version_ = script_.version();
    }
    return last_rule_;
  }

  PodScript& script_;
  mutable Instant last_at_;
  mutable std::string last_uid_;
  mutable std::uint64_t last_version_ = 0;
  mutable std::optional<ScriptRule> last_rule_;
};

}  // namespace

void PodScript::set(std::string_view pod, ScriptPoint point, ScriptRule rule) {
  ++version_;
  rules_at(point).insert_or_assign(std::string(pod), std::move(rule));
}

void PodScript::clear(std::string_view pod, ScriptPoint point) {
  ++version_;
  Rules& rules = rules_at(point);
  if (const auto it = rules.find(pod); it != rules.end()) rules.erase(it);
}

std::optional<ScriptRule> PodScript::peek(std::string_view pod, ScriptPoint point) const {
  const Rules& rules = rules_at(point);
  for (const std::string_view name : {pod, kEveryPod}) {
    const auto it = rules.find(name);
    if (it != rules.end() && it->second.times != 0) return it->second;
  }
  return std::nullopt;
}

std::optional<ScriptRule> PodScript::take(std::string_view pod, ScriptPoint point) {
  Rules& rules = rules_at(point);
  for (const std::string_view name : {pod, kEveryPod}) {
    const auto it = rules.find(name);
    if (it == rules.end() || it->second.times == 0) continue;
    const ScriptRule rule = it->second;
    if (rule.times > 0 && --it->second.times == 0) {
      ++version_;
      rules.erase(it);
    }
    return rule;
  }
  return std::nullopt;
}

bool PodScript::empty() const {
  return std::ranges::all_of(rules_, [](const Rules& rules) { return rules.empty(); });
}

Result<void> PodScript::add_to(framework::PluginRegistry& registry) {
  using enum config::ExtensionPoint;
  return registry.add({.name = std::string(kScriptPlugin),
                       .points = {kPreEnqueue, kPreFilter, kFilter, kReserve, kPermit, kPreBind},
                       .build = [this](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
                         return std::make_unique<ScriptPlugin>(*this);
                       }});
}

}  // namespace berth::sim
