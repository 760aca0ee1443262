// The example of docs/configuration.md, which tests/docs/docs_test.py compares with this file line by line.
#include <gtest/gtest.h>

#include <string_view>

#include "berth/config/load.h"

namespace {

TEST(ConfigurationDocumentation, HasAnExampleThatWorks) {
  constexpr std::string_view text =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 8\n";
  const berth::config::FeatureGates gates;

  auto config = berth::config::load(text, "sched.yaml", gates);      // completed, or every problem
  auto loaded = berth::config::load_config(text, {.gates = gates});  // and the plugins of each profile, in order

  ASSERT_TRUE(config.has_value());
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(config->parallelism, 8);
  EXPECT_EQ(loaded->config.parallelism, 8);
}

}  // namespace
