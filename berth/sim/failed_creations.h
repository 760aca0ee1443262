// Pods that controllers could not create because the API server refused them, and when they try again.
//
// A controller that is refused tries again after a backoff that doubles, as its work queue does in a real cluster. The
// answer of the API server is the same as long as nothing changes that it depends on; so a world that has nothing else
// to do is idle, although the next try is on its agenda. Once something has changed (a class, a limit range or a quota
// came or went, or something was deleted or ended in the namespace), the world waits for the next try.
//
// What is in here now are the controllers that are short of pods at this moment, and why: whoever reports about a world
// reads it at the end (report/summary.h, scenario/runner.h). That a creation failed is also in the history
// (HistoryEvent::Kind::kFailedCreate, and an event FailedCreate).
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/time.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/history.h"

namespace berth::sim {

struct FailedCreation {
  Symbol kind;  // of the controller: "ReplicaSet"
  Symbol name_space;
  std::string name;
  std::string group;         // as users know it: "Deployment/web"
  std::int64_t wanted = 0;   // how many pods it is to have
  std::int64_t missing = 0;  // how many of them it could not create
  std::string message;       // the API server's: "pods "web-x7k2p" is forbidden: ..."
  Instant since;
  std::int64_t tries = 0;
};

// "Deployment/web could not create 2 of its 2 pods: pods "web-x7k2p" is forbidden: ..."
std::string to_text(const FailedCreation& failed);

struct CreationBackoff {
  Duration first = Duration::milliseconds(5);
  Duration longest = Duration::seconds(1000);
};

class FailedCreations {
 public:
  // Both outlive it.
  FailedCreations(Agenda& agenda, History& history) : agenda_(agenda), history_(history) {}

  // `retry` is called after the backoff, unless the controller has all its pods before, or is gone.
  void failed(const api::ObjectKind& kind, const api::ObjectMeta& owner, std::int64_t wanted, std::int64_t missing,
              std::string_view message, std::function<void()> retry, const CreationBackoff& backoff = {});
  // It was not refused this time.
  void succeeded(const api::ObjectKind& kind, const api::ObjectMeta& owner);
  // To be called for every change.
  void on_change(const Change& change);

  // In order of namespace, kind and name.
  std::vector<FailedCreation> list() const;
  bool empty() const { return entries_.empty(); }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name
  struct Entry {
    FailedCreation what;
    std::string uid;
    Instant retry_at;
    std::uint64_t retry = 0;     // which of them is on the agenda
    bool is_waited_for = false;  // something has changed since the last try
  };

  static Key key_of(const api::ObjectKind& kind, const api::ObjectMeta& owner);
  void schedule(const Key& key, Entry& entry, Duration delay, std::function<void()> retry);

  Agenda& agenda_;
  History& history_;
  std::map<Key, Entry> entries_;
};

}  // namespace berth::sim
