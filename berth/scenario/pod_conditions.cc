// What can be said about pods.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "berth/scenario/conditions.h"
#include "berth/scenario/values.h"
#include "berth/scenario/wake_labels.h"
#include "berth/sim/api_server.h"

namespace berth::scenario {

namespace {

using engine::PodPlace;

bool has_node(const PodView& view) {
  return view.pod != nullptr && !view.pod->spec.node_name.empty();
}

bool is_pending(const PodView& view) {
  return view.pod != nullptr && view.pod->spec.node_name.empty() && !api::is_terminal(*view.pod);
}

PodPlace place_of(const PodView& view) {
  if (!view.world.is_scheduler_up()) return PodPlace::kUnknown;
  return view.world.scheduler().place_of(Symbol(view.name_space), view.name);
}

// Null if the scheduler does not remember any.
const engine::AttemptRecord* last_attempt(const PodView& view) {
  if (view.pod == nullptr || !view.world.is_scheduler_up()) return nullptr;
  return view.world.scheduler().attempts().last(view.pod->metadata.uid);
}

const api::PodCondition* scheduled_condition(const PodView& view) {
  return view.pod == nullptr ? nullptr : api::find_condition(*view.pod, Symbol("PodScheduled"));
}

std::string message_of(const PodView& view) {
  if (const api::PodCondition* condition = scheduled_condition(view); condition != nullptr && is_pending(view)) {
    if (!condition->message.empty()) return condition->message;
  }
  const engine::AttemptRecord* attempt = last_attempt(view);
  return attempt == nullptr ? std::string() : attempt->detail().message;
}

Symbol gating_plugin(const PodView& view) {
  if (!view.world.is_scheduler_up()) return {};
  const auto& queue = view.world.scheduler().queue();
  const queue::QueuedPod* queued = queue.get(Symbol(view.name_space), view.name);
  return queued != nullptr && queued->is_gated() ? queue.plugin_name(queued->gating_plugin) : Symbol();
}

Symbol nomination(const PodView& view) {
  if (view.pod == nullptr) return {};
  if (!view.world.is_scheduler_up()) return view.pod->status.nominated_node_name;
  return view.world.scheduler().queue().nominator().node_of(view.pod->metadata.uid);
}

bool was_rejected(const PodView& view) {
  if (const engine::AttemptRecord* attempt = last_attempt(view)) {
    return attempt->result == engine::AttemptResult::kUnschedulable;
  }
  const api::PodCondition* condition = scheduled_condition(view);
  return condition != nullptr && condition->status == "False" && condition->reason == "Unschedulable";
}

bool was_rejected_by(const PodView& view, const std::vector<Symbol>& plugins) {
  const engine::AttemptRecord* attempt = last_attempt(view);
  return plugins.empty() || (attempt != nullptr && std::ranges::all_of(plugins, [&](Symbol plugin) {
                               const std::vector<Symbol>& rejecting = attempt->detail().rejecting_plugins;
                               return std::ranges::find(rejecting, plugin) != rejecting.end();
                             }));
}

Duration waited(const PodView& view) {
  if (view.pod_timeline == nullptr) return {};
  const Instant until = view.pod_timeline->bound_at.is_set() ? view.pod_timeline->bound_at : view.world.now();
  return until - view.pod_timeline->created_at;
}

sim::TimelineId timeline_id(const PodView& view) {
  const auto& pod_timelines = view.world.history().pod_timelines();
  for (std::size_t i = pod_timelines.size(); i-- > 0;) {
    if (&pod_timelines[i] == view.pod_timeline) return static_cast<sim::TimelineId>(i);
  }
  return sim::kNoTimeline;
}

bool has_event(const PodView& view, std::string_view reason, std::string_view text) {
  const sim::TimelineId id = timeline_id(view);
  return id != sim::kNoTimeline &&
         std::ranges::any_of(view.world.history().events(), [&](const sim::PublishedEvent& event) {
           return event.pod == id && event.reason == reason && event.note.find(text) != std::string::npos;
         });
}

std::int64_t evictions(const PodView& view) {
  const sim::TimelineId id = timeline_id(view);
  return std::ranges::count_if(view.world.history().history_events(), [&](const sim::HistoryEvent& history_event) {
    return history_event.kind == sim::HistoryEvent::Kind::kEvicted && history_event.pod == id;
  });
}

// --- From words to tests ---------------------------------------------------------------------------------------------

template <bool (*kTest)(const PodView&)>
Parsed<PodTest> plain(Reader&) {
  return PodTest(kTest);
}

bool is_gone(const PodView& view) {
  return view.pod == nullptr;
}
bool is_terminating(const PodView& view) {
  return view.pod != nullptr && view.pod->metadata.deletion_timestamp.is_set();
}
bool is_running(const PodView& view) {
  return has_node(view) && view.pod->status.phase == "Running" && !view.pod->metadata.deletion_timestamp.is_set();
}
bool has_succeeded(const PodView& view) {
  return view.pod != nullptr ? view.pod->status.phase == "Succeeded"
                             : view.pod_timeline != nullptr && view.pod_timeline->succeeded;
}
bool has_failed(const PodView& view) {
  return view.pod != nullptr && view.pod->status.phase == "Failed";
}
bool was_preempted(const PodView& view) {
  return view.pod_timeline != nullptr && view.pod_timeline->preempted;
}
bool was_flushed(const PodView& view) {
  return view.pod_timeline != nullptr && view.pod_timeline->rescued_by_flush;
}

// [by PLUGIN,...]
Parsed<std::vector<Symbol>> read_plugins(Reader& reader) {
  if (!reader.accept("by")) return std::vector<Symbol>();
  const std::vector<std::string>& names = *reader.line().plugins;
  const std::vector<std::string_view> known(names.begin(), names.end());
  const Position at = reader.here();
  auto plugins = reader.value(read_list);
  if (!plugins) return plugins;
  for (const Symbol plugin : *plugins) {
    if (std::ranges::find(known, plugin.text()) != known.end()) continue;
    return mistake(at, fmt::format("there is no plugin \"{}\"", plugin.text()), did_you_mean(plugin.text(), known));
  }
  return plugins;
}

Parsed<PodTest> compile_on(Reader& reader) {
  auto nodes = reader.name("the name of a node, or several with commas between them");
  if (!nodes) return std::unexpected(nodes.error());
  const auto list = read_list(*nodes);
  if (!list) return mistake(reader.here(), "expected " + list.error());
  return PodTest([list = *list](const PodView& view) {
    return has_node(view) && std::ranges::any_of(list, [&](Symbol node) {
             return matches_pattern(node.text(), view.pod->spec.node_name.text());
           });
  });
}

Parsed<PodTest> compile_gated(Reader& reader) {
  auto plugins = read_plugins(reader);
  if (!plugins) return std::unexpected(plugins.error());
  return PodTest([plugins = *std::move(plugins)](const PodView& view) {
    const Symbol plugin = gating_plugin(view);
    return !plugin.empty() && std::ranges::all_of(plugins, [&](Symbol each) { return each == plugin; });
  });
}

Parsed<PodTest> compile_unschedulable(Reader& reader) {
  auto plugins = read_plugins(reader);
  if (!plugins) return std::unexpected(plugins.error());
  return PodTest([plugins = *std::move(plugins)](const PodView& view) {
    return is_pending(view) && was_rejected(view) && was_rejected_by(view, plugins);
  });
}

constexpr auto kPlaces = std::to_array<std::pair<std::string_view, PodPlace>>({
    {"active", PodPlace::kActive},
    {"backoff", PodPlace::kBackoff},
    {"unschedulable", PodPlace::kUnschedulable},
    {"gated", PodPlace::kGated},
    {"waiting", PodPlace::kWaiting},
    {"binding", PodPlace::kBinding},
});

Parsed<PodTest> compile_in(Reader& reader) {
  std::vector<std::string_view> words;
  for (const auto& [word, place] : kPlaces) words.push_back(word);
  const auto word = reader.one_of(words, "active, backoff, unschedulable, gated, waiting or binding");
  if (!word) return std::unexpected(word.error());
  const auto row = std::ranges::find_if(kPlaces, [&](const auto& each) { return each.first == *word; });
  return PodTest([place = row->second](const PodView& view) { return place_of(view) == place; });
}

Parsed<PodTest> compile_nominated(Reader& reader) {
  if (!reader.accept("to")) return PodTest([](const PodView& view) { return !nomination(view).empty(); });
  auto node = reader.name("the name of a node");
  if (!node) return std::unexpected(node.error());
  return PodTest([node = *std::move(node)](const PodView& view) {
    const Symbol nominated = nomination(view);
    return !nominated.empty() && matches_pattern(node, nominated.text());
  });
}

Parsed<PodTest> compile_woken(Reader& reader) {
  if (!reader.accept("by")) {
    return PodTest([](const PodView& view) { return view.pod_timeline != nullptr && view.pod_timeline->wake_ups > 0; });
  }
  const auto label = reader.one_of(wake_labels(), "the label of an event such as AssignedPodDelete or NodeAdd");
  if (!label) return std::unexpected(label.error());
  return PodTest([label = *label](const PodView& view) {
    return view.pod_timeline != nullptr && without_group(view.pod_timeline->woken_by.text()) == without_group(label);
  });
}

template <std::int64_t (*kNumber)(const PodView&)>
Parsed<PodTest> compile_number(Reader& reader) {
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  const auto number = reader.number("a whole number");
  if (!number) return std::unexpected(number.error());
  return PodTest([comparison = *comparison, number = *number](const PodView& view) {
    return compares(kNumber(view), comparison, number);
  });
}

std::int64_t attempts(const PodView& view) {
  return view.pod_timeline == nullptr ? 0 : view.pod_timeline->attempts;
}
std::int64_t wake_ups(const PodView& view) {
  return view.pod_timeline == nullptr ? 0 : view.pod_timeline->wake_ups;
}
std::int64_t wasted(const PodView& view) {
  return view.pod_timeline == nullptr ? 0 : view.pod_timeline->wasted;
}

Parsed<PodTest> compile_waited(Reader& reader) {
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  const auto duration = reader.duration();
  if (!duration) return std::unexpected(duration.error());
  return PodTest([comparison = *comparison, duration = *duration](const PodView& view) {
    return compares(waited(view), comparison, duration);
  });
}

Parsed<PodTest> compile_message(Reader& reader) {
  if (auto contains = reader.keyword("contains"); !contains) return std::unexpected(contains.error());
  auto text = reader.text("a \"TEXT\"");
  if (!text) return std::unexpected(text.error());
  return PodTest(
      [text = *std::move(text)](const PodView& view) { return message_of(view).find(text) != std::string::npos; });
}

Parsed<PodTest> compile_event(Reader& reader) {
  auto reason = reader.name("the reason of an event such as FailedScheduling");
  if (!reason) return std::unexpected(reason.error());
  std::string text;
  if (reader.accept("contains")) {
    auto read = reader.text("a \"TEXT\"");
    if (!read) return std::unexpected(read.error());
    text = *std::move(read);
  }
  return PodTest([reason = *std::move(reason), text = std::move(text)](const PodView& view) {
    return has_event(view, reason, text);
  });
}

constexpr auto kConditions = std::to_array<PodConditionSpec>({
    {{"on", "NODE[,NODE...]", "It has one of these nodes; `*` stands for anything"}, compile_on},
    {{"bound", "", "It has a node"}, plain<has_node>},
    {{"pending", "", "It has none, and is not gone"}, plain<is_pending>},
    {{"gone", "", "There is no such pod"}, plain<is_gone>},
    {{"running", "", "It has a node and has started there"}, plain<is_running>},
    {{"terminating", "", "It is deleted, but not gone yet"}, plain<is_terminating>},
    {{"succeeded", "", "It ran to its end"}, plain<has_succeeded>},
    {{"failed", "", "It ended Failed"}, plain<has_failed>},
    {{"unschedulable", "[by PLUGIN[,PLUGIN...]]", "Its last attempt was rejected, by these plugins among others"},
     compile_unschedulable},
    {{"gated", "[by PLUGIN]", "A PreEnqueue plugin holds it back"}, compile_gated},
    {{"in", "PLACE", "Where it is: active, backoff, unschedulable, gated, waiting (at Permit) or binding"}, compile_in},
    {{"nominated", "[to NODE]", "It is nominated"}, compile_nominated},
    {{"woken", "[by LABEL]", "An event brought it back from unschedulable; the last one was this"}, compile_woken},
    {{"flushed", "", "The timeout brought it back, not an event"}, plain<was_flushed>},
    {{"preempted", "", "It was evicted for another pod"}, plain<was_preempted>},
    {{"attempts", "OP NUMBER", "How often it was tried"}, compile_number<attempts>},
    {{"wake-ups", "OP NUMBER", "How often events brought it back"}, compile_number<wake_ups>},
    {{"wasted", "OP NUMBER", "... and the next attempt was rejected again"}, compile_number<wasted>},
    {{"evictions", "OP NUMBER", "How often the scheduler deleted it"}, compile_number<evictions>},
    {{"waited", "OP DURATION", "From its creation until it was bound, or now"}, compile_waited},
    {{"message", "contains TEXT", "The message of its condition PodScheduled"}, compile_message},
    {{"event", "REASON [contains TEXT]", "There was such an event about it"}, compile_event},
});

std::string times(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe_pending(const PodView& view) {
  std::string text = "pending";
  if (const PodPlace place = place_of(view); place != PodPlace::kUnknown) {
    text += fmt::format(" ({})", engine::to_string(place));
  } else if (!view.world.is_scheduler_up()) {
    text += " (the scheduler is down)";
  }
  if (const Symbol gate = gating_plugin(view); !gate.empty()) text += fmt::format(", held back by {}", gate.text());
  if (const Symbol node = nomination(view); !node.empty()) text += fmt::format(", nominated to {}", node.text());
  const engine::AttemptRecord* attempt = last_attempt(view);
  if (attempt != nullptr && !attempt->detail().rejecting_plugins.empty()) {
    std::vector<std::string_view> plugins;
    for (const Symbol plugin : attempt->detail().rejecting_plugins) plugins.push_back(plugin.text());
    text += fmt::format(", rejected by {}", fmt::join(plugins, ", "));
  }
  return text;
}

}  // namespace

std::span<const PodConditionSpec> pod_conditions() {
  return kConditions;
}

PodView view_of(const sim::World& world, const Target& target) {
  return {.world = world,
          .name_space = target.name_space,
          .name = target.name,
          .pod = world.api().get<api::Pod>(Symbol(target.name_space), target.name),
          .pod_timeline = world.history().pod_timeline(target.full_name())};
}

Parsed<PodTest> read_pod_conditions(Reader& reader) {
  std::vector<PodTest> tests;
  std::vector<std::string_view> words;
  for (const PodConditionSpec& row : kConditions) words.push_back(row.help.key);
  do {
    const bool is_negated = reader.accept("not");
    const auto word = reader.one_of(words, "a condition on pods such as \"on\", \"bound\" or \"unschedulable\"");
    if (!word) return std::unexpected(word.error());
    const auto row = std::ranges::find_if(kConditions, [&](const auto& each) { return each.help.key == *word; });
    auto test = row->compile(reader);
    if (!test) return test;
    tests.push_back(is_negated ? PodTest([test = *test](const PodView& view) { return !test(view); })
                               : *std::move(test));
  } while (!reader.at_end());
  return PodTest([tests = std::move(tests)](const PodView& view) {
    return std::ranges::all_of(tests, [&](const PodTest& test) { return test(view); });
  });
}

std::string describe(const PodView& view) {
  std::string text;
  if (view.pod == nullptr) {
    if (view.pod_timeline == nullptr) return "there is no such pod";
    text = view.pod_timeline->succeeded ? "gone, after it ran to its end" : "gone";
    if (!view.pod_timeline->node.empty()) text += fmt::format(" on {}", view.pod_timeline->node.text());
  } else if (has_node(view)) {
    text = fmt::format("on {}", view.pod->spec.node_name.text());
    if (api::is_terminal(*view.pod)) text += fmt::format(" ({})", view.pod->status.phase.text());
  } else {
    text = describe_pending(view);
  }
  if (is_terminating(view)) text += ", terminating";
  if (view.pod_timeline == nullptr) return text;
  text += fmt::format("; {}", times(view.pod_timeline->attempts, "attempt"));
  if (view.pod_timeline->wake_ups > 0) {
    text += fmt::format(", {}, the last by {}", times(view.pod_timeline->wake_ups, "wake-up"),
                        view.pod_timeline->woken_by.text());
  }
  if (view.pod_timeline->rescued_by_flush) text += ", brought back by the timeout";
  text += fmt::format(", waited {}", waited(view).str());
  if (const std::string message = message_of(view); !message.empty()) text += "; " + message;
  return text;
}

}  // namespace berth::scenario
