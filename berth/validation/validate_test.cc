#include "berth/validation/validate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/codec/yaml.h"
#include "berth/validation/amounts.h"
#include "berth/validation/dump_notes.h"

namespace berth::validation {
namespace {

using Texts = std::vector<std::string>;

api::AnyObject object_of(const std::string& yaml) {
  auto object = codec::object_from_yaml(yaml);
  EXPECT_TRUE(object) << (object ? "" : object.error().message());
  return object ? *object : api::AnyObject();
}

Texts findings(const std::string& yaml) {
  Texts texts;
  for (const Error& error : validate(object_of(yaml))) texts.push_back(error.message());
  return texts;
}

std::string pod_with(const std::string& spec) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {" + spec + "}\n";
}
std::string container(const std::string& more) {
  return "containers: [{name: a, image: x, " + more + "}]";
}

TEST(Validate, FindsNothingInAGoodPod) {
  EXPECT_EQ(findings(pod_with(container("resources: {requests: {cpu: 1n, memory: 0.5}, limits: {nvidia.com/gpu: 1}}"))),
            Texts{});
  EXPECT_EQ(findings(pod_with("containers: [{name: a}], nodeSelector: {disk: ssd}, tolerations: [{operator: Exists}], "
                              "restartPolicy: Never, topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                              "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]")),
            Texts{});
}

TEST(Validate, SaysWhatTheApiServerSaysAboutAPod) {
  struct Case {
    std::string spec;
    Texts expected;
  };
  const Case cases[] = {
      {"nodeName: a", {"spec.containers: Required value"}},
      {container("resources: {requests: {cpuu: 1}}"),
       {R"(spec.containers[0].resources.requests: Invalid value: "cpuu": must be a standard resource type or )"
        R"(fully qualified (did you mean cpu?))"}},
      {container("resources: {requests: {pods: 1}}"),
       {R"(spec.containers[0].resources.requests: Invalid value: "pods": must be a standard resource for containers)"}},
      {container("resources: {requests: {cpu: -1}}"),
       {R"(spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0)"}},
      {container("resources: {requests: {memory: 1e30}}"),
       {R"(spec.containers[0].resources.requests[memory]: Invalid value: "1e+30": is more than 1Pi, which is as much )"
        R"(as can be counted)"}},
      {container("resources: {requests: {cpu: 2}, limits: {cpu: 1}}"),
       {R"(spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1)"}},
      {container("resources: {limits: {nvidia.com/gpu: 500m}}"),
       {R"(spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer)"}},
      {container("resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}"),
       {R"(spec.containers[0].resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2)"}},
      {container("resources: {requests: {nvidia.com/gpu: 1}}"),
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources (give "
        "nvidia.com/gpu in limits; requests follow)"}},
      {"containers: [{name: a}, {name: a}]", {R"(spec.containers[1].name: Duplicate value: "a")"}},
      {"containers: [{name: a}], tolerations: [{key: a, operator: exists, effect: noschedule}]",
       {R"(spec.tolerations[0].operator: Unsupported value: "exists": supported values: "Equal", "Exists", "Gt", )"
        R"("Lt" (did you mean Exists?))",
        R"(spec.tolerations[0].effect: Unsupported value: "noschedule": supported values: "NoSchedule", )"
        R"("PreferNoSchedule", "NoExecute" (did you mean NoSchedule?))"}},
      {"containers: [{name: a}], restartPolicy: always",
       {R"(spec.restartPolicy: Unsupported value: "always": supported values: "Always", "OnFailure", "Never" (did you )"
        R"(mean Always?))"}},
      {"containers: [{name: a}], topologySpreadConstraints: [{maxSkew: 0, whenUnsatisfiable: Never}]",
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than 0",
        "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
        R"(spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: )"
        R"("DoNotSchedule", "ScheduleAnyway")"}},
      {"containers: [{name: a}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: in, values: [b]}]}]}}}",
       {"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
        R"(matchExpressions[0].operator: Invalid value: "in": not a valid selector operator (did you mean In?))"}},
      {"containers: [{name: a}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
       "[{labelSelector: {matchExpressions: [{key: a, operator: In}]}}]}}",
       {"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector."
        "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: "
        "can not be empty"}},
      {container("ports: [{containerPort: 80, protocol: tcp, hostPort: 70000}]"),
       {"spec.containers[0].ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        R"(spec.containers[0].ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP" )"
        R"((did you mean TCP?))"}},
  };
  for (const Case& each : cases) EXPECT_EQ(findings(pod_with(each.spec)), each.expected) << each.spec;
}

TEST(Validate, ChecksNamesAndLabels) {
  const Texts texts = findings(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: My_Pod, labels: {\"a b\": x, c: \"-\"}}\nspec: {containers: [{name: "
      "a}]}\n");
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_TRUE(texts[0].starts_with("metadata.name: Invalid value: \"My_Pod\": a lowercase RFC 1123 subdomain"));
  EXPECT_TRUE(texts[1].starts_with("metadata.labels: Invalid value: \"a b\": name part must consist of"));
  EXPECT_TRUE(texts[2].starts_with("metadata.labels: Invalid value: \"-\": a valid label must be"));
}

TEST(Validate, ChecksThatASelectorMatchesItsTemplate) {
  const auto deployment = [](const std::string& spec) {
    return findings("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {" + spec + "}\n");
  };
  const std::string pod_template = "template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a}]}}";
  EXPECT_EQ(deployment("selector: {matchLabels: {app: a}}, " + pod_template), Texts{});
  EXPECT_EQ(deployment("selector: {matchLabels: {app: b}}, " + pod_template),
            (Texts{"spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template "
                   "`labels`"}));
  EXPECT_EQ(deployment(pod_template),
            (Texts{"spec.selector: Required value (apps/v1 has no default: repeat the template's labels)"}));
  EXPECT_EQ(deployment("selector: {}, " + pod_template),
            (Texts{"spec.selector: Invalid value: {}: empty selector is invalid for deployment"}));
  EXPECT_EQ(deployment("replicas: -1, selector: {matchLabels: {app: a}}, strategy: {rollingUpdate: {maxSurge: 0, "
                       "maxUnavailable: 0}}, " +
                       pod_template),
            (Texts{"spec.replicas: Invalid value: -1: must be greater than or equal to 0",
                   "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"}));
}

TEST(Validate, KnowsThatAJobDoesNotRestartItsPodsForever) {
  EXPECT_EQ(
      findings("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: "
               "a}]}}}\n"),
      (Texts{"spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""}));
}

TEST(Validate, ChecksBudgetsClaimsAndNodes) {
  EXPECT_EQ(
      findings("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: \"50\", "
               "maxUnavailable: 1}\n"),
      (Texts{"spec: Invalid value: minAvailable and maxUnavailable cannot be both set",
             "spec.minAvailable: Invalid value: \"50\": a valid percent string must be a numeric string followed by "
             "an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%') (a number is written "
             "without quotes)"}));
  EXPECT_EQ(findings("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {resources: {requests: "
                     "{storage: 0}}}\n"),
            (Texts{"spec.accessModes: Required value: at least 1 access mode is required",
                   "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"}));
  EXPECT_EQ(findings("apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {taints: [{key: a, effect: noexecute}]}\n"
                     "status: {allocatable: {cpu: -1}}\n"),
            (Texts{"spec.taints[0].effect: Unsupported value: \"noexecute\": supported values: \"NoSchedule\", "
                   "\"PreferNoSchedule\", \"NoExecute\" (did you mean NoExecute?)",
                   "status.allocatable[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}));
}

TEST(Amounts, OfADumpAreBroughtWithinWhatCanBeCounted) {
  std::vector<api::AnyObject> objects = {
      object_of(
          "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: -1, memory: 8E, pods: 10}}"),
      object_of(pod_with(container("resources: {requests: {cpu: 1e30, memory: 1Gi}}"))),
      object_of(pod_with(container("resources: {requests: {cpu: 1n, memory: 0.5}}")))};
  EXPECT_EQ(limit_amounts(objects),
            (Texts{"Node n1: allocatable cpu -1 is negative and is counted as 0, and allocatable memory 8E is absurdly "
                   "large and is counted as 1Pi.",
                   "Pod a: requested cpu 1e+30 is absurdly large and is counted as 1125899906842624m."}));
  EXPECT_EQ(objects[0].as<api::Node>()->status.allocatable.find(Symbol("cpu"))->value(), 0);
  EXPECT_EQ(objects[1].as<api::Pod>()->spec->containers[0].resources.requests.find(Symbol("cpu"))->milli_value(),
            std::int64_t{1} << 50);
}

TEST(DumpNotes, NameObjectsThatMeanSomethingElse) {
  std::vector<api::AnyObject> objects = {
      object_of("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {taints: [{key: a, effect: noschedule}]}"),
      object_of(pod_with("containers: [{image: x}], tolerations: [{key: a, operator: exist}, {key: b, effect: none}]")),
      object_of(pod_with("containers: [{image: x, resources: {requests: {nvidia.com/gpu: 1}}}]"))};
  EXPECT_EQ(
      tidy_dump(objects),
      (Texts{"An API server would refuse Node n1: spec.taints[0].effect: Unsupported value: \"noschedule\": supported "
             "values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\" (did you mean NoSchedule?).",
             "An API server would refuse Pod a: spec.tolerations[0].operator: Unsupported value: \"exist\": supported "
             "values: \"Equal\", \"Exists\", \"Gt\", \"Lt\" (did you mean Exists?), and 1 more."}));
}

}  // namespace
}  // namespace berth::validation
