#include "berth/api/pod_requests.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::api {
namespace {

using Amounts = std::initializer_list<std::pair<std::string_view, std::string_view>>;

ResourceList list(Amounts amounts) {
  ResourceList result;
  for (const auto& [name, text] : amounts) result[Symbol(name)] = Quantity::parse(text).value();
  return result;
}

Container container(Amounts amounts) {
  Container result;
  result.resources.requests = list(amounts);
  return result;
}

Container named(std::string_view name, Amounts amounts) {
  Container result = container(amounts);
  result.name = Symbol(name);
  return result;
}

Container sidecar(Amounts amounts) {
  Container result = container(amounts);
  result.restart_policy = Symbol("Always");
  return result;
}

ContainerStatus given(std::string_view name, Amounts in_force, Amounts promised) {
  ContainerStatus status;
  status.name = Symbol(name);
  status.resources.emplace().requests = list(in_force);
  status.allocated_resources = list(promised);
  return status;
}

std::string text(const ResourceList& resources) {
  std::string result;
  for (const auto& [name, quantity] : resources) {
    result += (result.empty() ? "" : " ") + name.str() + "=" + quantity.str();
  }
  return result;
}

TEST(PodRequests, CombinesContainersAsUpstream) {
  const struct {
    const char* what;
    std::vector<Container> init_containers;
    std::vector<Container> containers;
    std::string total;
  } cases[] = {
      {"no containers", {}, {}, ""},
      {"the sum",
       {},
       {container({{"cpu", "100m"}}), container({{"cpu", "1"}, {"memory", "1Gi"}})},
       "cpu=1100m memory=1Gi"},
      {"a larger init container", {container({{"cpu", "2"}})}, {container({{"cpu", "1"}})}, "cpu=2"},
      {"a smaller init container", {container({{"cpu", "500m"}})}, {container({{"cpu", "1"}})}, "cpu=1"},
      {"init containers run one after the other",
       {container({{"cpu", "2"}}), container({{"memory", "1Gi"}})},
       {},
       "cpu=2 memory=1Gi"},
      {"a zero of an init container is kept",
       {container({{"example.com/a", "0"}})},
       {container({{"cpu", "1"}})},
       "cpu=1 example.com/a=0"},
      {"a sidecar adds", {sidecar({{"cpu", "1"}})}, {container({{"cpu", "2"}})}, "cpu=3"},
      {"a sidecar runs beside the init containers after it",
       {sidecar({{"cpu", "1"}}), container({{"cpu", "5"}})},
       {container({{"cpu", "2"}})},
       "cpu=6"},
      {"a sidecar does not run beside the init containers before it",
       {container({{"cpu", "5"}}), sidecar({{"cpu", "1"}})},
       {container({{"cpu", "2"}})},
       "cpu=5"},
      {"two sidecars",
       {sidecar({{"cpu", "1"}}), sidecar({{"cpu", "2"}}), container({{"cpu", "1"}})},
       {container({{"cpu", "500m"}})},
       "cpu=4"},
  };
  for (const auto& c : cases) {
    PodTemplate pod;
    pod.init_containers = c.init_containers;
    pod.containers = c.containers;
    EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{})), c.total) << c.what;
  }
}

TEST(PodRequests, AddsOverheadLast) {
  PodTemplate pod;
  pod.containers = {container({{"cpu", "1"}})};
  pod.overhead = list({{"cpu", "250m"}, {"memory", "10Mi"}});
  EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{})), "cpu=1250m memory=10Mi");
}

TEST(PodRequests, OfThePodReplaceThoseOfTheContainers) {
  PodTemplate pod;
  pod.containers = {container({{"cpu", "1"}, {"memory", "1Gi"}, {"example.com/a", "1"}})};
  pod.resources.emplace().requests =
      list({{"cpu", "500m"}, {"hugepages-2Mi", "4Mi"}, {"example.com/a", "7"}, {"ephemeral-storage", "1Gi"}});
  pod.overhead = list({{"cpu", "100m"}});
  EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{})), "cpu=600m example.com/a=1 hugepages-2Mi=4Mi memory=1Gi");
  EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{.pod_level = false})), "cpu=1100m example.com/a=1 memory=1Gi");
  EXPECT_TRUE(has_pod_level_requests(pod));

  pod.resources->requests = list({{"example.com/a", "7"}});
  EXPECT_FALSE(has_pod_level_requests(pod));
  EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{})), "cpu=1100m example.com/a=1 memory=1Gi");
}

TEST(PodRequests, FillInWhatContainersDoNotName) {
  const ResourceList defaults = list({{"cpu", "100m"}, {"memory", "200Mi"}});
  PodTemplate pod;
  pod.containers = {container({{"cpu", "0"}}), container({{"memory", "1Gi"}})};
  EXPECT_EQ(text(pod_requests(pod, PodRequestsOptions{.non_missing = &defaults})), "cpu=100m memory=1224Mi");
}

TEST(PodRequests, CountWhatContainersHaveBeenGiven) {
  PodTemplate pod;
  pod.init_containers = {named("init", {{"cpu", "1"}}), named("side", {{"cpu", "1"}})};
  pod.init_containers[1].restart_policy = Symbol("Always");
  pod.containers = {named("app", {{"cpu", "1"}, {"memory", "1Gi"}}), named("plain", {{"cpu", "1"}})};
  PodStatus status;
  // An ordinary init container counts with what it asks for.
  status.init_container_statuses =
      Interned(std::vector{given("init", {{"cpu", "50"}}, {}), given("side", {{"cpu", "2"}}, {{"cpu", "1"}})});
  status.container_statuses = Interned(std::vector{given("app", {{"cpu", "3"}}, {{"cpu", "2"}, {"memory", "2Gi"}})});

  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = false})), "cpu=3 memory=1Gi");
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true})), "cpu=6 memory=2Gi");

  pod.containers[0].resources.requests = list({{"cpu", "20"}, {"memory", "1Gi"}});
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true})), "cpu=23 memory=2Gi");

  // A resize that the node cannot do does not count.
  PodCondition pending{.type = Symbol("PodResizePending"),
                       .status = Symbol("True"),
                       .reason = Symbol("Infeasible"),
                       .message = "",
                       .last_probe_time = {},
                       .last_transition_time = {}};
  status.conditions = {pending};
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true})), "cpu=6 memory=2Gi");
  status.conditions[0].reason = Symbol("Deferred");
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true})), "cpu=23 memory=2Gi");
}

TEST(PodRequests, CountWhatThePodHasBeenGiven) {
  PodTemplate pod;
  pod.resources.emplace().requests = list({{"cpu", "2"}, {"memory", "1Gi"}});
  PodStatus status;
  status.resources =
      Interned(std::optional(ResourceRequirements{.limits = {}, .requests = list({{"cpu", "3"}}), .claims = {}}));
  status.allocated_resources = Interned(list({{"memory", "2Gi"}}));
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true})), "cpu=3 memory=2Gi");
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = true, .pod_level_status = false})), "cpu=2 memory=1Gi");
  EXPECT_EQ(text(pod_requests(pod, status, {.use_status = false})), "cpu=2 memory=1Gi");
}

TEST(PodRequests, AddNodeAllocatableClaimsIfAskedTo) {
  PodTemplate pod;
  pod.containers = {container({{"cpu", "1"}})};
  PodStatus status;
  status.node_allocatable_resource_claim_statuses =
      Interned(std::vector{NodeAllocatableResourceClaimStatus{Symbol("claim"), {}, list({{"cpu", "2"}})}});
  EXPECT_EQ(text(pod_requests(pod, status, {})), "cpu=1");
  EXPECT_EQ(text(pod_requests(pod, status, {.node_allocatable_claims = true})), "cpu=3");
}

TEST(ResourceVector, CountsWhatTheSchedulerCounts) {
  const ResourceVector vector(list({{"cpu", "1500500u"},
                                    {"memory", "1500m"},
                                    {"ephemeral-storage", "1Ki"},
                                    {"pods", "110"},
                                    {"storage", "5"},
                                    {"hugepages-2Mi", "4Mi"},
                                    {"attachable-volumes-csi", "3"},
                                    {"example.com/gpu", "0"}}));
  EXPECT_EQ(vector.milli_cpu, 1501);
  EXPECT_EQ(vector.memory, 2);
  EXPECT_EQ(vector.ephemeral_storage, 1024);
  EXPECT_EQ(vector.allowed_pods, 110);
  const FlatMap<std::int64_t> scalars = {
      {"hugepages-2Mi", 4 << 20}, {"attachable-volumes-csi", 3}, {"example.com/gpu", 0}};
  EXPECT_EQ(vector.scalars, scalars);
}

TEST(ResourceVector, AddsAndSubtracts) {
  const ResourceVector a(list({{"cpu", "1"}, {"memory", "10"}, {"example.com/gpu", "2"}}));
  ResourceVector sum;
  sum += a;
  sum += a;
  EXPECT_EQ(sum.milli_cpu, 2000);
  EXPECT_EQ(*sum.scalars.find(Symbol("example.com/gpu")), 4);
  sum -= a;
  EXPECT_EQ(sum, a);
  sum -= a;
  EXPECT_EQ(*sum.scalars.find(Symbol("example.com/gpu")), 0);
}

TEST(ResourceNames, AreSortedByKind) {
  const struct {
    const char* name;
    bool extended;
    bool scalar;
  } cases[] = {
      {"cpu", false, false},
      {"storage", false, false},
      {"example.com/gpu", true, true},
      {"kubernetes.io/batch", false, true},
      {"sub.kubernetes.io/batch", false, true},
      {"requests.example.com/gpu", false, false},
      {"hugepages-1Gi", false, true},
      {"attachable-volumes-aws-ebs", false, true},
      {"example.com/", false, false},
      {"Example.com/gpu", false, false},
      {"a/b/c", false, false},
      {"example.com/-gpu", false, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_extended_resource(Symbol(c.name)), c.extended) << c.name;
    EXPECT_EQ(is_scalar_resource(Symbol(c.name)), c.scalar) << c.name;
  }
  // "requests." in front has to leave room: 253 bytes for the prefix.
  EXPECT_TRUE(is_extended_resource(Symbol(std::string(244, 'a') + "/gpu")));
  EXPECT_FALSE(is_extended_resource(Symbol(std::string(245, 'a') + "/gpu")));
}

TEST(PodUsage, HasDefaultsForEachContainer) {
  PodTemplate pod;
  pod.containers = {container({}), container({{"cpu", "1"}})};
  const PodUsage usage = pod_usage(pod, {});
  EXPECT_EQ(usage.requested.milli_cpu, 1000);
  EXPECT_EQ(usage.requested.memory, 0);
  EXPECT_EQ(usage.non_zero_milli_cpu, 1100);
  EXPECT_EQ(usage.non_zero_memory, 2 * kDefaultMemoryRequest);
}

TEST(PodUsage, HasDefaultsOnlyForWhatThePodDoesNotAskFor) {
  PodTemplate pod;
  pod.containers = {container({}), container({})};
  pod.resources.emplace().requests = list({{"cpu", "10m"}});
  const PodUsage usage = pod_usage(pod, {});
  EXPECT_EQ(usage.requested.milli_cpu, 10);
  EXPECT_EQ(usage.non_zero_milli_cpu, 10);
  EXPECT_EQ(usage.non_zero_memory, 2 * kDefaultMemoryRequest);

  pod.resources->requests = list({{"cpu", "10m"}, {"memory", "0"}});
  EXPECT_EQ(pod_usage(pod, {}).non_zero_memory, 0);
}

}  // namespace
}  // namespace berth::api
