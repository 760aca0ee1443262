#include "berth/config/validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "berth/config/defaults.h"

namespace berth::config {
namespace {

const std::string kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

using Messages = std::vector<std::string>;

// What is wrong with the default configuration after a change.
Messages problems_after(const std::function<void(SchedulerConfig&)>& change, const FeatureGates& gates = {}) {
  SchedulerConfig config;
  set_defaults(config, gates);
  change(config);
  Messages messages;
  for (const Error& error : validate(config, gates)) messages.push_back(error.message());
  return messages;
}

// What is wrong with the default configuration if a plugin has these arguments; without the path in front.
template <typename Args>
Messages problems_of_args(const Args& args, const FeatureGates& gates = {}) {
  const std::string prefix = "profiles[0].pluginConfig[0].args.";
  Messages messages = problems_after(
      [&](SchedulerConfig& config) {
        for (const ArgsKind& kind : args_kinds()) {
          if (kind.get(PluginArgs(args)) == nullptr) continue;
          config.profiles[0].plugin_config = {{std::string(kind.plugin), {}, args}};
        }
      },
      gates);
  for (std::string& message : messages) {
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    message.erase(0, prefix.size());
  }
  return messages;
}

TEST(Validation, AcceptsTheDefaults) {
  EXPECT_EQ(problems_after([](SchedulerConfig&) {}), Messages{});
}

TEST(Validation, OfSingleFields) {
  const struct {
    std::function<void(SchedulerConfig&)> change;
    Messages expected;
  } cases[] = {
      {[](auto& c) { c.client_connection.burst = -1; },
       {"clientConnection.burst: Invalid value: -1: must be non-negative"}},
      {[](auto& c) { c.leader_election.retry_period = Duration(); },
       {"leaderElection.retryPeriod: Invalid value: \"0s\": must be greater than zero"}},
      {[](auto& c) { c.leader_election.lease_duration = Duration::seconds(9); },
       {"leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline`"}},
      {[](auto& c) {
         c.leader_election.resource_lock = "";
         c.leader_election.resource_name = "";
         c.leader_election.resource_namespace = "";
       },
       {"leaderElection.resourceLock: Required value", "leaderElection.resourceNamespace: Required value",
        "leaderElection.resourceName: Required value",
        "leaderElection.resourceLock: Invalid value: \"\": resourceLock value must be \"leases\""}},
      {[](auto& c) {
         c.leader_election.leader_elect = false;
         c.leader_election.resource_lock = "";
       },
       {}},
      {[](auto& c) { c.parallelism = 0; },
       {"parallelism: Invalid value: 0: should be an integer value greater than zero"}},
      {[](auto& c) { c.profiles.clear(); }, {"profiles: Required value"}},
      {[](auto& c) { c.profiles[0].scheduler_name = ""; }, {"profiles[0].schedulerName: Required value"}},
      {[](auto& c) { c.profiles.push_back(c.profiles[0]); }, {"profiles[1].schedulerName: Duplicate value: {}"}},
      {[](auto& c) { c.percentage_of_nodes_to_score = 101; },
       {"percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]"}},
      {[](auto& c) { c.profiles[0].percentage_of_nodes_to_score = -1; },
       {"profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]"}},
      {[](auto& c) { c.pod_initial_backoff_seconds = 0; },
       {"podInitialBackoffSeconds: Invalid value: 0: must be greater than 0"}},
      {[](auto& c) { c.pod_max_backoff_seconds = 0; },
       {"podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds"}},
  };
  for (const auto& test : cases) EXPECT_EQ(problems_after(test.change), test.expected);
}

TEST(Validation, OfPlugins) {
  const std::string removed =
      "\"EBSLimits\": was invalid in version \"v1\" (KubeSchedulerConfiguration is version "
      "\"kubescheduler.config.k8s.io/v1\")";
  EXPECT_EQ(problems_after([](auto& c) {
              c.profiles[0].plugins->filter.enabled = {{"NodeName"}, {"EBSLimits"}};
              c.profiles[0].plugins->multi_point.enabled.push_back({"EBSLimits"});  // not looked at
              c.profiles[0].plugin_config = {{"EBSLimits", {}, {}}};
            }),
            (Messages{"profiles[0].plugins.filter.enabled[1]: Invalid value: " + removed,
                      "profiles[0].pluginConfig[0]: Invalid value: " + removed}));
  EXPECT_EQ(problems_after([](auto& c) { c.profiles[0].plugin_config = {{"Mine", {}, {}}, {"Mine", {}, {}}}; }),
            Messages{"profiles[0].pluginConfig[1]: Duplicate value: \"Mine\""});
  EXPECT_EQ(problems_after([](auto& c) {
              c.profiles[0].plugin_config = {{"NodeAffinity", {}, {}},
                                             {"NodeResourcesFitArgs", {}, api::RawJson{"[1]"}}};
            }),
            (Messages{"profiles[0].pluginConfig[0].args: Invalid value: null: has to match plugin args",
                      "profiles[0].pluginConfig[1].args: Invalid value: [1]: has to match plugin args"}));
}

TEST(Validation, AllProfilesSortTheQueueAlike) {
  const auto second_profile = [](SchedulerConfig& config) -> Profile& {
    config.profiles.push_back(config.profiles[0]);
    config.profiles[1].scheduler_name = "second";
    return config.profiles[1];
  };
  EXPECT_EQ(problems_after([&](auto& c) { second_profile(c).plugins->queue_sort.enabled = {{"Mine", 2}}; }),
            Messages{"profiles[1].plugins.queueSort: Invalid value: {\"Enabled\":[{\"Name\":\"Mine\",\"Weight\":2}],"
                     "\"Disabled\":null}: must be the same for all profiles"});
  EXPECT_EQ(
      problems_after([&](auto& c) {
        c.profiles[0].plugins->queue_sort.enabled = {{"Mine"}, {"Other"}};
        second_profile(c).plugin_config.push_back({"Mine", {}, api::RawJson{"{\"a\":1}"}});
      }),
      (Messages{"profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled",
                "profiles[1].pluginConfig.args: Invalid value: {\"a\":1}: queueSort must be the same for all "
                "profiles"}));
}

TEST(Validation, OfExtenders) {
  EXPECT_EQ(
      problems_after([](auto& c) {
        c.extenders.resize(2);
        c.extenders[0].prioritize_verb = "p";
        c.extenders[0].bind_verb = c.extenders[1].bind_verb = "b";
        c.extenders[1].managed_resources = {
            {"", false}, {"cpu", false}, {"example.com/x", false}, {"example.com/x", false}};
      }),
      (Messages{
          "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
          "extenders[1].managedResources[0].name: Invalid value: \"\": name part must be non-empty",
          "extenders[1].managedResources[0].name: Invalid value: \"\": name part " + kNameRule,
          "extenders[1].managedResources[1].name: Invalid value: \"cpu\": is an invalid extended resource name",
          "extenders[1].managedResources[3].name: Invalid value: \"example.com/x\": duplicate extender managed "
          "resource name",
          "extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender can implement bind",
      }));
}

TEST(ArgsValidation, DefaultPreemption) {
  EXPECT_EQ(problems_of_args(DefaultPreemptionArgs{101, -1}),
            (Messages{"minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
                      "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)"}));
  EXPECT_EQ(problems_of_args(DefaultPreemptionArgs{0, 0}),
            (Messages{"minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
                      "minCandidateNodesAbsolute",
                      "minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as "
                      "minCandidateNodesPercentage"}));
}

TEST(ArgsValidation, InterPodAffinity) {
  EXPECT_EQ(problems_of_args(InterPodAffinityArgs{.hard_pod_affinity_weight = 101}),
            Messages{"hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]"});
}

TEST(ArgsValidation, NodeResourcesBalancedAllocation) {
  EXPECT_EQ(
      problems_of_args(NodeResourcesBalancedAllocationArgs{{{"cpu", 1}, {"cpu", 2}}}),
      (Messages{"resources[1].name: Duplicate value: \"cpu\"", "resources[1].weight: Invalid value: 2: must be 1"}));
}

TEST(ArgsValidation, PodTopologySpread) {
  PodTopologySpreadArgs args;
  args.defaulting_type = "System";
  args.default_constraints.resize(3);
  args.default_constraints[0].topology_key = args.default_constraints[1].topology_key = Symbol("zone");
  args.default_constraints[0].when_unsatisfiable = Symbol("DoNotSchedule");
  args.default_constraints[0].max_skew = args.default_constraints[1].max_skew = 1;
  args.default_constraints[1].when_unsatisfiable = Symbol("DoNotSchedule");
  args.default_constraints[1].label_selector.emplace();
  args.default_constraints[2].when_unsatisfiable = Symbol("Never");
  EXPECT_EQ(problems_of_args(args),
            (Messages{"defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty",
                      "defaultConstraints[1].labelSelector: Forbidden: constraint must not define a selector, as they "
                      "deduced for each pod",
                      "defaultConstraints[1]: Duplicate value: \"{zone, DoNotSchedule}\"",
                      "defaultConstraints[2].maxSkew: Invalid value: 0: not in valid range (0, inf)",
                      "defaultConstraints[2].topologyKey: Required value: can not be empty",
                      "defaultConstraints[2].whenUnsatisfiable: Unsupported value: \"Never\": supported values: "
                      "\"DoNotSchedule\", \"ScheduleAnyway\""}));
  args.defaulting_type = "Mine";
  args.default_constraints.resize(1);
  args.default_constraints[0].topology_key = Symbol("-");
  args.default_constraints[0].when_unsatisfiable = Symbol();
  EXPECT_EQ(problems_of_args(args),
            (Messages{"defaultingType: Unsupported value: \"Mine\": supported values: \"System\", \"List\"",
                      "defaultConstraints[0].topologyKey: Invalid value: \"-\": name part " + kNameRule,
                      "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty"}));
}

TEST(ArgsValidation, NodeAffinity) {
  api::NodeSelectorTerm term;
  term.match_expressions = {{Symbol("-"), Symbol("In"), {}},
                            {Symbol("a"), Symbol("Exists"), {Symbol("x")}},
                            {Symbol("a"), Symbol("Gt"), {Symbol("x")}},
                            {Symbol("a"), Symbol("Like"), {}},
                            {Symbol("a"), Symbol("NotIn"), {Symbol("-")}}};
  term.match_fields = {{Symbol("metadata.name"), Symbol("Exists"), {}}, {Symbol("metadata.name"), Symbol("In"), {}}};
  NodeAffinityArgs args;
  args.added_affinity.emplace().required.emplace().node_selector_terms = {term};
  const std::string at = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
  EXPECT_EQ(
      problems_of_args(args),
      (Messages{
          at + "matchExpressions[0].key: Invalid value: \"-\": name part " + kNameRule,
          at + "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be "
               "empty",
          at + "matchExpressions[1].values: Invalid value: [\"x\"]: values set must be empty for exists and does not "
               "exist",
          at + "matchExpressions[2].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
               "integer",
          at + "matchExpressions[3].operator: Unsupported value: \"Like\": supported values: \"In\", \"NotIn\", "
               "\"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
          at + "matchExpressions[4].values[0][a]: Invalid value: \"-\": a valid label must be an empty string or "
               "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
               "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
               "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          at + "matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\"",
          at + "matchFields[1].values: Invalid value: null: must have one element",
      }));
  args.added_affinity->required.reset();
  args.added_affinity->preferred = {{0, term}};
  EXPECT_EQ(problems_of_args(args), Messages{}) << "a term without weight is not looked at";
}

TEST(ArgsValidation, VolumeBinding) {
  EXPECT_EQ(
      problems_of_args(VolumeBindingArgs{.bind_timeout_seconds = -1, .shape = {{{1, 2}}}}),
      (Messages{"bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
                "shape: Invalid value: [{\"Utilization\":1,\"Score\":2}]: unexpected field `shape`, remove it or "
                "turn on the feature gate StorageCapacityScoring"}));
  const FeatureGates gates = FeatureGates().with(Feature::kStorageCapacityScoring, true);
  VolumeBindingArgs args;
  args.shape = {{50, 1}, {50, 11}, {-1, 0}};
  EXPECT_EQ(problems_of_args(args, gates),
            (Messages{"shape[1].utilization: Invalid value: 50: values must be sorted in increasing order",
                      "shape[1].score: Invalid value: 11: not in valid range [0, 10]",
                      "shape[2].utilization: Invalid value: -1: not in valid range [0, 100]"}));
  args.shape->clear();
  EXPECT_EQ(problems_of_args(args, gates), Messages{"shape: Required value: at least one point must be specified"});
}

TEST(ArgsValidation, DynamicResources) {
  const DynamicResourcesArgs args{Duration::seconds(-1), Duration::milliseconds(999)};
  EXPECT_EQ(problems_of_args(args), (Messages{"filterTimeout: Invalid value: \"-1s\": must be zero or positive",
                                              "bindingTimeout: Invalid value: \"999ms\": must be at least 1 second"}));
  const FeatureGates gates =
      FeatureGates().with(Feature::kDRASchedulerFilterTimeout, false).with(Feature::kDRADeviceBindingConditions, false);
  EXPECT_EQ(problems_of_args(args, gates),
            (Messages{"filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled",
                      "bindingTimeout: Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature "
                      "gate is disabled"}));
}

}  // namespace
}  // namespace berth::config
