// Statements about the scheduler and the run as a whole. They stand before all others.
#include <fmt/format.h>

#include <array>

#include "berth/scenario/quirk_names.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

Parsed<Meaning> compile_seed(std::string_view, Reader& reader, const Context&) {
  const auto seed = reader.number("a seed: a whole number of at least 0");
  if (!seed) return std::unexpected(seed.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return Setting{[seed = static_cast<std::uint64_t>(*seed)](Setup& setup) { setup.seed = seed; }};
}

Parsed<Meaning> compile_compatibility(std::string_view, Reader& reader, const Context&) {
  const auto release = reader.peek() == nullptr ? std::nullopt : queue::parse_release(reader.peek()->text);
  if (!release) return reader.expected("a release of kube-scheduler: v1.17, v1.20, v1.28 or v1.36");
  reader.skip();
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return Setting{[release = *release](Setup& setup) { setup.release = release; }};
}

Parsed<Meaning> compile_quirks(std::string_view, Reader& reader, const Context&) {
  if (reader.accept("upstream")) {
    if (auto end = reader.end(); !end) return std::unexpected(end.error());
    return Setting{[](Setup& setup) { setup.upstream_quirks = true; }};
  }
  std::vector<std::string> names;
  std::vector<std::string_view> known(quirk_names().begin(), quirk_names().end());
  known.emplace_back("upstream");
  do {
    if (reader.is_next("upstream")) return reader.expected("the name of a quirk");
    const auto name = reader.one_of(known, "\"upstream\" or the name of a quirk");
    if (!name) return std::unexpected(name.error());
    names.emplace_back(*name);
  } while (!reader.at_end());
  return Setting{[names = std::move(names)](Setup& setup) {
    setup.quirks.insert(setup.quirks.end(), names.begin(), names.end());
  }};
}

Done set_backoff(Setup& setup, std::string_view, std::string_view value) {
  const auto range = read_range(value);
  const auto is_whole = [](Duration duration) { return duration.nanoseconds() % 1'000'000'000 == 0; };
  if (!range || !is_whole(range->low) || !is_whole(range->high)) {
    return std::unexpected("two durations in whole seconds such as 1s..10s");
  }
  setup.initial_backoff_seconds = range->low.nanoseconds() / 1'000'000'000;
  setup.maximum_backoff_seconds = range->high.nanoseconds() / 1'000'000'000;
  return {};
}

Done set_gates(Setup& setup, std::string_view, std::string_view value) {
  const auto gates = config::FeatureGates::parse(value);
  if (!gates) return std::unexpected("feature gates such as A=true,B=false: " + gates.error().front().message());
  if (!setup.gates.empty()) setup.gates += ',';
  setup.gates += value;
  return {};
}

constexpr auto kConfigFields = std::to_array<FieldSpec<Setup>>({
    {{"backoff", "FIRST..MOST", "podInitialBackoffSeconds and podMaxBackoffSeconds; 1s..10s if not given"},
     set_backoff},
    {{"unschedulable-timeout", "DURATION", "A parked pod is tried after this time without any event; 5m if not given"},
     [](Setup& setup, std::string_view, std::string_view value) {
       return set_to(setup.maximum_in_unschedulable, read_duration(value));
     }},
    {{"percentage-of-nodes", "NUMBER", "percentageOfNodesToScore"},
     [](Setup& setup, std::string_view, std::string_view value) {
       return set_to(setup.percentage_of_nodes_to_score, read_number(value, 0, 100));
     }},
    {{"gates", "A=true,B=false", "Feature gates of kube-scheduler"}, set_gates},
    {{"record-scores", "COUNT", "How many of the best nodes each attempt keeps with their scores"},
     [](Setup& setup, std::string_view, std::string_view value) {
       return set_to(setup.scores_to_record, read_number(value, 0, 1000));
     }},
});

// A configuration brings all it says along; fields change single things.
Parsed<Meaning> compile_config(std::string_view, Reader& reader, const Context& context) {
  if (reader.peek() != nullptr && reader.peek()->has_value()) {
    Setup scratch;
    Reader again = reader;
    if (auto read = read_fields(again, FieldsOf<Setup>{kConfigFields, scratch}); !read) {
      return std::unexpected(read.error());
    }
    return Setting{[words = std::vector<Word>(reader.rest().begin(), reader.rest().end())](Setup& setup) {
      for (const Word& word : words) (void)set_field(word, FieldsOf<Setup>{kConfigFields, setup});
    }};
  }
  auto source = read_document_or_file(reader, context, "a file, <<END, or fields such as backoff=1s..10s");
  if (!source) return std::unexpected(source.error());
  return Setting{[source = *std::move(source)](Setup& setup) {
    setup.config_name = source.name;
    setup.config_text = source.text;
  }};
}

constexpr auto kExtenderFields = std::to_array<FieldSpec<ExtenderSketch>>({
    {{"requires", "LABELS", "It refuses nodes that have other labels"},
     [](ExtenderSketch& sketch, std::string_view, std::string_view value) {
       return set_to(sketch.required, read_node_term(value));
     }},
    {{"prefers", "LABELS", "It likes nodes that have these labels"},
     [](ExtenderSketch& sketch, std::string_view, std::string_view value) {
       return set_to(sketch.preferred, read_node_term(value));
     }},
    {{"manages", "DOMAIN/NAME", "It is asked about pods with this resource only"},
     [](ExtenderSketch& sketch, std::string_view, std::string_view value) {
       return set_to(sketch.managed_resource, read_text(value));
     }},
    {{"ignorable", "", "If it does not answer, the scheduler goes on without it"},
     [](ExtenderSketch& sketch, std::string_view, std::string_view) -> Done {
       sketch.is_ignorable = true;
       return {};
     }},
    {{"down", "", "It never answers"},
     [](ExtenderSketch& sketch, std::string_view, std::string_view) -> Done {
       sketch.fails = true;
       return {};
     }},
});

Parsed<Meaning> compile_extender(std::string_view, Reader& reader, const Context&) {
  ExtenderSketch sketch;
  if (auto read = read_fields(reader, FieldsOf<ExtenderSketch>{kExtenderFields, sketch}); !read) {
    return std::unexpected(read.error());
  }
  return Setting{[sketch = std::move(sketch)](Setup& setup) { setup.extenders.push_back(sketch); }};
}

constexpr auto kStatements = std::to_array<StatementSpec>({
    {"config", "FILE | <<END | FIELD...", "The scheduler's configuration: a KubeSchedulerConfiguration, or fields",
     Group::kSettings, compile_config},
    {"quirks", "upstream | NAME...", "kube-scheduler's bugs that are to be there; none if not given", Group::kSettings,
     compile_quirks},
    {"compatibility", "RELEASE", "Whose queue rules apply: v1.17, v1.20, v1.28 or v1.36", Group::kSettings,
     compile_compatibility},
    {"extender", "FIELD...", "A scheduler extender that looks at the labels of nodes", Group::kSettings,
     compile_extender},
    {"seed", "NUMBER", "What chance is drawn from; `--seed` goes before it", Group::kSettings, compile_seed},
});

std::expected<engine::Quirks, std::vector<Error>> quirks_of(const Setup& setup) {
  engine::Quirks quirks;
  if (setup.upstream_quirks) quirks = engine::Quirks::upstream(setup.release);
  for (const std::string& name : setup.quirks) {
    if (auto set = set_quirk(quirks, name); !set) return std::unexpected(std::vector{set.error()});
  }
  return quirks;
}

}  // namespace

std::span<const StatementSpec> setting_statements() {
  return kStatements;
}

std::vector<FieldHelp> config_field_help() {
  return help_of(std::span<const FieldSpec<Setup>>(kConfigFields));
}

std::vector<FieldHelp> extender_field_help() {
  return help_of(std::span<const FieldSpec<ExtenderSketch>>(kExtenderFields));
}

std::expected<engine::Options, std::vector<Error>> scheduler_options(const Setup& setup) {
  engine::Options options;
  const auto gates = config::FeatureGates::parse(setup.gates);
  if (!gates) return std::unexpected(gates.error());
  const auto quirks = quirks_of(setup);
  if (!quirks) return std::unexpected(quirks.error());
  options.gates = *gates;
  options.quirks = *quirks;
  options.compatibility = setup.release;
  options.add_plugins = setup.add_plugins;
  framework::PluginRegistry registry;
  if (setup.add_plugins) {
    if (auto added = setup.add_plugins(registry); !added) return std::unexpected(std::vector{std::move(added).error()});
  }
  const std::vector<config::PluginSpec> out_of_tree = registry.out_of_tree();
  options.config = config::default_config({.gates = *gates});
  if (!setup.config_text.empty()) {
    auto loaded = config::load_config(setup.config_text, {.gates = *gates, .out_of_tree = out_of_tree});
    if (!loaded) return std::unexpected(loaded.error().errors(setup.config_name));
    options.config = *std::move(loaded);
  }
  config::SchedulerConfig& config = options.config.config;
  if (setup.initial_backoff_seconds) config.pod_initial_backoff_seconds = *setup.initial_backoff_seconds;
  if (setup.maximum_backoff_seconds) config.pod_max_backoff_seconds = *setup.maximum_backoff_seconds;
  if (setup.percentage_of_nodes_to_score) config.percentage_of_nodes_to_score = *setup.percentage_of_nodes_to_score;
  for (const ExtenderSketch& sketch : setup.extenders) {
    config.extenders.push_back(configured(sketch, config.extenders.size() + 1));
  }
  if (setup.maximum_in_unschedulable) options.maximum_in_unschedulable = *setup.maximum_in_unschedulable;
  if (setup.scores_to_record) options.scores_to_record = *setup.scores_to_record;
  return options;
}

}  // namespace berth::scenario
