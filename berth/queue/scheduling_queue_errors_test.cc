#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

// Calls that make no sense: each returns an Error that says so, and changes nothing that a caller can see.

namespace berth::queue {
namespace {

using testing::add_rejected;
using testing::at;
using testing::give_back;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::options_with;
using testing::PodBuilder;
using testing::whole_state;

// A queue with a pod in every place: "active", "backoff", "errored", "parked", and "flying" in the hands of the test.
struct Everywhere {
  Everywhere() : queue(options_with({on("Fit", node_add())}, &metrics)) {
    EXPECT_TRUE(add_rejected(queue, make_pod("backoff"), {"Fit"}, at(0)));
    EXPECT_TRUE(queue.move_all(node_add(), {}, at(0)));
    for (const char* name : {"errored", "parked", "flying", "active"}) {
      EXPECT_TRUE(queue.add(make_pod(name), at(0)));
      if (name == std::string_view("errored")) {
        EXPECT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
      } else if (name == std::string_view("parked")) {
        EXPECT_TRUE(give_back(queue, queue.pop(at(0)), {"Fit"}, at(0)));
      } else if (name == std::string_view("flying")) {
        flying = queue.pop(at(0));
      }
    }
    EXPECT_EQ(testing::place_of(queue, "active"), Place::kActive);
    EXPECT_EQ(testing::place_of(queue, "backoff"), Place::kBackoff);
    EXPECT_EQ(testing::place_of(queue, "errored"), Place::kErrorBackoff);
    EXPECT_EQ(testing::place_of(queue, "parked"), Place::kUnschedulable);
    EXPECT_EQ(flying->pod->metadata.name, "flying");
  }

  std::string state() const {
    std::string text = whole_state(queue);
    for (const auto* counts :
         {&metrics.incoming, &metrics.pending, &metrics.unschedulable, &metrics.in_flight_events}) {
      for (const auto& [name, count] : *counts) text += fmt::format("{} {}\n", name, count);
    }
    return text;
  }

  // The call fails with this message and changes nothing.
  void expect_refused(const std::function<Result<void>()>& call, std::string_view message) {
    const std::string before = state();
    const Result<void> result = call();
    ASSERT_FALSE(result) << message;
    EXPECT_EQ(result.error().message(), message);
    EXPECT_EQ(state(), before) << message;
  }

  CountingQueueMetrics metrics;
  SchedulingQueue queue;
  PoppedPod flying;
};

TEST(SchedulingQueueErrors, AddingAPodTwice) {
  Everywhere all;
  const struct {
    const char* name;
    const char* place;
  } cases[] = {{"active", "the active queue"},
               {"backoff", "the backoff queue"},
               {"errored", "the backoff queue"},
               {"parked", "unschedulable queue"}};
  for (const auto& [name, place] : cases) {
    all.expect_refused([&] { return all.queue.add(make_pod(name), at(9)); },
                       fmt::format("add: pod default/{} is already in {}", name, place));
  }
}

TEST(SchedulingQueueErrors, UpdatingFromOnePodToAnother) {
  Everywhere all;
  all.expect_refused([&] { return all.queue.update(make_pod("active"), make_pod("parked"), at(9)); },
                     "update: default/active and default/parked are two pods, not two versions of one");
  all.expect_refused(
      [&] { return all.queue.update(make_pod("active"), PodBuilder("active").name_space("other").build(), at(9)); },
      "update: default/active and other/active are two pods, not two versions of one");
}

TEST(SchedulingQueueErrors, RemovingAnUnknownPod) {
  Everywhere all;
  all.expect_refused([&] { return all.queue.remove(*make_pod("unknown")); }, "remove: the pod is not in the queue");
  ASSERT_TRUE(all.queue.remove(*make_pod("active")));
  all.expect_refused([&] { return all.queue.remove(*make_pod("active")); }, "remove: the pod is not in the queue");
}

TEST(SchedulingQueueErrors, DoneForAPodThatIsNotInFlight) {
  Everywhere all;
  for (const char* uid : {"active-uid", "parked-uid", "unknown-uid", ""}) {
    all.expect_refused([&] { return all.queue.done(uid); }, fmt::format("done: no pod with UID {} is in flight", uid));
  }
  ASSERT_TRUE(all.queue.done("flying-uid"));
  all.expect_refused([&] { return all.queue.done("flying-uid"); }, "done: no pod with UID flying-uid is in flight");
}

TEST(SchedulingQueueErrors, GivingBackAPodThatIsQueuedAgainEndsItsFlightAndChangesNothingElse) {
  Everywhere all;
  // A successor of the same name came while the pod was in flight.
  ASSERT_TRUE(all.queue.add(PodBuilder("flying").uid("flying-2").build(), at(1)));
  const QueuedPod before = *all.queue.get(Symbol("default"), "flying");
  const auto result = give_back(all.queue, std::move(all.flying), {"Fit"}, at(2));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("default/flying is already present in the active queue"), std::string::npos)
      << result.error().message();
  const QueuedPod* after = all.queue.get(Symbol("default"), "flying");
  EXPECT_EQ(after->pod, before.pod);
  EXPECT_EQ(after->attempts, 0);
  EXPECT_FALSE(all.queue.in_flight().contains("flying-uid"));
}

TEST(SchedulingQueueErrors, AnythingThatWouldChangeAClosedQueue) {
  Everywhere all;
  ASSERT_TRUE(all.queue.close());
  const api::PodPtr pod = make_pod("active");
  const api::PodPtr pods[] = {pod};
  const struct {
    const char* operation;
    std::function<Result<void>()> call;
  } cases[] = {
      {"add", [&] { return all.queue.add(make_pod("new"), at(9)); }},
      {"update", [&] { return all.queue.update(pod, pod, at(9)); }},
      {"remove", [&] { return all.queue.remove(*pod); }},
      {"activate", [&] { return all.queue.activate(pods, at(9)); }},
      {"move_all", [&] { return all.queue.move_all(node_add(), {}, at(9)); }},
      {"assigned_pod_added", [&] { return all.queue.assigned_pod_added(pod, at(9)); }},
      {"assigned_pod_updated", [&] { return all.queue.assigned_pod_updated(pod, pod, assigned_pod_add(), at(9)); }},
      {"flush_backoff_completed", [&] { return all.queue.flush_backoff_completed(at(999)); }},
      {"flush_unschedulable_leftover", [&] { return all.queue.flush_unschedulable_leftover(at(999)); }},
      {"add_unschedulable_if_not_present",
       [&] { return all.queue.add_unschedulable_if_not_present(std::move(all.flying), 0, at(9)); }},
  };
  for (const auto& [operation, call] : cases) {
    all.expect_refused(call, fmt::format("{}: the scheduling queue is closed", operation));
  }
  all.expect_refused([&] { return all.queue.close(); }, "close: the scheduling queue is closed already");
}

TEST(SchedulingQueueErrors, PopSpecificOnAClosedQueueWakesNobody) {
  Everywhere all;
  ASSERT_TRUE(all.queue.close());
  const std::string before = all.state();
  EXPECT_EQ(all.queue.pop_specific(*make_pod("parked"), at(9)), nullptr);
  EXPECT_EQ(all.state(), before);
}

TEST(SchedulingQueueErrors, AddingAPodThatIsInFlight) {
  Everywhere all;
  all.expect_refused([&] { return all.queue.add(make_pod("flying"), at(9)); },
                     "add: pod default/flying is already in flight");
}

TEST(SchedulingQueueErrors, ASuccessorOfTheSameNameIsNotADouble) {
  Everywhere all;
  for (const char* name : {"active", "backoff", "errored", "parked"}) {
    const api::PodPtr successor = PodBuilder(name).uid(std::string(name) + "-2").build();
    ASSERT_TRUE(all.queue.add(successor, at(9))) << name;
    EXPECT_EQ(all.queue.get(Symbol("default"), name)->pod, successor);
    EXPECT_EQ(all.queue.get(Symbol("default"), name)->attempts, 0) << "its predecessor's history is not its own";
  }
  EXPECT_EQ(all.metrics.pending["active"], 4);
  EXPECT_EQ(all.metrics.pending["backoff"], 0);
  EXPECT_EQ(all.metrics.pending["unschedulable"], 0);
  EXPECT_EQ(all.metrics.unschedulable["Fit/default-scheduler"], 0);
}

}  // namespace
}  // namespace berth::queue
