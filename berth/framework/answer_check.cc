#include "berth/framework/answer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "berth/api/meta.h"

namespace berth::framework {
namespace {

std::string described(const Status& status) {
  if (status.is_success()) return "success";
  return status.message().empty() ? std::string(to_string(status.code()))
                                  : fmt::format("{} ({})", to_string(status.code()), status.message());
}

class AnswerCheck {
 public:
  AnswerCheck(const Profile& profile, const ClusterView& cluster, const PodToPlace& pod, const CachedAnswers& cached)
      : profile_(profile), cluster_(cluster), pod_(pod), cached_(cached) {}

  std::optional<WrongAnswer> find() {
    if (auto wrong = check_pre_filters()) return wrong;
    if (auto wrong = check_filters()) return wrong;
    return cached_.scored != nullptr ? check_scores() : std::nullopt;
  }

 private:
  WrongAnswer wrong(std::string_view point, Symbol plugin, Symbol node, std::string_view cached,
                    std::string_view anew) const {
    const std::string about = node.empty() ? "" : fmt::format(" for node {}", node.text());
    return {plugin, node, api::full_name(pod_->metadata),
            fmt::format("{} plugin {}: cached{}: {}, asked anew: {}", point, plugin.text(), about, cached, anew)};
  }

  // --- PreFilter -----------------------------------------------------------------------------------------------------

  std::optional<WrongAnswer> check_pre_filters() {
    anew_.resize(profile_.filters().size());
    const auto& known_names = cached_.pre_filter.node_names;
    for (std::size_t i = 0; i < anew_.size(); ++i) {
      const Profile::Filter& filter = profile_.filters()[i];
      PreFiltered made = filter.plugin->pre_filter(pod_, cluster_);
      const Status& status = made.status;
      if (filter.at_filter && (!filter.at_pre_filter || !status.is_skip())) anew_[i] = std::move(made.filter);
      if (!filter.at_pre_filter) continue;
      if (!status.is_success() && !status.is_skip()) {
        return wrong("PreFilter", filter.name, {}, "success", described(status));
      }
      const bool restricted = std::ranges::find(cached_.pre_filter.restricting_plugins, filter.name) !=
                              cached_.pre_filter.restricting_plugins.end();
      if (restricted != made.node_names.has_value()) {
        return wrong("PreFilter", filter.name, {}, restricted ? "certain nodes only" : "all nodes",
                     restricted ? "all nodes" : "certain nodes only");
      }
      if (!restricted) continue;
      const auto is_allowed = [&](Symbol name) {
        return std::ranges::find(*made.node_names, name) != made.node_names->end();
      };
      const auto excess = std::ranges::find_if_not(*known_names, is_allowed);
      if (excess != known_names->end()) return wrong("PreFilter", filter.name, *excess, "allowed", "not allowed");
    }
    return std::nullopt;
  }

  // --- Filter --------------------------------------------------------------------------------------------------------

  Verdict verdict_anew(std::size_t index, const cache::NodeState& node) const {
    return anew_[index] ? anew_[index]->check(node) : Verdict();
  }

  Status cached_status(std::size_t index, Verdict verdict) const {
    if (verdict.is_success()) return {};
    return framework::status_of(*cached_.pre_filter.filter(index), verdict, profile_.filters()[index].name);
  }
  Status status_anew(std::size_t index, Verdict verdict) const {
    if (verdict.is_success()) return {};
    return framework::status_of(*anew_[index], verdict, profile_.filters()[index].name);
  }

  // Bits of reasons have their meaning from the filter that gave them, so it is texts that are compared, once for each
  // pair of verdicts.
  bool are_same(std::size_t index, Verdict cached, Verdict anew) {
    if (cached.code != anew.code) return false;
    if (cached.is_success() || same_.contains({index, cached.reasons, anew.reasons})) return true;
    if (cached_status(index, cached) != status_anew(index, anew)) return false;
    same_.emplace(index, cached.reasons, anew.reasons);
    return true;
  }

  WrongAnswer wrong_verdict(std::size_t index, const cache::NodeState& node, Verdict cached, Verdict anew) const {
    return wrong("Filter", profile_.filters()[index].name, node.name, described(cached_status(index, cached)),
                 described(status_anew(index, anew)));
  }

  std::optional<WrongAnswer> check_filters() {
    std::optional<WrongAnswer> found;
    cached_.pre_filter.allowed_rows(cluster_.nodes).for_each([&](std::size_t row) {
      if (found) return;
      found = check_cluster_filters(cluster_.nodes.at(static_cast<cache::RowId>(row)));
      if (!found) found = check_table(static_cast<cache::RowId>(row));
    });
    return found;
  }

  std::optional<WrongAnswer> check_cluster_filters(const cache::NodeState& node) {
    for (const std::uint8_t index : profile_.filter_order()) {
      const PodFilter* filter = cached_.pre_filter.filter(index);
      if (filter != nullptr && is_for_one_node(filter->scope())) continue;
      const Verdict cached = filter == nullptr || filter->passes_all() ? Verdict() : filter->check(node);
      const Verdict anew = verdict_anew(index, node);
      if (!are_same(index, cached, anew)) return wrong_verdict(index, node, cached, anew);
    }
    return std::nullopt;
  }

  // The table has of each row the first of its filters that rejects the node.
  std::optional<WrongAnswer> check_table(cache::RowId row) {
    const cache::NodeState& node = cluster_.nodes.at(row);
    const RowVerdicts::Entry cached = cached_.table.why().at(row);
    for (const std::uint8_t index : profile_.filter_order()) {
      const PodFilter* filter = cached_.pre_filter.filter(index);
      if (filter == nullptr || !is_for_one_node(filter->scope())) continue;
      const bool is_the_one = !cached.verdict.is_success() && cached.filter == index;
      const Verdict known = is_the_one ? cached.verdict : Verdict();
      const Verdict anew = verdict_anew(index, node);
      if (!are_same(index, known, anew)) return wrong_verdict(index, node, known, anew);
      if (is_the_one) break;
    }
    return std::nullopt;
  }

  // --- Score ---------------------------------------------------------------------------------------------------------

  void normalize(const PodScorer& scorer, PodScorer::Normalization normalization,
                 std::vector<std::int64_t>& column) const {
    switch (normalization) {
      case PodScorer::Normalization::kNone: break;
      case PodScorer::Normalization::kDefault: normalize_default(*cached_.scored, column, false); break;
      case PodScorer::Normalization::kDefaultReverse: normalize_default(*cached_.scored, column, true); break;
      case PodScorer::Normalization::kOwn: scorer.normalize(cluster_.nodes, *cached_.scored, column); break;
    }
  }

  // All zero if the plugin has nothing to say, or the same about each node.
  std::vector<std::int64_t> cached_column(std::size_t index) const {
    std::vector<std::int64_t> column(cluster_.nodes.rows());
    for (const FitTable::Scorer& scorer : cached_.table.scorers()) {
      if (scorer.index != index) continue;
      scorer.raw.copy_to(column, column.size());
      normalize(*scorer.scorer, scorer.normalization, column);
    }
    for (const CachedAnswers::Scorer& scorer : cached_.scorers) {
      if (scorer.index != index || scorer.scorer->is_constant()) continue;
      scorer.scorer->score_rows(cluster_.nodes, *cached_.scored, column);
      normalize(*scorer.scorer, scorer.scorer->normalization(), column);
    }
    return column;
  }

  std::optional<WrongAnswer> check_scores() const {
    for (std::size_t i = 0; i < profile_.scores().size(); ++i) {
      const Profile::Score& score = profile_.scores()[i];
      const PreScored made = ask_scorer(score, pod_, cluster_, *cached_.scored);
      if (!made.status.is_success() && !made.status.is_skip()) {
        return wrong("PreScore", score.name, {}, "success", described(made.status));
      }
      std::vector<std::int64_t> anew(cluster_.nodes.rows());
      if (made.status.is_success() && made.scorer) {
        made.scorer->score_rows(cluster_.nodes, *cached_.scored, anew);
        normalize(*made.scorer, made.scorer->normalization(), anew);
      }
      if (auto wrong = compare_scores(score.name, cached_column(i), anew)) return wrong;
    }
    return std::nullopt;
  }

  std::optional<WrongAnswer> compare_scores(Symbol plugin, std::span<const std::int64_t> cached,
                                            std::span<const std::int64_t> anew) const {
    const std::size_t first = cached_.scored->find_first();
    std::optional<WrongAnswer> found;
    cached_.scored->for_each([&](std::size_t row) {
      if (found || cached[row] - cached[first] == anew[row] - anew[first]) return;
      // Of the two that compare differently, the one whose own score has changed.
      const std::size_t changed = cached[row] != anew[row] ? row : first;
      found = wrong("Score", plugin, cluster_.nodes.at(static_cast<cache::RowId>(changed)).name,
                    fmt::format("{}", cached[changed]), fmt::format("{}", anew[changed]));
    });
    return found;
  }

  const Profile& profile_;
  const ClusterView& cluster_;
  const PodToPlace& pod_;
  const CachedAnswers& cached_;
  std::vector<std::unique_ptr<PodFilter>> anew_;  // by index in profile.filters(); null: every node passes
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> same_;
};

}  // namespace

std::optional<WrongAnswer> find_wrong_answer(const Profile& profile, const ClusterView& cluster, const PodToPlace& pod,
                                             const CachedAnswers& cached) {
  return AnswerCheck(profile, cluster, pod, cached).find();
}

}  // namespace berth::framework
