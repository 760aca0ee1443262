#include "berth/api/cluster.h"

namespace berth::api {

template <>
const Schema& schema_of<NamespaceStatus>() {
  static const Schema schema("NamespaceStatus", {
                                                    field<&NamespaceStatus::phase>("phase", 1),
                                                });
  return schema;
}

template <>
const Schema& schema_of<Namespace>() {
  static const Schema schema("Namespace", {
                                              field<&Namespace::metadata>("metadata", 1, kAlways),
                                              field<&Namespace::status>("status", 3, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<ServiceSpec>() {
  static const Schema schema("ServiceSpec", {
                                                field<&ServiceSpec::selector>("selector", 2),
                                                field<&ServiceSpec::cluster_ip>("clusterIP", 3),
                                                field<&ServiceSpec::type>("type", 4),
                                            });
  return schema;
}

template <>
const Schema& schema_of<Service>() {
  static const Schema schema("Service", {
                                            field<&Service::metadata>("metadata", 1, kAlways),
                                            field<&Service::spec>("spec", 2, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<Binding>() {
  static const Schema schema("Binding", {
                                            field<&Binding::metadata>("metadata", 1, kAlways),
                                            field<&Binding::target>("target", 2, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<LeaseSpec>() {
  static const Schema schema("LeaseSpec", {
                                              field<&LeaseSpec::holder_identity>("holderIdentity", 1),
                                              field<&LeaseSpec::lease_duration_seconds>("leaseDurationSeconds", 2),
                                              field<&LeaseSpec::acquire_time>("acquireTime", 3),
                                              field<&LeaseSpec::renew_time>("renewTime", 4),
                                              field<&LeaseSpec::lease_transitions>("leaseTransitions", 5),
                                              field<&LeaseSpec::strategy>("strategy", 6),
                                              field<&LeaseSpec::preferred_holder>("preferredHolder", 7),
                                          });
  return schema;
}

template <>
const Schema& schema_of<Lease>() {
  static const Schema schema("Lease", {
                                          field<&Lease::metadata>("metadata", 1, kAlways),
                                          field<&Lease::spec>("spec", 2, kAlways),
                                      });
  return schema;
}

template <>
const Schema& schema_of<EventSeries>() {
  static const Schema schema("EventSeries", {
                                                field<&EventSeries::count>("count", 1, kAlways),
                                                field<&EventSeries::last_observed_time>("lastObservedTime", 2, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<EventSource>() {
  static const Schema schema("EventSource", {
                                                field<&EventSource::component>("component", 1),
                                                field<&EventSource::host>("host", 2),
                                            });
  return schema;
}

template <>
const Schema& schema_of<Event>() {
  static const Schema schema("Event",
                             {
                                 field<&Event::metadata>("metadata", 1, kAlways),
                                 field<&Event::event_time>("eventTime", 2, kAlways),
                                 field<&Event::series>("series", 3),
                                 field<&Event::reporting_controller>("reportingController", 4),
                                 field<&Event::reporting_instance>("reportingInstance", 5),
                                 field<&Event::action>("action", 6),
                                 field<&Event::reason>("reason", 7),
                                 field<&Event::regarding>("regarding", 8, kAlways),
                                 field<&Event::related>("related", 9),
                                 field<&Event::note>("note", 10),
                                 field<&Event::type>("type", 11),
                                 field<&Event::deprecated_source>("deprecatedSource", 12, kAlways),
                                 field<&Event::deprecated_first_timestamp>("deprecatedFirstTimestamp", 13, kAlways),
                                 field<&Event::deprecated_last_timestamp>("deprecatedLastTimestamp", 14, kAlways),
                                 field<&Event::deprecated_count>("deprecatedCount", 15),
                             });
  return schema;
}

template <>
const Schema& schema_of<CoreEventSeries>() {
  static const Schema schema("EventSeries",
                             {
                                 field<&CoreEventSeries::count>("count", 1),
                                 field<&CoreEventSeries::last_observed_time>("lastObservedTime", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<CoreEvent>() {
  static const Schema schema("Event", {
                                          field<&CoreEvent::metadata>("metadata", 1, kAlways),
                                          field<&CoreEvent::involved_object>("involvedObject", 2, kAlways),
                                          field<&CoreEvent::reason>("reason", 3),
                                          field<&CoreEvent::message>("message", 4),
                                          field<&CoreEvent::source>("source", 5, kAlways),
                                          field<&CoreEvent::first_timestamp>("firstTimestamp", 6, kAlways),
                                          field<&CoreEvent::last_timestamp>("lastTimestamp", 7, kAlways),
                                          field<&CoreEvent::count>("count", 8),
                                          field<&CoreEvent::type>("type", 9),
                                          field<&CoreEvent::event_time>("eventTime", 10, kAlways),
                                          field<&CoreEvent::series>("series", 11),
                                      });
  return schema;
}

}  // namespace berth::api
