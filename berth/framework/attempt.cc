#include "berth/framework/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "berth/base/check.h"

namespace berth::framework {
namespace {

std::string joined(const std::vector<Symbol>& names) {
  std::vector<std::string_view> texts;
  for (const Symbol name : names) texts.push_back(name.text());
  return fmt::format("[{}]", fmt::join(texts, " "));
}

void insert_sorted(std::vector<Symbol>& names, Symbol name) {
  const auto at = std::lower_bound(names.begin(), names.end(), name, SymbolTextLess());
  if (at == names.end() || *at != name) names.insert(at, name);
}

}  // namespace

void NominatedPods::add(Symbol node_name, cache::PlacedPod pod) {
  BERTH_CHECK(source_ == nullptr, "nominations are kept elsewhere");
  by_node_[node_name].push_back(std::move(pod));
  ++version_;
}

void NominatedPods::clear() {
  by_node_.clear();
  ++version_;
}

void NominatedPods::for_each_node(FunctionRef<void(Symbol)> fn) const {
  if (source_ != nullptr) return source_->for_each_node(fn);
  for (const auto& [node_name, pods] : by_node_) fn(node_name);
}

std::vector<cache::PlacedPod> NominatedPods::competing(Symbol node_name, const api::Pod& pod) const {
  std::vector<cache::PlacedPod> competitors;
  const auto add_competitor = [&](const cache::PlacedPod& nominated) {
    if (api::priority_of(*nominated.pod) >= api::priority_of(pod) && nominated.pod->metadata.uid != pod.metadata.uid) {
      competitors.push_back(nominated);
    }
  };
  if (source_ != nullptr) {
    source_->for_each_pod(node_name, add_competitor);
  } else if (const auto it = by_node_.find(node_name); it != by_node_.end()) {
    std::ranges::for_each(it->second, add_competitor);
  }
  return competitors;
}

bool NominatedPods::remove(Symbol node_name, std::string_view uid) {
  const auto it = by_node_.find(node_name);
  if (it == by_node_.end()) return false;
  const auto is_it = [uid](const cache::PlacedPod& nominated) { return nominated.pod->metadata.uid == uid; };
  if (std::erase_if(it->second, is_it) == 0) return false;
  if (it->second.empty()) by_node_.erase(it);
  ++version_;
  return true;
}

// --- PreFilter -------------------------------------------------------------------------------------------------------

namespace {

// A plugin that is only at Filter makes its filter now all the same, but that is not what the point is about.
PreFiltered ask(const Profile& profile, const Profile::Filter& filter, const PodToPlace& pod,
                const ClusterView& cluster) {
  if (!filter.at_pre_filter) return filter.plugin->pre_filter(pod, cluster);
  PluginRun run(profile.metrics(), ExtensionPoint::kPreFilter, filter.name, profile.scheduler_name());
  PreFiltered answer = filter.plugin->pre_filter(pod, cluster);
  run.code = answer.status.code();
  return answer;
}

}  // namespace

PreFilterResult run_pre_filter(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster) {
  PointRun point(profile.metrics(), ExtensionPoint::kPreFilter, profile.scheduler_name());
  PreFilterResult result = ask_pre_filters(profile, pod, cluster);
  point.code = result.status.code();
  return result;
}

PreFilterResult ask_pre_filters(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster) {
  PreFilterResult result;
  result.filters.resize(profile.filters().size());
  result.dormant.resize(profile.filters().size());
  result.reached.resize(profile.filters().size());

  for (std::size_t i = 0; i < profile.filters().size(); ++i) {
    const Profile::Filter& filter = profile.filters()[i];
    result.reached.set(i);
    PreFiltered made = ask(profile, filter, pod, cluster);
    if (filter.at_filter) result.filters[i] = std::move(made.filter);
    if (!filter.at_pre_filter) continue;

    const Status& status = made.status;
    if (status.is_skip()) {
      insert_sorted(result.skipped, filter.name);
      result.dormant[i] = std::move(result.filters[i]);
    } else if (status.code() == Code::kUnschedulable) {
      result.status = std::move(made.status).with_plugin(filter.name);  // the rest is asked nevertheless
      continue;
    } else if (!status.is_success()) {
      result.status =
          status.code() == Code::kUnschedulableAndUnresolvable
              ? std::move(made.status)
              : Status::error(fmt::format("running PreFilter plugin \"{}\": {}", filter.name.text(), status.message()));
      result.status = std::move(result.status).with_plugin(filter.name);
      // What plugins before it said about nodes does not count any more.
      result.node_names.reset();
      result.restricting_plugins.clear();
      return result;
    }
    if (!made.node_names) continue;
    insert_sorted(result.restricting_plugins, filter.name);
    if (!result.node_names) {
      result.node_names = std::move(made.node_names);
    } else {
      std::vector<Symbol> both;
      std::ranges::set_intersection(*result.node_names, *made.node_names, std::back_inserter(both), SymbolTextLess());
      result.node_names = std::move(both);
    }
    if (result.node_names->empty()) {
      result.status = Status::unresolvable(
          result.restricting_plugins.size() == 1
              ? fmt::format("node(s) didn't satisfy plugin {}", result.restricting_plugins.front().text())
              : fmt::format("node(s) didn't satisfy plugin(s) {} simultaneously", joined(result.restricting_plugins)));
      return result;
    }
  }
  return result;
}

Bitset PreFilterResult::allowed_rows(const cache::NodeTable& table) const {
  if (!node_names) return table.nodes();
  Bitset rows(table.rows());
  for (const Symbol name : *node_names) {
    const cache::RowId row = table.row_of(name);
    if (row != cache::kNoRow && table.nodes().test(row)) rows.set(row);
  }
  return rows;
}

// --- Filter ----------------------------------------------------------------------------------------------------------

NodeTrial::NodeTrial(const Profile& profile, const PreFilterResult& pre_filter, const cache::NodeState& node)
    : profile_(profile), pre_filter_(pre_filter), node_(node), changed_(pre_filter.filters.size()) {
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (const PodFilter* filter = pre_filter.filter(i)) changed_[i] = filter->clone();
  }
}

const PodFilter* NodeTrial::filter(std::size_t index) const {
  return changed_[index] ? changed_[index].get() : pre_filter_.filter(index);
}

void NodeTrial::add_pod(const cache::PlacedPod& pod) {
  for (const std::unique_ptr<PodFilter>& filter : changed_) {
    if (filter) filter->add_pod(pod, node_);
  }
  node_.add_pod(pod);
}

void NodeTrial::remove_pod(const api::Pod& pod) {
  const cache::PlacedPod removed = node_.remove_pod(pod.metadata.uid);
  BERTH_CHECK(removed.pod != nullptr, "pod {} is not on {}", pod.metadata.name, node_.name.text());
  for (const std::unique_ptr<PodFilter>& filter : changed_) {
    if (filter) filter->remove_pod(removed, node_);
  }
}

RowVerdicts::Entry NodeTrial::check() const {
  for (const std::uint8_t index : profile_.filter_order()) {
    const PodFilter* asked = filter(index);
    if (asked == nullptr) continue;
    const Verdict verdict = asked->check(node_);
    if (!verdict.is_success()) return {verdict, index};
  }
  return {};
}

RowVerdicts::Entry NodeTrial::check(const NominatedPods& nominated, const api::Pod& pod) const {
  const auto competitors = nominated.competing(node_.name, pod);
  if (!competitors.empty()) {
    NodeTrial crowded(profile_, pre_filter_, node_);
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      if (changed_[i]) crowded.changed_[i] = changed_[i]->clone();
    }
    for (const cache::PlacedPod& competitor : competitors) crowded.add_pod(competitor);
    const RowVerdicts::Entry entry = crowded.check();
    if (!entry.verdict.is_success()) return entry;
  }
  return check();
}

RowVerdicts::Entry check_node(const Profile& profile, const PreFilterResult& pre_filter, const cache::NodeState& node) {
  for (const std::uint8_t index : profile.filter_order()) {
    if (!pre_filter.filters[index]) continue;
    const Verdict verdict = pre_filter.filters[index]->check(node);
    if (!verdict.is_success()) return {verdict, index};
  }
  return {};
}

Status status_of(const Profile& profile, const PreFilterResult& pre_filter, const RowVerdicts::Entry& entry) {
  if (entry.verdict.is_success()) return {};
  const Symbol plugin = profile.filters()[entry.filter].name;
  Status status = status_of(*pre_filter.filter(entry.filter), entry.verdict, plugin);
  if (status.code() != Code::kError) return status;
  return Status::error(fmt::format("running \"{}\" filter plugin: {}", plugin.text(), status.message()))
      .with_plugin(plugin);
}

void narrow(const Profile& profile, const PreFilterResult& pre_filter, std::uint8_t index,
            const cache::NodeTable& table, Bitset& rows, PodFilter::Rejected rejected) {
  PluginRun run(profile.metrics(), ExtensionPoint::kFilter, profile.filters()[index].name, profile.scheduler_name());
  if (profile.metrics() != nullptr) run.nodes = rows.count();
  pre_filter.filters[index]->narrow(table, rows, rejected);
  if (profile.metrics() != nullptr && rows.none()) run.code = Code::kUnschedulable;
}

FilterResult run_filters(const Profile& profile, const PreFilterResult& pre_filter, const PodToPlace& pod,
                         const ClusterView& cluster, const NominatedPods& nominated) {
  const cache::NodeTable& table = cluster.nodes;
  FilterResult result;
  PointRun point(profile.metrics(), ExtensionPoint::kFilter, profile.scheduler_name());
  result.asked = pre_filter.allowed_rows(table);
  result.feasible = result.asked;
  result.verdicts.reset(table.rows());

  // Nodes with nominated pods come first, one by one: the crowded node is what decides.
  nominated.for_each_node([&](Symbol node_name) {
    const cache::RowId row = table.row_of(node_name);
    if (row == cache::kNoRow || !result.asked.test(row) || nominated.competing(node_name, *pod).empty()) return;
    const NodeTrial trial(profile, pre_filter, table.at(row));
    const RowVerdicts::Entry entry = trial.check(nominated, *pod);
    if (entry.verdict.is_success()) return;
    result.verdicts.set(row, entry);
    result.feasible.reset(row);
  });
  for (const std::uint8_t index : profile.filter_order()) {
    if (!pre_filter.filters[index]) continue;
    narrow(profile, pre_filter, index, table, result.feasible,
           [&](cache::RowId row, Verdict verdict) { result.verdicts.set(row, {verdict, index}); });
  }

  std::set<std::string> errors;
  result.asked.for_each([&](std::size_t row) {
    const RowVerdicts::Entry entry = result.verdicts.at(static_cast<cache::RowId>(row));
    if (entry.verdict.code == Code::kError) errors.insert(status_of(profile, pre_filter, entry).message());
  });
  result.errors.assign(errors.begin(), errors.end());
  if (!result.errors.empty()) point.code = Code::kError;  // that no node fits is no failure of the point
  return result;
}

// --- Score -----------------------------------------------------------------------------------------------------------

PreScored ask_scorer(const Profile::Score& score, const PodToPlace& pod, const ClusterView& cluster,
                     const Bitset& feasible) {
  if (score.at_pre_score) return score.plugin->pre_score(pod, cluster, feasible);
  std::string error = score.plugin->error_without_pre_score();
  if (!error.empty()) return {.status = Status::error(std::move(error)), .scorer = nullptr};
  PreScored made = score.plugin->pre_score(pod, cluster, feasible);
  if (made.status.is_skip()) made.status = Status();
  return made;
}

namespace {

// The PreScore point: by index in profile.scores(), those that result.scorers names. Plugins that are not at PreScore
// fail at Score: with score_status.
std::vector<std::unique_ptr<PodScorer>> make_scorers(const Profile& profile, const PodToPlace& pod,
                                                     const ClusterView& cluster, const Bitset& feasible,
                                                     ScoreResult& result, Status& score_status) {
  PointRun point(profile.metrics(), ExtensionPoint::kPreScore, profile.scheduler_name());
  std::vector<std::unique_ptr<PodScorer>> scorers(profile.scores().size());
  for (std::size_t i = 0; i < profile.scores().size(); ++i) {
    const Profile::Score& score = profile.scores()[i];
    PreScored made = ask_scorer(score, pod, cluster, feasible);
    if (made.status.is_skip()) {
      insert_sorted(result.skipped, score.name);
    } else if (made.status.is_success()) {
      if (!made.scorer) continue;
      scorers[i] = std::move(made.scorer);
      result.scorers.push_back(i);
    } else if (score.at_pre_score) {
      result.status =
          Status::error(fmt::format("running PreScore plugin \"{}\": {}", score.name.text(), made.status.message()));
      point.code = Code::kError;
      return {};
    } else if (score_status.is_success()) {
      score_status = Status::error(fmt::format("running Score plugins: plugin \"{}\" failed with: {}",
                                               score.name.text(), made.status.message()));
    }
  }
  return scorers;
}

}  // namespace

ScoreResult run_scores(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster,
                       const Bitset& feasible) {
  ScoreResult result;
  const std::size_t rows = cluster.nodes.rows();
  result.total.assign(rows, 0);
  Status score_status;
  const auto scorers = make_scorers(profile, pod, cluster, feasible, result, score_status);
  if (!result.status.is_success()) return result;
  PointRun point(profile.metrics(), ExtensionPoint::kScore, profile.scheduler_name());
  if (!score_status.is_success()) {
    point.code = score_status.code();
    result.status = std::move(score_status);
    return result;
  }
  for (const std::size_t i : result.scorers) {
    const Profile::Score& score = profile.scores()[i];
    const PodScorer& scorer = *scorers[i];
    std::vector<std::int64_t> column(rows, 0);
    {
      PluginRun run(profile.metrics(), ExtensionPoint::kScore, score.name, profile.scheduler_name());
      if (profile.metrics() != nullptr) run.nodes = feasible.count();
      scorer.score_rows(cluster.nodes, feasible, column);
    }
    result.raw.push_back(column);
    switch (scorer.normalization()) {
      case PodScorer::Normalization::kNone: break;
      case PodScorer::Normalization::kDefault: normalize_default(feasible, column, false); break;
      case PodScorer::Normalization::kDefaultReverse: normalize_default(feasible, column, true); break;
      case PodScorer::Normalization::kOwn: scorer.normalize(cluster.nodes, feasible, column); break;
    }
    feasible.for_each([&](std::size_t row) {
      if (is_valid_score(column[row])) {
        result.total[row] += column[row] * score.weight;
      } else if (result.status.is_success()) {
        result.status = Status::error(
            fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it "
                        "should in the range of [0, {}] after normalizing",
                        score.name.text(), column[row], kMaxNodeScore));
      }
    });
    result.normalized.push_back(std::move(column));
  }
  point.code = result.status.code();
  return result;
}

std::vector<cache::RowId> ScoreResult::best(const Bitset& feasible) const {
  std::vector<cache::RowId> rows;
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  feasible.for_each([&](std::size_t row) {
    if (total[row] > highest) {
      highest = total[row];
      rows.clear();
    }
    if (total[row] == highest) rows.push_back(static_cast<cache::RowId>(row));
  });
  return rows;
}

// --- When no node fits -----------------------------------------------------------------------------------------------

FailedAttempt::FailedAttempt(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster,
                             const NominatedPods& nominated, const PreFilterResult& pre_filter,
                             const FilterResult* filtered)
    : profile_(profile),
      pod_(pod),
      cluster_(cluster),
      nominated_(nominated),
      pre_filter_(pre_filter),
      filtered_(filtered) {
  if (filtered_ == nullptr) {
    absent_status_ = pre_filter.status;
  } else {
    absent_status_ = Status(Code::kUnschedulableAndUnresolvable);
    if (pre_filter.node_names) {
      absent_status_.add_reason(
          fmt::format("node(s) didn't satisfy plugin(s) {}", joined(pre_filter.restricting_plugins)));
    }
  }
}

const Status* FailedAttempt::overruling(cache::RowId row) const {
  if (overruled_ == nullptr) return nullptr;
  const auto it = overruled_->find(row);
  return it == overruled_->end() ? nullptr : &it->second;
}

Code FailedAttempt::code_of(cache::RowId row) const {
  if (const Status* status = overruling(row)) return status->code();
  if (filtered_ == nullptr || !filtered_->asked.test(row)) return absent_status_.code();
  return filtered_->verdicts.at(row).verdict.code;
}

Status FailedAttempt::status_of(cache::RowId row) const {
  if (const Status* status = overruling(row)) return *status;
  if (filtered_ == nullptr || !filtered_->asked.test(row)) return absent_status_;
  return framework::status_of(profile_, pre_filter_, filtered_->verdicts.at(row));
}

std::vector<Symbol> FailedAttempt::rejecting_plugins() const {
  std::vector<Symbol> plugins = pre_filter_.restricting_plugins;
  if (filtered_ == nullptr) {
    if (!pre_filter_.status.plugin().empty()) insert_sorted(plugins, pre_filter_.status.plugin());
    return plugins;
  }
  Bitset seen(profile_.filters().size());
  filtered_->asked.for_each([&](std::size_t row) {
    const RowVerdicts::Entry entry = filtered_->verdicts.at(static_cast<cache::RowId>(row));
    if (is_rejection(entry.verdict.code)) seen.set(entry.filter);
  });
  seen.for_each([&](std::size_t index) { insert_sorted(plugins, profile_.filters()[index].name); });
  return plugins;
}

// Nodes with the same verdict by the same filter have the same reasons: count those first, then make the texts.
std::vector<FailedAttempt::Rejection> FailedAttempt::rejections() const {
  std::vector<Rejection> rejections;
  if (filtered_ == nullptr) return rejections;
  const auto count = [&](Symbol plugin, std::string reason, std::size_t nodes) {
    const auto same = std::ranges::find_if(
        rejections, [&](const Rejection& known) { return known.plugin == plugin && known.reason == reason; });
    if (same != rejections.end()) {
      same->nodes += nodes;
    } else {
      rejections.push_back({plugin, std::move(reason), nodes});
    }
  };
  std::map<std::pair<std::uint8_t, std::uint32_t>, std::size_t> verdicts;
  std::pair<std::uint8_t, std::uint32_t> last;
  std::size_t* last_count = nullptr;
  filtered_->asked.for_each([&](std::size_t row) {
    if (const Status* status = overruling(static_cast<cache::RowId>(row))) {
      for (const Reason& reason : status->reasons()) count(status->plugin(), reason.text(), 1);
      return;
    }
    const RowVerdicts::Entry entry = filtered_->verdicts.at(static_cast<cache::RowId>(row));
    const std::pair verdict(entry.filter, entry.verdict.reasons);
    if (last_count == nullptr || verdict != last) {
      last = verdict;
      last_count = &verdicts[verdict];
    }
    ++*last_count;
  });
  for (const auto& [verdict, nodes] : verdicts) {
    const PodFilter* filter = pre_filter_.filter(verdict.first);
    const Symbol plugin = profile_.filters()[verdict.first].name;
    for (std::uint32_t left = verdict.second; left != 0; left &= left - 1) {
      count(plugin, filter->reason(static_cast<unsigned>(std::countr_zero(left))).text(), nodes);
    }
  }
  std::ranges::sort(rejections, [](const Rejection& a, const Rejection& b) {
    if (a.nodes != b.nodes) return a.nodes > b.nodes;
    return std::tuple(a.plugin.text(), std::string_view(a.reason)) <
           std::tuple(b.plugin.text(), std::string_view(b.reason));
  });
  return rejections;
}

std::string FailedAttempt::message(std::string_view post_filter_message) const {
  return message(rejections(), post_filter_message);
}

std::string FailedAttempt::message(const std::vector<Rejection>& rejections,
                                   std::string_view post_filter_message) const {
  std::string text;
  if (filtered_ == nullptr) {
    text = fmt::format("0/{} nodes are available:", cluster_.nodes.node_count());
    const std::string reason = pre_filter_.status.message();
    if (!reason.empty()) text += fmt::format(" {}.", reason);
  } else {
    std::map<std::string, std::size_t, std::less<>> reasons;
    for (const Rejection& rejection : rejections) reasons[rejection.reason] += rejection.nodes;
    const std::size_t absent = cluster_.nodes.node_count() - filtered_->asked.count();
    if (absent > 0) {
      for (const Reason& reason : absent_status_.reasons()) reasons[reason.text()] += absent;
    }
    text = fit_error_message(cluster_.nodes.node_count(), reasons);
  }
  if (!post_filter_message.empty()) text += fmt::format(" {}", post_filter_message);
  return text;
}

std::string fit_error_message(std::size_t nodes, const std::map<std::string, std::size_t, std::less<>>& reasons) {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : reasons) lines.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(lines);  // as texts: "10 x" comes before "2 y"
  std::string text = fmt::format("0/{} nodes are available:", nodes);
  if (!lines.empty()) text += fmt::format(" {}.", fmt::join(lines, ", "));
  return text;
}

namespace {

PostFiltered ask_post_filters(const Profile& profile, const FailedAttempt& attempt) {
  PostFiltered result;
  result.status = Status(Code::kUnschedulable);
  for (const auto& [name, plugin] : profile.post_filter()) {
    PostFiltered answer = [&] {
      PluginRun run(profile.metrics(), ExtensionPoint::kPostFilter, name, profile.scheduler_name());
      PostFiltered given = plugin->post_filter(attempt);
      run.code = given.status.code();
      return given;
    }();
    switch (answer.status.code()) {
      case Code::kSuccess: return answer;
      case Code::kUnschedulableAndUnresolvable:
        answer.status = std::move(answer.status).with_plugin(name);
        return answer;
      case Code::kUnschedulable:
      case Code::kPending:
        if (answer.nominated_node) {
          result.nominated_node = answer.nominated_node;
          result.victims = std::move(answer.victims);
        }
        for (const Reason& reason : answer.status.reasons()) result.status.add_reason(reason);
        if (result.status.plugin().empty()) result.status = std::move(result.status).with_plugin(name);
        break;
      case Code::kError:
      case Code::kWait:
      case Code::kSkip: return {Status::error(answer.status.message()).with_plugin(name), std::nullopt, {}, {}};
    }
  }
  return result;
}

}  // namespace

PostFiltered run_post_filter(const Profile& profile, const FailedAttempt& attempt) {
  PointRun point(profile.metrics(), ExtensionPoint::kPostFilter, profile.scheduler_name());
  PostFiltered result = ask_post_filters(profile, attempt);
  point.code = result.status.code();
  return result;
}

}  // namespace berth::framework
