// The JSON names of a summary; docs/simulate.md documents them.
#include "berth/report/summary.h"

namespace berth::api {

template <>
const Schema& schema_of<report::PodCounts>() {
  using P = report::PodCounts;
  static const Schema schema("PodCounts", {
                                              field<&P::created>("created", 0, kAlways),
                                              field<&P::bound>("bound", 0, kAlways),
                                              field<&P::pending>("pending", 0, kAlways),
                                              field<&P::ended>("ended", 0, kAlways),
                                              field<&P::gone>("gone", 0, kAlways),
                                              field<&P::evicted>("evicted", 0, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<report::SchedulerCounts>() {
  using S = report::SchedulerCounts;
  static const Schema schema("SchedulerCounts", {
                                                    field<&S::attempts>("attempts", 0, kAlways),
                                                    field<&S::rejected>("rejected", 0, kAlways),
                                                    field<&S::errors>("errors", 0, kAlways),
                                                    field<&S::bindings>("bindings", 0, kAlways),
                                                    field<&S::binding_failures>("bindingFailures", 0, kAlways),
                                                    field<&S::preemptions>("preemptions", 0, kAlways),
                                                    field<&S::restarts>("restarts", 0, kAlways),
                                                });
  return schema;
}

template <>
const Schema& schema_of<report::ResourceUse>() {
  using R = report::ResourceUse;
  static const Schema schema("ResourceUse", {
                                                field<&R::resource>("resource", 0, kAlways),
                                                field<&R::requested>("requested", 0, kAlways),
                                                field<&R::allocatable>("allocatable", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<report::PlacementRow>() {
  using P = report::PlacementRow;
  static const Schema schema("PlacementRow", {
                                                 field<&P::name>("name", 0, kAlways),
                                                 field<&P::nodes>("nodes", 0),
                                                 field<&P::pods>("pods", 0, kAlways),
                                                 field<&P::resources>("resources", 0, kAlways),
                                                 field<&P::note>("note", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<report::Utilisation>() {
  using U = report::Utilisation;
  static const Schema schema("Utilisation", {
                                                field<&U::total>("total", 0, kAlways),
                                                field<&U::share>("share", 0, kAlways),
                                                field<&U::least>("least", 0, kAlways),
                                                field<&U::median>("median", 0, kAlways),
                                                field<&U::most>("most", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<report::Fragmentation>() {
  using F = report::Fragmentation;
  static const Schema schema("Fragmentation", {
                                                  field<&F::pod>("pod", 0, kAlways),
                                                  field<&F::milli_cpu>("milliCpu", 0, kAlways),
                                                  field<&F::memory>("memory", 0, kAlways),
                                                  field<&F::free_milli_cpu>("freeMilliCpu", 0, kAlways),
                                                  field<&F::stranded_milli_cpu>("strandedMilliCpu", 0, kAlways),
                                                  field<&F::share>("share", 0, kAlways),
                                                  field<&F::nodes_that_fit>("nodesThatFit", 0, kAlways),
                                              });
  return schema;
}

template <>
const Schema& schema_of<report::WaitingBucket>() {
  using W = report::WaitingBucket;
  static const Schema schema("WaitingBucket", {
                                                  field<&W::below_seconds>("belowSeconds", 0),
                                                  field<&W::pods>("pods", 0, kAlways),
                                              });
  return schema;
}

template <>
const Schema& schema_of<report::WaitingTimes>() {
  using W = report::WaitingTimes;
  static const Schema schema("WaitingTimes", {
                                                 field<&W::pods>("pods", 0, kAlways),
                                                 field<&W::p50_seconds>("p50Seconds", 0, kAlways),
                                                 field<&W::p90_seconds>("p90Seconds", 0, kAlways),
                                                 field<&W::p99_seconds>("p99Seconds", 0, kAlways),
                                                 field<&W::max_seconds>("maxSeconds", 0, kAlways),
                                                 field<&W::longest>("longest", 0, kAlways),
                                                 field<&W::histogram>("histogram", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<report::WakeUps>() {
  using W = report::WakeUps;
  static const Schema schema("WakeUps", {
                                            field<&W::label>("label", 0, kAlways),
                                            field<&W::pods>("pods", 0, kAlways),
                                            field<&W::useful>("useful", 0, kAlways),
                                            field<&W::wasted>("wasted", 0, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<report::WakeUpCounts>() {
  using W = report::WakeUpCounts;
  static const Schema schema("WakeUpCounts", {
                                                 field<&W::pods>("pods", 0, kAlways),
                                                 field<&W::wasted>("wasted", 0, kAlways),
                                                 field<&W::flushed>("flushed", 0, kAlways),
                                                 field<&W::lost>("lost", 0, kAlways),
                                                 field<&W::tries_per_placement>("triesPerPlacement", 0),
                                                 field<&W::by_label>("byLabel", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<report::UnfinishedRollout>() {
  using R = report::UnfinishedRollout;
  static const Schema schema("UnfinishedRollout", {
                                                      field<&R::deployment>("deployment", 0, kAlways),
                                                      field<&R::wanted>("wanted", 0, kAlways),
                                                      field<&R::updated>("updated", 0, kAlways),
                                                      field<&R::ready>("ready", 0, kAlways),
                                                      field<&R::old>("old", 0, kAlways),
                                                      field<&R::stuck>("stuck", 0, kAlways),
                                                      field<&R::no_progress_seconds>("noProgressSeconds", 0, kAlways),
                                                      field<&R::pods>("pods", 0),
                                                      field<&R::reason>("reason", 0),
                                                      field<&R::sentence>("sentence", 0, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<report::BlockedDrain>() {
  using D = report::BlockedDrain;
  static const Schema schema("BlockedDrain", {
                                                 field<&D::node>("node", 0, kAlways),
                                                 field<&D::pods>("pods", 0, kAlways),
                                                 field<&D::held>("held", 0),
                                                 field<&D::budgets>("budgets", 0),
                                                 field<&D::sentence>("sentence", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<report::PendingPods>() {
  using P = report::PendingPods;
  static const Schema schema("PendingPods", {
                                                field<&P::pods>("pods", 0, kAlways),
                                                field<&P::place>("place", 0, kAlways),
                                                field<&P::waits_seconds>("waitsSeconds", 0, kAlways),
                                                field<&P::attempts>("attempts", 0, kAlways),
                                                field<&P::ahead>("ahead", 0),
                                                field<&P::sentence>("sentence", 0, kAlways),
                                                field<&P::wakes>("wakes", 0),
                                                field<&P::next_try_seconds>("nextTrySeconds", 0),
                                            });
  return schema;
}

template <>
const Schema& schema_of<report::FailedCreation>() {
  using F = report::FailedCreation;
  static const Schema schema("FailedCreation", {
                                                   field<&F::workload>("workload", 0, kAlways),
                                                   field<&F::controller>("controller", 0, kAlways),
                                                   field<&F::name_space>("namespace", 0, kAlways),
                                                   field<&F::wanted>("wanted", 0, kAlways),
                                                   field<&F::missing>("missing", 0, kAlways),
                                                   field<&F::tries>("tries", 0, kAlways),
                                                   field<&F::since_seconds>("sinceSeconds", 0, kAlways),
                                                   field<&F::message>("message", 0, kAlways),
                                                   field<&F::sentence>("sentence", 0, kAlways),
                                               });
  return schema;
}

template <>
const Schema& schema_of<report::TimelineLine>() {
  using T = report::TimelineLine;
  static const Schema schema("TimelineLine", {
                                                 field<&T::at_seconds>("atSeconds", 0, kAlways),
                                                 field<&T::until_seconds>("untilSeconds", 0),
                                                 field<&T::kind>("kind", 0, kAlways),
                                                 field<&T::text>("text", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<report::Timeline>() {
  using T = report::Timeline;
  static const Schema schema("Timeline", {
                                             field<&T::lines>("lines", 0, kAlways),
                                             field<&T::left_out>("leftOut", 0),
                                         });
  return schema;
}

template <>
const Schema& schema_of<report::FailedExpectation>() {
  using F = report::FailedExpectation;
  static const Schema schema("FailedExpectation", {
                                                      field<&F::file>("file", 0, kAlways),
                                                      field<&F::line>("line", 0),
                                                      field<&F::at_seconds>("atSeconds", 0, kAlways),
                                                      field<&F::expected>("expected", 0, kAlways),
                                                      field<&F::actual>("actual", 0, kAlways),
                                                      field<&F::explanation>("explanation", 0),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<report::AutoscalerGroup>() {
  using G = report::AutoscalerGroup;
  static const Schema schema("AutoscalerGroup", {
                                                    field<&G::name>("name", 0, kAlways),
                                                    field<&G::nodes>("nodes", 0, kAlways),
                                                    field<&G::most>("most", 0, kAlways),
                                                    field<&G::added>("added", 0, kAlways),
                                                    field<&G::removed>("removed", 0, kAlways),
                                                });
  return schema;
}

template <>
const Schema& schema_of<report::AutoscalerSummary>() {
  using A = report::AutoscalerSummary;
  static const Schema schema("AutoscalerSummary", {
                                                      field<&A::added>("added", 0, kAlways),
                                                      field<&A::removed>("removed", 0, kAlways),
                                                      field<&A::node_hours>("nodeHours", 0, kAlways),
                                                      field<&A::groups>("groups", 0, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<report::Summary>() {
  using S = report::Summary;
  static const Schema schema("Summary", {
                                            field<&S::name>("name", 0, kAlways),
                                            field<&S::seed>("seed", 0, kAlways),
                                            field<&S::virtual_seconds>("virtualSeconds", 0, kAlways),
                                            field<&S::nodes>("nodes", 0, kAlways),
                                            field<&S::pods>("pods", 0, kAlways),
                                            field<&S::scheduler>("scheduler", 0, kAlways),
                                            field<&S::timeline>("timeline", 0, kAlways),
                                            field<&S::placement_by>("placementBy", 0),
                                            field<&S::placement>("placement", 0),
                                            field<&S::utilisation>("utilisation", 0),
                                            field<&S::fragmentation>("fragmentation", 0),
                                            field<&S::waiting>("waiting", 0),
                                            field<&S::wake_ups>("wakeUps", 0),
                                            field<&S::autoscaler>("autoscaler", 0),
                                            field<&S::pending>("pending", 0),
                                            field<&S::failed_creations>("failedCreations", 0),
                                            field<&S::rollouts>("rollouts", 0),
                                            field<&S::drains>("drains", 0),
                                            field<&S::notes>("notes", 0),
                                            field<&S::expectations>("expectations", 0),
                                            field<&S::failures>("failures", 0),
                                        });
  return schema;
}

}  // namespace berth::api
