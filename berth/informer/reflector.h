// A Reflector keeps a sink informed of all objects of one kind: it gets them once, then follows their changes, and does
// so again whenever the thread is lost. After any sequence of faults the sink has what the API server has.
//
//                 ┌───────────────────────── history is gone (410), server lost it ─────────────────────┐
//                 v                                                                                     │
//   start ──> watch-list ── all objects, then a bookmark that says so ──> the same stream goes on ──> watch ──┐
//                 │ not offered, or broke                                                              ^ ^     │
//                 └──> list, page by page ── all objects ──────────────────────────────────────────────┘ └─────┘
//                                                                                     ended, broke, idle: resume
//
// What is asked for. Both the watch-list and the list ask for the most recent state (no resourceVersion), never for
// "any" ("0", which client-go starts with): a server whose cache lags could answer with a state that is older than what
// the sink, or the process before this one, has seen, and a pod would seem unbound again. A most recent read cannot go
// back, so nothing has to be remembered from one list to the next, and "too large resource version" cannot be the
// answer to a list. API servers of today answer it from their cache, after they have asked etcd how far it is.
//
// What counts as a position. Resource versions of one kind can be compared as numbers. An event that is not newer than
// the position is one that came before, and is left out: the sink never sees an object go back. Bookmarks move the
// position on, so that a resume after a quiet time does not find its history gone.
//
// How long it waits. A server that refuses is left alone for longer each time. One that cannot be reached is not helped
// by that, and one that was restarted refuses this and that until it has read its own rules. So from a lost connection
// to the next good answer there is an outage: waits have a count of their own then, and end early where others know
// better. Neither is history that is gone after the connection was lost a sign of trouble: a restarted server has none.
//
// What cannot be read. Bytes that are no frame, or a frame that is no object, end the stream, and the next one resumes
// from the last good event: mostly it was the network. Bytes that are the same again are the server's own; then the
// kind is listed once more, and from then on what cannot be read is reported and left out (kSkipPeriod).
//
// A state machine on one loop; all calls and callbacks on the loop's thread. It may be stopped from within a call to
// the sink, not destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/object.h"
#include "berth/base/hash.h"
#include "berth/base/interned.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/api_error.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/codec/decode.h"
#include "berth/informer/event_stream.h"
#include "berth/informer/retry_delay.h"
#include "berth/informer/sink.h"

namespace berth::informer {

enum class Severity : std::uint8_t { kInfo, kWarning, kError };
struct LogLine {
  Severity severity = Severity::kInfo;
  std::string_view message;   // a constant text
  std::string_view resource;  // "pods"
  std::string_view error;     // empty: none
};
using Log = std::function<void(const LogLine&)>;

struct ReflectorOptions {
  // "status.phase!=Succeeded,status.phase!=Failed"; empty: all.
  std::string field_selector = {};
  std::string label_selector = {};
  // The server may not have the kind at all (404): that is as good as having no objects of it.
  bool is_optional = false;
  bool use_watch_list = true;
  int page_size = 500;
  // No byte for so long: the connection is dead. Servers send a bookmark about every minute.
  Duration idle_timeout = Duration::seconds(90);
  // Of one page; servers give up on a list after a minute.
  Duration list_timeout = Duration::seconds(90);
  // Servers are asked to end a watch after this to twice as long, so that load spreads over several of them.
  Duration min_watch = Duration::minutes(5);
  // How often to look whether an optional kind has come.
  Duration not_served_retry = Duration::minutes(3);
  // Equal parts of objects are shared through it; may be null. Outlives the reflector.
  InternPool* pool = nullptr;
  Log log = {};
  // Called once, after the first call of observe_list().
  std::function<void()> on_synced = {};
  // It waits because of an outage.
  std::function<void()> on_outage = {};
  // The server answers as it should.
  std::function<void()> on_served = {};
};

struct ReflectorStats {
  std::uint64_t lists = 0;         // begun, not counting further pages
  std::uint64_t watch_lists = 0;   // begun
  std::uint64_t watches = 0;       // begun, not counting watch-lists
  std::uint64_t replacements = 0;  // all objects handed to the sink at once
  std::uint64_t relists = 0;       // of these, all but the first
  std::uint64_t events = 0;        // handed to the sink one by one
  std::uint64_t bookmarks = 0;
  std::uint64_t stale_events = 0;  // left out because they came before
  std::uint64_t unreadable = 0;    // objects left out because they cannot be decoded
  std::uint64_t errors = 0;
  std::string last_error;  // stays after recovery; empty: none yet
  Instant last_error_at;
  Instant last_contact;  // the server said something; unset: never
};

class Reflector {
 public:
  // After bytes that were the server's own and could not be read, such bytes are left out for so long.
  static constexpr Duration kSkipPeriod = Duration::minutes(10);

  // All outlive the reflector.
  Reflector(const api::ObjectKind& kind, client::Loop& loop, client::Transport& transport, Sink& sink, Rng rng,
            ReflectorOptions options = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  // Requires: not started before.
  void start();
  // Nothing more is called. For good.
  void stop();
  // Whether it waits because of an outage; then it tries now.
  bool try_now();
  // Others say that the outage is over.
  void end_outage();

  const api::ObjectKind& kind() const { return kind_; }
  // The sink has had all objects at least once.
  bool is_synced() const { return stats_.replacements > 0; }
  // The server does not have the kind.
  bool is_not_served() const { return is_not_served_; }
  // What a watch resumes from; empty: nothing yet.
  const std::string& resource_version() const { return position_; }
  const ReflectorStats& stats() const { return stats_; }

 private:
  enum class Stage : std::uint8_t { kIdle, kListing, kWatchListing, kWatching };
  // What to do after a wait.
  enum class Step : std::uint8_t { kGetAll, kNextPage, kWatch };
  enum class StreamPurpose : std::uint8_t { kWatchList, kResume };

  void get_all();
  void take(Step step);
  void take_after(Step step, Duration delay);
  void drop_request();

  void start_list();
  void request_page();
  void on_page(const client::Response& response);
  void on_page_refused(const client::ApiError& error);
  Result<api::ObjectList> decode_page(std::string_view body);

  void start_watch_list();
  void begin_watch_list_timeout();
  void check_watch_list_timeout();
  void collect(codec::WatchEvent event);
  void on_bookmark_of_list(const api::ObjectMeta& metadata);
  void on_watch_list_without_end();
  void on_watch_list_broken(const client::Response& response);
  void on_watch_list_refused(const client::ApiError& error);

  void start_watch();
  void open_stream(StreamPurpose purpose);
  void on_stream_begun(int status);
  void on_piece(std::string_view piece);
  void on_stream_end(const client::Response& response);
  void on_frame(Frame frame);
  void on_event(codec::WatchEvent event);
  void on_bookmark(const api::ObjectMeta& metadata);
  void on_watch_refused(const client::ApiError& error);
  void on_gone(const client::ApiError& error);
  void on_unreadable_frame(const Frame& frame);
  // The stream is of no more use; get what is missing from another one.
  void abandon_stream(std::string why);
  void deliver(codec::WatchEvent event);

  // All objects are known, as of `position`.
  void replace_all(std::vector<api::AnyObject> objects, std::string position);
  void on_not_served(const client::ApiError& error);
  void hand_over(std::vector<api::AnyObject> objects);

  void note_contact();
  void note_error(std::string what);
  // Something went wrong: count and report it, then take the step `next` after the server's or our own delay.
  void retry(Step next, std::string what, Duration asked_delay = {});
  // The same after no answer at all.
  void retry_connection(Step next, const client::ApiError& error);
  void wait_for_server(Step next);
  void note_lost_connection();
  void note_served();
  void report(const std::string& what);
  void report_recovery();
  void report_unreadable(std::string_view what);
  void log(Severity severity, std::string_view message, std::string_view error = {}) const;
  bool skips_unreadable() const;
  bool is_after_position(std::string_view resource_version) const;
  // With what to do about it, if it is a matter of rights.
  std::string text_of(const client::ApiError& error) const;

  const api::ObjectKind& kind_;
  client::Loop& loop_;
  client::Transport& transport_;
  Sink& sink_;
  Rng rng_;
  const ReflectorOptions options_;
  ReflectorStats stats_;

  Stage stage_ = Stage::kIdle;
  bool is_stopped_ = false;
  client::RequestId request_ = 0;
  client::TimerId timer_ = 0;             // until the next step
  Step next_step_ = Step::kGetAll;        // when the timer runs
  bool is_waiting_for_server_ = false;    // an outage is why the timer runs
  client::TimerId watch_list_timer_ = 0;  // with a watch-list
  RetryDelay retry_delay_;
  RetryDelay outage_delay_;
  bool is_in_outage_ = false;
  bool has_lost_connection_ = false;  // since history was gone last

  std::string position_;
  bool must_get_all_ = false;  // when the watch ends: something was left out

  // Listing, page by page or by watch-list. A removed object is empty.
  std::vector<api::AnyObject> collected_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> collected_at_;
  std::string list_position_;
  std::string continue_token_;
  bool is_full_list_ = false;        // without pages, because a token had expired
  int unreadable_pages_ = 0;         // in a row
  bool is_watch_list_offered_;       // as far as known
  int watch_lists_without_end_ = 0;  // in a row
  bool avoids_watch_list_once_ = false;

  // The stream.
  EventStream stream_;
  Instant opened_at_;
  Instant frame_began_at_;  // of the frame that is not whole; unset: there is none
  Instant last_frame_at_;
  bool has_event_ = false;   // one that was not seen before
  int refused_watches_ = 0;  // in a row
  int old_bookmarks_ = 0;    // in a row
  Instant last_gone_at_;

  std::optional<std::uint64_t> unreadable_frame_;  // fingerprint of the last one
  Instant skips_unreadable_until_;

  bool is_not_served_ = false;
  bool has_objects_ = false;
  Instant not_served_since_;

  std::string reported_error_;  // the last one logged; empty: none since all was well
};

}  // namespace berth::informer
