// Carries out what the engine wants done: turns commands into requests to the API server and to extenders, and reports
// what became of each.
//
//   submit ──> chain of its object ──> queue of its lane ──> request ──┬──> outcome
//                                            ^                         │
//                                            └────── back-off <────────┘
//
// Commands about one object wait for each other in a chain, in the order given; the first of a chain waits in its lane
// for one of the lane's places. Lanes do not share places, and whenever one becomes free the most urgent lane is looked
// at first: thousands of pods that find no node patch their statuses without a bind waiting for them. A status patch
// that a bind of the same pod has to wait for goes into the bind's lane. Work that backs off holds no place.
//
// A patch of a pod's status that has not been sent is merged with the next one of the same pod, so that a slow API
// server makes statuses late, not the queue long. Both get the outcome; one of which nothing is left is done at once.
//
// A bind is sent twice only if it certainly did not reach the server. One whose answer was lost may still be on its way
// through the server, and whoever reads the pod at once finds it not bound; so the pod is read a moment later. Every
// command ends with exactly one outcome (an event with none), never from within a call of this class.
//
// All on the loop's thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/config/scheduler_config.h"
#include "berth/daemon/dispatcher_budget.h"
#include "berth/daemon/dispatcher_calls.h"
#include "berth/engine/command.h"
#include "berth/engine/text_map.h"

namespace berth::daemon {

class Dispatcher {
 public:
  struct Options {
    // Requests under way at the same time. All that go to the API server together stay well below the 250 streams that
    // it allows on one HTTP/2 connection, where watches and events have to fit in too.
    std::size_t binds = 64;        // what keeps an API server busy that takes ten milliseconds for one
    std::size_t nominations = 16;  // these and the next are rare
    std::size_t evictions = 16;
    std::size_t volumes = 16;
    std::size_t statuses = 16;  // nobody waits for them
    std::size_t extenders = 64;

    // Of clientConnection.qps and burst, for all lanes but the extenders'. Zero: the server limits us by its own means.
    double requests_per_second = 0;
    double burst = 0;

    // Of one request to the API server. What takes longer is cut off there too.
    Duration request_timeout = Duration::seconds(30);

    // Errors of the server: kube-scheduler's four tries, 10 ms, 50 ms and 250 ms apart, each up to a tenth longer.
    std::size_t tries = 4;
    Duration first_delay = Duration::milliseconds(10);
    std::int64_t delay_factor = 5;
    double jitter = 0.1;
    // A server that cannot be reached, for work that may be repeated: delays grow in the same way, up to this one, and
    // this long after the first try it is given up. A restart of an API server takes a few seconds.
    Duration longest_delay = Duration::seconds(2);
    Duration outage_patience = Duration::seconds(20);
    // A busy server says when to come back; client-go comes back ten times.
    std::size_t throttled_tries = 10;
    Duration default_retry_after = Duration::seconds(1);
    Duration longest_retry_after = Duration::seconds(30);

    // From a bind that ended without an answer until the pod is read: more than a server needs for a bind that it has.
    Duration settling_time = Duration::milliseconds(500);

    // See status_patch.h.
    bool status_patches_name_uid = false;

    // Of the delays.
    std::uint64_t seed = 0;

    // As configured, and the transport of each, made for its extender_endpoint(). It outlives the dispatcher; null
    // means that the extender cannot be called.
    std::vector<config::Extender> configured_extenders;
    std::function<client::Transport*(std::size_t extender)> extender_transport;
  };

  struct Statistics {
    std::size_t waiting = 0;  // in a chain, in the queue or backing off
    std::size_t in_flight = 0;
    std::uint64_t done = 0;    // kDone
    std::uint64_t failed = 0;  // any other outcome
    std::uint64_t retried = 0;
    std::uint64_t merged = 0;  // patches that were sent as part of another one
  };

  using OnOutcome = std::function<void(engine::CommandId, engine::Outcome)>;

  // Loop and transports outlive it.
  Dispatcher(client::Loop& loop, client::Transport& api, Options options, OnOutcome on_outcome);
  // Cancels everything; no outcome is reported any more.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void submit(std::vector<engine::Command> commands);

  // From now on only binds (and reading what became of them) are begun; what is under way may end; everything else is
  // refused. When nothing is left, or when `grace` is over, `on_idle` is called once. What has not ended by then has an
  // unknown outcome, and everything that comes later is refused. Requires: was not called before.
  void begin_shutdown(Duration grace, std::function<void()> on_idle);
  // The same once more, for what has come since `on_idle` was called. `grace` goes on.
  void when_idle(std::function<void()> on_idle);

  // No command without an outcome.
  bool is_idle() const { return jobs_.empty() && undelivered_.empty(); }
  // Whether a bind waits for its turn: whoever else sends requests may want to wait then.
  bool has_waiting_binds() const { return lane(Lane::kBind).statistics.waiting > 0; }
  const Statistics& statistics(Lane of) const { return lane(of).statistics; }

 private:
  using JobId = std::uint64_t;

  // A command, or several that were merged, from submit() to its outcome.
  struct Job {
    enum class State : std::uint8_t { kInChain, kInQueue, kInFlight, kBackingOff };

    JobId id = 0;
    std::vector<engine::CommandId> commands;
    Work work;
    std::string object;  // empty: about none
    Lane lane = Lane::kBind;
    Lane next_lane = Lane::kBind;  // where it goes when it waits again
    State state = State::kInChain;
    StatusPatchForm form;
    bool was_sent = false;
    Instant first_sent_at;
    std::array<std::size_t, 4> retries{};  // by Retry
    client::Transport* transport = nullptr;
    client::RequestId request = 0;
    client::TimerId timer = 0;
  };
  struct LaneState {
    std::size_t limit = 0;
    std::deque<JobId> queue;  // may hold jobs that have left for a more urgent lane
    Statistics statistics;
  };
  // From which versions pods got a condition lately: the next patch of the same version has an outdated base.
  class PatchedVersions {
   public:
    bool contains(const std::string& object, const std::string& version) const;
    void add(const std::string& object, const std::string& version);

   private:
    // Informers bring a patched pod back within seconds. Twice as many are kept at most.
    static constexpr std::size_t kGeneration = 4096;
    engine::TextMap<std::string> young_;
    engine::TextMap<std::string> old_;
  };

  // Pods whose bind has an unknown outcome, and from when on reading them tells how it ended.
  class Unsettled {
   public:
    void add(const std::string& object, Instant now, Instant until);
    // Unset if nothing is open there. Asked once.
    Instant take(const std::string& object);

   private:
    // A read follows at once; where it does not, the pod is gone. Then entries go when there are so many.
    static constexpr std::size_t kMany = 1024;
    engine::TextMap<Instant> until_;
  };

  LaneState& lane(Lane which) { return lanes_[static_cast<std::size_t>(which)]; }
  const LaneState& lane(Lane which) const { return lanes_[static_cast<std::size_t>(which)]; }
  Job* find(JobId id);

  void add(engine::Command command);
  bool merge_into_last(const std::vector<JobId>& chain, const engine::Command& command);
  void raise_priority(JobId id, Lane to);
  void enqueue(Job& job);
  void enqueue_after(Job& job, Duration delay);
  void pump();
  bool pump(Lane which);
  Job* first_in_queue(LaneState& of);
  void start(Job& job);
  void start_extender(Job& job);
  void start_api(Job& job);
  void settle_soon(Job& job, engine::Outcome outcome);
  void answered(JobId id, const client::Response& response);
  std::optional<Duration> delay_before_retry(Job& job, const Reading& reading);
  Duration jittered(Duration delay);
  void back_off(Job& job, Duration delay);
  void finish(Job& job, const engine::Outcome& outcome);
  void remove(Job& job);

  bool is_refused(Lane which) const { return has_ended_ || (is_stopping_ && which != Lane::kBind); }
  void refuse(const std::vector<engine::CommandId>& commands);
  void deliver_soon();
  void end_now();
  void notice_idle();

  client::Loop& loop_;
  client::Transport& api_;
  Options options_;
  OnOutcome on_outcome_;
  Rng rng_;
  RequestBudget budget_;

  std::array<LaneState, kLaneCount> lanes_;
  JobId last_id_ = 0;
  absl::flat_hash_map<JobId, std::unique_ptr<Job>> jobs_;
  engine::TextMap<std::vector<JobId>> chains_;  // by object; the first is the one that is carried out
  PatchedVersions patched_;
  Unsettled unsettled_;
  client::TimerId budget_timer_ = 0;

  // Outcomes of what was refused, or replaced, at once.
  std::vector<std::pair<engine::CommandId, engine::Outcome>> undelivered_;
  client::TimerId delivery_timer_ = 0;

  bool is_stopping_ = false;
  bool has_ended_ = false;
  std::function<void()> on_idle_;
  client::TimerId grace_timer_ = 0;
  client::TimerId idle_timer_ = 0;
};

}  // namespace berth::daemon
