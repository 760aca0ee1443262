// Publishes events (events.k8s.io/v1) without ever being in the way of a binding.
//
// Events wait in a backlog and are written with few requests at a time: fewer while bindings are under way, so that in
// a burst binds go first and events follow. Nobody waits for an event. The backlog has limits; beyond them the oldest
// event is dropped, since the latest say most about what is wrong now, and the log says how many were.
//
// An event that could not be written for a reason that is not its own (no connection, server overloaded) is tried again
// after 10 to 12.5 s, kMaxTries times in all, as upstream does. While nothing gets through, only one request at a time
// looks whether the server is back, more and more rarely; so a dead server costs nothing, and what happened meanwhile
// is written when it is back, as far as the backlog reaches. A repetition of a POST whose outcome was unknown does no
// harm: the name is taken then.
//
// Repetitions become series, see event_series.h. A pending write of a series sends the count it finds when it starts.
//
// All on the loop's thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "berth/api/cluster.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/api_error.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/daemon/event_series.h"
#include "berth/daemon/event_sink.h"
#include "berth/daemon/log.h"

namespace berth::daemon {

struct EventPublisherOptions {
  std::string hostname;
  // Whether bindings wait or are under way. Empty: never.
  std::function<bool()> is_busy_binding;

  // Requests at a time, while bindings are under way and otherwise.
  std::size_t max_in_flight_when_busy = 4;
  std::size_t max_in_flight = 16;
  // Upstream has room for 1,000 and starts a goroutine for each that waits for its turn. Berth binds some thousand pods
  // a second, so a burst of tens of thousands leaves as many events behind; at 400 bytes each they fit, and long notes
  // are limited by bytes.
  std::size_t max_backlog = 50'000;
  std::size_t max_backlog_bytes = std::size_t{32} << 20;
  EventSeries::Limits series;
};

// Totals since the start, for metrics: may be read from any thread.
struct EventCounts {
  using Count = std::atomic<std::uint64_t>;
  Count published = 0;  // asked for
  Count counted = 0;    // of these, only counted in a series
  Count written = 0;    // requests that the server accepted
  Count retried = 0;
  Count refused = 0;   // by the server, for good
  Count given_up = 0;  // after kMaxTries
  Count dropped = 0;   // no room in the backlog, or no time at the end
};

class EventPublisher final : public EventSink {
 public:
  static constexpr int kMaxTries = 12;
  static constexpr Duration kRetryDelay = Duration::seconds(10);
  // What was dropped or refused is logged together, once in so long.
  static constexpr Duration kReportInterval = Duration::seconds(5);

  // Everything given by reference outlives this.
  EventPublisher(client::Loop& loop, client::Transport& transport, Log& log, const Rng& rng,
                 EventPublisherOptions options);
  ~EventPublisher() override;
  EventPublisher(const EventPublisher&) = delete;
  EventPublisher& operator=(const EventPublisher&) = delete;

  void publish(const engine::PodEvent& event) override;
  // About anything: of the event reportingController, type, reason, action, regarding, related and note are used.
  void publish(api::Event event);

  // Goes on until all is written, at most for so long, and then calls `on_done`, once. What is left is dropped.
  void begin_shutdown(Duration at_most, std::function<void()> on_done);

  const EventCounts& counts() const { return counts_; }
  // Events that wait, also those that wait for another try.
  std::size_t backlog() const { return backlog_.size() + waiting_.size(); }
  std::size_t in_flight() const { return in_flight_.size(); }

 private:
  // One request to be made: a POST of `body`, or the current state of a series.
  struct Write {
    Symbol name_space;
    std::string body;
    std::shared_ptr<RepeatedEvent> repeated;
    bool is_recreation = false;  // of a series whose object is gone
    int tries = 0;

    std::size_t bytes() const { return sizeof(Write) + body.size(); }
  };
  using WriteKey = std::uint64_t;

  Instant distinct_wall_time();
  void enqueue_new(const api::Event& event);
  void enqueue_series(const std::shared_ptr<RepeatedEvent>& repeated);
  void add_to_backlog(Write write);
  void keep_within_limits();
  void drop_oldest();
  void forget(const Write& write);

  void pump();
  std::size_t allowed_in_flight() const;
  void take_due_retries();
  void arm_pump_timer();
  void start(Write write);
  client::Request request_for(const Write& write) const;
  void ended(WriteKey key, const client::Response& response);
  void failed(Write write, const client::ApiError& error);
  void retry_later(Write write, const client::ApiError& error);
  void hold_back(Duration at_least);
  void refused(const Write& write, const client::ApiError& error);
  void done_with(const Write& write);

  void tend_series();
  void count_dropped(std::size_t events);
  void report_soon();
  void report();
  bool is_held_back() const { return held_until_.is_set() && loop_.now() < held_until_; }
  bool is_idle() const { return backlog_.empty() && waiting_.empty() && in_flight_.empty(); }
  void end_shutdown();

  client::Loop& loop_;
  client::Transport& transport_;
  Log& log_;
  Rng rng_;
  Rng naming_rng_;
  EventPublisherOptions options_;
  EventSeries series_;
  EventCounts counts_;
  Instant last_made_at_;

  std::deque<Write> backlog_;
  std::multimap<Instant, Write> waiting_;  // by when they are due
  std::size_t backlog_bytes_ = 0;          // of both

  struct Started {
    client::RequestId request = 0;
    Write write;
  };
  std::map<WriteKey, Started> in_flight_;
  WriteKey last_key_ = 0;

  // While nothing gets through: no request before this time, and how often that was put off in a row.
  Instant held_until_;
  int times_held_ = 0;

  client::TimerId pump_timer_ = 0;
  client::TimerId series_timer_ = 0;
  client::TimerId report_timer_ = 0;
  client::TimerId shutdown_timer_ = 0;
  Instant next_refresh_;

  // What report() has yet to tell.
  std::uint64_t unreported_dropped_ = 0;
  std::uint64_t unreported_refused_ = 0;
  std::uint64_t unreported_given_up_ = 0;
  std::string last_refusal_;

  bool is_over_ = false;
  std::function<void()> on_done_;
};

}  // namespace berth::daemon
