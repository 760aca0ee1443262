#include "tests/conformance/config_conformance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "berth/config/field_error.h"
#include "berth/config/load.h"
#include "berth/config/write.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {
namespace {

using config::LoadedConfig;
using config::LoadFailure;
using config::LoadStage;

// Lines that differ and are printed; the rest is only counted.
constexpr int kMaxPrinted = 20;

constexpr std::int64_t kFormatOfTrace = 1;

std::string_view stage_name(LoadStage stage) {
  switch (stage) {
    case LoadStage::kDecode: return "decode";
    case LoadStage::kValidate: return "validate";
    case LoadStage::kProfiles: return "profiles";
  }
  return "";
}

// What kube-scheduler says has no "did you mean".
Error without_fix(const Error& error) {
  return Error(error.what()).in(error.where());
}

std::vector<std::string> messages(const LoadFailure& failure) {
  if (failure.stage == LoadStage::kDecode) return {failure.kube_scheduler_text};
  std::vector<std::string> texts;
  for (const config::Problem& problem : failure.problems) texts.push_back(without_fix(problem.error).message());
  return texts;
}

std::string not_equal(std::string_view what, std::string_view expected, std::string_view actual) {
  return expected == actual ? "" : fmt::format("{}: expected {}, got {}", what, expected, actual);
}

// The first line in which two texts differ.
std::string first_different_line(std::string_view expected, std::string_view actual) {
  for (int line = 1; !expected.empty() || !actual.empty(); ++line) {
    const auto take_line = [](std::string_view& text) {
      const std::string_view taken = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(taken.size() + 1, text.size()));
      return taken;
    };
    const std::string_view e = take_line(expected);
    const std::string_view a = take_line(actual);
    if (e != a) return fmt::format("completed, line {}: expected \"{}\", got \"{}\"", line, e, a);
  }
  return "completed: the end differs";
}

// kube-scheduler stops at the first plugin that fails, and chance decides which that is; Berth reports them all, and
// those of further profiles.
std::string compare_profile_errors(Json line, const std::vector<std::string>& actual) {
  std::vector<std::string> acceptable = texts_of(line, "acceptable");
  if (acceptable.empty()) acceptable = texts_of(line, "errors");
  const std::set<std::string> reported(actual.begin(), actual.end());
  for (const std::string& text : acceptable) {
    if (!reported.contains(text)) return fmt::format("errors: expected \"{}\", got {}", text, actual);
  }
  const bool is_first_acceptable = std::ranges::find(acceptable, actual.front()) != acceptable.end();
  return is_first_acceptable ? "" : fmt::format("errors: expected one of {} first, got {}", acceptable, actual);
}

std::string compare_failure(Json line, const LoadFailure& failure) {
  const std::string stage = text_of(line, "stage");
  const std::vector<std::string> actual = messages(failure);
  if (stage != stage_name(failure.stage)) {
    return fmt::format("stage: expected {}, got {} with {}", stage, stage_name(failure.stage), actual);
  }
  if (failure.problems.empty()) return "a failure without a problem";
  const std::vector<std::string> expected = texts_of(line, "errors");
  // The words of the YAML parser are its own, also for what is YAML but cannot become JSON.
  const bool is_not_json = !expected.empty() && (expected.front().starts_with("json: unsupported value: ") ||
                                                 expected.front().starts_with("unsupported map key of type: "));
  const bool is_yaml_error = stage == "decode" && failure.kube_scheduler_text.empty();
  if (is_yaml_error && (flag_of(line, "yamlSyntax") || is_not_json)) return "";
  if (stage == "profiles") return compare_profile_errors(line, actual);
  for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string e = i < expected.size() ? expected[i] : "none";
    const std::string a = i < actual.size() ? actual[i] : "none";
    if (e != a) return fmt::format("errors[{}]: expected \"{}\", got \"{}\"", i, e, a);
  }
  if (!has(line, "text")) return "";
  std::vector<Error> errors;
  for (const config::Problem& problem : failure.problems) errors.push_back(problem.error);
  return not_equal("text", text_of(line, "text"), config::aggregate(errors));
}

// "scheduler/filter: A B:2 C", one line per extension point that has plugins, sorted.
std::set<std::string> describe_recorded(Json expanded) {
  std::set<std::string> lines;
  const simdjson::dom::object profiles = expanded.get_object();
  for (const auto profile : profiles) {
    const simdjson::dom::object points = profile.value.get_object();
    for (const auto point : points) {
      std::vector<std::string> plugins;
      const simdjson::dom::array list = point.value.get_array();
      for (const Json plugin : list) {
        const std::string weight = has(plugin, "weight") ? fmt::format(":{}", integer_of(plugin, "weight")) : "";
        plugins.push_back(text_of(plugin, "name") + weight);
      }
      lines.insert(fmt::format("{}/{}: {}", profile.key, point.key, fmt::join(plugins, " ")));
    }
  }
  return lines;
}

std::set<std::string> describe_actual(const LoadedConfig& loaded) {
  std::set<std::string> lines;
  for (std::size_t i = 0; i < loaded.plugins.size(); ++i) {
    for (const config::ExtensionPointSpec& point : config::extension_points()) {
      std::vector<std::string> plugins;
      for (const config::Plugin& plugin : loaded.plugins[i].at(point.point)) {
        plugins.push_back(plugin.weight == 0 ? plugin.name : fmt::format("{}:{}", plugin.name, plugin.weight));
      }
      if (plugins.empty()) continue;
      lines.insert(fmt::format("{}/{}: {}", loaded.config.profiles[i].name(), point.field, fmt::join(plugins, " ")));
    }
  }
  return lines;
}

std::string compare_success(Json line, const LoadedConfig& loaded) {
  if (const std::string stage = text_of(line, "stage"); stage != "ok") {
    return fmt::format("stage: expected {} with {}, got ok", stage, texts_of(line, "errors"));
  }
  const std::string expected = text_of(line, "completed");
  const std::string actual = config::to_yaml(loaded.config);
  if (expected != actual) return first_different_line(expected, actual);
  const std::set<std::string> expected_plugins = describe_recorded(line["expanded"].value());
  const std::set<std::string> actual_plugins = describe_actual(loaded);
  if (expected_plugins == actual_plugins) return "";
  return fmt::format("expanded: expected {}, got {}", expected_plugins, actual_plugins);
}

// "A=true,B=false"
std::string feature_gates_of(Json line) {
  std::vector<std::string> gates;
  if (has(line, "featureGates")) {
    const simdjson::dom::object given = line["featureGates"].get_object();
    for (const auto gate : given) {
      gates.push_back(fmt::format("{}={}", gate.key, gate.value.get_bool().value()));
    }
  }
  return fmt::format("{}", fmt::join(gates, ","));
}

// Extenders name files with certificates. kube-scheduler opens them where Berth only checks the configuration.
bool needs_files(Json line) {
  const std::vector<std::string> errors = texts_of(line, "errors");
  return !errors.empty() && errors.front().starts_with("couldn't build extenders: open ");
}

std::string compare_line(Json line) {
  const auto gates = config::FeatureGates::parse(feature_gates_of(line));
  if (!gates) return "feature gates: " + gates.error().front().message();
  const auto loaded = config::load_config(text_of(line, "yaml"), {.gates = *gates});
  return loaded ? compare_success(line, *loaded) : compare_failure(line, loaded.error());
}

}  // namespace

int compare_config_trace(const std::string& file, std::ostream& out) {
  TraceReader reader(file);
  Json line;
  if (!reader.next(line) || text_of(line, "kind") != "config" || integer_of(line, "format") != kFormatOfTrace) {
    throw std::runtime_error(file + ": not a configuration trace of format " + std::to_string(kFormatOfTrace));
  }
  int compared = 0;
  int skipped = 0;
  int different = 0;
  while (reader.next(line)) {
    if (needs_files(line)) {
      ++skipped;
      continue;
    }
    const std::string difference = compare_line(line);
    ++compared;
    if (difference.empty()) continue;
    if (++different <= kMaxPrinted) out << file << ':' << reader.line_number() << ": " << difference << '\n';
  }
  if (compared == 0) throw std::runtime_error(file + ": no lines to compare");
  out << file << ": " << compared << " configurations compared, " << different << " differ, " << skipped
      << " skipped because kube-scheduler opens files for them\n";
  return different;
}

}  // namespace berth::conformance
