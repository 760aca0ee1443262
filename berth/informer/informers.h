// The daemon's view of the API server: one Reflector for each kind that a scheduler reads, all feeding one sink.
//
// In an outage one reflector after the other probes the server: more often than each would retry by itself, and less
// often than all of them together. As soon as one probe succeeds, all reflectors resume at once. So a restarted server
// is watched again within a second or two, however long the outage was.
//
// As a Reflector: a state machine on one loop, all calls and callbacks on the loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/interned.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/informer/reflector.h"
#include "berth/informer/retry_delay.h"
#include "berth/informer/sink.h"

namespace berth::informer {

struct InformedKind {
  const api::ObjectKind* kind = nullptr;
  // A cluster may not have it: an older release, or an API group that is switched off.
  bool is_optional = false;
  std::string field_selector = {};
};

// What kube-scheduler lists and watches, pods last.
std::vector<InformedKind> scheduler_kinds();

class Informers {
 public:
  struct Options {
    std::vector<InformedKind> kinds = scheduler_kinds();
    // For all kinds; its selectors, is_optional and callbacks but the log are not used.
    ReflectorOptions reflector = {};
    // Called once, when the sink has had all objects of all kinds.
    std::function<void()> on_all_synced = {};
  };

  // All outlive the informers.
  Informers(client::Loop& loop, client::Transport& transport, Sink& sink, Rng rng, Options options);
  ~Informers();
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  // Requires: not started before.
  void start();
  // Nothing more is called. For good.
  void stop();

  bool all_synced() const;
  // "pods.v1", "replicasets.v1.apps": the kinds that the sink knows nothing of yet, in their order.
  std::vector<std::string> unsynced() const;

  const std::vector<std::unique_ptr<Reflector>>& reflectors() const { return reflectors_; }
  // Null if it is none of the kinds.
  const Reflector* find(const api::ObjectKind& kind) const;

 private:
  // Delays between probes.
  static constexpr Duration kFirstProbe = Duration::milliseconds(200);
  static constexpr Duration kLongestProbe = Duration::seconds(1);
  // An outage that begins sooner after the last one continues its backoff.
  static constexpr Duration kProbeBackoffResetsAfter = Duration::seconds(3);

  void on_synced();
  void on_outage();
  void on_served();
  void send_probe();

  client::Loop& loop_;
  Rng rng_;
  Options options_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;  // in the order of the kinds
  std::size_t synced_ = 0;
  RetryDelay probe_delay_{kFirstProbe, kLongestProbe, kProbeBackoffResetsAfter};
  bool is_outage_ = false;
  client::TimerId probe_timer_ = 0;
  std::size_t next_probe_ = 0;  // of the reflectors
};

}  // namespace berth::informer
