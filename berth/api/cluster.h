// Objects around the pods: namespaces, services, and what a scheduler writes besides pods: bindings, events and the
// lease of its leader election.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"

namespace berth::api {

struct NamespaceStatus {
  Symbol phase;
  bool operator==(const NamespaceStatus&) const = default;
};

struct Namespace {
  ObjectMeta metadata;
  NamespaceStatus status;
  bool operator==(const Namespace&) const = default;
};

struct ServiceSpec {
  Labels selector;
  Symbol cluster_ip;
  Symbol type;
  bool operator==(const ServiceSpec&) const = default;
};

struct Service {
  ObjectMeta metadata;
  ServiceSpec spec;
  bool operator==(const Service&) const = default;
};

// Says that a pod runs on a node; written to the pod's subresource "binding".
struct Binding {
  ObjectMeta metadata;
  ObjectReference target;
  bool operator==(const Binding&) const = default;
};

struct LeaseSpec {
  std::optional<std::string> holder_identity;
  std::optional<std::int32_t> lease_duration_seconds;
  MicroTime acquire_time;
  MicroTime renew_time;
  std::optional<std::int32_t> lease_transitions;
  std::optional<Symbol> strategy;
  std::optional<std::string> preferred_holder;
  bool operator==(const LeaseSpec&) const = default;
};

struct Lease {
  ObjectMeta metadata;
  LeaseSpec spec;
  bool operator==(const Lease&) const = default;
};

struct EventSeries {
  std::int32_t count = 0;
  MicroTime last_observed_time;
  bool operator==(const EventSeries&) const = default;
};

struct EventSource {
  Symbol component;
  Symbol host;
  bool operator==(const EventSource&) const = default;
};

// Of events.k8s.io.
struct Event {
  ObjectMeta metadata;
  MicroTime event_time;
  std::optional<EventSeries> series;
  Symbol reporting_controller;
  Symbol reporting_instance;
  Symbol action;
  Symbol reason;
  ObjectReference regarding;
  Box<ObjectReference> related;
  std::string note;
  Symbol type;
  EventSource deprecated_source;
  Instant deprecated_first_timestamp;
  Instant deprecated_last_timestamp;
  std::int32_t deprecated_count = 0;
  bool operator==(const Event&) const = default;
};

// The same in the core group, where nothing of it has to be there.
struct CoreEventSeries {
  std::int32_t count = 0;
  MicroTime last_observed_time;
  bool operator==(const CoreEventSeries&) const = default;
};

// Of the core group, which is what `kubectl get events` gives.
struct CoreEvent {
  ObjectMeta metadata;
  ObjectReference involved_object;
  Symbol reason;
  std::string message;
  EventSource source;
  Instant first_timestamp;
  Instant last_timestamp;
  std::int32_t count = 0;
  Symbol type;
  MicroTime event_time;
  std::optional<CoreEventSeries> series;
  bool operator==(const CoreEvent&) const = default;
};

BERTH_HAS_SCHEMA(NamespaceStatus);
BERTH_HAS_SCHEMA(Namespace);
BERTH_HAS_SCHEMA(ServiceSpec);
BERTH_HAS_SCHEMA(Service);
BERTH_HAS_SCHEMA(Binding);
BERTH_HAS_SCHEMA(LeaseSpec);
BERTH_HAS_SCHEMA(Lease);
BERTH_HAS_SCHEMA(EventSeries);
BERTH_HAS_SCHEMA(EventSource);
BERTH_HAS_SCHEMA(Event);
BERTH_HAS_SCHEMA(CoreEventSeries);
BERTH_HAS_SCHEMA(CoreEvent);

}  // namespace berth::api
