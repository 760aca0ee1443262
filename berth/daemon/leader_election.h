// Leader election by a Lease (coordination.k8s.io/v1), compatible with client-go's: Berth and kube-scheduler can
// compete for one Lease.
//
// Whoever wants to lead writes its identity into the Lease and renews it. All others look at the Lease, and take it
// over when it has no holder or has not changed for as long as it says it is valid, measured by their own monotonic
// clock from when they saw it change. So no two clocks need to agree, and a clock that jumps does no harm; the times
// that stand in the Lease are for people.
//
// At no time do two lead. client-go's leader gives up renewDeadline after the first renewal that failed, however long
// the last good one was under way. Here the time counts from when the last good renewal was sent, the earliest that
// another can have begun to wait: whichever of the two comes first ends the leadership. And a leader that reads another
// name in the Lease stops at once.
//
// Lost leadership is final: an elector does not try again. The process ends and a new one starts from nothing.
//
// Renewals are PUTs of the whole object as it came, with the fields of the election replaced, so that labels and fields
// unknown to Berth survive. (A PATCH would be simpler, but the roles that clusters have for kube-scheduler do not allow
// it.)
//
// All on the loop's thread. Callbacks must not destroy the elector.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "berth/api/cluster.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/api_error.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/daemon/log.h"

namespace berth::daemon {

struct LeaderElectionOptions {
  std::string name_space = "kube-system";
  std::string name = "kube-scheduler";
  std::string identity;                         // "<hostname>_<uuid>"
  std::string component = "default-scheduler";  // who reports the events: the first profile
  // Requires: lease_duration > renew_deadline > 1.2 * retry_period > 0 (make_settings() sees to it).
  Duration lease_duration = Duration::seconds(15);
  Duration renew_deadline = Duration::seconds(10);
  Duration retry_period = Duration::seconds(2);
};

struct LeaderElectionCallbacks {
  // Once.
  std::function<void()> on_started_leading;
  // Leadership is lost; not called after stop().
  std::function<void()> on_stopped_leading;
  // Somebody, perhaps this one, holds the lease: for each change. Never empty.
  std::function<void(const std::string& identity)> on_new_leader;
  // "... became leader" and "... stopped leading", about the Lease.
  std::function<void(api::Event)> publish;
};

// A Lease as the server sent it: what Berth understands of it, and all of it.
struct LeaseDocument {
  api::Lease lease;
  std::string json;

  static Result<LeaseDocument> parse(std::string json);
  // The JSON with the fields that are set in `spec` replaced; all else stays.
  Result<std::string> with_spec(const api::LeaseSpec& spec) const;
};

class LeaderElector {
 public:
  // Upstream's JitterFactor: those that wait try again after 1 to 2.2 retry periods.
  static constexpr double kJitterFactor = 1.2;

  // Everything given by reference outlives this.
  LeaderElector(client::Loop& loop, client::Transport& transport, Log& log, const Rng& rng,
                LeaderElectionOptions options, LeaderElectionCallbacks callbacks);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Once.
  void start();

  // Ends the election, and if this one leads, gives the lease back so that another can take over at once. Requires that
  // what only a leader may do has ended. Calls `on_done`, after `at_most` at the latest.
  void stop(Duration at_most, std::function<void()> on_done);

  // Also false when the process was held up for so long that another may lead, before on_stopped_leading is called.
  bool is_leading() const;
  // The last observed holder; empty if there is none.
  const std::string& leader() const { return observed_holder_; }

  // leader_election_master_status and leader_election_slowpath_total, both with the label name = options.name. From any
  // thread.
  bool is_master() const { return is_master_.load(std::memory_order_relaxed); }
  std::uint64_t slowpath_total() const { return slowpath_total_.load(std::memory_order_relaxed); }

 private:
  enum class Phase : std::uint8_t { kIdle, kAcquiring, kLeading, kReleasing, kOver };
  enum class Step : std::uint8_t { kNone, kRead, kWrite };

  // One attempt to get or keep the lease: an optimistic write (leaders), or a read and a write.
  void attempt();
  void read();
  void was_read(const client::Response& response);
  void decide();
  void create();
  void update(bool is_optimistic);
  void was_written(const client::Response& response, bool is_optimistic);
  void succeeded();
  void failed(std::string_view why);
  void started_leading();
  void lost(std::string_view why);

  void release();
  void was_released(const client::Response& response);
  void finish_stop();

  client::Request request_for(client::Method method) const;
  void send(Step step, client::Request request, std::function<void(const client::Response&)> on_end);
  void cancel_request();
  void try_again_after(Duration delay);
  bool take_document(std::string body);
  void observe(const api::LeaseSpec& spec);
  void report_leader();
  bool is_held_by_this() const { return observed_holder_ == options_.identity; }
  bool is_observed_valid() const;
  api::LeaseSpec wanted_spec() const;
  Duration lease_seconds() const;
  Duration safe_time() const;
  void publish(std::string_view what) const;
  std::string described() const { return options_.name_space + "/" + options_.name; }

  client::Loop& loop_;
  client::Transport& transport_;
  Log& log_;
  Rng rng_;
  const LeaderElectionOptions options_;
  const LeaderElectionCallbacks callbacks_;

  Phase phase_ = Phase::kIdle;
  Step step_ = Step::kNone;
  client::RequestId request_ = 0;
  client::TimerId attempt_timer_ = 0;
  client::TimerId deadline_timer_ = 0;
  Instant attempt_began_at_;
  Instant write_sent_at_;
  Instant leading_until_;

  // As the server had it when it last answered; nothing if that is not known.
  std::optional<LeaseDocument> document_;
  // What the Lease said when it last changed, and when that was seen.
  api::LeaseSpec observed_;
  std::string observed_holder_;
  Instant observed_at_;
  std::string reported_leader_;

  std::atomic<bool> is_master_ = false;
  std::atomic<std::uint64_t> slowpath_total_ = 0;
  std::function<void()> on_stop_done_;
};

}  // namespace berth::daemon
