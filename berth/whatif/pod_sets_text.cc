// The two forms of an answer about sets of pods: for people, and the names of its JSON members. docs/capacity.md
// documents both.
#include <fmt/format.h>

#include <utility>

#include "berth/text/table.h"
#include "berth/text/words.h"
#include "berth/whatif/pod_sets.h"

namespace berth::whatif {

namespace {

using text::Align;
using text::Line;
using text::Meaning;

// "3 default/web and 1 default/db"
std::string set_text(const SetCapacity& capacity) {
  std::vector<std::string> parts;
  for (const SetMember& pod : capacity.pods) parts.push_back(fmt::format("{} {}", text::grouped(pod.count), pod.pod));
  return text::listed(parts);
}

}  // namespace

std::string to_text(const SetCapacity& capacity, const CapacityText& options) {
  text::Page page;
  page.paragraph(fmt::format("A set is {}.", set_text(capacity)));
  page.headline({fmt::format("The cluster can schedule {}.", text::counted(capacity.sets, "set")),
                 capacity.sets > 0 ? Meaning::kGood : Meaning::kBad});
  page.gap();
  page.paragraph(capacity.message.empty()
                     ? fmt::format("Termination reason: {}", capacity.stop.text())
                     : fmt::format("Termination reason: {}: {}", capacity.stop.text(), capacity.message));
  if (!capacity.sentence.empty()) page.paragraph(capacity.sentence);
  page.section("Each pod by itself");
  text::Table table;
  table.add_column("pod");
  table.add_column("asks for");
  table.add_column("per set", Align::kRight);
  table.add_column("in all sets", Align::kRight);
  table.add_column("fit alone", Align::kRight);
  for (const SetMember& pod : capacity.pods) {
    table.add_row({Line(pod.pod, Meaning::kName), pod.requests.empty() ? "-" : pod.requests, text::grouped(pod.count),
                   text::grouped(pod.count * capacity.sets), text::grouped(pod.alone)});
  }
  page.table(std::move(table));
  add_placement(capacity.placement, options, page);
  add_victims_and_notes(capacity.victims, capacity.notes, options, page);
  return page.render(options.style);
}

}  // namespace berth::whatif

namespace berth::api {

// Defined where the explanation's and the capacity's are.
template <>
const Schema& schema_of<explain::NodeGroup>();
template <>
const Schema& schema_of<whatif::NodeCapacity>();

template <>
const Schema& schema_of<whatif::SetMember>() {
  using M = whatif::SetMember;
  static const Schema schema("SetMember", {
                                              field<&M::pod>("pod", 0, kAlways),
                                              field<&M::requests>("requests", 0),
                                              field<&M::count>("count", 0, kAlways),
                                              field<&M::alone>("alone", 0, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<whatif::SetCapacity>() {
  using C = whatif::SetCapacity;
  static const Schema schema("SetCapacity", {
                                                field<&C::pods>("pods", 0, kAlways),
                                                field<&C::nodes>("nodes", 0, kAlways),
                                                field<&C::sets>("sets", 0, kAlways),
                                                field<&C::stop>("stop", 0, kAlways),
                                                field<&C::stopped_at>("stoppedAt", 0),
                                                field<&C::message>("message", 0),
                                                field<&C::sentence>("sentence", 0),
                                                field<&C::placement>("placement", 0),
                                                field<&C::victims>("victims", 0),
                                                field<&C::groups>("groups", 0),
                                                field<&C::notes>("notes", 0),
                                            });
  return schema;
}

}  // namespace berth::api
