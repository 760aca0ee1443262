// The example of docs/queue.md, which tests/docs/docs_test.py compares with this file line by line.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "berth/api/node.h"
#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

TEST(QueueDocumentation, HasAnExampleThatWorks) {
  const Instant now = testing::at(0);
  const api::PodPtr pod = testing::PodBuilder("a").scheduler("my-scheduler").build();
  const auto node = std::make_shared<const api::Node>();
  const auto place = [](const api::Pod&) { return false; };

  // --- from here on as in the page
  QueueOptions options;
  options.profiles = {Symbol("my-scheduler")};
  options.hints = {{Symbol("my-scheduler"), Symbol("Fit"), ClusterEvent("Node", action::kAdd), /*hint=*/{}}};
  SchedulingQueue queue(std::move(options));

  queue.add(pod, now);  // from your watch
  PoppedPod popped = queue.pop(now);
  if (place(*popped->pod)) {
    queue.done(popped->uid());
  } else {
    const std::array rejecting = {Symbol("Fit")};
    popped->clear_rejectors();
    popped->unschedulable_plugins = queue.plugin_set(rejecting);  // none: it failed with an error
    queue.add_unschedulable_if_not_present(std::move(popped), queue.scheduling_cycle(), now);
  }
  queue.move_all(ClusterEvent("Node", action::kAdd), {{}, api::AnyObject(node)}, now);  // wakes it
  // --- up to here

  const QueuedPod* woken = queue.get(pod->metadata.name_space, pod->metadata.name);
  ASSERT_NE(woken, nullptr);
  EXPECT_EQ(woken->place, Place::kBackoff);
}

}  // namespace
}  // namespace berth::queue
