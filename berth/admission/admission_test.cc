#include "berth/admission/admission.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace berth::admission {
namespace {

const Symbol kSpace("shop");

api::Quantity amount(std::string_view text) {
  return api::Quantity::parse(text).value();
}

// A pod of one container.
api::Pod pod_with(api::ResourceList requests, api::ResourceList limits = {}) {
  api::Pod pod;
  pod.metadata.name = "p";
  pod.metadata.name_space = kSpace;
  api::PodTemplate spec;
  api::Container& container = spec.containers.emplace_back();
  container.name = Symbol("main");
  container.resources.requests = std::move(requests);
  container.resources.limits = std::move(limits);
  pod.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  return pod;
}

template <typename Edit>
api::Pod edited(const api::Pod& pod, Edit edit) {
  api::Pod changed = pod;
  api::PodTemplate spec = *pod.spec.shared;
  edit(spec);
  changed.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  return changed;
}

template <typename T>
api::AnyObject any(T object) {
  return api::AnyObject(std::make_shared<const T>(std::move(object)));
}

api::ResourceQuota quota(std::string name, api::ResourceList hard) {
  api::ResourceQuota made;
  made.metadata.name = std::move(name);
  made.metadata.name_space = kSpace;
  made.spec.hard = std::move(hard);
  return made;
}

api::LimitRange range(std::vector<api::LimitRangeItem> items) {
  api::LimitRange made;
  made.metadata.name = "limits";
  made.metadata.name_space = kSpace;
  made.spec.limits = std::move(items);
  return made;
}

api::LimitRangeItem item(std::string_view type) {
  api::LimitRangeItem made;
  made.type = Symbol(type);
  return made;
}

api::PriorityClass priority_class(std::string name, std::int32_t value, bool is_default = false) {
  api::PriorityClass made;
  made.metadata.name = std::move(name);
  made.value = value;
  made.global_default = is_default;
  return made;
}

std::string refusal_of(Admission& admission, const api::Pod& pod) {
  const auto admitted = admission.admit(pod);
  return admitted ? "" : admitted.error().message();
}

// --- Priority --------------------------------------------------------------------------------------------------------

TEST(Admission, GivesAPodThePriorityOfItsClassOrOfTheLowestDefault) {
  Admission admission;
  admission.add(any(priority_class("high", 1000)));
  admission.add(any(priority_class("b", 20, true)));
  admission.add(any(priority_class("a", 10, true)));
  const api::Pod plain = pod_with({});
  EXPECT_EQ(admission.admit(plain)->spec->priority, 10);
  EXPECT_EQ(admission.admit(plain)->spec->priority_class_name, "a");
  const auto named = edited(plain, [](auto& spec) { spec.priority_class_name = Symbol("high"); });
  EXPECT_EQ(admission.admit(named)->spec->priority, 1000);
  const auto system = edited(plain, [](auto& spec) { spec.priority_class_name = Symbol("system-node-critical"); });
  EXPECT_EQ(admission.admit(system)->spec->priority, 2'000'001'000);
}

TEST(Admission, RefusesAClassThatIsNotThereAndAPriorityThatIsNotItsOwn) {
  Admission admission;
  admission.add(any(priority_class("high", 1000)));
  const api::Pod plain = pod_with({});
  EXPECT_EQ(refusal_of(admission, edited(plain, [](auto& spec) { spec.priority_class_name = Symbol("hihg"); })),
            "pods \"p\" is forbidden: no PriorityClass with name hihg was found");
  const auto stated = edited(plain, [](auto& spec) { spec.priority = 5; });
  EXPECT_EQ(refusal_of(admission, stated),
            "pods \"p\" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority "
            "admission controller computed 0 from the given PriorityClass name");
  EXPECT_EQ(admission.admit(stated, Origin::kCluster)->spec->priority, 5);
  Admission lenient(Options{.keeps_given_priority = true});
  EXPECT_EQ(lenient.admit(stated)->spec->priority, 5);
}

TEST(Admission, HearsOfAClassThatComesLater) {
  Admission admission;
  const auto pod = edited(pod_with({}), [](auto& spec) { spec.priority_class_name = Symbol("late"); });
  EXPECT_NE(refusal_of(admission, pod), "");
  admission.add(any(priority_class("late", 7)));
  EXPECT_EQ(refusal_of(admission, pod), "");
  admission.remove(any(priority_class("late", 7)));
  EXPECT_NE(refusal_of(admission, pod), "");
}

// --- LimitRanges -----------------------------------------------------------------------------------------------------

TEST(Admission, FillsInRequestsAndLimitsFromALimitRange) {
  Admission admission;
  api::LimitRangeItem of_containers = item("Container");
  of_containers.default_limit = {{"cpu", amount("2")}};
  of_containers.default_request = {{"memory", amount("64Mi")}};
  of_containers.max = {{"memory", amount("1Gi")}};
  admission.add(any(range({of_containers})));
  const auto admitted = admission.admit(pod_with({{"cpu", amount("500m")}}));
  ASSERT_TRUE(admitted);
  const api::ResourceRequirements& resources = admitted->spec->containers[0].resources;
  EXPECT_EQ(resources.requests.find(Symbol("cpu"))->str(), "500m");
  EXPECT_EQ(resources.requests.find(Symbol("memory"))->str(), "64Mi");
  EXPECT_EQ(resources.limits.find(Symbol("cpu"))->str(), "2");
  EXPECT_EQ(resources.limits.find(Symbol("memory"))->str(), "1Gi");  // the maximum is the default
  // A pod that asks for nothing gets the default limit as its request.
  EXPECT_EQ(admission.admit(pod_with({}))->spec->containers[0].resources.requests.find(Symbol("cpu"))->str(), "2");
  api::Pod elsewhere = pod_with({});
  elsewhere.metadata.name_space = Symbol("default");
  EXPECT_TRUE(admission.admit(elsewhere)->spec->containers[0].resources.limits.empty());
}

TEST(Admission, RefusesWhatIsOutsideTheBoundsOfALimitRange) {
  struct Case {
    std::string_view type, bound;
    api::ResourceList requests, limits;
    std::string_view refusal;
  };
  const std::vector<Case> cases = {
      {"Container", "max", {}, {{"cpu", amount("2")}}, "maximum cpu usage per Container is 1, but limit is 2"},
      {"Container", "min", {{"cpu", amount("500m")}}, {}, "minimum cpu usage per Container is 1, but request is 500m"},
      {"Container",
       "ratio",
       {{"cpu", amount("1")}},
       {{"cpu", amount("4")}},
       "cpu max limit to request ratio per Container is 1, but provided ratio is 4.000000"},
      {"Container",
       "ratio",
       {},
       {},
       "cpu max limit to request ratio per Container is 1, but no request is specified or request is 0"},
      {"Pod", "max", {{"cpu", amount("100m")}}, {}, "maximum cpu usage per Pod is 1.  No limit is specified"},
      {"Pod", "max", {}, {{"cpu", amount("1100m")}}, "maximum cpu usage per Pod is 1, but limit is 1100m"},
      {"Pod", "min", {}, {}, "minimum cpu usage per Pod is 1.  No request is specified"},
      {"Container", "max", {{"cpu", amount("1")}}, {{"cpu", amount("1")}}, ""},
      {"PersistentVolumeClaim", "max", {}, {}, ""},
  };
  for (const Case& each : cases) {
    Admission admission;
    api::LimitRangeItem bounds = item(each.type);
    (each.bound == "max"   ? bounds.max
     : each.bound == "min" ? bounds.min
                           : bounds.max_limit_request_ratio) = {{"cpu", amount("1")}};
    admission.add(any(range({bounds})));
    const std::string expected = each.refusal.empty() ? "" : "pods \"p\" is forbidden: " + std::string(each.refusal);
    EXPECT_EQ(refusal_of(admission, pod_with(each.requests, each.limits)), expected);
    EXPECT_TRUE(admission.admit(pod_with(each.requests, each.limits), Origin::kCluster));
  }
}

TEST(Admission, NamesAllBoundsThatAreExceededAndEachOnce) {
  Admission admission;
  api::LimitRangeItem bounds = item("Container");
  bounds.max = {{"cpu", amount("1")}, {"memory", amount("1Gi")}};
  admission.add(any(range({bounds})));
  api::Pod pod = pod_with({}, {{"cpu", amount("2")}, {"memory", amount("2Gi")}});
  pod = edited(pod, [](auto& spec) { spec.containers.push_back(spec.containers[0]); });
  EXPECT_EQ(refusal_of(admission, pod),
            "pods \"p\" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per "
            "Container is 1Gi, but limit is 2Gi]");
}

TEST(Admission, BoundsTheSizeOfClaims) {
  Admission admission;
  api::LimitRangeItem bounds = item("PersistentVolumeClaim");
  bounds.max = {{"storage", amount("1Gi")}};
  admission.add(any(range({bounds})));
  api::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.name_space = kSpace;
  claim.spec.resources.requests = {{"storage", amount("2Gi")}};
  EXPECT_EQ(admission.admit(claim).error().message(),
            "persistentvolumeclaims \"data\" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but "
            "request is 2Gi");
}

// --- Quotas ----------------------------------------------------------------------------------------------------------

TEST(Admission, CountsWhatIsUsedAndRefusesWhatIsMore) {
  Admission admission;
  admission.add(any(quota("small", {{"pods", amount("2")}, {"requests.cpu", amount("2")}})));
  const api::Pod pod = pod_with({{"cpu", amount("1500m")}});
  ASSERT_EQ(refusal_of(admission, pod), "");
  admission.add(any(pod));
  EXPECT_EQ(refusal_of(admission, pod),
            "pods \"p\" is forbidden: exceeded quota: small, requested: requests.cpu=1500m, used: requests.cpu=1500m, "
            "limited: requests.cpu=2");
  const api::Pod little = pod_with({{"cpu", amount("100m")}});
  admission.add(any(little));
  EXPECT_EQ(refusal_of(admission, little),
            "pods \"p\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2");
  api::Pod ended = pod;
  ended.status.phase = Symbol("Succeeded");
  admission.change(any(pod), any(ended));
  EXPECT_EQ(refusal_of(admission, pod), "");
  admission.remove(any(little));
  admission.remove(any(ended));
  EXPECT_EQ(refusal_of(admission, pod_with({{"cpu", amount("2")}})), "");
}

TEST(Admission, AsksEachContainerToNameWhatAQuotaBounds) {
  Admission admission;
  admission.add(any(quota("compute", {{"requests.cpu", amount("2")}, {"limits.memory", amount("2Gi")}})));
  EXPECT_EQ(refusal_of(admission, pod_with({})),
            "pods \"p\" is forbidden: failed quota: compute: must specify limits.memory for: main; requests.cpu for: "
            "main");
  EXPECT_EQ(refusal_of(admission, pod_with({{"cpu", amount("1")}}, {{"memory", amount("1Gi")}})), "");
}

TEST(Admission, CountsAQuotaThatComesAfterItsPods) {
  Admission admission;
  const api::AnyObject pod = any(pod_with({{"cpu", amount("1")}}));
  admission.add(pod);
  const api::ResourceQuota late = quota("late", {{"count/pods", amount("1")}});
  ASSERT_TRUE(admission.add(any(late)));
  admission.count(late, pod);
  EXPECT_EQ(refusal_of(admission, pod_with({})),
            "pods \"p\" is forbidden: exceeded quota: late, requested: count/pods=1, used: count/pods=1, limited: "
            "count/pods=1");
  EXPECT_FALSE(admission.change(any(late), any(late)));  // nothing to count again
}

TEST(Admission, LooksAtTheScopesOfAQuota) {
  const api::Pod best_effort = pod_with({});
  const api::Pod burstable = pod_with({{"cpu", amount("1")}});
  const api::Pod with_deadline = edited(burstable, [](auto& spec) { spec.active_deadline_seconds = 60; });
  const api::Pod important = edited(burstable, [](auto& spec) { spec.priority_class_name = Symbol("high"); });
  const api::Pod reaching_out = edited(burstable, [](auto& spec) {
    api::PodAffinity affinity;
    affinity.required.emplace_back().namespaces = {Symbol("other")};
    spec.affinity.emplace().pod_anti_affinity = affinity;
  });
  struct Case {
    std::string_view scope;
    const api::Pod& in;
    const api::Pod& out;
  };
  for (const Case& each : std::vector<Case>{{"BestEffort", best_effort, burstable},
                                            {"NotBestEffort", burstable, best_effort},
                                            {"Terminating", with_deadline, burstable},
                                            {"NotTerminating", burstable, with_deadline},
                                            {"PriorityClass", important, burstable},
                                            {"CrossNamespacePodAffinity", reaching_out, burstable}}) {
    Admission admission;
    admission.add(any(priority_class("high", 1000)));
    api::ResourceQuota none = quota("none", {{"pods", amount("0")}});
    none.spec.scopes = {Symbol(each.scope)};
    admission.add(any(none));
    EXPECT_NE(refusal_of(admission, each.in), "") << each.scope;
    EXPECT_EQ(refusal_of(admission, each.out), "") << each.scope;
  }
}

TEST(Admission, SelectsPodsOfAQuotaByPriorityClass) {
  Admission admission;
  admission.add(any(priority_class("high", 1000)));
  admission.add(any(priority_class("low", 1)));
  api::ResourceQuota none = quota("none", {{"pods", amount("0")}});
  none.spec.scope_selector.emplace().match_expressions.push_back(
      {.scope_name = Symbol("PriorityClass"), .op = Symbol("In"), .values = {Symbol("high")}});
  admission.add(any(none));
  const auto of_class = [](std::string_view name) {
    return edited(pod_with({}), [name](auto& spec) { spec.priority_class_name = Symbol(name); });
  };
  EXPECT_NE(refusal_of(admission, of_class("high")), "");
  EXPECT_EQ(refusal_of(admission, of_class("low")), "");
  EXPECT_EQ(refusal_of(admission, pod_with({})), "");
}

TEST(Admission, CountsExtendedResourcesAndHugePages) {
  Admission admission;
  admission.add(any(quota("special", {{"requests.nvidia.com/gpu", amount("1")}, {"hugepages-2Mi", amount("4Mi")}})));
  EXPECT_EQ(refusal_of(admission, pod_with({{"nvidia.com/gpu", amount("2")}})),
            "pods \"p\" is forbidden: exceeded quota: special, requested: requests.nvidia.com/gpu=2, used: "
            "requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=1");
  EXPECT_NE(refusal_of(admission, pod_with({{"hugepages-2Mi", amount("6Mi")}})), "");
  EXPECT_EQ(refusal_of(admission, pod_with({{"cpu", amount("64")}})), "");
}

TEST(Admission, CountsClaimsTheirStorageAndTheirClass) {
  Admission admission;
  api::StorageClass standard;
  standard.metadata.name = "standard";
  standard.metadata.annotations = api::Annotations{{"storageclass.kubernetes.io/is-default-class", "true"}};
  admission.add(any(standard));
  admission.add(any(quota("storage", {{"requests.storage", amount("10Gi")},
                                      {"standard.storageclass.storage.k8s.io/persistentvolumeclaims", amount("1")}})));
  api::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.name_space = kSpace;
  claim.spec.resources.requests = {{"storage", amount("8Gi")}};
  const auto admitted = admission.admit(claim);
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->spec.storage_class_name, Symbol("standard"));
  admission.add(any(*admitted));
  EXPECT_EQ(admission.admit(claim).error().message(),
            "persistentvolumeclaims \"data\" is forbidden: exceeded quota: storage, requested: "
            "requests.storage=8Gi,standard.storageclass.storage.k8s.io/persistentvolumeclaims=1, used: "
            "requests.storage=8Gi,standard.storageclass.storage.k8s.io/persistentvolumeclaims=1, limited: "
            "requests.storage=10Gi,standard.storageclass.storage.k8s.io/persistentvolumeclaims=1");
}

TEST(Admission, CountsWorkloadsAsObjects) {
  Admission admission;
  admission.add(any(quota("few", {{"count/deployments.apps", amount("1")}})));
  api::Deployment web;
  web.metadata.name = "web";
  web.metadata.name_space = kSpace;
  EXPECT_TRUE(admission.check(any(web)));
  admission.add(any(web));
  EXPECT_EQ(admission.check(any(web)).error().message(),
            "deployments.apps \"web\" is forbidden: exceeded quota: few, requested: count/deployments.apps=1, used: "
            "count/deployments.apps=1, limited: count/deployments.apps=1");
  EXPECT_EQ(refusal_of(admission, pod_with({})), "");
}

// --- Defaults --------------------------------------------------------------------------------------------------------

TEST(Admission, TakesRequestsFromLimitsAndNamesTheScheduler) {
  Admission admission;
  const auto admitted = admission.admit(pod_with({}, {{"cpu", amount("1")}}));
  EXPECT_EQ(admitted->spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(admitted->spec->containers[0].resources.requests.find(Symbol("cpu"))->str(), "1");
}

TEST(Admission, SharesTheTemplateOfEqualPods) {
  Admission admission;
  const auto a = admission.admit(pod_with({{"cpu", amount("1")}})),
             b = admission.admit(pod_with({{"cpu", amount("1")}}));
  EXPECT_TRUE(a->spec.shared.same_as(b->spec.shared));
  EXPECT_TRUE(admission.admit(*a)->spec.shared.same_as(a->spec.shared));
}

}  // namespace
}  // namespace berth::admission
