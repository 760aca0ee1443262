#include "berth/scenario/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "berth/api/kinds.h"
#include "berth/api/pod_requests.h"
#include "berth/scenario/values.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"
#include "berth/text/words.h"

namespace berth::scenario {

namespace {

using Check = std::function<Verdict(const sim::World&)>;

constexpr auto kComparisons = std::to_array<std::pair<std::string_view, Comparison>>({
    {"=", Comparison::kEqual},
    {"==", Comparison::kEqual},
    {"!=", Comparison::kNotEqual},
    {"<=", Comparison::kAtMost},
    {">=", Comparison::kAtLeast},
    {"<", Comparison::kLess},
    {">", Comparison::kMore},
});

// "attempts>=2" as three words, so that blanks around a comparison do not matter.
void split_comparison(const Word& word, std::vector<Word>& into) {
  const std::size_t begin = word.is_quoted ? std::string::npos : word.text.find_first_of("=!<>");
  if (begin == std::string::npos) {
    into.push_back(word);
    return;
  }
  const std::size_t end = std::min(word.text.find_first_not_of("=!<>", begin), word.text.size());
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    Word part;
    part.text = word.text.substr(from, to - from);
    part.at = {word.at.line, word.at.column + static_cast<int>(from)};
    into.push_back(std::move(part));
  };
  add(0, begin);
  add(begin, end);
  add(end, word.text.size());
}

// --- Pods ------------------------------------------------------------------------------------------------------------

std::vector<Target> matching_pods(const sim::World& world, const Target& target) {
  std::vector<Target> targets;
  world.api().for_each(api::kind_of<api::Pod>(), [&](const api::AnyObject& pod) {
    const api::ObjectMeta& metadata = pod.metadata();
    if (target.matches(metadata, true)) targets.push_back({metadata.name_space.str(), metadata.name});
  });
  return targets;
}

// " (there is shop/web)", if pods of that name are in other namespaces than the one that is meant.
std::string pods_elsewhere(const sim::World& world, const Target& target) {
  const std::vector<Target> others = matching_pods(world, {.name_space = "*", .name = target.name});
  if (others.empty() || target.name_space == "*") return "";
  return fmt::format(" (there is {}{})", others.front().full_name(), others.size() > 1 ? " and others" : "");
}

std::string describe_pod(const sim::World& world, const Target& target) {
  const PodView view = view_of(world, target);
  const bool is_known = view.pod != nullptr || view.pod_timeline != nullptr;
  return fmt::format("{}: {}{}", target.shown(), describe(view), is_known ? "" : pods_elsewhere(world, target));
}

Verdict check_pod(const sim::World& world, const Target& target, const PodTest& test) {
  if (test(view_of(world, target))) return {.holds = true, .actual = {}, .pod = {}};
  return {.holds = false, .actual = describe_pod(world, target), .pod = target.full_name()};
}

// So many pods are so, and not as many as expected: names one that is not so if there are too few, or one that is.
Verdict wrong_count(const sim::World& world, const Target& target, const std::vector<Target>& so,
                    const std::vector<Target>& others, std::int64_t expected) {
  Verdict verdict;
  if (so.empty() && others.empty()) {
    verdict.actual = fmt::format("there is no pod {}{}", target.shown(), pods_elsewhere(world, target));
    return verdict;
  }
  verdict.actual =
      fmt::format("{} of {} pods are so", text::grouped(so.size()), text::grouped(so.size() + others.size()));
  const std::vector<Target>& telling = std::ssize(so) < expected ? others : so;
  if (telling.empty()) return verdict;
  verdict.actual += fmt::format("; {}", describe_pod(world, telling.front()));
  verdict.pod = telling.front().full_name();
  return verdict;
}

Parsed<Check> compile_pod(Reader& reader) {
  auto target = read_target(reader, "the name of a pod");
  if (!target) return std::unexpected(target.error());
  auto test = read_pod_conditions(reader);
  if (!test) return std::unexpected(test.error());
  return Check([target = *std::move(target), test = *std::move(test)](const sim::World& world) -> Verdict {
    if (!target.is_pattern()) return check_pod(world, target, test);
    const std::vector<Target> pods = matching_pods(world, target);
    if (pods.empty()) {
      return {.holds = false, .actual = "there is no such pod" + pods_elsewhere(world, target), .pod = {}};
    }
    for (const Target& pod : pods) {
      if (Verdict verdict = check_pod(world, pod, test); !verdict.holds) return verdict;
    }
    return {.holds = true, .actual = {}, .pod = {}};
  });
}

// [OP] NUMBER pods [PATTERN] CONDITION...
Parsed<Check> compile_pod_count(Reader& reader) {
  Comparison comparison = Comparison::kEqual;
  if (!read_number(reader.peek()->text)) {
    const auto read = read_comparison(reader);
    if (!read) return std::unexpected(read.error());
    comparison = *read;
  }
  const auto number = reader.number("how many pods");
  if (!number) return std::unexpected(number.error());
  if (!reader.accept("pod")) {
    if (auto pods = reader.keyword("pods"); !pods) return std::unexpected(pods.error());
  }
  // All pods if none is named.
  Target target{.name_space = "*", .name = "*"};
  if (reader.peek() != nullptr && is_pattern(reader.peek()->text)) {
    target = target_of(reader.peek()->text);
    reader.skip();
  }
  auto test = read_pod_conditions(reader);
  if (!test) return std::unexpected(test.error());
  return Check([comparison, number = *number, target, test = *std::move(test)](const sim::World& world) -> Verdict {
    std::vector<Target> so, others;
    for (Target& pod : matching_pods(world, target)) {
      (test(view_of(world, pod)) ? so : others).push_back(std::move(pod));
    }
    const auto count = static_cast<std::int64_t>(so.size());
    if (compares(count, comparison, number)) return {.holds = true, .actual = {}, .pod = {}};
    return wrong_count(world, target, so, others, number);
  });
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

// What a test of a node says: whether it holds, and what is.
using NodeTest = std::function<Verdict(const sim::World&, const std::string& node)>;

void for_each_pod_on(const sim::World& world, std::string_view node, const std::function<void(const api::Pod&)>& fn) {
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (pod->spec.node_name == node && !api::is_terminal(*pod)) fn(*pod);
  });
}

Verdict is_so(bool holds, std::string actual) {
  return {.holds = holds, .actual = std::move(actual), .pod = {}};
}

Parsed<NodeTest> compile_node_pods(Reader& reader) {
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  const auto number = reader.number("how many pods");
  if (!number) return std::unexpected(number.error());
  return NodeTest([comparison = *comparison, number = *number](const sim::World& world, const std::string& node) {
    std::int64_t count = 0;
    for_each_pod_on(world, node, [&](const api::Pod&) { ++count; });
    return is_so(compares(count, comparison, number), fmt::format("pods = {}", count));
  });
}

Parsed<NodeTest> compile_node_free(Reader& reader) {
  const Position at = reader.here();
  auto resource = reader.name("a resource such as cpu");
  if (!resource) return std::unexpected(resource.error());
  if (*resource == "gpu") resource = "nvidia.com/gpu";
  constexpr auto kResources = std::to_array<std::string_view>({"cpu", "memory", "pods", "ephemeral-storage", "gpu"});
  if (std::ranges::find(kResources, *resource) == kResources.end() && resource->find('/') == std::string::npos &&
      !resource->starts_with("hugepages-")) {
    return mistake(at, fmt::format("there is no resource \"{}\"", *resource), did_you_mean(*resource, kResources));
  }
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  auto amount = reader.value(read_quantity);
  if (!amount) return std::unexpected(amount.error());
  return NodeTest([resource = Symbol(*resource), comparison = *comparison, amount = *std::move(amount)](
                      const sim::World& world, const std::string& name) {
    const auto node = world.api().get<api::Node>(Symbol(), name);
    if (node == nullptr) return is_so(false, "there is no such node");
    const api::Quantity* allocatable = node->status.allocatable.find(resource);
    api::Quantity free = allocatable == nullptr ? api::Quantity() : *allocatable;
    for_each_pod_on(world, name, [&](const api::Pod& pod) {
      const api::ResourceList requests = api::pod_requests(*pod.spec, api::PodRequestsOptions());
      if (const api::Quantity* request = requests.find(resource)) free -= *request;
    });
    return is_so(compares(free, comparison, amount), fmt::format("free {} = {}", resource.text(), free.str()));
  });
}

Parsed<NodeTest> compile_node_tainted(Reader& reader) {
  auto key = reader.name("the key of a taint");
  if (!key) return std::unexpected(key.error());
  return NodeTest([key = *std::move(key)](const sim::World& world, const std::string& name) {
    const auto node = world.api().get<api::Node>(Symbol(), name);
    const bool holds = node != nullptr && std::ranges::any_of(node->spec.taints, [&](const api::Taint& taint) {
                         return taint.key == key;
                       });
    return is_so(holds, holds ? "tainted" : "not tainted");
  });
}

Parsed<NodeTest> compile_node_cordoned(Reader&) {
  return NodeTest([](const sim::World& world, const std::string& name) {
    const auto node = world.api().get<api::Node>(Symbol(), name);
    const bool holds = node != nullptr && node->spec.unschedulable;
    return is_so(holds, holds ? "cordoned" : "not cordoned");
  });
}

Parsed<NodeTest> compile_node_gone(Reader&) {
  return NodeTest([](const sim::World& world, const std::string& name) {
    const bool holds = world.api().get<api::Node>(Symbol(), name) == nullptr;
    return is_so(holds, holds ? "gone" : "there");
  });
}

constexpr auto kNodeHelp = std::to_array<FieldHelp>({
    {"pods", "OP NUMBER", "How many pods are on it"},
    {"free", "RESOURCE OP AMOUNT", "What its pods leave: `free cpu >= 500m`"},
    {"tainted", "KEY", "It has such a taint"},
    {"cordoned", "", "It is unschedulable"},
    {"gone", "", "There is no such node"},
});
constexpr std::array<Parsed<NodeTest> (*)(Reader&), kNodeHelp.size()> kNodeCompile = {
    compile_node_pods, compile_node_free, compile_node_tainted, compile_node_cordoned, compile_node_gone};

// One or more, each with `not` before it or without.
Parsed<std::vector<NodeTest>> read_node_conditions(Reader& reader) {
  std::vector<std::string_view> words;
  for (const FieldHelp& help : kNodeHelp) words.push_back(help.key);
  std::vector<NodeTest> tests;
  do {
    const bool is_negated = reader.accept("not");
    const auto word = reader.one_of(words, "a condition on nodes: pods, free, tainted, cordoned or gone");
    if (!word) return std::unexpected(word.error());
    auto test = kNodeCompile.at(static_cast<std::size_t>(std::ranges::find(words, *word) - words.begin()))(reader);
    if (!test) return std::unexpected(test.error());
    if (is_negated) {
      tests.emplace_back([test = *test](const sim::World& world, const std::string& node) {
        Verdict verdict = test(world, node);
        verdict.holds = !verdict.holds;
        return verdict;
      });
    } else {
      tests.push_back(*std::move(test));
    }
  } while (!reader.at_end());
  return tests;
}

Parsed<Check> compile_node(Reader& reader) {
  auto pattern = reader.name("the name of a node");
  if (!pattern) return std::unexpected(pattern.error());
  auto tests = read_node_conditions(reader);
  if (!tests) return std::unexpected(tests.error());
  return Check([pattern = *std::move(pattern), tests = *std::move(tests)](const sim::World& world) -> Verdict {
    std::vector<std::string> nodes;
    if (!is_pattern(pattern)) nodes.push_back(pattern);
    world.api().for_each<api::Node>([&](const api::NodePtr& node) {
      if (is_pattern(pattern) && matches_pattern(pattern, node->metadata.name)) nodes.push_back(node->metadata.name);
    });
    if (nodes.empty()) return is_so(false, "there is no such node");
    for (const std::string& node : nodes) {
      for (const NodeTest& test : tests) {
        const Verdict verdict = test(world, node);
        if (!verdict.holds) return is_so(false, fmt::format("{}: {}", node, verdict.actual));
      }
    }
    return is_so(true, {});
  });
}

// --- Claims ----------------------------------------------------------------------------------------------------------

constexpr auto kClaimHelp = std::to_array<FieldHelp>({
    {"bound", "[to VOLUME]", "It has a volume"},
    {"pending", "", "It has none"},
    {"gone", "", "There is no such claim"},
});

Parsed<Check> compile_claim(Reader& reader) {
  auto target = read_target(reader, "the name of a claim");
  if (!target) return std::unexpected(target.error());
  constexpr auto kWords = std::to_array<std::string_view>({"bound", "pending", "gone"});
  const auto word = reader.one_of(kWords, "bound, pending or gone");
  if (!word) return std::unexpected(word.error());
  std::string volume = "*";
  if (*word == "bound" && reader.accept("to")) {
    auto name = reader.name("the name of a volume");
    if (!name) return std::unexpected(name.error());
    volume = *std::move(name);
  }
  return Check([target = *std::move(target), word = *word, volume](const sim::World& world) -> Verdict {
    const auto claim = world.api().get<api::PersistentVolumeClaim>(Symbol(target.name_space), target.name);
    if (claim == nullptr) return is_so(word == "gone", "there is no such claim");
    const bool is_bound = claim->status.phase == "Bound";
    const std::string actual = is_bound ? fmt::format("bound to {}", claim->spec.volume_name) : "pending";
    if (word == "gone") return is_so(false, actual);
    return is_so(word == "bound" ? is_bound && matches_pattern(volume, claim->spec.volume_name) : !is_bound, actual);
  });
}

// --- Workloads -------------------------------------------------------------------------------------------------------

using FailedCreationTest = std::function<bool(const sim::FailedCreation&)>;

constexpr auto kWorkloads = std::to_array<std::string_view>(
    {"deployment", "replicaset", "statefulset", "daemonset", "job", "replicationcontroller"});

// NAME cannot create pods [contains "TEXT"]
Parsed<Check> compile_workload(std::string_view word, Reader& reader, FailedCreationTest& about) {
  auto target = read_target(reader, fmt::format("the name of a {}", word));
  if (!target) return std::unexpected(target.error());
  for (const std::string_view next : {"cannot", "create", "pods"}) {
    if (auto read = reader.keyword(next); !read) return std::unexpected(read.error());
  }
  std::string text;
  if (reader.accept("contains")) {
    auto read = reader.text("what the API server says");
    if (!read) return std::unexpected(read.error());
    text = *std::move(read);
  }
  const std::string kind(kind_of_word(word)->kind);
  about = [kind, target = *target](const sim::FailedCreation& failed) {
    api::ObjectMeta metadata;
    metadata.name_space = failed.name_space;
    metadata.name = failed.group.substr(failed.group.find('/') + 1);
    if (failed.group.starts_with(kind + "/") && target.matches(metadata, true)) return true;
    metadata.name = failed.name;
    return failed.kind == kind && target.matches(metadata, true);
  };
  return Check([about, target = *target, text](const sim::World& world) -> Verdict {
    std::string other;
    for (const sim::FailedCreation& failed : world.failed_creations().list()) {
      if (!about(failed)) continue;
      if (failed.message.find(text) != std::string::npos) return is_so(true, {});
      other = sim::to_text(failed);
    }
    return is_so(false, other.empty() ? fmt::format("{} was not refused any pod", target.shown()) : other);
  });
}

// --- Everything else -------------------------------------------------------------------------------------------------

Parsed<Check> compile_time(Reader& reader) {
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  const auto duration = reader.duration();
  if (!duration) return std::unexpected(duration.error());
  return Check([comparison = *comparison, duration = *duration](const sim::World& world) {
    return is_so(compares(world.elapsed(), comparison, duration), fmt::format("time = {}", world.elapsed().str()));
  });
}

Parsed<Check> compile_invariants(Reader&) {
  return Check([](const sim::World& world) {
    const std::vector<std::string> broken = world.broken_invariants();
    return is_so(broken.empty(), broken.empty() ? std::string() : broken.front());
  });
}

Parsed<Check> compile_number(const NumberSpec& spec, Reader& reader) {
  const auto comparison = read_comparison(reader);
  if (!comparison) return std::unexpected(comparison.error());
  const auto number = reader.number("a whole number");
  if (!number) return std::unexpected(number.error());
  return Check([&spec, comparison = *comparison, number = *number](const sim::World& world) {
    const std::int64_t actual = spec.read(world);
    return is_so(compares(actual, comparison, number), fmt::format("{} = {}", spec.help.key, actual));
  });
}

constexpr auto kConditionHelp = std::to_array<FieldHelp>({
    {"pod", "NAME CONDITION...", "All these hold for the pod; with `*` in NAME, for each pod that fits"},
    {"pods", "written `[OP] COUNT pods [PATTERN] CONDITION...`", "So many pods are so: `expect 3 pods web-* on n1`"},
    {"node", "NAME CONDITION...", "All these hold for the node; with `*` in NAME, for each node that fits"},
    {"pvc", "NAME CONDITION", "It holds for the claim"},
    {"deployment", "NAME cannot create pods [contains \"TEXT\"]",
     "The API server refuses its pods, with this text; also `replicaset`, `statefulset`, `daemonset`, `job` and "
     "`replicationcontroller`"},
    {"time", "OP DURATION", "How long after the beginning it is"},
    {"invariants", "", "All invariants hold; at the end they are checked anyway"},
});

Parsed<Check> compile_check(Reader& reader, std::string_view what, FailedCreationTest& failed_creation) {
  if (reader.at_end()) return reader.expected(what);
  for (const std::string_view word : kWorkloads) {
    if (reader.accept(word)) return compile_workload(word, reader, failed_creation);
  }
  if (reader.accept("pod")) return compile_pod(reader);
  if (reader.accept("node")) return compile_node(reader);
  if (reader.accept("pvc")) return compile_claim(reader);
  if (reader.accept("time")) return compile_time(reader);
  if (reader.accept("invariants")) return compile_invariants(reader);
  if (reader.is_next("pods")) {
    return mistake(reader.here(), "expected how many before \"pods\"",
                   "such as: 3 pods web-* bound, or >= 3 pods bound");
  }
  const std::string& text = reader.peek()->text;
  if (read_number(text) || std::string_view("=!<>").find(text.front()) != std::string_view::npos) {
    return compile_pod_count(reader);
  }
  std::vector<std::string_view> words;
  for (const FieldHelp& help : kConditionHelp) words.push_back(help.key);
  for (const NumberSpec& number : numbers()) {
    if (reader.accept(number.help.key)) return compile_number(number, reader);
    words.push_back(number.help.key);
  }
  return reader.expected(what, words);
}

}  // namespace

Parsed<Comparison> read_comparison(Reader& reader) {
  for (const auto& [text, comparison] : kComparisons) {
    if (reader.accept(text)) return comparison;
  }
  return reader.expected("a comparison: =, !=, <, <=, > or >=");
}

Parsed<Condition> read_condition(Reader& reader, std::string_view what) {
  if (reader.at_end()) return reader.expected(what);
  Condition condition;
  std::vector<Word> words;
  for (; !reader.at_end(); reader.skip()) {
    const Word& word = *reader.peek();
    if (!condition.text.empty()) condition.text += ' ';
    condition.text += to_text(Line{{word}, std::nullopt});
    split_comparison(word, words);
  }
  Reader inner(reader.line(), words);
  auto check = compile_check(inner, what, condition.expects_failed_creation);
  if (!check) return std::unexpected(check.error());
  if (auto end = inner.end(); !end) return std::unexpected(end.error());
  condition.check = *std::move(check);
  return condition;
}

std::span<const FieldHelp> node_condition_help() {
  return kNodeHelp;
}
std::span<const FieldHelp> claim_condition_help() {
  return kClaimHelp;
}
std::span<const FieldHelp> condition_help() {
  return kConditionHelp;
}

}  // namespace berth::scenario
