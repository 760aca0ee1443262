#include "berth/autoscaler/status_text.h"

#include <gtest/gtest.h>

namespace berth::autoscaler {
namespace {

TEST(StatusText, ReadsTheSizesOfNodeGroupsFromYaml) {
  const auto groups = parse_status(R"(
autoscalerStatus: Running
clusterWide:
  health: {status: Healthy, lastProbeTime: "2026-10-02T14:29:02Z"}
nodeGroups:
- health:
    cloudProviderTarget: 3
    maxSize: 5
    minSize: 2
    nodeCounts: {registered: {ready: 3, total: 3}}
    status: Healthy
  name: aks-user-25795745-vmss
  scaleUp: {backoffInfo: {}, status: NoActivity}
- health: {maxSize: 4, status: Unhealthy}
  name: aks-gpu-25795745-vmss
  scaleUp:
    backoffInfo: {errorCode: QuotaExceeded, errorMessage: no more GPUs in this region}
    status: Backoff
time: 2026-10-02 14:29:22.999645779 +0000 UTC
)");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "aks-user-25795745-vmss");
  EXPECT_EQ(groups[0].min_nodes, 2);
  EXPECT_EQ(groups[0].max_nodes, 5);
  EXPECT_EQ(groups[0].target, 3);
  EXPECT_TRUE(groups[0].is_healthy);
  EXPECT_EQ(groups[0].backoff, "");
  EXPECT_FALSE(groups[1].is_healthy);
  EXPECT_EQ(groups[1].backoff, "its last scale-up failed (QuotaExceeded): no more GPUs in this region");
}

TEST(StatusText, ReadsTheTextOfOlderReleases) {
  const auto groups = parse_status(R"(Cluster-autoscaler status at 2023-07-25 22:59:22.661669494 +0000 UTC:
Cluster-wide:
  Health:      Healthy (ready=1 unready=0 notStarted=0 longNotStarted=0 registered=1 longUnregistered=0)
  ScaleUp:     NoActivity (ready=1 registered=1)

NodeGroups:
  Name:        eks-spot-1234
  Health:      Healthy (ready=1 unready=0 registered=1 longUnregistered=0 cloudProviderTarget=1 (minSize=1, maxSize=5))
               LastProbeTime:      2023-07-25 22:59:22.067828801 +0000 UTC
  ScaleUp:     Backoff (ready=1 cloudProviderTarget=1)
  ScaleDown:   NoCandidates (candidates=0)
)");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].name, "eks-spot-1234");
  EXPECT_EQ(groups[0].min_nodes, 1);
  EXPECT_EQ(groups[0].max_nodes, 5);
  EXPECT_EQ(groups[0].backoff, "its last scale-up failed");
}

TEST(StatusText, LeavesOutWhatItCannotRead) {
  EXPECT_TRUE(parse_status("").empty());
  EXPECT_TRUE(parse_status("nodeGroups: [").empty());
  EXPECT_TRUE(parse_status("Initializing").empty());
}

TEST(StatusText, FindsThePoolInTheProvidersNameByWholeParts) {
  EXPECT_TRUE(names_pool("eks-spot-1234", "spot"));
  EXPECT_TRUE(names_pool("MachineDeployment/default/md-0", "md-0"));
  EXPECT_TRUE(names_pool("https://example.com/zones/a/instanceGroups/gke-c-default-pool-ab-grp", "default-pool"));
  EXPECT_FALSE(names_pool("eks-spot-1234", "sp"));
  EXPECT_FALSE(names_pool("eks-spot-1234", ""));
}

}  // namespace
}  // namespace berth::autoscaler
