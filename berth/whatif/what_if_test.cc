#include "berth/whatif/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/codec/json.h"
#include "berth/whatif/testing.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

Difference ask(const std::string& dump, const Changes& changes) {
  const auto difference = what_if(objects_in(dump), changes);
  if (!difference) {
    ADD_FAILURE() << difference.error().message();
    return {};
  }
  return *difference;
}

Changes drain(std::vector<std::string> nodes) {
  Changes changes;
  changes.drain = std::move(nodes);
  return changes;
}
Changes remove(std::vector<std::string> nodes) {
  Changes changes;
  changes.remove = std::move(nodes);
  return changes;
}
Changes add_nodes(const std::string& text) {
  Changes changes;
  changes.add_nodes.push_back(*parse_nodes_to_add(text));
  return changes;
}
Changes scale(const std::string& text) {
  Changes changes;
  changes.scale.push_back(*parse_scaling(text));
  return changes;
}

const std::string kTwoNodes = node("n-1", "4") + node("n-2", "4");

// A ReplicaSet with its pods, as kubectl prints both.
std::string replica_set(const std::string& name, int replicas, const std::string& more = "") {
  return "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: " + name +
         ", namespace: default}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: " + name + "}}\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec:\n" + (more.empty() ? "" : "      " + more + "\n") +
         "      containers: [{name: main, resources: {requests: {cpu: \"1\"}}}]\n";
}
std::string pod_of(const std::string& set, const std::string& name, const std::string& where) {
  return pod(name, {.node = where, .owner = "ReplicaSet " + set, .labels = "app: " + set});
}
std::string budget(const std::string& app, const std::string& rule) {
  return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + app +
         ", namespace: default}\nspec: {" + rule + ", selector: {matchLabels: {app: " + app + "}}}\n";
}

TEST(WhatIf, ADrainedNodesPodsMove) {
  const Difference difference =
      ask(kTwoNodes + replica_set("web", 2) + pod_of("web", "web-a", "n-1") + pod_of("web", "web-b", "n-2"),
          drain({"n-1"}));
  EXPECT_EQ(difference.changes, std::vector<std::string>{"drain n-1"});
  ASSERT_EQ(difference.moved.size(), 1u);
  EXPECT_EQ(difference.moved[0].pod, "default/web-a");
  EXPECT_EQ(difference.moved[0].from, "n-1");
  EXPECT_EQ(difference.moved[0].to, "n-2");
  EXPECT_EQ(difference.moved[0].workload, "default/ReplicaSet/web");
  EXPECT_TRUE(difference.moved[0].now.starts_with("default/web-")) << difference.moved[0].now;
  EXPECT_EQ(difference.unmoved, 1);
  EXPECT_TRUE(difference.pending.empty());
  EXPECT_TRUE(difference.notes.empty()) << difference.notes.front();
}

TEST(WhatIf, PodsWhoseOwnerWasNotReadAreMadeAgain) {
  const Difference difference =
      ask(kTwoNodes + pod_of("web", "web-a", "n-1") + pod("db-0", {.node = "n-1", .owner = "StatefulSet db"}),
          drain({"n-1"}));
  ASSERT_EQ(difference.moved.size(), 2u);
  EXPECT_EQ(difference.moved[0].pod, "default/db-0");
  EXPECT_EQ(difference.moved[0].now, "");
  EXPECT_EQ(difference.moved[0].to, "n-2");
  EXPECT_EQ(difference.moved[1].pod, "default/web-a");
  EXPECT_NE(difference.moved[1].now, "");
}

TEST(WhatIf, APodThatFitsNowhereElseLosesItsPlaceWithASentence) {
  const Difference difference =
      ask(node("n-1", "4") + node("n-2", "1") + pod("big", {.node = "n-1", .cpu = "3", .owner = "ReplicaSet big"}),
          drain({"n-1"}));
  EXPECT_TRUE(difference.moved.empty());
  ASSERT_EQ(difference.pending.size(), 1u);
  EXPECT_EQ(difference.pending[0].state, "lost");
  EXPECT_EQ(difference.pending[0].were_on, std::vector<std::string>{"n-1"});
  EXPECT_TRUE(difference.pending[0].sentence.starts_with(difference.pending[0].pods[0] + " fits on "))
      << difference.pending[0].sentence;
  EXPECT_EQ(difference.pending_before, 0);
  EXPECT_EQ(difference.pending_after, 1);
}

TEST(WhatIf, PodsWithoutAControllerAreGone) {
  const Difference difference = ask(kTwoNodes + pod("alone", {.node = "n-1"}), drain({"n-1"}));
  ASSERT_EQ(difference.gone.size(), 1u);
  EXPECT_EQ(difference.gone[0].pod, "default/alone");
  EXPECT_EQ(difference.gone[0].why, "no controller makes it again");
}

TEST(WhatIf, ThePodsOfAStatefulSetWaitForTheFirst) {
  std::string dump =
      kTwoNodes +
      "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: default}\nspec:\n  "
      "replicas: 2\n  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n "
      "   spec:\n      containers: [{name: main, resources: {requests: {cpu: \"3\"}}}]\n";
  for (const std::string ordinal : {"0", "1"}) {
    dump += pod(
        "db-" + ordinal,
        {.node = "n-1", .cpu = "3", .owner = "StatefulSet db", .labels = "app: db", .more = "nodeSelector: {a: b}"});
  }
  const Difference difference = ask(dump, remove({"n-*"}));
  EXPECT_EQ(difference.pending_after, 1);
  ASSERT_EQ(difference.gone.size(), 1u);
  EXPECT_EQ(difference.gone[0].pod, "default/db-1");
  EXPECT_EQ(difference.gone[0].why, "its StatefulSet makes it again when the pods before it run");
}

// Revisions of a real Deployment often differ in what no scheduler looks at, such as environment variables.
TEST(WhatIf, OldReplicaSetsOfADeploymentStayEmpty) {
  const auto owned_set = [](const std::string& name, int replicas, int revision) {
    std::string text = replica_set("web", replicas);
    const std::string plain = "{name: web, namespace: default}";
    const std::string owned =
        "{name: " + name + ", namespace: default, annotations: {deployment.kubernetes.io/revision: \"" +
        std::to_string(revision) +
        "\"}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: w, controller: true}]}";
    return text.replace(text.find(plain), plain.size(), owned);
  };
  const std::string dump =
      kTwoNodes +
      "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default, uid: "
      "w}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: "
      "{labels: {app: web}}\n    spec:\n      containers: [{name: main, resources: {requests: {cpu: "
      "\"1\"}}}]\nstatus: {replicas: 2}\n" +
      owned_set("web-a", 0, 1) + owned_set("web-b", 2, 2) + pod_of("web-b", "web-b-1", "n-1") +
      pod_of("web-b", "web-b-2", "n-2");
  const Difference difference = ask(dump, drain({"n-1"}));
  EXPECT_EQ(difference.unmoved, 1);
  ASSERT_EQ(difference.moved.size(), 1u);
  EXPECT_EQ(difference.moved[0].pod, "default/web-b-1");
  EXPECT_TRUE(difference.moved[0].now.starts_with("default/web-b-")) << difference.moved[0].now;
}

TEST(WhatIf, DaemonsAndStaticPodsStayOnADrainedNode) {
  const Difference difference =
      ask(kTwoNodes + pod("agent", {.node = "n-1", .owner = "DaemonSet agent"}) +
              "---\napiVersion: v1\nkind: Pod\nmetadata: {name: static-n-1, namespace: default, "
              "annotations: {kubernetes.io/config.mirror: x}, ownerReferences: [{apiVersion: v1, kind: "
              "Node, name: n-1, controller: true}]}\nspec: {nodeName: n-1}\nstatus: {phase: Running}\n",
          drain({"n-1"}));
  EXPECT_EQ(difference.unmoved, 2);
  EXPECT_TRUE(difference.gone.empty());
  EXPECT_TRUE(difference.held.empty());
}

TEST(WhatIf, BudgetsHoldPodsOnADrainedNode) {
  const std::string dump =
      kTwoNodes + replica_set("db", 1) + pod_of("db", "db-a", "n-1") + budget("db", "minAvailable: 1");
  const Difference drained = ask(dump, drain({"n-1"}));
  ASSERT_EQ(drained.held.size(), 1u);
  EXPECT_EQ(drained.held[0].pod, "default/db-a");
  EXPECT_EQ(drained.held[0].why,
            "held by the budget default/db (0 disruptions allowed: 1 pod is healthy, and 1 has to be)");
  EXPECT_EQ(drained.held[0].budgets, std::vector<std::string>{"default/db"});
  EXPECT_TRUE(drained.moved.empty());

  const Difference removed = ask(dump, remove({"n-1"}));
  ASSERT_EQ(removed.held.size(), 1u);
  EXPECT_EQ(
      removed.held[0].why,
      "held by the budget default/db (0 disruptions allowed: 1 pod is healthy, and 1 has to be); it left by force "
      "when its node was removed");
  ASSERT_EQ(removed.moved.size(), 1u);
  EXPECT_EQ(removed.moved[0].to, "n-2");
}

TEST(WhatIf, APoolGoesWithItsDaemons) {
  const Difference difference = ask(node("n-1", "4") + node("g-1", "4", "gpu") + node("g-2", "4", "gpu") +
                                        pod("agent", {.node = "g-1", .owner = "DaemonSet agent"}) +
                                        pod("train", {.node = "g-2", .owner = "Job train"}),
                                    remove({"gpu"}));
  EXPECT_EQ(difference.changes, std::vector<std::string>{"remove the pool gpu (2 nodes)"});
  EXPECT_EQ(difference.nodes_before, 3);
  EXPECT_EQ(difference.nodes_after, 1);
  ASSERT_EQ(difference.gone.size(), 1u);
  EXPECT_EQ(difference.gone[0].pod, "default/agent");
  EXPECT_EQ(difference.gone[0].why, "it belongs to its node");
  ASSERT_EQ(difference.moved.size(), 1u);
  EXPECT_EQ(difference.moved[0].to, "n-1");
}

TEST(WhatIf, DaemonsGoAndComeWithTheirNodes) {
  Changes changes = add_nodes("n-2=1");
  changes.remove = {"n-1"};
  const Difference difference = ask(kTwoNodes + pod("agent-a", {.node = "n-1", .owner = "DaemonSet agent"}) +
                                        pod("agent-b", {.node = "n-2", .owner = "DaemonSet agent"}),
                                    changes);
  EXPECT_TRUE(difference.moved.empty());
  ASSERT_EQ(difference.gone.size(), 1u);
  EXPECT_EQ(difference.gone[0].pod, "default/agent-a");
  ASSERT_EQ(difference.added.size(), 1u);
  EXPECT_EQ(difference.added[0].node, "n-2-new-1");
}

TEST(WhatIf, LongListsAreToldByWorkload) {
  std::string dump = node("n-1", "100") + node("n-2", "100");
  for (int i = 0; i < 40; ++i) dump += pod_of("web-" + std::to_string(i), "web-" + std::to_string(i) + "-x", "n-1");
  const Difference difference = ask(dump, drain({"n-1"}));
  ASSERT_EQ(difference.moved.size(), 40u);
  const std::string text = to_text(difference);
  EXPECT_NE(text.find("and 10 workloads more (--all names every pod)"), std::string::npos) << text;
  EXPECT_NE(to_text(difference, {.all = true}).find("default/web-39-x"), std::string::npos);
}

TEST(WhatIf, NewNodesTakePendingPods) {
  const Difference difference =
      ask(node("n-1", "1") + pod("agent-x", {.node = "n-1", .cpu = "100m", .owner = "DaemonSet agent"}) +
              pod("a", {.cpu = "800m"}) + pod("b", {.cpu = "800m"}) + pod("c", {.cpu = "4"}),
          add_nodes("general=2"));
  EXPECT_EQ(difference.changes, std::vector<std::string>{"add 2 nodes like general"});
  EXPECT_EQ(difference.nodes_after, 3);
  // One of a and b fitted before.
  ASSERT_EQ(difference.got_a_place.size(), 1u);
  EXPECT_TRUE(difference.got_a_place[0].node.starts_with("general-new-"));
  // Each new node has the daemon of those that are like it.
  EXPECT_EQ(difference.added.size(), 2u);
  ASSERT_EQ(difference.pending.size(), 1u);
  EXPECT_EQ(difference.pending[0].state, "still");
  EXPECT_EQ(difference.pending[0].pods, std::vector<std::string>{"default/c"});
  ASSERT_EQ(difference.settling.placed.size(), 1u);
  EXPECT_EQ(difference.settling.placed[0].node, "n-1");
  EXPECT_TRUE(difference.notes.empty());
}

TEST(WhatIf, AppliedPodsMayPreemptOthers) {
  Changes changes;
  changes.apply = objects_in(pod("urgent", {.cpu = "2", .more = "priority: 100"}));
  const Difference difference =
      ask(node("n-1", "2") + node("n-2", "1") + replica_set("web", 1) + pod_of("web", "web-a", "n-1"), changes);
  ASSERT_EQ(difference.added.size(), 1u);
  EXPECT_EQ(difference.added[0].node, "n-1");
  ASSERT_EQ(difference.preemptions.size(), 1u);
  EXPECT_EQ(difference.preemptions[0].pod, "default/urgent");
  EXPECT_EQ(difference.preemptions[0].victims, std::vector<std::string>{"default/web-a"});
  EXPECT_EQ(difference.preemptions[0].cause.change, "apply Pod default/urgent");
  ASSERT_EQ(difference.moved.size(), 1u);
  EXPECT_TRUE(difference.moved[0].preempted);
  EXPECT_EQ(difference.moved[0].to, "n-2");
}

TEST(WhatIf, WorkloadsAreScaledUpAndDown) {
  const std::string dump = node("n-1", "2") + replica_set("web", 1) + pod_of("web", "web-a", "n-1");
  const Difference up = ask(dump, scale("replicaset/web=3"));
  EXPECT_EQ(up.added.size(), 1u);
  ASSERT_EQ(up.pending.size(), 1u);
  EXPECT_EQ(up.pending[0].state, "new");
  const Difference down = ask(dump, scale("rs/default/web=0"));
  ASSERT_EQ(down.gone.size(), 1u);
  EXPECT_EQ(down.gone[0].why, "its workload does not want it any more");
}

TEST(WhatIf, SaysHowFullTheNodesAre) {
  const Difference difference = ask(kTwoNodes + pod_of("web", "web-a", "n-1"), remove({"n-1"}));
  ASSERT_FALSE(difference.utilisation.empty());
  EXPECT_EQ(difference.utilisation[0].resource, "cpu");
  EXPECT_EQ(difference.utilisation[0].before, 0.125);
  EXPECT_EQ(difference.utilisation[0].after, 0.25);
}

TEST(WhatIf, NamesThatAreNotThereAreErrors) {
  const auto message = [](const Changes& changes) {
    const auto difference = what_if(objects_in(kTwoNodes + replica_set("web", 0)), changes);
    return difference ? std::string() : difference.error().message();
  };
  EXPECT_EQ(message(drain({"n-3"})), "there is no node and no pool n-3 (did you mean n-1?)");
  EXPECT_EQ(message(remove({"zzzzzzzz"})), "there is no node and no pool zzzzzzzz (there is the pool general)");
  EXPECT_EQ(message(add_nodes("generl=1")), "there is no node and no pool generl (did you mean general?)");
  EXPECT_EQ(message(scale("deployment/web=1")), "there is no Deployment web in what was read");
  EXPECT_EQ(message(scale("node/web=1")).substr(0, 39), "a node has no number of pods to set (a ");
  EXPECT_EQ(message(drain({"n-*"})), "");
}

TEST(WhatIf, ChangesAreReadFromWords) {
  EXPECT_EQ(parse_scaling("deployment/shop/web=5")->name_space, "shop");
  EXPECT_EQ(parse_scaling("deployment/web=5")->replicas, 5);
  for (const char* wrong :
       {"web=5", "deployment/web", "deployment/=5", "deployment/web=x", "deployment/web=-1", "/web=1"}) {
    EXPECT_FALSE(parse_scaling(wrong)) << wrong;
  }
  EXPECT_EQ(parse_nodes_to_add("a=b=3")->like, "a=b");
  for (const char* wrong : {"a", "a=", "=3", "a=0", "a=1000000000"}) EXPECT_FALSE(parse_nodes_to_add(wrong)) << wrong;
}

TEST(WhatIf, IsTheSameEveryTime) {
  std::string dump;
  for (int i = 1; i <= 5; ++i) dump += node("n-" + std::to_string(i), "4");
  for (int i = 1; i <= 12; ++i) {
    dump += pod_of("web", "web-" + std::to_string(i), "n-" + std::to_string(i % 5 + 1));
  }
  const std::string once = codec::to_json(ask(dump, drain({"n-1", "n-2"})));
  EXPECT_EQ(once, codec::to_json(ask(dump, drain({"n-1", "n-2"}))));
  EXPECT_NE(once.find("\"moved\""), std::string::npos);
}

}  // namespace
}  // namespace berth::whatif
