// Statements about what goes wrong: how long things take, what fails and how often, and what happens to single pods on
// their way to a node (sim/pod_script.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "berth/api/kinds.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/targets.h"
#include "berth/scenario/values.h"
#include "berth/sim/api_server.h"
#include "berth/sim/pod_script.h"

namespace berth::scenario {

namespace {

using Kind = sim::HistoryEvent::Kind;

// --- Delays and rates ------------------------------------------------------------------------------------------------

struct LatencyRow {
  FieldHelp help;
  sim::Latency sim::Faults::* member;
};

constexpr auto kLatencies = std::to_array<LatencyRow>({
    {{"bind", "", "A binding, there and back; 2ms"}, &sim::Faults::bind},
    {{"write", "", "Any other write of the scheduler; 2ms"}, &sim::Faults::write},
    {{"watch", "", "From a change to the scheduler's seeing it; 1ms"}, &sim::Faults::watch},
    {{"attempt", "", "Trying one pod; 0s"}, &sim::Faults::attempt},
    {{"controller", "", "A controller's making or replacing a pod; 5ms"}, &sim::Faults::controller},
    {{"start", "", "From bound to running; 0s"}, &sim::Faults::pod_start},
    {{"provision", "", "Making or binding a volume; 1s"}, &sim::Faults::provision},
    {{"termination", "", "From a pod's deletion to its being gone; 0s"}, &sim::Faults::termination},
});

Parsed<Meaning> compile_latency(std::string_view, Reader& reader, const Context&) {
  std::vector<std::string_view> names;
  for (const LatencyRow& row : kLatencies) names.push_back(row.help.key);
  const auto name = reader.one_of(names, "bind, write, watch, attempt, controller, start, provision or termination");
  if (!name) return std::unexpected(name.error());
  const auto latency = reader.value(read_latency);
  if (!latency) return std::unexpected(latency.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  const auto row = std::ranges::find_if(kLatencies, [&](const LatencyRow& each) { return each.help.key == *name; });
  return make_action([member = row->member, latency = *latency](sim::World& world, std::size_t) -> Result<void> {
    world.faults().*member = latency;
    return {};
  });
}

template <sim::Rate sim::Faults::* kMember>
Done set_rate(sim::Faults& faults, std::string_view, std::string_view value) {
  return set_to(faults.*kMember, read_rate(value));
}

constexpr auto kFaultFields = std::to_array<FieldSpec<sim::Faults>>({
    {{"errors", "RATE", "Writes of the scheduler that are refused with an internal error"},
     set_rate<&sim::Faults::errors>},
    {{"conflicts", "RATE", "... refused with a conflict"}, set_rate<&sim::Faults::conflicts>},
    {{"lost-answers", "RATE", "... done, but the answer never comes"}, set_rate<&sim::Faults::lost_answers>},
    {{"lost-requests", "RATE", "... not done, and no answer comes"}, set_rate<&sim::Faults::lost_requests>},
    {{"doubled-answers", "RATE", "... answered twice"}, set_rate<&sim::Faults::doubled_answers>},
    {{"lost-watches", "RATE", "Changes at which the watch breaks"}, set_rate<&sim::Faults::lost_watches>},
    {{"reordered-watches", "RATE", "Changes that come after later ones of other kinds"},
     set_rate<&sim::Faults::reordered_watches>},
    {{"relist-after", "DURATION", "How long after a break the kind is listed anew; 1s"},
     [](sim::Faults& faults, std::string_view, std::string_view value) {
       return set_to(faults.relist_after, read_duration(value));
     }},
});

Parsed<Meaning> compile_faults(std::string_view, Reader& reader, const Context&) {
  if (reader.at_end()) return reader.expected("\"none\", or rates such as errors=5%");
  if (reader.accept("none")) {
    if (auto end = reader.end(); !end) return std::unexpected(end.error());
    return make_action(
        [](sim::World& world, std::size_t) -> Result<void> {
          sim::Faults& faults = world.faults();
          for (sim::Rate* rate : {&faults.errors, &faults.conflicts, &faults.lost_answers, &faults.lost_requests,
                                  &faults.doubled_answers, &faults.lost_watches, &faults.reordered_watches}) {
            *rate = 0;
          }
          return {};
        },
        Kind::kFault);
  }
  const std::vector<Word> words(reader.rest().begin(), reader.rest().end());
  sim::Faults scratch;
  if (auto read = read_fields(reader, FieldsOf<sim::Faults>{kFaultFields, scratch}); !read) {
    return std::unexpected(read.error());
  }
  return make_action(
      [words](sim::World& world, std::size_t) -> Result<void> {
        for (const Word& word : words) (void)set_field(word, FieldsOf<sim::Faults>{kFaultFields, world.faults()});
        return {};
      },
      Kind::kFault);
}

Parsed<Meaning> compile_break(std::string_view, Reader& reader, const Context&) {
  if (auto watch = reader.keyword("watch"); !watch) return std::unexpected(watch.error());
  const api::ObjectKind* kind = nullptr;
  if (!reader.accept("all")) {
    const auto read = read_kind(reader);
    if (!read) return std::unexpected(read.error());
    kind = *read;
  }
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return make_action([kind](sim::World& world, std::size_t) -> Result<void> {
    if (kind == nullptr) {
      world.break_all_watches();
    } else {
      world.break_watch(*kind);
    }
    return {};
  });
}

Parsed<Meaning> compile_clock(std::string_view, Reader& reader, const Context&) {
  if (auto jump = reader.keyword("jump"); !jump) return std::unexpected(jump.error());
  const auto by = reader.peek() == nullptr ? fail("") : Duration::parse(reader.peek()->text);
  if (!by) return reader.expected("a duration such as 1h or -1h");
  reader.skip();
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return make_action([by = *by](sim::World& world, std::size_t) -> Result<void> {
    world.jump_clock(by);
    return {};
  });
}

// --- Single pods -----------------------------------------------------------------------------------------------------

using Act = sim::ScriptRule::Act;

struct PointRow {
  std::string_view word;
  sim::ScriptPoint point;
};
constexpr auto kPoints = std::to_array<PointRow>({
    {"pre-enqueue", sim::ScriptPoint::kPreEnqueue},
    {"filter", sim::ScriptPoint::kFilter},
    {"reserve", sim::ScriptPoint::kReserve},
    {"permit", sim::ScriptPoint::kPermit},
    {"pre-bind", sim::ScriptPoint::kPreBind},
});

Parsed<sim::ScriptPoint> read_point(Reader& reader) {
  std::vector<std::string_view> words;
  for (const PointRow& row : kPoints) words.push_back(row.word);
  const auto word = reader.one_of(words, "pre-enqueue, filter, reserve, permit or pre-bind");
  if (!word) return std::unexpected(word.error());
  return std::ranges::find_if(kPoints, [&](const PointRow& row) { return row.word == *word; })->point;
}

// A pod's name, or * alone for all of them.
Parsed<Target> read_scripted_pod(Reader& reader) {
  const Position at = reader.here();
  auto target = read_target(reader, "the name of a pod, or *");
  if (!target) return target;
  if (target->is_pattern() && target->name != "*") return mistake(at, "expected the name of a pod, or * alone");
  return target;
}

std::string scripted_name(const Target& target) {
  return target.name == "*" ? "*" : target.full_name();
}

// The pod that waits at Permit, if it does.
api::PodPtr find_waiting(sim::World& world, const Target& target) {
  if (target.name == "*" || !world.is_scheduler_up()) return nullptr;
  const Symbol name_space(target.name_space);
  if (world.scheduler().place_of(name_space, target.name) != engine::PodPlace::kWaiting) return nullptr;
  return world.scheduler().find_pod(name_space, target.name);
}

Action scripted(Action::Act act) {
  Action action = make_action(std::move(act), Kind::kFault);
  action.needs_script = true;
  return action;
}

Action rule_action(Target target, sim::ScriptPoint point, sim::ScriptRule rule) {
  return scripted([target = std::move(target), point, rule = std::move(rule)](sim::World& world,
                                                                              std::size_t repetition) -> Result<void> {
    const Target own = numbered(target, repetition);
    world.pod_script().set(scripted_name(own), point, rule);
    if (point != sim::ScriptPoint::kPermit || rule.act == Act::kWait) return {};
    // One that waits there already hears it now.
    if (const api::PodPtr pod = find_waiting(world, own)) {
      (void)world.scheduler().reject(pod->metadata.uid, Symbol(sim::kScriptPlugin), rule.message, world.now());
      world.nudge_scheduler();
    }
    return {};
  });
}

// hold POD at permit [for D]; delay POD at pre-bind D
Parsed<Meaning> compile_wait(std::string_view word, Reader& reader, const Context&) {
  const bool is_hold = word == "hold";
  auto target = read_scripted_pod(reader);
  if (!target) return std::unexpected(target.error());
  if (auto at = reader.keyword("at"); !at) return std::unexpected(at.error());
  if (auto point = reader.keyword(is_hold ? "permit" : "pre-bind"); !point) return std::unexpected(point.error());
  sim::ScriptRule rule;
  rule.act = Act::kWait;
  rule.duration = Duration::minutes(15);  // the longest that a pod may wait
  if (!is_hold || reader.accept("for")) {
    const auto duration = reader.duration();
    if (!duration) return std::unexpected(duration.error());
    rule.duration = *duration;
  }
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return rule_action(*std::move(target), is_hold ? sim::ScriptPoint::kPermit : sim::ScriptPoint::kPreBind,
                     std::move(rule));
}

// reject|fail POD at POINT [on NODE] ["MESSAGE"] [times N]
Parsed<Meaning> compile_rejection(std::string_view word, Reader& reader, const Context&) {
  auto target = read_scripted_pod(reader);
  if (!target) return std::unexpected(target.error());
  if (auto at = reader.keyword("at"); !at) return std::unexpected(at.error());
  const auto point = read_point(reader);
  if (!point) return std::unexpected(point.error());
  sim::ScriptRule rule;
  rule.act = word == "reject" ? Act::kReject : Act::kFail;
  rule.message = word == "reject" ? "rejected by the scenario" : "failed by the scenario";
  if (*point == sim::ScriptPoint::kFilter && reader.accept("on")) {
    const auto node = reader.name("the name of a node");
    if (!node) return std::unexpected(node.error());
    rule.only_on_node = Symbol(*node);
  }
  if (const Word* message = reader.peek(); message != nullptr && message->is_quoted) {
    rule.message = message->text;
    reader.skip();
  }
  if (reader.accept("times")) {
    const auto times = reader.number("how many times", 1, 1'000'000);
    if (!times) return std::unexpected(times.error());
    rule.times = static_cast<int>(*times);
  }
  if (!reader.at_end()) return reader.expected("a \"MESSAGE\", \"times\" or the end of the line");
  return rule_action(*std::move(target), *point, std::move(rule));
}

Parsed<Meaning> compile_allow(std::string_view, Reader& reader, const Context&) {
  auto target = read_target(reader, "the name of a pod");
  if (!target) return std::unexpected(target.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return scripted([target = *std::move(target)](sim::World& world, std::size_t repetition) -> Result<void> {
    const Target own = numbered(target, repetition);
    const api::PodPtr pod = find_waiting(world, own);
    if (pod == nullptr) return fail(fmt::format("pod {} does not wait at permit", own.shown()));
    world.pod_script().clear(scripted_name(own), sim::ScriptPoint::kPermit);
    (void)world.scheduler().allow(pod->metadata.uid, Symbol(sim::kScriptPlugin), world.now());
    world.nudge_scheduler();
    return {};
  });
}

Parsed<Meaning> compile_release(std::string_view, Reader& reader, const Context&) {
  auto target = read_scripted_pod(reader);
  if (!target) return std::unexpected(target.error());
  std::vector<sim::ScriptPoint> points;
  if (reader.accept("at")) {
    const auto point = read_point(reader);
    if (!point) return std::unexpected(point.error());
    points.push_back(*point);
  } else {
    for (const PointRow& row : kPoints) points.push_back(row.point);
  }
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return scripted([target = *std::move(target), points](sim::World& world, std::size_t repetition) -> Result<void> {
    for (const sim::ScriptPoint point : points) {
      world.pod_script().clear(scripted_name(numbered(target, repetition)), point);
    }
    return {};
  });
}

constexpr auto kStatements = std::to_array<StatementSpec>({
    {"latency", "WHAT DURATION | LOW..HIGH | ~MEAN..MOST", "How long something takes from now on", Group::kFaults,
     compile_latency},
    {"faults", "FIELD... | none", "What goes wrong from now on, and how often", Group::kFaults, compile_faults},
    {"break", "watch KIND|all", "The scheduler's watch breaks, and is listed anew after `relist-after`", Group::kFaults,
     compile_break},
    {"clock", "jump DURATION", "The scheduler's clock jumps, also back: `-1h`", Group::kFaults, compile_clock},
    {"hold", "POD at permit [for DURATION]", "The pod waits at Permit; 15m if not given", Group::kFaults, compile_wait},
    {"allow", "POD", "The waiting pod may go on", Group::kFaults, compile_allow},
    {"delay", "POD at pre-bind DURATION", "PreBind takes that long", Group::kFaults, compile_wait},
    {"reject", "POD at POINT [on NODE] [\"MESSAGE\"] [times N]",
     "A plugin says no: pre-enqueue, filter, reserve, permit or pre-bind", Group::kFaults, compile_rejection},
    {"fail", "POD at POINT [on NODE] [\"MESSAGE\"] [times N]", "A plugin returns an error", Group::kFaults,
     compile_rejection},
    {"release", "POD [at POINT]", "Takes `hold`, `delay`, `reject` and `fail` back", Group::kFaults, compile_release},
});

}  // namespace

std::span<const StatementSpec> fault_statements() {
  return kStatements;
}

std::vector<FieldHelp> latency_help() {
  std::vector<FieldHelp> result;
  for (const LatencyRow& row : kLatencies) result.push_back(row.help);
  return result;
}

std::vector<FieldHelp> fault_field_help() {
  return help_of(std::span<const FieldSpec<sim::Faults>>(kFaultFields));
}

}  // namespace berth::scenario
