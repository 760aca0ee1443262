// The daemon's view of the API server: one Reflector for each kind that a scheduler reads, all feeding one sink.
//
// As a Reflector: a state machine on one loop, all calls and callbacks on the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/interned.h"
#include "berth/base/rng.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/informer/reflector.h"
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
    // For all kinds; its selectors, is_optional, and on_synced are not used.
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
  void on_synced();

  Options options_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;  // in the order of the kinds
  std::size_t synced_ = 0;
};

}  // namespace berth::informer
