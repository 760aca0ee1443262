#include "tests/conformance/plugins_conformance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/config/load.h"
#include "berth/framework/attempt.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/profile.h"
#include "berth/plugins/default_plugins.h"
#include "berth/plugins/names.h"
#include "berth/plugins/preemption.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {
namespace {

using framework::Code;
using framework::FailedAttempt;
using framework::Status;

// Differences per file that are printed; the rest is only counted.
constexpr int kMaxPrinted = 20;

constexpr std::int64_t kFormatOfTrace = 1;

constexpr std::string_view kObjectLists[] = {"namespaces",
                                             "priorityClasses",
                                             "services",
                                             "replicationControllers",
                                             "replicaSets",
                                             "statefulSets",
                                             "podDisruptionBudgets",
                                             "storageClasses",
                                             "persistentVolumes",
                                             "persistentVolumeClaims",
                                             "csiDrivers",
                                             "csiNodes",
                                             "csiStorageCapacities",
                                             "volumeAttachments"};

// --- What is compared, as text

std::string show(std::span<const std::string> texts) {
  return fmt::format("[{}]", fmt::join(texts, "; "));
}

std::string show(std::span<const Symbol> symbols) {
  std::vector<std::string_view> texts;
  for (const Symbol symbol : symbols) texts.push_back(symbol.text());
  return fmt::format("[{}]", fmt::join(texts, "; "));
}

std::string show_list(Json object, std::string_view key) {
  return show(texts_of(object, key));
}

std::string show_status(std::string_view code, std::string_view plugin, std::span<const std::string> reasons) {
  return fmt::format("{} {} {}", code, plugin.empty() ? "-" : plugin, show(reasons));
}

std::string show_status(Json status) {
  return show_status(text_of(status, "code"), text_of(status, "plugin"), texts_of(status, "reasons"));
}

std::string show_status(const Status& status) {
  return show_status(to_string(status.code()), status.plugin().text(), status.reason_texts());
}

// With the reasons sorted, as the oracle has them for verdicts.
std::string show_verdict(const Status& status) {
  std::vector<std::string> reasons = status.reason_texts();
  std::ranges::sort(reasons);
  return show_status(to_string(status.code()), status.plugin().text(), reasons);
}

std::string show_candidate(std::span<const std::string> victims, std::int64_t pdb_violations) {
  return fmt::format("victims {}, {} PDB violations", show(victims), pdb_violations);
}

std::string show_candidate(Json candidate) {
  return show_candidate(texts_of(candidate, "victims"), integer_of(candidate, "pdbViolations"));
}

std::vector<std::string> names_of(std::span<const api::PodPtr> pods) {
  std::vector<std::string> names;
  for (const api::PodPtr& pod : pods) names.push_back(api::full_name(pod->metadata));
  std::ranges::sort(names);
  return names;
}

std::string show_candidate(const plugins::PreemptionCandidate& candidate) {
  return show_candidate(names_of(candidate.victims), candidate.pdb_violations);
}

std::string show_integers(Json object, std::string_view key) {
  std::vector<std::int64_t> values;
  if (has(object, key) && !object[key].is_null()) {
    for (const Json value : array_of(object, key)) values.push_back(value.get_int64().value());
  }
  return fmt::format("{}", values);
}

// --- Set-up

config::FeatureGates gates_of(Json header) {
  config::FeatureGates gates;
  const simdjson::dom::object given = header["featureGates"].get_object();
  for (const auto gate : given) {
    const config::FeatureSpec* spec = config::find_feature(gate.key);
    if (spec == nullptr) throw std::runtime_error(fmt::format("unknown feature gate {}", gate.key));
    gates = gates.with(spec->feature, gate.value.get_bool().value());
  }
  return gates;
}

// The cluster of a trace and the profile that schedules there.
class Setting {
 public:
  explicit Setting(Json header) : gates_(gates_of(header)) {
    auto loaded = config::load_config(simdjson::minify(header["config"].value()), {.gates = gates_});
    if (!loaded) {
      throw std::runtime_error("the configuration cannot be loaded: " +
                               loaded.error().problems.front().error.message());
    }
    config_ = std::move(*loaded);
    const framework::PluginRegistry registry = plugins::default_registry(plugins::PluginQuirks::all());
    auto profile = framework::Profile::build(config_.config.profiles.front(), registry, gates_, objects_);
    if (!profile) throw std::runtime_error("the profile cannot be built: " + profile.error().message());
    profile_ = std::move(*profile);
  }

  void fill(Json cluster) {
    for (const std::string_view key : kObjectLists) {
      for (const Json object : array_of(cluster, key)) {
        if (!objects_.set(decode_object(object, pool_))) throw std::runtime_error(fmt::format("{} are not kept", key));
      }
    }
    for (const Json node : array_of(cluster, "nodes")) nodes_.set_node(decode_object(node, pool_).as<api::Node>());
    for (const Json json : array_of(cluster, "pods")) {
      const api::PodPtr pod = decode_object(json, pool_).as<api::Pod>();
      if (!api::is_terminal(*pod)) nodes_.add_pod(pod, compiled_.get(pod->spec.shared));
    }
    for (const Json json : array_of(cluster, "nominatedPods")) {
      const framework::PodToPlace pod = read_pod(json);
      nominated_.add(pod->status.nominated_node_name, {.pod = pod.pod, .compiled = pod.compiled});
    }
  }

  framework::PodToPlace read_pod(Json json) {
    const api::PodPtr pod = decode_object(json, pool_).as<api::Pod>();
    return {.pod = pod, .compiled = compiled_.get(pod->spec.shared)};
  }

  const framework::Profile& profile() const { return *profile_; }
  const framework::NominatedPods& nominated() const { return nominated_; }
  framework::ClusterView cluster() const { return {.nodes = nodes_, .objects = objects_}; }
  const cache::NodeTable& nodes() const { return nodes_; }

 private:
  InternPool pool_;
  api::CompiledPods compiled_;
  config::FeatureGates gates_;
  config::LoadedConfig config_;
  cache::ClusterObjects objects_;
  cache::NodeTable nodes_;
  framework::NominatedPods nominated_;
  std::unique_ptr<framework::Profile> profile_;
};

// --- The comparison

class Comparison {
 public:
  Comparison(const std::string& file, std::ostream& out) : file_(file), out_(out) {}

  void begin(int line, std::string pod) {
    line_ = line;
    pod_ = std::move(pod);
  }

  // `field` may have parts that are put together only when something differs.
  template <typename... Field>
  void compare(const std::string& expected, const std::string& actual, const Field&... field) {
    ++result_.comparisons;
    if (expected == actual) return;
    if (++result_.differences > kMaxPrinted) return;
    out_ << file_ << ':' << line_ << ": " << pod_ << ": ";
    ((out_ << field), ...);
    out_ << ": expected " << expected << ", got " << actual << '\n';
  }

  PluginsResult& result() { return result_; }

 private:
  const std::string& file_;
  std::ostream& out_;
  int line_ = 0;
  std::string pod_;
  PluginsResult result_;
};

void compare_plugin_lists(Json expected, const config::PluginLists& lists, Comparison& comparison) {
  using Point = config::ExtensionPoint;
  for (const Point point : {Point::kPreFilter, Point::kFilter, Point::kPostFilter, Point::kPreScore}) {
    const std::string_view field = config::extension_points()[static_cast<std::size_t>(point)].field;
    std::vector<std::string> names;
    for (const config::Plugin& plugin : lists.at(point)) names.push_back(plugin.name);
    comparison.compare(show_list(expected, field), show(names), "plugins.", field);
  }
  std::vector<std::string> recorded, actual;
  for (const Json plugin : array_of(expected, "score")) {
    recorded.push_back(fmt::format("{}:{}", text_of(plugin, "name"), integer_of(plugin, "weight")));
  }
  for (const config::Plugin& plugin : lists.at(Point::kScore)) {
    actual.push_back(fmt::format("{}:{}", plugin.name, plugin.weight));
  }
  comparison.compare(show(recorded), show(actual), "plugins.score");
}

// One evaluated pod.
class Attempt {
 public:
  Attempt(const Setting& setting, framework::EquivalenceCache& memory, Json line, framework::PodToPlace pod,
          Comparison& comparison)
      : setting_(setting),
        memory_(memory),
        profile_(setting.profile()),
        nodes_(setting.nodes()),
        cluster_(setting.cluster()),
        line_(line),
        pod_(std::move(pod)),
        comparison_(comparison),
        pre_filter_(framework::run_pre_filter(profile_, pod_, cluster_)) {}

  void compare() {
    compare_pre_filter();
    std::vector<std::string> errors;
    if (pre_filter_.status.is_success()) {
      filtered_ = framework::run_filters(profile_, pre_filter_, pod_, cluster_, setting_.nominated());
      errors = filtered_->errors;
      if (has(line_, "filter")) compare_filter();
    } else if (!pre_filter_.status.is_rejected()) {
      errors = {pre_filter_.status.message()};
    }
    std::optional<framework::ScoreResult> scored;
    const bool is_feasible = filtered_ && filtered_->feasible.any();
    if (errors.empty() && is_feasible) {
      scored = framework::run_scores(profile_, pod_, cluster_, filtered_->feasible);
      if (!scored->status.is_success()) errors = {scored->status.message()};
    }
    comparison_.compare(show_list(line_, "errors"), show(errors), "errors");
    const bool has_scores = errors.empty() && is_feasible;
    comparison_.compare(has(line_, "score") ? "yes" : "no", has_scores ? "yes" : "no", "some node fits");
    if (has(line_, "score") && has_scores) compare_score(*scored);
    const bool failed = errors.empty() && !is_feasible;
    comparison_.compare(has(line_, "fitError") ? "yes" : "no", failed ? "yes" : "no", "no node fits");
    if (has(line_, "fitError") && failed) compare_failure();
    // The fast way has to come to the same: as the first pod of its class, and as one with siblings.
    compare_decision("first decision");
    compare_decision("second decision");
  }

 private:
  void compare_pre_filter() {
    const Json expected = line_["preFilter"].value();
    comparison_.compare(show_status(expected), show_status(pre_filter_.status), "preFilter");
    comparison_.compare(expected["nodes"].is_null() ? "all" : show_list(expected, "nodes"),
                        pre_filter_.node_names ? show(*pre_filter_.node_names) : "all", "preFilter.nodes");
    comparison_.compare(show_list(expected, "nodesBy"), show(pre_filter_.restricting_plugins), "preFilter.nodesBy");
    comparison_.compare(show_list(expected, "skip"), show(pre_filter_.skipped), "preFilter.skip");
  }

  cache::RowId row_of(Json entry) const {
    const std::string name = text_of(entry, "node");
    const cache::RowId row = nodes_.row_of(Symbol(name));
    if (row == cache::kNoRow) throw std::runtime_error("a verdict on the unknown node " + name);
    return row;
  }

  void compare_filter() {
    std::size_t verdicts = 0;
    std::optional<FailedAttempt> failed;
    if (filtered_->feasible.none()) failed.emplace(make_failed());
    for (const Json expected : array_of(line_, "filter")) {
      ++verdicts;
      const cache::RowId row = row_of(expected);
      const std::string_view node = nodes_.at(row).name.text();
      const bool is_excluded = !filtered_->asked.test(row);
      comparison_.compare(flag_of(expected, "excluded") ? "yes" : "no", is_excluded ? "yes" : "no", "filter ", node,
                          ": excluded");
      if (!is_excluded || failed) {
        Status actual;
        if (is_excluded) {
          actual = failed->status_of(row);
        } else if (!filtered_->feasible.test(row)) {
          actual = framework::status_of(profile_, pre_filter_, filtered_->verdicts.at(row));
        }
        comparison_.compare(show_status(expected), show_verdict(actual), "filter ", node);
      }
      compare_each(expected, nodes_.at(row));
    }
    comparison_.compare(std::to_string(verdicts), std::to_string(nodes_.node_count()), "filter: number of nodes");
  }

  // Every filter by itself, whether or not another rejects the node first.
  void compare_each(Json expected, const cache::NodeState& node) {
    std::vector<std::string> recorded, actual;
    if (has(expected, "each")) {
      for (const Json status : array_of(expected, "each")) recorded.push_back(show_status(status));
    }
    for (const std::size_t index : profile_.filter_order()) {
      const framework::PodFilter* filter = pre_filter_.filters[index].get();
      if (filter == nullptr) continue;
      const framework::Verdict verdict = filter->check(node);
      if (verdict.is_success()) continue;
      actual.push_back(show_verdict(framework::status_of(*filter, verdict, profile_.filters()[index].name)));
    }
    comparison_.compare(show(recorded), show(actual), "each ", node.name.text());
  }

  void compare_score(const framework::ScoreResult& actual) {
    const Json expected = line_["score"].value();
    // A plugin that is at PreScore and not at Score works for nothing. Berth does not ask it.
    std::vector<std::string> skipped = texts_of(expected, "skip");
    std::erase_if(skipped, [&](const std::string& name) {
      return std::ranges::none_of(profile_.scores(), [&](const auto& score) { return score.name == name; });
    });
    comparison_.compare(show(skipped), show(actual.skipped), "score.skip");
    std::vector<Symbol> names;
    for (const std::size_t scorer : actual.scorers) names.push_back(profile_.scores()[scorer].name);
    comparison_.compare(show_list(expected, "plugins"), show(names), "score.plugins");
    std::size_t scored_nodes = 0;
    for (const Json node : array_of(expected, "nodes")) {
      ++scored_nodes;
      const cache::RowId row = row_of(node);
      if (!filtered_->feasible.test(row)) continue;  // said already
      std::vector<std::int64_t> raw, normalized, weighted;
      for (std::size_t i = 0; i < actual.scorers.size(); ++i) {
        raw.push_back(actual.raw[i][row]);
        normalized.push_back(actual.normalized[i][row]);
        weighted.push_back(normalized.back() * profile_.scores()[actual.scorers[i]].weight);
      }
      const std::string_view name = nodes_.at(row).name.text();
      comparison_.compare(show_integers(node, "raw"), fmt::format("{}", raw), "score ", name, ": raw");
      comparison_.compare(show_integers(node, "normalized"), fmt::format("{}", normalized), "score ", name,
                          ": normalized");
      comparison_.compare(show_integers(node, "weighted"), fmt::format("{}", weighted), "score ", name, ": weighted");
      comparison_.compare(std::to_string(integer_of(node, "total")), std::to_string(actual.total[row]), "score ", name,
                          ": total");
    }
    comparison_.compare(std::to_string(scored_nodes), std::to_string(filtered_->feasible.count()),
                        "score: number of nodes");
    std::vector<std::string> best;
    for (const cache::RowId row : actual.best(filtered_->feasible)) best.push_back(nodes_.at(row).name.str());
    std::ranges::sort(best);
    comparison_.compare(show_list(expected, "best"), show(best), "score.best");
  }

  void compare_decision(std::string_view which) {
    const framework::Decision decision =
        memory_.decide(pod_, setting_.nominated(), static_cast<std::uint64_t>(integer_of(line_, "index")));
    if (has(line_, "errors")) {
      const std::vector<std::string> expected = texts_of(line_, "errors");
      const std::string actual = decision.error.message();
      const bool is_expected = std::ranges::find(expected, actual) != expected.end();
      comparison_.compare("one of the errors", is_expected ? "one of the errors" : actual, which);
    } else if (has(line_, "score")) {
      const std::vector<std::string> best = texts_of(line_["score"].value(), "best");
      const std::string node = decision.row == cache::kNoRow ? "nowhere" : nodes_.at(decision.row).name.str();
      const bool is_best = std::ranges::find(best, node) != best.end();
      comparison_.compare("one of the best", is_best ? "one of the best" : node, which);
      comparison_.compare(std::to_string(array_of(line_["score"].value(), "nodes").size()),
                          std::to_string(decision.feasible_nodes), which, ": feasible nodes");
    } else {
      comparison_.compare("nowhere", decision.row == cache::kNoRow ? "nowhere" : nodes_.at(decision.row).name.str(),
                          which);
      if (decision.pre_filter == nullptr) return comparison_.compare("a reason", "none", which);
      const FailedAttempt attempt(profile_, pod_, cluster_, setting_.nominated(), *decision.pre_filter,
                                  decision.filtered);
      comparison_.compare(text_of(line_, "fitError"), attempt.message(), which, ": fitError");
      comparison_.compare(show_list(line_, "rejectedBy"), show(attempt.rejecting_plugins()), which, ": rejectedBy");
    }
  }

  FailedAttempt make_failed() const {
    return FailedAttempt(profile_, pod_, cluster_, setting_.nominated(), pre_filter_,
                         filtered_ ? &*filtered_ : nullptr);
  }

  void compare_failure() {
    const FailedAttempt attempt = make_failed();
    comparison_.compare(text_of(line_, "fitError"), attempt.message(), "fitError");
    comparison_.compare(show_list(line_, "rejectedBy"), show(attempt.rejecting_plugins()), "rejectedBy");
    const bool has_post_filter = !profile_.post_filter().empty();
    comparison_.compare(has(line_, "postFilter") ? "yes" : "no", has_post_filter ? "yes" : "no", "postFilter is there");
    if (!has(line_, "postFilter") || !has_post_filter) {
      comparison_.compare(text_of(line_, "event"), attempt.message(), "event");
      return;
    }
    const Json expected = line_["postFilter"].value();
    const framework::PostFiltered result = framework::run_post_filter(profile_, attempt);
    comparison_.compare(show_status(expected), show_status(result.status), "postFilter");
    comparison_.compare(text_of(line_, "event"), attempt.message(result.status.message()), "event");
    compare_preemption(expected, attempt, result);
  }

  void compare_preemption(Json expected, const FailedAttempt& attempt, const framework::PostFiltered& result) {
    const bool was_reached =
        profile_.plugin(plugins::name::kDefaultPreemption) != nullptr &&
        (result.status.code() != Code::kError || result.status.plugin() == plugins::name::kDefaultPreemption);
    std::optional<framework::ReasonCode> ineligible;
    if (was_reached) ineligible = plugins::preemption_ineligibility(attempt);
    comparison_.compare(text_of(expected, "ineligible"), ineligible ? framework::Reason(*ineligible).text() : "",
                        "postFilter.ineligible");
    const bool is_eligible = was_reached && !ineligible;
    comparison_.compare(flag_of(expected, "eligible") ? "yes" : "no", is_eligible ? "yes" : "no",
                        "postFilter.eligible");
    if (!is_eligible) return;

    const plugins::DisruptionBudgets budgets(cluster_.objects.pod_disruption_budgets);
    const plugins::PreemptionSearch search =
        plugins::find_preemption_candidates(attempt, plugins::preemption_rows(attempt), budgets);
    compare_candidates(expected, search);
    std::vector<std::string> acceptable;
    for (const std::size_t index : plugins::best_preemption_candidates(search.candidates)) {
      acceptable.push_back(nodes_.at(search.candidates[index].row).name.str());
    }
    std::ranges::sort(acceptable);
    comparison_.compare(show_list(expected, "acceptable"), show(acceptable), "postFilter.acceptable");
    if (acceptable.empty()) return;

    const std::string nominated = result.nominated_node ? result.nominated_node->str() : "";
    const bool is_acceptable = std::ranges::binary_search(acceptable, nominated);
    comparison_.compare("one of the acceptable", is_acceptable ? "one of the acceptable" : nominated,
                        "postFilter.nominated");
    for (const plugins::PreemptionCandidate& candidate : search.candidates) {
      if (nodes_.at(candidate.row).name != nominated) continue;
      comparison_.compare(show(names_of(candidate.victims)), show(names_of(result.victims)), "postFilter: victims");
    }
  }

  void compare_candidates(Json expected, const plugins::PreemptionSearch& search) {
    std::vector<std::string> of_row(nodes_.rows());
    for (const plugins::PreemptionCandidate& candidate : search.candidates) {
      of_row[candidate.row] = show_candidate(candidate);
    }
    for (const auto& [row, status] : search.rejected) of_row[row] = show_verdict(status);
    Bitset compared(nodes_.rows());
    const auto compare_list = [&](std::string_view key, auto&& show_entry) {
      if (!has(expected, key)) return;
      for (const Json entry : array_of(expected, key)) {
        const cache::RowId row = row_of(entry);
        compared.set(row);
        comparison_.compare(show_entry(entry), of_row[row], "postFilter.", key, " ", nodes_.at(row).name.text());
      }
    };
    compare_list("candidates", [](Json entry) { return show_candidate(entry); });
    compare_list("rejected", [](Json entry) { return show_status(entry); });
    if (has(expected, "nominated")) {
      const Json entry = expected["nominated"].value();
      comparison_.compare(show_candidate(entry), of_row[row_of(entry)], "postFilter.nominated");
    }
    for (cache::RowId row = 0; row < of_row.size(); ++row) {
      if (compared.test(row)) continue;
      comparison_.compare("", of_row[row], "postFilter, not tried: ", nodes_.at(row).name.text());
    }
  }

  const Setting& setting_;
  framework::EquivalenceCache& memory_;
  const framework::Profile& profile_;
  const cache::NodeTable& nodes_;
  const framework::ClusterView cluster_;
  const Json line_;
  const framework::PodToPlace pod_;
  Comparison& comparison_;
  const framework::PreFilterResult pre_filter_;
  std::optional<framework::FilterResult> filtered_;
};

}  // namespace

PluginsResult compare_plugins_trace(const std::string& file, std::ostream& out) {
  TraceReader reader(file);
  Json line;
  if (!reader.next(line) || text_of(line, "kind") != "header" || integer_of(line, "format") != kFormatOfTrace ||
      !has(line, "plugins")) {
    throw std::runtime_error(fmt::format("{}: not a trace of plugins of format {}", file, kFormatOfTrace));
  }
  Setting setting(line);
  Comparison comparison(file, out);
  comparison.begin(reader.line_number(), "header");
  compare_plugin_lists(line["plugins"].value(), setting.profile().plugin_lists(), comparison);
  if (!reader.next(line) || text_of(line, "kind") != "cluster") throw std::runtime_error(file + ": no cluster");
  setting.fill(line);
  framework::EquivalenceCache memory(setting.profile(), setting.cluster());
  while (reader.next(line)) {
    framework::PodToPlace pod = setting.read_pod(line["pod"].value());
    comparison.begin(reader.line_number(), api::full_name(pod->metadata));
    Attempt(setting, memory, line, std::move(pod), comparison).compare();
    ++comparison.result().pods;
  }
  if (comparison.result().pods == 0) throw std::runtime_error(file + ": no pods to compare");
  if (comparison.result().differences > kMaxPrinted) {
    out << file << ": " << comparison.result().differences << " differences in all\n";
  }
  return comparison.result();
}

}  // namespace berth::conformance
