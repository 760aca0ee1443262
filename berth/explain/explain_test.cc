#include "berth/explain/explain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/explain/render.h"

namespace berth::explain {
namespace {

std::string node(std::string_view name, std::string_view cpu = "4", std::string_view labels = "",
                 std::string_view spec = "", std::string_view more = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}{1}{2}}}}}\n"
      "spec: {{{3}}}\nstatus: {{allocatable: {{cpu: \"{4}\", memory: 8Gi, pods: \"10\"{5}}}}}\n",
      name, labels.empty() ? "" : ", ", labels, spec, cpu, more);
}

// In namespace d; `spec` are further fields in flow style.
std::string pod(std::string_view name, std::string_view on, std::string_view cpu, std::string_view spec = "",
                std::string_view labels = "", std::string_view more_of_container = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: d, labels: {{{}}}}}\n"
      "spec: {{nodeName: \"{}\", {}{}containers: [{{name: c, resources: {{requests: {{cpu: \"{}\"}}}}{}{}}}]}}\n"
      "status: {{phase: {}}}\n",
      name, labels, on, spec, spec.empty() ? "" : ", ", cpu, more_of_container.empty() ? "" : ", ", more_of_container,
      on.empty() ? "Pending" : "Running");
}

class Explain : public ::testing::Test {
 protected:
  Cluster& read(std::string_view text) {
    codec::DecodeOptions options;
    options.pool = &pool_;
    codec::Documents documents;
    codec::read_documents(text, "test.yaml", options, documents);
    EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message();
    objects_ = documents.objects;
    cluster_ = std::make_unique<Cluster>(objects_);
    return *cluster_;
  }
  Explanation about(std::string_view name, std::string_view text) {
    Cluster& cluster = read(text);
    const auto found = cluster.find_pod(name);
    EXPECT_TRUE(found.has_value());
    const auto result = explain(cluster, *found, config::default_config());
    EXPECT_TRUE(result.has_value()) << result.error().message();
    return *result;
  }
  static std::vector<std::string> helps(const Explanation& explanation) {
    std::vector<std::string> sentences;
    for (const Help& help : explanation.help) sentences.push_back(help.sentence);
    return sentences;
  }

  InternPool pool_;
  std::vector<api::AnyObject> objects_;
  std::unique_ptr<Cluster> cluster_;
};

using Sentences = std::vector<std::string>;

TEST_F(Explain, SaysWhereAPodGoesAndByHowMuch) {
  const Explanation e = about("d/x", node("n-1") + node("n-2") + pod("other", "n-1", "2") + pod("x", "", "1"));
  EXPECT_EQ(e.answer, Symbol(answer::kFits));
  EXPECT_EQ(e.node, "n-2");
  EXPECT_TRUE(e.sentence.starts_with("d/x fits on 2 of 2 nodes and would go to n-2, ")) << e.sentence;
  EXPECT_TRUE(e.sentence.ends_with("ahead of n-1 (mostly by NodeResourcesFit).")) << e.sentence;
  ASSERT_EQ(e.scores.size(), 2u);
  EXPECT_EQ(e.scores[0].node, "n-2");
  EXPECT_GT(e.scores[0].total, e.scores[1].total);
}

TEST_F(Explain, SaysThatNodesAreEquallyGood) {
  const Explanation e = about("d/x", node("n-1") + node("n-2") + pod("x", "", "1"));
  EXPECT_EQ(e.sentence, "d/x fits on 2 of 2 nodes and would go to n-1, or to n-2 just as well.");
}

TEST_F(Explain, TheNearestMissIsNamedWithWhatItLacks) {
  const Explanation e = about("d/x", node("n-1") + node("n-2") + node("n-3") + pod("a", "n-1", "3500m") +
                                         pod("b", "n-2", "2300m") + pod("c", "n-3", "3") + pod("x", "", "2"));
  EXPECT_EQ(e.answer, Symbol(answer::kUnschedulable));
  EXPECT_EQ(e.sentence, "d/x fits on none of the 3 nodes: all 3 are short of cpu (nearest: n-2, lacks 300m cpu).");
  ASSERT_EQ(e.groups.size(), 1u);
  EXPECT_EQ(e.groups[0].sentence, "3 nodes are short of cpu (nearest: n-2, lacks 300m cpu)");
  EXPECT_EQ(e.groups[0].reason, "Insufficient cpu");
  EXPECT_EQ(e.groups[0].nodes, (Sentences{"n-1", "n-2", "n-3"}));
  EXPECT_EQ(e.message,
            "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are "
            "available: 3 No preemption victims found for incoming pod.");
  EXPECT_EQ(helps(e), (Sentences{"ask for 1.7 cpu instead of 2 (300m less): it fits on n-2",
                                 "add a node like n-1: it fits there"}));
  ASSERT_EQ(e.wake_ups.size(), 1u);
  EXPECT_EQ(
      e.wake_ups[0].sentence,
      "a pod on some node ends (nearest: n-2, lacks 300m cpu), it asks for less or a pod on some node asks for less "
      "cpu, a node with at least 2 cpu is added, or the allocatable resources of a node grow to at least 2 cpu");
}

TEST_F(Explain, ARequestLargerThanAnyNodeIsSaidSo) {
  const Explanation e = about("d/x", node("n-1") + node("n-2") + node("n-3", "32") + pod("x", "", "64"));
  EXPECT_EQ(e.sentence,
            "d/x fits on no node: it asks for 64 cpu and the largest of the 3 nodes, n-3, has 32 in total.");
  EXPECT_EQ(helps(e), (Sentences{"ask for 32 cpu instead of 64 (32 less): it fits on n-3",
                                 "add a node with at least 64 cpu free: it fits there"}));
}

TEST_F(Explain, AResourceThatNoNodeHasIsSaidSo) {
  const Explanation e = about("d/x", node("n-1") + pod("x", "", "1\", example.com/gpu: \"2"));
  EXPECT_EQ(e.sentence, "d/x fits on no node: it asks for 2 example.com/gpu and no node has any.");
  EXPECT_EQ(helps(e), (Sentences{"add a node with at least 1 cpu and 2 example.com/gpu free: it fits there"}));
}

TEST_F(Explain, ATaintedPoolNeedsAToleration) {
  const std::string tainted = "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]";
  const Explanation e = about("d/x", node("n-1", "4", "", tainted) + node("n-2", "4", "", tainted) + pod("x", "", "1"));
  EXPECT_EQ(e.sentence,
            "d/x fits on none of the 2 nodes: both have the taint dedicated=gpu:NoSchedule, which it does not "
            "tolerate.");
  EXPECT_EQ(helps(e), (Sentences{"add the toleration {key: dedicated, operator: Equal, value: \"gpu\", effect: "
                                 "NoSchedule}: it fits on n-1"}));
}

TEST_F(Explain, NodesThatAreNotReadyAreNotToBeTolerated) {
  const std::string not_ready = "taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]";
  const Explanation e = about("d/x", node("n-1", "4", "", not_ready) + pod("x", "", "1"));
  EXPECT_EQ(e.sentence, "d/x does not fit on the only node, n-1: it is not ready.");
  EXPECT_EQ(helps(e), (Sentences{"add a node like n-1: it fits there"}));
}

TEST_F(Explain, ACordonedNodeCanBeUncordoned) {
  const Explanation e = about("d/x", node("n-1", "4", "", "unschedulable: true") + pod("x", "", "1"));
  EXPECT_EQ(e.sentence, "d/x does not fit on the only node, n-1: it is cordoned.");
  EXPECT_EQ(e.help.at(0).sentence, "uncordon n-1: it fits there");
  EXPECT_EQ(e.help.at(0).command, "kubectl uncordon n-1");
}

TEST_F(Explain, AMisspeltSelectorIsCorrected) {
  const Explanation e =
      about("d/x", node("n-1", "4", "disktype: ssd") + node("n-2", "4", "disktype: ssd") +
                       node("n-3", "4", "disktype: spinning") + pod("x", "", "1", "nodeSelector: {disktype: sdd}"));
  EXPECT_EQ(e.sentence,
            "d/x fits on no node: none of the 3 nodes has disktype=sdd; 2 have disktype=ssd and 1 has "
            "disktype=spinning.");
  EXPECT_EQ(helps(e), (Sentences{"select disktype=ssd instead of disktype=sdd: it fits on n-1",
                                 "do not demand disktype=sdd of its node: it fits on n-1"}));
}

TEST_F(Explain, ANodeCanBeGivenTheLabelThatIsAskedFor) {
  const std::string affinity =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: tier, operator: In, values: [gold]}]}]}}}";
  const Explanation e = about("d/x", node("n-1") + node("n-2", "1", "tier: gold") + pod("x", "", "2", affinity));
  EXPECT_EQ(e.sentence,
            "d/x fits on none of the 2 nodes: 1 does not have tier=gold, 1 does not have 2 cpu in total (n-2 has 1).");
  EXPECT_EQ(helps(e), (Sentences{"ask for 1 cpu instead of 2 (1 less): it fits on n-2",
                                 "give n-1 the label tier=gold: it fits there",
                                 "do not demand tier=gold of its node: it fits on n-1"}));
}

TEST_F(Explain, WhoHoldsAHostPortIsNamed) {
  const std::string port = "ports: [{containerPort: 80, hostPort: 8080}]";
  const Explanation e =
      about("d/x", node("n-1") + pod("holder", "n-1", "1", "", "", port) + pod("x", "", "1", "", "", port));
  EXPECT_EQ(e.sentence, "d/x does not fit on the only node, n-1: it has host port 8080 taken (by d/holder on n-1).");
  EXPECT_EQ(helps(e), (Sentences{"ask for another host port than 8080, or for none: it fits on n-1",
                                 "free host port 8080 on n-1, which d/holder holds: it fits there",
                                 "add a node like n-1: it fits there"}));
}

TEST_F(Explain, SpreadShowsHowManyPodsEachDomainHas) {
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
      "{matchLabels: {app: x}}}]";
  const Explanation e =
      about("d/x", node("n-1", "4", "zone: a") + node("n-2", "1", "zone: b") + pod("other", "n-1", "1", "", "app: x") +
                       pod("big", "n-2", "1") + pod("x", "", "500m", spread, "app: x"));
  EXPECT_EQ(e.sentence,
            "d/x fits on none of the 2 nodes: 1 would break its spread over zone (maxSkew is 1, and a has 1 and b has "
            "0), 1 is short of cpu (n-2 lacks 500m cpu).");
  ASSERT_FALSE(e.help.empty());
  EXPECT_EQ(e.help[0].sentence, "allow maxSkew 2 instead of 1 over zone: it fits on n-1");
}

TEST_F(Explain, PodsThatAnAntiAffinityAvoidsAreNamed) {
  const std::string anti =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}";
  const Explanation e = about("d/x", node("n-1") + node("n-2") + pod("db-0", "n-1", "1", "", "app: db") +
                                         pod("db-1", "n-2", "1", "", "app: db") + pod("x", "", "1", anti, "app: db"));
  EXPECT_EQ(e.sentence,
            "d/x fits on none of the 2 nodes: both are near pods that its anti-affinity avoids (d/db-0 on n-1 and "
            "d/db-1 on n-2).");
  EXPECT_EQ(helps(e), (Sentences{"move d/db-0 away from n-1: it fits there", "add a node like n-1: it fits there"}));
}

TEST_F(Explain, AnAffinityThatNobodyMeetsSaysWhatItLooksFor) {
  const std::string affinity =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: cache}}}]}}";
  const Explanation e = about("d/x", node("n-1") + pod("x", "", "1", affinity));
  EXPECT_EQ(e.sentence,
            "d/x does not fit on the only node, n-1: it is not near the pods that its affinity asks for (none with "
            "app=cache within kubernetes.io/hostname).");
}

TEST_F(Explain, PreemptionNamesItsVictims) {
  const Explanation e = about("d/x", node("n-1") + node("n-2") + pod("low", "n-2", "3", "priority: 1") +
                                         pod("high", "n-1", "3", "priority: 100") + pod("x", "", "2", "priority: 10"));
  EXPECT_EQ(e.answer, Symbol(answer::kPreempts));
  EXPECT_EQ(e.node, "n-2");
  EXPECT_EQ(e.sentence,
            "d/x would go to n-2 after preemption has evicted d/low there; as things are, it fits on none of the 2 "
            "nodes: both are short of cpu (nearest: n-1, lacks 1 cpu).");
  ASSERT_TRUE(e.preemption.has_value());
  EXPECT_EQ(e.preemption->sentence, "Preemption would make room on n-2: it evicts d/low (priority 1).");
}

TEST_F(Explain, PreemptionSaysThatItBreaksABudget) {
  const std::string budget =
      "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: d}\n"
      "spec: {selector: {matchLabels: {app: low}}}\nstatus: {disruptionsAllowed: 0}\n";
  const Explanation e = about("d/x", node("n-1") + budget + pod("low", "n-1", "3", "priority: 1", "app: low") +
                                         pod("x", "", "2", "priority: 9"));
  EXPECT_EQ(e.preemption->sentence,
            "Preemption would make room on n-1: it evicts d/low (priority 1), against a disruption budget.");
  EXPECT_EQ(e.preemption->budget_violations, 1);
}

TEST_F(Explain, PreemptionSaysWhyItDoesNotHelp) {
  const std::string full = node("n-1") + pod("a", "n-1", "3", "priority: 5");
  EXPECT_EQ(
      about("d/x", full + pod("x", "", "2", "priority: 5")).preemption->sentence,
      "Preemption cannot help: its priority is 5, and no pod on the one node where eviction could help has a lower "
      "one.");
  EXPECT_EQ(about("d/x", full + pod("x", "", "2", "priority: 9, preemptionPolicy: Never")).preemption->sentence,
            "Preemption is out of the question: its preemptionPolicy is Never.");
}

TEST_F(Explain, APriorityClassThatWouldLetItPreemptIsOffered) {
  const std::string classes =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n"
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 5\n";
  const Explanation e =
      about("d/x", classes + node("n-1") + pod("a", "n-1", "3", "priority: 5") + pod("x", "", "2", "priority: 0"));
  ASSERT_FALSE(e.help.empty());
  EXPECT_EQ(e.help.back().sentence, "give it the priority class high (100): preemption would evict d/a on n-1");
}

TEST_F(Explain, RoomThatIsPromisedToAnotherIsNotFree) {
  std::string nominated = pod("first", "", "3", "priority: 10");
  nominated.insert(nominated.find("phase: Pending"), "nominatedNodeName: n-1, ");
  const Explanation e = about("d/x", node("n-1") + nominated + pod("x", "", "2"));
  EXPECT_EQ(e.sentence,
            "d/x does not fit on the only node, n-1: it is kept free (for d/first, which preempted others there).");
}

TEST_F(Explain, PodsOfDaemonSetsTakeTheirShareOfANewNode) {
  std::string agent = pod("agent", "n-1", "1");
  agent.insert(agent.find("name: agent"),
               "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, "
               "controller: true}], ");
  const std::string busy = node("n-1") + agent + pod("a", "n-1", "2");
  EXPECT_EQ(helps(about("d/x", busy + pod("x", "", "3"))).back(), "add a node like n-1: it fits there");
  for (const std::string& help : helps(about("d/x", busy + pod("x", "", "3500m")))) {
    EXPECT_EQ(help.find("add a node like"), std::string::npos) << help;
  }
}

TEST_F(Explain, NodesAreCountedForAllPodsThatWaitAlike) {
  const Explanation e = about("d/x", node("n-1", "4", "pool: blue") + pod("a", "n-1", "4") + pod("w", "", "3") +
                                         pod("x", "", "3") + pod("other", "", "3"));
  EXPECT_EQ(helps(e).back(),
            "add 3 nodes like n-1 to pool blue: it fits there, and so do the 2 other pods like it that wait");
}

TEST_F(Explain, ClaimsThatAreMissingOrUnboundAreNamed) {
  const std::string volumes = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";
  const Explanation missing = about("d/x", node("n-1") + pod("x", "", "1", volumes));
  EXPECT_EQ(missing.sentence, "d/x waits for the PersistentVolumeClaim data, which does not exist in namespace d.");
  EXPECT_EQ(helps(missing),
            (Sentences{"create the PersistentVolumeClaim data: with a volume that n-1 can reach, it fits there"}));
  const std::string claim =
      "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: d}\n"
      "spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: example.com/p\n"
      "volumeBindingMode: Immediate\n";
  EXPECT_EQ(about("d/x", node("n-1") + claim + pod("x", "", "1", volumes)).sentence,
            "d/x waits for its PersistentVolumeClaim data to be bound to a volume, which does not depend on the "
            "scheduler: example.com/p has not provisioned 1Gi of class fast, ReadWriteOnce yet.");
}

TEST_F(Explain, GatesComeFirstAndWhatComesAfterThemIsTold) {
  const Explanation e = about("d/x", node("n-1") + pod("x", "", "1", "schedulingGates: [{name: quota}]"));
  EXPECT_EQ(e.answer, Symbol(answer::kGated));
  EXPECT_EQ(
      e.sentence,
      "d/x waits behind the scheduling gate quota: the scheduler does not try it before whoever put it there takes "
      "it away; then it fits, on n-1.");
  ASSERT_EQ(e.wake_ups.size(), 1u);
  EXPECT_EQ(e.wake_ups[0].sentence, "its scheduling gates are removed");
}

TEST_F(Explain, PodsThatAreNotPendingGetAShortAnswer) {
  const std::string two = node("n-1") + node("n-2") + pod("b", "n-1", "3");
  EXPECT_EQ(about("d/x", two + pod("x", "n-1", "1")).sentence,
            "d/x is on n-1 already (Running); scheduled again now, it would go to n-2.");
  EXPECT_EQ(about("d/x", two + pod("x", "n-2", "1")).sentence,
            "d/x is on n-2 already (Running); scheduled again now, it would go there again.");
  std::string ended = pod("x", "n-1", "1");
  ended.replace(ended.find("Running"), 7, "Succeeded");
  EXPECT_EQ(about("d/x", two + ended).sentence, "d/x has ended (Succeeded) and is not scheduled any more.");
}

TEST_F(Explain, ASchedulerThatIsNotConfiguredIsNamed) {
  const Explanation e = about("d/x", node("n-1") + pod("x", "", "1", "schedulerName: other"));
  EXPECT_EQ(e.answer, Symbol(answer::kNoScheduler));
  EXPECT_EQ(
      e.sentence,
      "d/x asks for the scheduler other, and the configuration has only default-scheduler: unless another program "
      "of that name runs in the cluster, nobody will ever look at the pod.");
}

TEST_F(Explain, WithoutNodesThatIsTheReason) {
  const Explanation e = about("d/x", pod("x", "", "1"));
  EXPECT_EQ(e.sentence, "d/x has nowhere to go: there are no nodes.");
  EXPECT_EQ(helps(e), (Sentences{"add a node with at least 1 cpu free: it fits there"}));
}

TEST_F(Explain, TryingThingsOutLeavesTheClusterAsItWas) {
  const std::string text = node("n-1", "4", "disk: ssd") + node("n-2", "4", "", "unschedulable: true") +
                           pod("a", "n-1", "3") + pod("x", "", "2", "nodeSelector: {disk: sdd}") +
                           pod("other", "", "2", "priority: -5");
  const std::string alone = codec::to_json(about("d/other", text));
  Cluster& cluster = read(text);
  ASSERT_TRUE(explain(cluster, *cluster.find_pod("d/x"), config::default_config()).has_value());
  EXPECT_EQ(codec::to_json(*explain(cluster, *cluster.find_pod("d/other"), config::default_config())), alone);
}

TEST_F(Explain, FindsPodsByWhatTheUserProbablyMeant) {
  const Cluster& cluster = read(pod("web-1", "n-1", "1") + pod("web-2", "", "1") + pod("api", "", "1"));
  EXPECT_EQ((*cluster.find_pod("api"))->metadata.name, "api");
  EXPECT_EQ(cluster.find_pod("d/apo").error().message(),
            "there is no pod d/apo among the 3 that were read (did you mean d/api?)");
  EXPECT_EQ(cluster.find_pod("d/web").error().message(),
            "there is no pod d/web among the 3 that were read (did you mean d/web-2?)");
  EXPECT_EQ(cluster.find_pod("other/api").error().message(),
            "there is no pod other/api among the 3 that were read (did you mean d/api?)");
}

TEST_F(Explain, TheFirstLineIsTheSentence) {
  const Explanation e = about("d/x", node("n-1") + pod("a", "n-1", "3") + pod("x", "", "2"));
  const std::string text = render(e);
  EXPECT_EQ(text.substr(0, text.find('\n')), e.sentence);
  EXPECT_NE(text.find("\nWhat keeps it off the nodes\n  1 node is short of cpu (n-1 lacks 1 cpu)\n      n-1\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace berth::explain
