// An API server for tests, in virtual time: a Transport that answers by itself. For tests only; the program must not
// include it.
//
//   client::FakeLoop loop;
//   FakeApiServer server(loop, Rng(1));
//   server.create(pod("shop", "web-1"));
//   Reflector reflector(api::kind_of<api::Pod>(), loop, server, store, Rng(2));
//   reflector.start();
//   loop.advance(Duration::seconds(1));
//
// It holds objects of all kinds with resource versions, a window of history, and answers in protobuf or JSON as asked:
//   LIST with limit, continue and fieldSelector; WATCH with bookmarks, timeoutSeconds and sendInitialEvents; GET;
//   POST of an object and of pods/NAME/binding; PUT, also of .../status, with conflicts of resource versions;
//   PATCH of pods/NAME/status and of events; DELETE with preconditions.
// Anything else is 404, unless `intercept` answers.
//
// What goes wrong is drawn from the Rng at the rates of `faults`; the same seed and the same calls give the same run.
// Idle and whole timeouts of requests are those of a real transport. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/object.h"
#include "berth/base/function_ref.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/codec/decode.h"

namespace berth::informer {

// How often things go wrong, out of a thousand.
struct ApiFaults {
  // For each request:
  int refused = 0;             // no connection
  int lost_requests = 0;       // the connection breaks before the server has done anything
  int lost_answers = 0;        // it is done, and nobody hears of it
  int too_many_requests = 0;   // 429 with Retry-After
  int internal_errors = 0;     // 500
  int expired = 0;             // 410, of watches and further pages
  int unreadable_answers = 0;  // of lists: cut short or garbage, with status 200
  int repeated_events = 0;     // a watch begins with some events that came before
  // For each piece of a watch:
  int cut_streams = 0;        // in the middle of a frame
  int truncated_streams = 0;  // the same, but the stream ends as if all were well
  int half_open_streams = 0;  // no byte comes ever again
  int garbage = 0;            // bytes that are no frame, between frames
  // Of everything, on top of the latency.
  Duration longest_delay;
};

struct ApiBehaviour {
  enum class WatchLists : std::uint8_t {
    kOffered,
    kRefused,  // 422, as a server says where the feature is off
    kUnknown,  // a server before 1.27: it does not look at the parameter
  };
  WatchLists watch_lists = WatchLists::kOffered;
  bool is_up = true;  // down: connections are refused; those that are open go on until break_streams()
  Duration latency = Duration::milliseconds(1);
  Duration bookmark_period = Duration::minutes(1);
  // How many changes a watch may be behind.
  std::size_t history_window = 10'000;
  // How long a deleted pod that has a node takes to end.
  Duration termination = Duration::seconds(1);
  std::set<const api::ObjectKind*> not_served;  // 404
  std::set<const api::ObjectKind*> forbidden;   // 403
};

// A watch that is open at FakeApiServer.
struct FakeWatch {
  const api::ObjectKind* kind = nullptr;
  std::string field_selector;
  std::size_t next_change = 0;  // of all changes
  bool is_pump_due = false;
  bool wants_bookmarks = false;
};

class FakeApiServer final : public client::Transport {
 public:
  struct Change {
    std::uint64_t version = 0;
    codec::WatchEvent::Type type = codec::WatchEvent::Type::kAdded;
    api::AnyObject object;  // of a deleted one the last state, with the version of the deletion
    api::AnyObject before;  // empty if it was added
  };

  FakeApiServer(client::Loop& loop, Rng rng);

  // --- What the test sets --------------------------------------------------------------------------------------------
  ApiBehaviour behaviour;
  ApiFaults faults;
  // Asked first, for every request that is not a watch; nothing: the server answers itself.
  std::function<std::optional<client::Response>(const client::Request&)> intercept;

  // --- Objects, as others change them --------------------------------------------------------------------------------
  // Gives it a UID and a creation time if it has none, and a resource version. Requires: the name is free.
  api::AnyObject create(const api::AnyObject& object);
  // Requires: it is there. The UID stays.
  api::AnyObject update(const api::AnyObject& object);
  // At once, also if it is a pod that runs. False if it is not there.
  bool remove(const api::ObjectKind& kind, std::string_view full_name);

  template <typename T>
  std::shared_ptr<const T> create(T object) {
    return create(api::AnyObject(std::make_shared<const T>(std::move(object)))).template as<T>();
  }
  template <typename T>
  std::shared_ptr<const T> update(T object) {
    return update(api::AnyObject(std::make_shared<const T>(std::move(object)))).template as<T>();
  }
  template <typename T>
  bool remove(std::string_view full_name) {
    return remove(api::kind_of<T>(), full_name);
  }

  // By "namespace/name", or "name" alone. Empty if it is not there.
  api::AnyObject get(const api::ObjectKind& kind, std::string_view full_name) const;
  template <typename T>
  std::shared_ptr<const T> get(std::string_view full_name) const {
    return get(api::kind_of<T>(), full_name).template as<T>();
  }
  // In the order of their full names.
  std::vector<api::AnyObject> list(const api::ObjectKind& kind, std::string_view field_selector = {}) const;

  // --- What happened -------------------------------------------------------------------------------------------------
  // All changes ever, also those that watches no longer get.
  const std::vector<Change>& changes() const { return changes_; }
  std::uint64_t version() const { return version_; }
  // "GET /api/v1/pods?limit=500" of every request ever started, in order.
  const std::vector<std::string>& log() const { return log_; }
  // How many of them contain the text.
  std::size_t count_requests(std::string_view text) const;
  std::size_t open_requests() const { return exchanges_.size(); }

  // --- Faults at a moment that the test chooses ----------------------------------------------------------------------
  // All connections break.
  void break_streams();
  // No byte comes any more on the streams that are open.
  void freeze_streams();
  // All history is gone: every watch that is behind, or resumes behind, gets 410.
  void forget_history();
  // These bytes come next on every open watch of the kind.
  void inject(const api::ObjectKind& kind, std::string_view bytes);

  // --- The transport -------------------------------------------------------------------------------------------------
  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override;
  client::RequestId start_stream(client::Request request, client::StreamHandler handler) override;
  void cancel(client::RequestId request) override;

 private:
  using Objects = std::map<std::string, api::AnyObject, std::less<>>;
  // What a path means.
  struct Target {
    const api::ObjectKind* kind = nullptr;
    std::string name_space;
    std::string name;
    std::string subresource;
    std::map<std::string, std::string, std::less<>> query;

    std::string full_name() const { return name_space.empty() ? name : name_space + "/" + name; }
    std::string_view parameter(std::string_view parameter_name) const;
  };
  struct Exchange {
    client::Request request;
    client::StreamHandler handler;
    bool is_stream = false;
    bool is_frozen = false;
    Instant last_byte_at;
    std::optional<FakeWatch> watch;
  };

  // Life of a request.
  client::RequestId add(client::Request request, client::StreamHandler handler, bool is_stream);
  void check_idle(client::RequestId id);
  void serve(client::RequestId id);
  void finish(client::RequestId id, client::Response response);
  void finish_broken(client::RequestId id, client::Response::Transfer how, std::string error);
  Exchange* find(client::RequestId id);
  Duration draw_delay();
  bool happens(int rate);
  std::optional<client::Response> draw_refusal(const client::Request& request);
  void spoil_list(client::Response& response);

  // Reading.
  static std::optional<Target> parse(std::string_view path);
  client::Response answer(const client::Request& request);
  std::optional<client::Response> refusal_of(const client::Request& request, const std::optional<Target>& target) const;
  client::Response answer_list(const client::Request& request, const Target& target);
  client::Response answer_get(const client::Request& request, const Target& target) const;
  // All objects as they were at that version, in the order of their names.
  Objects objects_at(const api::ObjectKind& kind, std::uint64_t version) const;
  // Changes up to here are gone.
  std::uint64_t forgotten_version() const;

  // Watching.
  void open_watch(client::RequestId id);
  // The initial events, if any.
  std::string begin_watch(Exchange& exchange, const Target& target);
  std::string initial_events(const FakeWatch& watch) const;
  void send_bookmarks(client::RequestId id);
  void pump_soon(client::RequestId id);
  void pump(client::RequestId id);
  // As the watch sees it; empty if it does not.
  std::string frame_of(const Change& change, const FakeWatch& watch) const;
  // In pieces of any size, with faults.
  void send(client::RequestId id, std::string bytes);
  // False if the request is over.
  bool send_piece(client::RequestId id, std::string_view piece);

  // Writing (fake_api_writes.cc).
  client::Response answer_write(const client::Request& request, const Target& target);
  client::Response answer_create(const client::Request& request, const Target& target);
  client::Response answer_bind(const client::Request& request, const Target& target);
  client::Response answer_update(const client::Request& request, const Target& target);
  client::Response answer_patch(const client::Request& request, const Target& target);
  client::Response patch_pod_status(const client::Request& request, const Target& target);
  client::Response patch_event(const client::Request& request, const Target& target);
  client::Response answer_delete(const client::Request& request, const Target& target);
  void end_pod_later(const api::Pod& pod);

  api::AnyObject store(codec::WatchEvent::Type type, const api::AnyObject& object, const api::AnyObject& before);

  client::Loop& loop_;
  Rng rng_;
  std::map<const api::ObjectKind*, Objects> objects_;
  std::vector<Change> changes_;
  std::uint64_t version_ = 1;
  std::uint64_t forgotten_ = 0;
  std::uint64_t last_uid_ = 0;
  client::RequestId last_request_ = 0;
  std::map<client::RequestId, Exchange> exchanges_;
  std::vector<std::string> log_;
};

}  // namespace berth::informer
