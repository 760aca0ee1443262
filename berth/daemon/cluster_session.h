// Everything between the engine and one API server: what is read (informers), what is written (dispatcher, events), and
// the lease that says whether this process may write at all.
//
//            reading loop                                writing loop
//   informers ──> engine inbox                 dispatcher <── send() <── engine
//       │ all synced                                │ outcomes ──> engine inbox
//       └────────────┐                 ┌── leading ─┤ events
//                    └─> engine starts <┘           └ lease
//
// Two loops, so that decoding a list of fifty thousand pods does not hold up a binding or the renewal of the lease.
// They may be one and the same, as in tests.
//
// All but destruction may be done from any thread. It is destroyed on the loops' thread, if that is one, or after
// close().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/interned.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/daemon/dispatcher.h"
#include "berth/daemon/engine_inbox.h"
#include "berth/daemon/event_publisher.h"
#include "berth/daemon/leader_election.h"
#include "berth/daemon/log.h"
#include "berth/engine/command.h"
#include "berth/informer/informers.h"

namespace berth::daemon {

// A loop and the transport that lives on it. Both outlive the session.
struct ApiLine {
  client::Loop& loop;
  client::Transport& transport;
};

class ClusterSession {
 public:
  struct Options {
    std::vector<informer::InformedKind> kinds = informer::scheduler_kinds();
    Dispatcher::Options dispatcher;
    EventPublisherOptions events;                   // is_busy_binding is set here
    std::optional<LeaderElectionOptions> election;  // unset: this process leads, always
    // Nothing is read before this process leads: less load and memory for those that wait, a later start when they
    // lead.
    bool reads_only_when_leading = false;
    std::uint64_t seed = 0;  // of jitter
    // This process does not lead any more: it must end at once. On the writing loop's thread.
    std::function<void()> on_lost_leadership;
    // Returns when the engine has sent what followed from the last results: the events of the last binds. Called at the
    // end, on the writing loop's thread. May be empty where the engine is on that thread itself.
    std::function<void()> let_engine_settle;
  };

  // All outlive the session.
  ClusterSession(ApiLine reading, ApiLine writing, EngineInbox& engine, Log& log, Options options);
  ~ClusterSession();
  ClusterSession(const ClusterSession&) = delete;
  ClusterSession& operator=(const ClusterSession&) = delete;

  // Once.
  void start();

  // What the engine wants done. Requires: start() was called.
  void send(EngineOutput output);

  // Binds under way get `binds` to end, then the lease is given back, which may take `lease`, then events that wait get
  // `events` to be written. Requires: start() was called, and the engine tries no pods any more.
  struct Grace {
    Duration binds = Duration::seconds(5);
    Duration lease = Duration::seconds(2);
    Duration events = Duration::seconds(10);
  };
  void begin_shutdown(Grace grace, std::function<void()> on_done);

  // Ends everything, each part on the thread of its loop, and waits for that. Not from a loop's thread.
  void close();

  // Everything has been read at least once.
  bool is_synced() const { return is_synced_.load(); }
  bool is_leading() const { return is_leading_.load(); }
  // How often the lease could not be renewed without reading it first. Requires: not closed.
  std::uint64_t slow_renewals() const;

 private:
  informer::Informers::Options informer_options();
  Dispatcher::Options dispatcher_options();
  EventPublisherOptions event_options();
  std::unique_ptr<LeaderElector> make_elector();

  void start_reading();
  void start_writing();
  void when_settled(const std::function<void()>& then);
  void give_back_lease(Duration at_most, const std::function<void()>& on_done);
  void synced();
  void leads();
  void begin_if_ready();

  ApiLine reading_;
  ApiLine writing_;
  EngineInbox& engine_;
  Log& log_;
  Options options_;
  InternPool pool_;

  // Made and ended on the thread of their loop.
  std::unique_ptr<informer::Informers> informers_;  // of the reading loop
  std::unique_ptr<EventPublisher> events_;          // of the writing loop, and so are the next two
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<LeaderElector> elector_;
  std::atomic<const LeaderElector*> visible_elector_ = nullptr;  // the same, for other threads

  std::atomic<bool> is_synced_ = false;
  std::atomic<bool> is_leading_ = false;
  std::mutex mutex_;  // guards has_begun_
  bool has_begun_ = false;
};

}  // namespace berth::daemon
