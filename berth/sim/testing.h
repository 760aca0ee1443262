// What the tests of the simulated world share. For tests only; the library must not include it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/cache/testing.h"
#include "berth/sim/api_server.h"
#include "berth/sim/world.h"

namespace berth::sim::testing {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;

inline api::AnyObject any(api::PodPtr pod) {
  return api::AnyObject(std::move(pod));
}
inline api::AnyObject any(api::NodePtr node) {
  return api::AnyObject(std::move(node));
}

inline api::AnyObject node(std::string_view name, std::string_view cpu = "4") {
  return any(NodeBuilder(name).allocatable("cpu", cpu).allocatable("memory", "16Gi").build());
}

// Without a UID: the API server gives one.
inline api::AnyObject pod(std::string_view name, std::string_view cpu = "1") {
  return any(PodBuilder(name).uid("").request("cpu", cpu).build());
}

// A world that a test drives: whatever fails in it fails the test.
class TestWorld {
 public:
  explicit TestWorld(WorldOptions options = {}) {
    auto made = World::make(std::move(options));
    if (!made) ADD_FAILURE() << made.error().message();
    world_ = *std::move(made);
  }

  World* operator->() { return world_.get(); }
  World& operator*() { return *world_; }

  void create(api::AnyObject object) {
    const auto done = world_->create(std::move(object));
    EXPECT_TRUE(done.has_value()) << done.error().message();
  }
  void run_until_idle(Duration within = Duration::minutes(10)) {
    const auto idle = world_->run_until_idle(world_->now() + within);
    EXPECT_TRUE(idle.has_value()) << idle.error().message();
  }
  void run_for(Duration time) { world_->run_until(world_->now() + time); }

  api::PodPtr get_pod(std::string_view name) { return world_->api().get<api::Pod>(Symbol("default"), name); }
  // Empty if it has none, or if there is no such pod.
  std::string node_of(std::string_view name) {
    const api::PodPtr found = get_pod(name);
    return found == nullptr ? "" : found->spec.node_name.str();
  }
  void expect_sound() {
    for (const std::string& broken : world_->broken_invariants()) ADD_FAILURE() << broken;
  }

 private:
  std::unique_ptr<World> world_;
};

}  // namespace berth::sim::testing
