#include "berth/config/load.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/config/warnings.h"
#include "berth/config/write.h"

namespace berth::config {
namespace {

const std::string kHeader = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

using Messages = std::vector<std::string>;

// As a user sees them.
Messages messages_of(const std::string& text) {
  const auto loaded = load(text, "f.yaml");
  Messages messages;
  if (loaded) return messages;
  for (const Error& error : loaded.error()) messages.push_back(error.message());
  return messages;
}

// As kube-scheduler says it.
std::string decode_text(const std::string& body) {
  const auto loaded = load_config(kHeader + body);
  if (loaded) return "loaded";
  return loaded.error().stage == LoadStage::kDecode ? loaded.error().kube_scheduler_text : "another stage";
}

TEST(Load, AHeaderAloneIsTheDefaultConfiguration) {
  const auto loaded = load_config(kHeader);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(to_yaml(loaded->config), to_yaml(default_config().config));
  ASSERT_EQ(loaded->plugins.size(), 1u);
  EXPECT_EQ(loaded->plugins[0].at(ExtensionPoint::kBind)[0].name, "DefaultBinder");
}

TEST(Load, WhatIsWrittenLoadsAndIsWrittenTheSame) {
  const std::string body = R"(
parallelism: 4
leaderElection: {leaderElect: false}
extenders:
- urlPrefix: http://x
  filterVerb: f
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
profiles:
- schedulerName: a
  percentageOfNodesToScore: 7
  plugins:
    score: {disabled: [{name: ImageLocality}], enabled: [{name: NodeAffinity, weight: 9}]}
  pluginConfig:
  - name: NodeAffinity
    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}
  - name: Unused
    args: {x: 1}
- schedulerName: b
)";
  const auto first = load_config(kHeader + body);
  ASSERT_TRUE(first.has_value()) << first.error().errors("f")[0].message();
  const std::string written = to_yaml(first->config);
  const auto second = load_config(written);
  ASSERT_TRUE(second.has_value()) << second.error().errors("written")[0].message();
  EXPECT_EQ(to_yaml(second->config), written);
  EXPECT_EQ(second->plugins, first->plugins);

  EXPECT_NE(written.find("nodeSelectorTerms: []"), std::string::npos);
  EXPECT_NE(written.find("httpTimeout: 5s"), std::string::npos);
  EXPECT_NE(written.find("ignoredResources:\n      - example.com/gpu"), std::string::npos);
  EXPECT_EQ(written.find("Unused"), std::string::npos) << "arguments of plugins that do not run are dropped";
}

// As kube-scheduler's /configz has them.
TEST(Load, AllArgumentsAreThoseOfTheFileAndThenTheDefaults) {
  const auto loaded = load_config(kHeader + R"(
extenders:
- urlPrefix: http://x
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
profiles:
- schedulerName: a
  pluginConfig:
  - {name: VolumeBinding, args: {bindTimeoutSeconds: 7}}
  - {name: Unused, args: {x: 1, b: [1, 2]}}
  - {name: NoArguments}
- schedulerName: b
  plugins:
    multiPoint:
      disabled: [{name: '*'}]
      enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: NodeResourcesFit}]
  pluginConfig:
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 5}}
)");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().errors("f")[0].message();
  const SchedulerConfig all = loaded->with_all_arguments();
  const auto names = [](const Profile& profile) {
    Messages result;
    for (const PluginConfig& plugin : profile.plugin_config) result.push_back(plugin.name);
    return result;
  };
  EXPECT_EQ(
      names(all.profiles[0]),
      (Messages{"VolumeBinding", "Unused", "NoArguments", "DefaultPreemption", "DynamicResources", "InterPodAffinity",
                "NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit", "PodTopologySpread"}));
  EXPECT_EQ(names(all.profiles[1]), (Messages{"InterPodAffinity", "NodeResourcesFit"}));
  EXPECT_EQ(names(loaded->config.profiles[1]), (Messages{"NodeResourcesFit"}));
  const std::string json = to_json(all);
  EXPECT_NE(json.find(R"({"name":"Unused","args":{"b":[1,2],"x":1}},{"name":"NoArguments","args":null})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("ignoredResources":["example.com/gpu"])"), std::string::npos) << "what extenders imply";
}

TEST(Load, ObviousMistakesAreExplained) {
  EXPECT_EQ(messages_of("apiVersion: v1\nkind: Pod\n"),
            Messages{"f.yaml: no kind \"Pod\" is registered for version \"v1\" in scheme "
                     "\"pkg/scheduler/apis/config/scheme/scheme.go:29\" (a scheduler configuration begins with "
                     "\"apiVersion: kubescheduler.config.k8s.io/v1\" and \"kind: KubeSchedulerConfiguration\")"});
  EXPECT_EQ(messages_of("").size(), 1u);
  EXPECT_EQ(messages_of("apiVersion: kubescheduler.config.k8s.io/v1\n").front().substr(0, 33),
            "f.yaml: the field kind is missing");
  EXPECT_EQ(messages_of(kHeader + "paralelism: 3\n"),
            Messages{"f.yaml:3: unknown field \"paralelism\" (did you mean parallelism?)"});
  EXPECT_EQ(messages_of(kHeader + "profiles:\n- schedulerName: 12\n"),
            Messages{"f.yaml:4: profiles[0].schedulerName: expected a string, got 12 (quote the value)"});
  EXPECT_EQ(messages_of(kHeader + "profiles:\n- {}\n- schedulerName: ''\n").front(),
            "f.yaml:4: profiles[0].schedulerName: Required value");
  const Messages tabs = messages_of(kHeader + "profiles:\n\t- schedulerName: x\n");
  ASSERT_EQ(tabs.size(), 1u);
  EXPECT_EQ(tabs[0].substr(0, 9), "f.yaml:4:");
  EXPECT_NE(tabs[0].find("tab"), std::string::npos) << tabs[0];
}

TEST(Load, EveryProblemIsReportedWithItsPlace) {
  EXPECT_EQ(messages_of(kHeader + R"(foo: 1
parallelism: x
leaderElection: {leaseDuration: 15}
profiles:
- pluginConfig:
  - name: NodeAffinity
    zoo: 1
)"),
            (Messages{"f.yaml:3: unknown field \"foo\"",
                      "f.yaml:5: leaderElection.leaseDuration: expected a duration such as \"15s\", got 15",
                      "f.yaml:4: parallelism: expected an integer, got \"x\"",
                      "f.yaml:9: unknown field \"profiles[0].pluginConfig[0].zoo\""}));
  EXPECT_EQ(messages_of(kHeader + "parallelism: 0\npodMaxBackoffSeconds: 0\n"),
            (Messages{"f.yaml:3: parallelism: Invalid value: 0: should be an integer value greater than zero",
                      "f.yaml:4: podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to "
                      "PodInitialBackoffSeconds"}));
}

TEST(Load, DecodingErrorsAreThoseOfKubeScheduler) {
  const struct {
    const char* body;
    const char* text;
  } cases[] = {
      {"zoo: 1\nprofiles:\n- x: 1\n  pluginConfig:\n  - name: NodeAffinity\n    args: {q: 1, b: 2}\n",
       "strict decoding error: unknown field \"profiles[0].x\", unknown field \"zoo\", decoding "
       ".profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin NodeAffinity: strict decoding "
       "error: unknown field \"b\", unknown field \"q\""},
      {"parallelism: 1\nparallelism: 2\n",
       "strict decoding error: yaml: unmarshal errors:\n  line 4: key \"parallelism\" already set in map"},
      {"foo: 1\nparallelism: 1.5\n",
       "json: cannot unmarshal number 1.5 into Go struct field KubeSchedulerConfiguration.parallelism of type int32"},
      {"profiles:\n- plugins: []\n",
       "json: cannot unmarshal array into Go struct field KubeSchedulerProfile.profiles.plugins of type v1.Plugins"},
      {"enableProfiling: 3\n",
       "json: cannot unmarshal number into Go struct field "
       "KubeSchedulerConfiguration.DebuggingConfiguration.enableProfiling of type bool"},
      {"parallelism: x\nleaderElection: {leaseDuration: null}\n", "time: invalid duration \"\""},
      {"clientConnection: {qps: 1e300}\n",
       "json: cannot unmarshal number 1e+300 into Go struct field ClientConnectionConfiguration.clientConnection.qps "
       "of "
       "type float32"},
      {"extenders: [{tlsConfig: {certData: '%%'}}]\n", "illegal base64 data at input byte 0"},
      {"profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: InterPodAffinityArgs}}]}]\n",
       "decoding .profiles[0].pluginConfig[0]: args for plugin NodeAffinity were not of type "
       "NodeAffinityArgs.kubescheduler.config.k8s.io, got InterPodAffinityArgs.kubescheduler.config.k8s.io"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: 4}}]}]\n",
       "decoding .profiles[0].pluginConfig[0]: decoding args for plugin PodTopologySpread: json: cannot unmarshal "
       "number "
       "into Go struct field PodTopologySpreadArgs.defaultingType of type v1.PodTopologySpreadConstraintsDefaulting"},
  };
  for (const auto& test : cases) EXPECT_EQ(decode_text(test.body), test.text) << test.body;
}

TEST(Load, JsonIsReadAsJson) {
  const auto twice = load_config(
      R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",
          "parallelism":1,"parallelism":2})");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().kube_scheduler_text, "strict decoding error: duplicate field \"parallelism\"");
}

TEST(Load, RatesKeepTheDigitsOfASingle) {
  const auto loaded = load_config(kHeader + "clientConnection: {qps: 50.123456789}\n");
  ASSERT_TRUE(loaded.has_value());
  EXPECT_NE(to_yaml(loaded->config).find("qps: 50.123455\n"), std::string::npos);
}

TEST(Load, ProfilesThatCannotBeBuiltAreRefused) {
  const auto messages = [](const std::string& body) {
    const auto loaded = load_config(kHeader + body);
    Messages texts;
    if (loaded || loaded.error().stage != LoadStage::kProfiles) return texts;
    for (const Problem& problem : loaded.error().problems) texts.push_back(problem.error.message());
    return texts;
  };
  EXPECT_EQ(messages(R"(profiles:
- schedulerName: a
  pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Most}}}]
- schedulerName: b
  plugins: {multiPoint: {enabled: [{name: Nope}]}}
)"),
            (Messages{"initializing profiles: creating profile for scheduler name a: initializing plugin "
                      "\"NodeResourcesFit\": scoringStrategy.type: Unsupported value: \"Most\": supported values: "
                      "\"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
                      "initializing profiles: creating profile for scheduler name b: PreFilterPlugin \"Nope\" does not "
                      "exist"}));
  EXPECT_EQ(messages("extenders: [{urlPrefix: x, tlsConfig: {insecure: true, caData: YQ==}}]\n"),
            Messages{"couldn't build extenders: specifying a root certificates file with the insecure flag is not "
                     "allowed"});
  EXPECT_EQ(messages("extenders: [{urlPrefix: x, tlsConfig: {caData: YQ==}}]\n"),
            Messages{"couldn't build extenders: unable to load root certificates: unable to parse bytes as PEM block"});
  EXPECT_EQ(messages("extenders: [{urlPrefix: x, tlsConfig: {certData: YQ==, keyData: YQ==}}]\n"),
            Messages{"couldn't build extenders: tls: failed to find any PEM data in certificate input"});
  EXPECT_EQ(messages(R"(
extenders: [{managedResources: [{name: example.com/x, ignoredByScheduler: true}]}]
profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]
)"),
            Messages{"couldn't build extenders: can't find NodeResourcesFitArgs in plugin config"});
}

TEST(Load, ArgumentsOfNodeResourcesFitAreCheckedInFull) {
  const auto loaded = load_config(kHeader + R"(profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: ["-"]
      ignoredResourceGroups: ["a/b"]
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 101}]
        requestedToCapacityRatio: {shape: []}
)");
  ASSERT_FALSE(loaded.has_value());
  const std::string message = loaded.error().problems[0].error.message();
  for (const char* part :
       {"ignoredResources[0]: Invalid value: \"-\": name part must consist",
        "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'",
        "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]",
        "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nin " << message;
  }
}

TEST(Load, WarnsOfArgumentsThatNobodyReads) {
  const auto loaded = load_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{pluginConfig: [{name: NodeResourceFit, args: {a: 1}}, {name: NodeAffinity, args: {}}]}]");
  ASSERT_TRUE(loaded.has_value());
  const std::vector<Error> warnings = warnings_about(*loaded);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].message(),
            "profiles[0].pluginConfig[0]: there is no plugin \"NodeResourceFit\", so these arguments are ignored (did "
            "you mean NodeResourcesFit?)");
}

TEST(Load, SaysWhatAnUnknownPluginWasProbablyMeantToBe) {
  const auto loaded = load_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{plugins: {multiPoint: {enabled: [{name: ImageLocalty}]}}}]");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().problems.front().error.fix(), "did you mean ImageLocality?");
}

}  // namespace
}  // namespace berth::config
