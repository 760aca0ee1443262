#include "berth/explain/explanation.h"

namespace berth::api {

template <>
const Schema& schema_of<explain::NodeGroup>() {
  using G = explain::NodeGroup;
  static const Schema schema("NodeGroup", {
                                              field<&G::plugin>("plugin", 0),
                                              field<&G::reason>("reason", 0, kAlways),
                                              field<&G::sentence>("sentence", 0, kAlways),
                                              field<&G::nodes>("nodes", 0, kAlways),
                                              field<&G::also>("also", 0),
                                          });
  return schema;
}

template <>
const Schema& schema_of<explain::PluginScore>() {
  using P = explain::PluginScore;
  static const Schema schema("PluginScore", {
                                                field<&P::plugin>("plugin", 0, kAlways),
                                                field<&P::score>("score", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<explain::NodeScore>() {
  using N = explain::NodeScore;
  static const Schema schema("NodeScore", {
                                              field<&N::node>("node", 0, kAlways),
                                              field<&N::total>("total", 0, kAlways),
                                              field<&N::plugins>("plugins", 0),
                                          });
  return schema;
}

template <>
const Schema& schema_of<explain::Preemption>() {
  using P = explain::Preemption;
  static const Schema schema("Preemption", {
                                               field<&P::helps>("helps", 0, kAlways),
                                               field<&P::sentence>("sentence", 0, kAlways),
                                               field<&P::node>("node", 0),
                                               field<&P::victims>("victims", 0),
                                               field<&P::budget_violations>("budgetViolations", 0),
                                               field<&P::under_way>("underWay", 0),
                                           });
  return schema;
}

template <>
const Schema& schema_of<explain::WakeUp>() {
  using W = explain::WakeUp;
  static const Schema schema("WakeUp", {
                                           field<&W::plugin>("plugin", 0, kAlways),
                                           field<&W::sentence>("sentence", 0, kAlways),
                                           field<&W::causes>("causes", 0, kAlways),
                                           field<&W::events>("events", 0, kAlways),
                                       });
  return schema;
}

template <>
const Schema& schema_of<explain::FieldChange>() {
  using C = explain::FieldChange;
  static const Schema schema("FieldChange", {
                                                field<&C::kind>("kind", 0, kAlways),
                                                field<&C::name_space>("namespace", 0),
                                                field<&C::name>("name", 0, kAlways),
                                                field<&C::op>("op", 0, kAlways),
                                                field<&C::path>("path", 0),
                                                field<&C::from>("from", 0),
                                                field<&C::to>("to", 0),
                                            });
  return schema;
}

template <>
const Schema& schema_of<explain::RunningState>() {
  using R = explain::RunningState;
  static const Schema schema("RunningState", {
                                                 field<&R::state>("state", 0, kAlways),
                                                 field<&R::reason>("reason", 0),
                                                 field<&R::message>("message", 0),
                                                 field<&R::reported_by>("reportedBy", 0),
                                                 field<&R::since>("since", 0),
                                                 field<&R::container>("container", 0),
                                                 field<&R::exit_code>("exitCode", 0),
                                                 field<&R::exit_reason>("exitReason", 0),
                                                 field<&R::command>("command", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<explain::Help>() {
  using H = explain::Help;
  static const Schema schema("Help", {
                                         field<&H::kind>("kind", 0, kAlways),
                                         field<&H::sentence>("sentence", 0, kAlways),
                                         field<&H::node>("node", 0),
                                         field<&H::command>("command", 0),
                                         field<&H::changes>("changes", 0),
                                     });
  return schema;
}

template <>
const Schema& schema_of<explain::Autoscaling>() {
  using A = explain::Autoscaling;
  static const Schema schema("Autoscaling", {
                                                field<&A::group>("group", 0, kAlways),
                                                field<&A::kind>("kind", 0, kAlways),
                                                field<&A::helps>("helps", 0, kAlways),
                                                field<&A::is_uncertain>("uncertain", 0),
                                                field<&A::sentence>("sentence", 0, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<explain::Explanation>() {
  using E = explain::Explanation;
  static const Schema schema("Explanation", {
                                                field<&E::pod>("pod", 0, kAlways),
                                                field<&E::scheduler>("scheduler", 0, kAlways),
                                                field<&E::answer>("answer", 0, kAlways),
                                                field<&E::sentence>("sentence", 0, kAlways),
                                                field<&E::node>("node", 0),
                                                field<&E::nodes>("nodes", 0, kAlways),
                                                field<&E::feasible_nodes>("feasibleNodes", 0, kAlways),
                                                field<&E::message>("message", 0),
                                                field<&E::running>("running", 0),
                                                field<&E::notes>("notes", 0),
                                                field<&E::groups>("reasons", 0),
                                                field<&E::scores>("scores", 0),
                                                field<&E::preemption>("preemption", 0),
                                                field<&E::help>("help", 0),
                                                field<&E::no_help>("noHelp", 0),
                                                field<&E::autoscaling>("autoscaling", 0),
                                                field<&E::wake_ups>("wakeUps", 0),
                                            });
  return schema;
}

}  // namespace berth::api
