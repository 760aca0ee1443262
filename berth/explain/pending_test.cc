#include "berth/explain/pending.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/api/label_selector_text.h"
#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/explain/pending_render.h"

namespace berth::explain {
namespace {

std::string node(std::string_view name, std::string_view cpu = "4") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {}}}\n"
      "status: {{allocatable: {{cpu: \"{}\", memory: 8Gi, pods: \"10\"}}}}\n",
      name, cpu);
}

// A pending pod of namespace d that asks for 3 cpu; `owner` is "Kind/name", `spec` further fields in flow style.
std::string pod(std::string_view name, std::string_view owner = "", std::string_view spec = "",
                std::string_view labels = "", std::string_view status = "phase: Pending") {
  std::string owners;
  if (const std::size_t slash = owner.find('/'); slash != std::string_view::npos) {
    owners = fmt::format(", ownerReferences: [{{apiVersion: apps/v1, kind: {}, name: {}, uid: u, controller: true}}]",
                         owner.substr(0, slash), owner.substr(slash + 1));
  }
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: d, labels: {{{}}}{}}}\n"
      "spec: {{{}{}containers: [{{name: c, resources: {{requests: {{cpu: 3}}}}}}]}}\nstatus: {{{}}}\n",
      name, labels, owners, spec, spec.empty() ? "" : ", ", status);
}
std::string running(std::string_view name, std::string_view on) {
  return pod(name, "", fmt::format("nodeName: {}", on), "", "phase: Running");
}

class Pending : public ::testing::Test {
 protected:
  PendingReport about(std::string_view text, const PendingQuery& query = {}, std::size_t max_looks = kMaxLooks) {
    codec::DecodeOptions options;
    options.pool = &pool_;
    codec::Documents documents;
    codec::read_documents(text, "test.yaml", options, documents);
    EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message();
    Cluster cluster(documents.objects);
    const auto report = explain_pending(cluster, query, config::default_config(), {}, max_looks);
    EXPECT_TRUE(report.has_value()) << report.error().message();
    return *report;
  }
  static std::vector<std::string> causes(const PendingReport& report) {
    std::vector<std::string> result;
    for (const PendingCause& cause : report.causes) {
      result.push_back(fmt::format("{} {}", cause.count, cause.cause));
    }
    return result;
  }

  InternPool pool_;
};

using Texts = std::vector<std::string>;

TEST_F(Pending, GroupsPodsByCauseWithTheLargestFirst) {
  const PendingReport report = about(node("n1") + running("r", "n1") + pod("a", "Job/a") + pod("b", "Job/b") +
                                     pod("lost", "", "nodeSelector: {disk: ssd}"));
  EXPECT_EQ(report.sentence, "3 pods are pending, for 2 causes.");
  EXPECT_EQ(causes(report), (Texts{"2 not enough free cpu", "1 nodes without disk=ssd"}));
  ASSERT_EQ(report.causes[0].rows.size(), 2u);
  EXPECT_EQ(report.causes[0].rows[0].name, "d/a");
  EXPECT_EQ(report.causes[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(report.causes[0].reason, "Insufficient cpu");
}

TEST_F(Pending, PutsPodsOfOneWorkloadIntoOneRow) {
  std::string text = node("n1") + running("r", "n1");
  for (int i = 0; i < 12; ++i) {
    text += pod(fmt::format("web-77-{}", i), "ReplicaSet/web-77", "", "pod-template-hash: \"77\"");
  }
  const PendingReport report = about(text);
  ASSERT_EQ(report.causes.size(), 1u);
  ASSERT_EQ(report.causes[0].rows.size(), 1u);
  const PendingRow& row = report.causes[0].rows[0];
  EXPECT_EQ(row.kind, "Deployment");
  EXPECT_EQ(row.name, "d/web");
  EXPECT_EQ(row.count, 12);
  EXPECT_TRUE(row.sentence.starts_with("12 pods of Deployment d/web: each does not fit ")) << row.sentence;
  // By number and not by letter.
  EXPECT_EQ(row.pods[2], "d/web-77-2");
  EXPECT_EQ(row.pods[11], "d/web-77-11");
}

TEST_F(Pending, TellsOfOnePodWhereThePodsOfAWorkloadDiffer) {
  const auto with_claim = [](int number) {
    return pod(fmt::format("db-{}", number), "StatefulSet/db",
               fmt::format("volumes: [{{name: data, persistentVolumeClaim: {{claimName: data-db-{}}}}}]", number));
  };
  const PendingReport report = about(node("n1") + with_claim(0) + with_claim(1));
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].cause, "a PersistentVolumeClaim or StorageClass that does not exist");
  ASSERT_EQ(report.causes[0].rows.size(), 1u);
  EXPECT_TRUE(report.causes[0].rows[0].sentence.starts_with("2 pods of StatefulSet d/db: such as d/db-0, which "))
      << report.causes[0].rows[0].sentence;
}

TEST_F(Pending, TellsTheReasonsOfVolumesApart) {
  const auto volume_of = [](std::string_view claim, std::string_view where) {
    return fmt::format(
        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: v-{0}}}\n"
        "spec: {{capacity: {{storage: 1Gi}}, accessModes: [ReadWriteOnce], claimRef: {{namespace: d, name: {0}}}, "
        "csi: {{driver: x, volumeHandle: {0}}}, nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: "
        "[{{key: kubernetes.io/hostname, operator: In, values: [{1}]}}]}}]}}}}}}\n",
        claim, where);
  };
  const auto claim = [](std::string_view name, std::string_view more) {
    return fmt::format(
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {0}, namespace: d, annotations: "
        "{{pv.kubernetes.io/bind-completed: \"yes\"}}{1}}}\nspec: {{accessModes: [ReadWriteOnce], volumeName: "
        "v-{0}}}\n",
        name, more);
  };
  const auto user = [](std::string_view claim_name) {
    return pod(fmt::format("pod-{}", claim_name), fmt::format("Job/{}", claim_name),
               fmt::format("volumes: [{{name: data, persistentVolumeClaim: {{claimName: {}}}}}]", claim_name));
  };
  const PendingReport report =
      about(node("n1") + volume_of("away", "n2") + claim("away", "") + user("away") + claim("lost", "") + user("lost") +
            volume_of("going", "n1") + claim("going", ", deletionTimestamp: \"2026-01-01T00:00:00Z\"") + user("going"));
  EXPECT_EQ(causes(report),
            (Texts{"1 a PersistentVolume or StorageClass that does not exist",
                   "1 a PersistentVolumeClaim that is being deleted", "1 a volume that other nodes or zones have"}));
}

TEST_F(Pending, HasCausesForPodsThatAreNotTried) {
  const PendingReport report = about(
      node("n1") + pod("gated", "", "schedulingGates: [{name: wait}]") + pod("foreign", "", "schedulerName: other") +
      pod("placed", "", "nodeName: n1", "",
          "phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff}}}]") +
      pod("done", "", "", "", "phase: Succeeded") + running("r", "n1"));
  EXPECT_EQ(causes(report), (Texts{"1 bound to a node, not running yet: ImagePullBackOff", "1 the scheduler other",
                                   "1 the scheduling gate wait"}));
}

TEST_F(Pending, TellsFullNodesFromThoseThatAreTooSmall) {
  EXPECT_EQ(causes(about(node("n1", "4") + running("r", "n1") + pod("a"))), (Texts{"1 not enough free cpu"}));
  EXPECT_EQ(causes(about(node("n1", "2") + pod("a"))), (Texts{"1 nodes too small in cpu"}));
  EXPECT_EQ(causes(about(pod("a"))), (Texts{"1 no nodes"}));
}

TEST_F(Pending, IsAboutTheNamespaceAndLabelsThatWereAskedFor) {
  const std::string text = node("n1", "1") + pod("a", "", "", "app: a") + pod("b", "", "", "app: b");
  EXPECT_EQ(about(text, {.name_space = "other"}).sentence, "No pod in namespace other is pending.");
  const PendingReport report = about(text, {.name_space = "d", .labels = *api::parse_label_selector("app=b")});
  EXPECT_EQ(report.pods, 1);
  EXPECT_EQ(report.causes[0].rows[0].name, "d/b");
}

TEST_F(Pending, LeavesWhatWouldTakeTooLongToTheSchedulersWords) {
  const PendingReport report =
      about(node("n1", "1") + pod("a1") + pod("a2") +
                pod("b", "", "hostNetwork: true", "",
                    "conditions: [{type: PodScheduled, status: \"False\", message: too little}]"),
            {}, 1);
  EXPECT_EQ(causes(report), (Texts{"2 nodes too small in cpu", "1 not looked at one by one"}));
  EXPECT_EQ(report.causes[1].rows[0].sentence, "d/b was last rejected with \"too little\".");
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_TRUE(report.notes[0].starts_with("1 pod ")) << report.notes[0];
}

TEST_F(Pending, ShowsTheFirstWorkloadsOfACauseAndCountsTheOthers) {
  std::string text = node("n1", "1");
  for (int i = 0; i < 9; ++i) text += pod(fmt::format("p{}", i), fmt::format("Job/j{}", i));
  const PendingReport report = about(text);
  const std::string shown = render(report);
  EXPECT_NE(shown.find("4 more pods of 4 other workloads"), std::string::npos) << shown;
  EXPECT_EQ(render(report, {.all = true}).find("other workload"), std::string::npos);
}

TEST_F(Pending, ReadsItsOwnJson) {
  const PendingReport report = about(node("n1", "1") + pod("a") + pod("b", "Job/b"));
  const std::string json = codec::to_json(report);
  const auto again = codec::from_json<PendingReport>(json);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(codec::to_json(*again), json);
}

}  // namespace
}  // namespace berth::explain
