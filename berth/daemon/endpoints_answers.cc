#include "berth/daemon/endpoints_answers.h"

namespace berth::api {

template <>
const Schema& schema_of<explain::WakeUp>();

template <>
const Schema& schema_of<daemon::WakeTrigger>() {
  using W = daemon::WakeTrigger;
  static const Schema schema("WakeTrigger", {
                                                field<&W::event>("event", 0, kAlways),
                                                field<&W::plugin>("plugin", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<daemon::QueueEntry>() {
  using Q = daemon::QueueEntry;
  static const Schema schema("QueueEntry", {
                                               field<&Q::pod>("pod", 0, kAlways),
                                               field<&Q::priority>("priority", 0, kAlways),
                                               field<&Q::attempts>("attempts", 0, kAlways),
                                               field<&Q::since>("since", 0, kOmitZero),
                                               field<&Q::first_tried_at>("firstTriedAt", 0, kOmitZero),
                                               field<&Q::backoff_ends_at>("backoffEndsAt", 0, kOmitZero),
                                               field<&Q::forced_try_at>("forcedTryAt", 0, kOmitZero),
                                               field<&Q::gated_by>("gatedBy", 0),
                                               field<&Q::rejected_by>("rejectedBy", 0),
                                           });
  return schema;
}

template <>
const Schema& schema_of<daemon::RejectionAnswer>() {
  using R = daemon::RejectionAnswer;
  static const Schema schema("Rejection", {
                                              field<&R::plugin>("plugin", 0, kAlways),
                                              field<&R::reason>("reason", 0, kAlways),
                                              field<&R::nodes>("nodes", 0, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<daemon::AttemptAnswer>() {
  using A = daemon::AttemptAnswer;
  static const Schema schema("Attempt", {
                                            field<&A::number>("number", 0, kAlways),
                                            field<&A::began_at>("beganAt", 0, kOmitZero),
                                            field<&A::ended_at>("endedAt", 0, kOmitZero),
                                            field<&A::woken_by>("wokenBy", 0),
                                            field<&A::result>("result", 0, kAlways),
                                            field<&A::nodes_evaluated>("nodesEvaluated", 0, kAlways),
                                            field<&A::nodes_feasible>("nodesFeasible", 0, kAlways),
                                            field<&A::node>("node", 0),
                                            field<&A::rejections>("rejections", 0),
                                            field<&A::rejecting_plugins>("rejectingPlugins", 0),
                                            field<&A::victims>("victims", 0),
                                            field<&A::message>("message", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<daemon::PodAnswer>() {
  using P = daemon::PodAnswer;
  static const Schema schema("PodAnswer", {
                                              field<&P::pod>("pod", 0, kAlways),
                                              field<&P::uid>("uid", 0),
                                              field<&P::scheduler>("scheduler", 0),
                                              field<&P::place>("place", 0, kAlways),
                                              field<&P::node>("node", 0),
                                              field<&P::nominated_node>("nominatedNode", 0),
                                              field<&P::sentence>("sentence", 0, kAlways),
                                              field<&P::text>("text", 0, kAlways),
                                              field<&P::queue>("queue", 0),
                                              field<&P::wake_set>("wakeSet", 0),
                                              field<&P::wake_ups>("wakeUps", 0),
                                              field<&P::attempts>("attempts", 0),
                                              field<&P::explanation>("explanation", 0),
                                          });
  return schema;
}

template <>
const Schema& schema_of<daemon::QueueCounts>() {
  using C = daemon::QueueCounts;
  static const Schema schema("QueueCounts", {
                                                field<&C::active>("active", 0, kAlways),
                                                field<&C::backoff>("backoff", 0, kAlways),
                                                field<&C::error_backoff>("errorBackoff", 0, kAlways),
                                                field<&C::unschedulable>("unschedulable", 0, kAlways),
                                                field<&C::gated>("gated", 0, kAlways),
                                                field<&C::in_flight>("inFlight", 0, kAlways),
                                                field<&C::binding>("binding", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<daemon::QueueAnswer>() {
  using Q = daemon::QueueAnswer;
  static const Schema schema("QueueAnswer", {
                                                field<&Q::counts>("counts", 0, kAlways),
                                                field<&Q::limit>("limit", 0, kAlways),
                                                field<&Q::active>("active", 0),
                                                field<&Q::backoff>("backoff", 0),
                                                field<&Q::unschedulable>("unschedulable", 0),
                                                field<&Q::gated>("gated", 0),
                                            });
  return schema;
}

template <>
const Schema& schema_of<daemon::PlacedPodAnswer>() {
  using P = daemon::PlacedPodAnswer;
  static const Schema schema("PlacedPod", {
                                              field<&P::pod>("pod", 0, kAlways),
                                              field<&P::priority>("priority", 0, kAlways),
                                              field<&P::requests>("requests", 0),
                                              field<&P::assumed>("assumed", 0),
                                          });
  return schema;
}

template <>
const Schema& schema_of<daemon::NodeAnswer>() {
  using N = daemon::NodeAnswer;
  static const Schema schema("NodeAnswer", {
                                               field<&N::node>("node", 0, kAlways),
                                               field<&N::unschedulable>("unschedulable", 0),
                                               field<&N::taints>("taints", 0),
                                               field<&N::allocatable>("allocatable", 0),
                                               field<&N::requested>("requested", 0),
                                               field<&N::pods>("pods", 0),
                                               field<&N::nominated_pods>("nominatedPods", 0),
                                           });
  return schema;
}

}  // namespace berth::api
