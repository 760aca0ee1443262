// The JSON names of a difference; docs/what-if.md documents them.
#include "berth/whatif/difference.h"

namespace berth::api {

template <>
const Schema& schema_of<whatif::Cause>() {
  using C = whatif::Cause;
  static const Schema schema("Cause", {
                                          field<&C::sentence>("sentence", 0),
                                          field<&C::change>("change", 0),
                                          field<&C::preemptor>("preemptor", 0),
                                      });
  return schema;
}

template <>
const Schema& schema_of<whatif::MovedPod>() {
  using M = whatif::MovedPod;
  static const Schema schema("MovedPod", {
                                             field<&M::pod>("pod", 0, kAlways),
                                             field<&M::now>("now", 0),
                                             field<&M::workload>("workload", 0, kAlways),
                                             field<&M::from>("from", 0, kAlways),
                                             field<&M::to>("to", 0, kAlways),
                                             field<&M::preempted>("preempted", 0),
                                             field<&M::cause>("cause", 0, kOmitZero),
                                         });
  return schema;
}

template <>
const Schema& schema_of<whatif::PlacedPod>() {
  using P = whatif::PlacedPod;
  static const Schema schema("PlacedPod", {
                                              field<&P::pod>("pod", 0, kAlways),
                                              field<&P::workload>("workload", 0, kAlways),
                                              field<&P::node>("node", 0, kAlways),
                                              field<&P::cause>("cause", 0, kOmitZero),
                                          });
  return schema;
}

template <>
const Schema& schema_of<whatif::GonePod>() {
  using G = whatif::GonePod;
  static const Schema schema("GonePod", {
                                            field<&G::pod>("pod", 0, kAlways),
                                            field<&G::workload>("workload", 0, kAlways),
                                            field<&G::node>("node", 0),
                                            field<&G::why>("why", 0, kAlways),
                                            field<&G::cause>("cause", 0, kOmitZero),
                                        });
  return schema;
}

template <>
const Schema& schema_of<whatif::HeldPod>() {
  using H = whatif::HeldPod;
  static const Schema schema("HeldPod", {
                                            field<&H::pod>("pod", 0, kAlways),
                                            field<&H::node>("node", 0, kAlways),
                                            field<&H::why>("why", 0, kAlways),
                                            field<&H::budgets>("budgets", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<whatif::PendingNow>() {
  using P = whatif::PendingNow;
  static const Schema schema("PendingNow", {
                                               field<&P::state>("state", 0, kAlways),
                                               field<&P::pods>("pods", 0, kAlways),
                                               field<&P::were_on>("wereOn", 0),
                                               field<&P::causes>("causes", 0),
                                               field<&P::sentence>("sentence", 0, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<whatif::Preempting>() {
  using P = whatif::Preempting;
  static const Schema schema("Preempting", {
                                               field<&P::pod>("pod", 0, kAlways),
                                               field<&P::node>("node", 0, kAlways),
                                               field<&P::victims>("victims", 0, kAlways),
                                               field<&P::cause>("cause", 0, kOmitZero),
                                           });
  return schema;
}

template <>
const Schema& schema_of<whatif::UtilisationChange>() {
  using U = whatif::UtilisationChange;
  static const Schema schema("UtilisationChange", {
                                                      field<&U::resource>("resource", 0, kAlways),
                                                      field<&U::before>("before", 0, kAlways),
                                                      field<&U::after>("after", 0, kAlways),
                                                      field<&U::requested_before>("requestedBefore", 0, kAlways),
                                                      field<&U::requested_after>("requestedAfter", 0, kAlways),
                                                      field<&U::allocatable_before>("allocatableBefore", 0, kAlways),
                                                      field<&U::allocatable_after>("allocatableAfter", 0, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<whatif::AutoscaledGroup>() {
  using G = whatif::AutoscaledGroup;
  static const Schema schema("AutoscaledGroup", {
                                                    field<&G::group>("group", 0, kAlways),
                                                    field<&G::kind>("kind", 0, kAlways),
                                                    field<&G::nodes>("nodes", 0, kAlways),
                                                    field<&G::added>("added", 0, kAlways),
                                                    field<&G::removed>("removed", 0, kAlways),
                                                });
  return schema;
}

template <>
const Schema& schema_of<whatif::Verdict>() {
  using V = whatif::Verdict;
  static const Schema schema("Verdict", {
                                            field<&V::kind>("kind", 0, kAlways),
                                            field<&V::subject>("subject", 0),
                                            field<&V::ok>("ok", 0, kAlways),
                                            field<&V::sentence>("sentence", 0, kAlways),
                                            field<&V::wanted>("wanted", 0),
                                            field<&V::placed>("placed", 0),
                                            field<&V::pods>("pods", 0),
                                            field<&V::budgets>("budgets", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<whatif::Settling>() {
  using S = whatif::Settling;
  static const Schema schema("Settling", {
                                             field<&S::placed>("placed", 0),
                                             field<&S::created>("created", 0),
                                             field<&S::moved>("moved", 0),
                                             field<&S::gone>("gone", 0),
                                             field<&S::preemptions>("preemptions", 0),
                                             field<&S::pending>("pending", 0),
                                             field<&S::stuck>("stuck", 0),
                                         });
  return schema;
}

template <>
const Schema& schema_of<whatif::Difference>() {
  using D = whatif::Difference;
  static const Schema schema("Difference", {
                                               field<&D::changes>("changes", 0, kAlways),
                                               field<&D::ok>("ok", 0, kAlways),
                                               field<&D::verdicts>("verdicts", 0, kAlways),
                                               field<&D::settling>("settling", 0, kOmitZero),
                                               field<&D::nodes_before>("nodesBefore", 0, kAlways),
                                               field<&D::nodes_after>("nodesAfter", 0, kAlways),
                                               field<&D::pods_before>("podsBefore", 0, kAlways),
                                               field<&D::pods_after>("podsAfter", 0, kAlways),
                                               field<&D::pending_before>("pendingBefore", 0, kAlways),
                                               field<&D::pending_after>("pendingAfter", 0, kAlways),
                                               field<&D::unmoved>("unmoved", 0, kAlways),
                                               field<&D::moved>("moved", 0),
                                               field<&D::pending>("pending", 0),
                                               field<&D::got_a_place>("gotAPlace", 0),
                                               field<&D::added>("added", 0),
                                               field<&D::gone>("gone", 0),
                                               field<&D::held>("held", 0),
                                               field<&D::preemptions>("preemptions", 0),
                                               field<&D::autoscaler>("autoscaler", 0),
                                               field<&D::utilisation>("utilisation", 0),
                                               field<&D::virtual_seconds>("virtualSeconds", 0, kAlways),
                                               field<&D::notes>("notes", 0),
                                           });
  return schema;
}

}  // namespace berth::api
