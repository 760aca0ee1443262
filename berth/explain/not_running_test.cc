#include "berth/explain/not_running.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/codec/documents.h"
#include "berth/explain/dump_time.h"

namespace berth::explain {
namespace {

class NotRunning : public ::testing::Test {
 protected:
  // The pod d/p on n1 with `status`, in flow style; `more` are further documents.
  std::optional<PodTrouble> about(std::string_view status, std::string_view more = "", std::string_view metadata = "") {
    const std::string text = fmt::format(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n1}}\nstatus: {{allocatable: {{cpu: 4, pods: 10}}}}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: d, uid: u{}{}}}\n"
        "spec: {{nodeName: n1, containers: [{{name: a, image: x}}, {{name: b, image: z}}]}}\nstatus: {{{}}}\n{}",
        metadata.empty() ? "" : ", ", metadata, status, more);
    codec::DecodeOptions options;
    options.pool = &pool_;
    codec::Documents documents;
    codec::read_documents(text, "test.yaml", options, documents);
    EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message();
    const Cluster cluster(documents.objects);
    return trouble_of(cluster, **cluster.find_pod("d/p"));
  }
  static std::string event(std::string_view reason, std::string_view message, std::string_view uid = "u",
                           std::string_view last = "2026-01-01T00:00:00Z") {
    return fmt::format(
        "---\napiVersion: v1\nkind: Event\nmetadata: {{name: e-{}, namespace: d}}\n"
        "involvedObject: {{kind: Pod, namespace: d, name: p, uid: {}}}\nreason: {}\nmessage: '{}'\n"
        "source: {{component: kubelet}}\nlastTimestamp: \"{}\"\n",
        reason, uid, reason, message, last);
  }

  InternPool pool_;
};

TEST_F(NotRunning, APodWithoutAStatusIsNotCalledBroken) {
  EXPECT_FALSE(about("").has_value());
  EXPECT_FALSE(about("phase: Running").has_value());
}

TEST_F(NotRunning, TheWorstContainerIsNamedAndTheOthersAreCounted) {
  const auto found = about(
      "phase: Running, containerStatuses: [{name: a, ready: false, state: {running: {}}}, "
      "{name: b, ready: false, state: {waiting: {reason: CrashLoopBackOff}}}]");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state.container, "b");
  const auto both = about(
      "phase: Pending, containerStatuses: [{name: a, state: {waiting: {reason: ErrImagePull}}}, "
      "{name: b, state: {waiting: {reason: CrashLoopBackOff}}}]");
  EXPECT_EQ(both->text,
            "is on n1 but its container a cannot start: image x cannot be pulled (ErrImagePull); another container of "
            "it has trouble too");
}

TEST_F(NotRunning, EventsOfAnEarlierPodOfThatNameDoNotCount) {
  const auto found = about("phase: Pending", event("FailedMount", "no", "another"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state.state, Symbol(running_state::kStarting));
}

TEST_F(NotRunning, OfVolumesAndNetworkTheNewestEventCounts) {
  const std::string mount = event("FailedMount", "timed out waiting for the condition", "u", "2026-01-01T00:01:00Z");
  const std::string net = event("FailedCreatePodSandBox", "no runtime for \"gvisor\" is configured");
  EXPECT_EQ(about("phase: Pending", mount + net)->text,
            "is on n1 but cannot start: a volume of it has not been mounted in time (FailedMount)");
  EXPECT_EQ(about("phase: Pending", net)->text,
            "is on n1 but its sandbox cannot be created: the node does not have the runtime of its RuntimeClass "
            "(FailedCreatePodSandBox)");
}

TEST_F(NotRunning, APodThatWaitsForItsKubeletSaysForHowLong) {
  EXPECT_EQ(about("phase: Pending, conditions: [{type: PodScheduled, status: \"True\", lastTransitionTime: "
                  "\"2026-01-01T00:00:00Z\"}]",
                  event("Other", "", "other", "2026-01-01T00:02:30Z"))
                ->text,
            "is on n1 and its kubelet has not reported anything about it for 2m30s; the pod's events, if they are "
            "dumped too, may say more");
}

TEST_F(NotRunning, TheEndOfTheGracePeriodIsNotATimeThatHasPassed) {
  EXPECT_EQ(about("phase: Running", "", "deletionTimestamp: \"2026-01-01T01:00:00Z\", deletionGracePeriodSeconds: 3600")
                ->text,
            "is on n1 and is being deleted: it has up to 1h of its grace period of 1h left to end");
}

TEST(DumpTime, SpansHaveOneOrTwoUnits) {
  EXPECT_EQ(span_text(Duration::seconds(0)), "0s");
  EXPECT_EQ(span_text(Duration::seconds(59)), "59s");
  EXPECT_EQ(span_text(Duration::seconds(150)), "2m30s");
  EXPECT_EQ(span_text(Duration::seconds(3000)), "50m");
  EXPECT_EQ(span_text(Duration::seconds(12'000)), "3h20m");
  EXPECT_EQ(span_text(Duration::hours(52)), "2d4h");
}

}  // namespace
}  // namespace berth::explain
