#include "berth/config/feature_gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace berth::config {
namespace {

TEST(FeatureGates, AreSortedByNameSoThatTheyCanBeFound) {
  EXPECT_TRUE(std::ranges::is_sorted(all_features(), {}, &FeatureSpec::name));
  for (const FeatureSpec& spec : all_features()) EXPECT_EQ(find_feature(spec.name), &spec) << spec.name;
  EXPECT_EQ(find_feature("NoSuchGate"), nullptr);
}

TEST(FeatureGates, StartAtTheirDefaults) {
  const FeatureGates gates;
  EXPECT_TRUE(gates.enabled(Feature::kDynamicResourceAllocation));
  EXPECT_TRUE(gates.enabled(Feature::kNodeDeclaredFeatures));
  EXPECT_FALSE(gates.enabled(Feature::kGangScheduling));
  EXPECT_EQ(gates.differences(), "");
}

TEST(FeatureGates, TakeTheLastWordOnAGate) {
  const auto gates =
      FeatureGates::parse(" NodeDeclaredFeatures = 0 ,,SchedulerAsyncAPICalls=true,SchedulerAsyncAPICalls=F");
  ASSERT_FALSE(gates.has_value());  // gates that need NodeDeclaredFeatures are on by default
  const auto one = FeatureGates::parse("SchedulerAsyncAPICalls=true,kube:SchedulerAsyncAPICalls=F");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->differences(), "");
}

TEST(FeatureGates, AllAlphaLeavesGatesThatAreNamed) {
  const auto gates = FeatureGates::parse("AllAlpha=true,VolumeLimitScaling=false");
  ASSERT_TRUE(gates.has_value()) << gates.error()[0].message();
  EXPECT_TRUE(gates->enabled(Feature::kStorageCapacityScoring));
  EXPECT_FALSE(gates->enabled(Feature::kVolumeLimitScaling));
  EXPECT_FALSE(gates->enabled(Feature::kSchedulerAsyncAPICalls));  // beta
}

TEST(FeatureGates, AllBetaTurnsBetaGatesOn) {
  const auto gates = FeatureGates::parse("AllBeta=true");
  ASSERT_TRUE(gates.has_value()) << gates.error()[0].message();
  EXPECT_TRUE(gates->enabled(Feature::kSchedulerAsyncAPICalls));
  EXPECT_FALSE(gates->enabled(Feature::kGangScheduling));
}

TEST(FeatureGates, ProblemsAreToldInKubeSchedulersWords) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"Foo", "missing bool value for Foo"},
      {"Foo=true", "unrecognized feature gate: Foo"},
      {"GangSchedulin=true", "unrecognized feature gate: GangSchedulin (did you mean GangScheduling?)"},
      {"GangScheduling=maybe",
       "invalid value of GangScheduling=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax"},
      {"DynamicResourceAllocation=false",
       "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true"},
      {"GangScheduling=true",
       "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"},
      {"DRAResourceClaimDeviceStatus=false",
       "DRADeviceBindingConditions is enabled, but depends on features that are disabled: "
       "[DRAResourceClaimDeviceStatus]"},
  };
  for (const auto& test : cases) {
    const auto gates = FeatureGates::parse(test.text);
    ASSERT_FALSE(gates.has_value()) << test.text;
    EXPECT_EQ(gates.error()[0].message(), test.message);
  }
}

TEST(FeatureGates, EveryProblemIsReported) {
  const auto gates = FeatureGates::parse("Foo=true,DynamicResourceAllocation=false");
  ASSERT_FALSE(gates.has_value());
  EXPECT_EQ(gates.error().size(), 2u);
}

}  // namespace
}  // namespace berth::config
