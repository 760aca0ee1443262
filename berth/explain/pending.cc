#include "berth/explain/pending.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "berth/api/pod_workload.h"
#include "berth/explain/explain.h"
#include "berth/explain/pending_cause.h"
#include "berth/explain/pod_classes.h"
#include "berth/explain/stable_order.h"
#include "berth/explain/words.h"

namespace berth::api {

template <>
const Schema& schema_of<explain::Help>();

template <>
const Schema& schema_of<explain::PendingRow>() {
  using R = explain::PendingRow;
  static const Schema schema("PendingRow", {
                                               field<&R::kind>("kind", 0, kAlways),
                                               field<&R::name>("name", 0, kAlways),
                                               field<&R::count>("count", 0, kAlways),
                                               field<&R::sentence>("sentence", 0, kAlways),
                                               field<&R::fix>("fix", 0),
                                               field<&R::command>("command", 0),
                                               field<&R::no_help>("noHelp", 0),
                                               field<&R::help>("help", 0),
                                               field<&R::pods>("pods", 0, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<explain::PendingCause>() {
  using C = explain::PendingCause;
  static const Schema schema("PendingCause", {
                                                 field<&C::cause>("cause", 0, kAlways),
                                                 field<&C::answer>("answer", 0, kAlways),
                                                 field<&C::plugin>("plugin", 0),
                                                 field<&C::reason>("reason", 0),
                                                 field<&C::count>("count", 0, kAlways),
                                                 field<&C::rows>("rows", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<explain::PendingReport>() {
  using P = explain::PendingReport;
  static const Schema schema("PendingReport", {
                                                  field<&P::sentence>("sentence", 0, kAlways),
                                                  field<&P::pods>("pods", 0, kAlways),
                                                  field<&P::nodes>("nodes", 0, kAlways),
                                                  field<&P::causes>("causes", 0, kAlways),
                                                  field<&P::notes>("notes", 0),
                                              });
  return schema;
}

}  // namespace berth::api

namespace berth::explain {

namespace {

constexpr std::string_view kNotLookedAt = "not looked at one by one";

bool is_pending(const api::Pod& pod) {
  if (api::is_terminal(pod)) return false;
  return pod.spec.node_name.empty() || pod.status.phase == "Pending";
}

// Pods with the same explanation.
struct ExplainedClass {
  std::vector<api::PodPtr> pods;  // by name
  Cause cause;
  std::string predicate;  // what comes behind the pod's name: "fits on none of ..."
  std::vector<Help> help;
  std::string no_help;
};

// What a pod is or does, for sentences about several of them: "fits on none of the 5 nodes: ...".
std::string predicate_of(const Explanation& explanation) {
  const std::string subject = explanation.pod + " ";
  return explanation.sentence.starts_with(subject) ? explanation.sentence.substr(subject.size()) : explanation.sentence;
}

// Of several pods the same change has to help more than one: nodes are counted for all of them, and a misspelt selector
// is wrong for all of them.
const Help* best_of(const std::vector<Help>& help, std::size_t pods) {
  if (help.empty()) return nullptr;
  if (pods > 1 && help.front().kind != "selector") {
    const auto nodes = std::ranges::find(help, Symbol("nodes"), &Help::kind);
    if (nodes != help.end()) return &*nodes;
  }
  return &help.front();
}

class PendingExplainer {
 public:
  PendingExplainer(Cluster& cluster, const config::LoadedConfig& config, const config::FeatureGates& gates,
                   std::size_t max_looks)
      : cluster_(cluster), config_(config), gates_(gates), looks_left_(max_looks) {}

  Result<PendingReport> run(const PendingQuery& query) {
    std::vector<ExplainedClass> classes = classes_of(query);
    // Those of many pods first, while there are looks left.
    sort_stably(classes, std::greater(), [](const ExplainedClass& each) { return each.pods.size(); });
    for (ExplainedClass& each : classes) {
      if (auto explained = explain_class(each); !explained) return fail(explained.error());
      report_.pods += std::ssize(each.pods);
    }
    report_.nodes = static_cast<std::int64_t>(cluster_.cache.nodes().node_count());
    add_causes(classes);
    say_sentence(query);
    if (not_looked_at_ > 0) {
      report_.notes.push_back(
          fmt::format("{} are not looked at one by one, because there are so many different ones; "
                      "ask about one of them, or about fewer with -n or -l.",
                      counted(not_looked_at_, "pod")));
    }
    return std::move(report_);
  }

 private:
  std::vector<ExplainedClass> classes_of(const PendingQuery& query) const {
    std::vector<api::PodPtr> pods;
    for (const auto& [name, pod] : cluster_.pods) {
      if (!query.name_space.empty() && pod->metadata.name_space != query.name_space) continue;
      if (is_pending(*pod) && query.labels.matches(*pod->metadata.labels)) pods.push_back(pod);
    }
    std::ranges::sort(pods, [](const api::PodPtr& a, const api::PodPtr& b) {
      if (a->metadata.name_space != b->metadata.name_space) {
        return a->metadata.name_space.text() < b->metadata.name_space.text();
      }
      return natural_less(a->metadata.name, b->metadata.name);
    });
    // Pods that the scheduler cannot tell apart may still be of two workloads, and once they have a node, wait for
    // different things.
    PodClasses numbers;
    std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> index;
    std::vector<ExplainedClass> classes;
    for (const api::PodPtr& pod : pods) {
      const auto workload = api::workload_of(*pod);
      const std::string owner = workload ? workload->kind.str() + "/" + workload->name : "";
      const std::string waits_for = pod->spec.node_name.empty() ? "" : "bound " + waiting_reasons(*pod);
      const auto [it, is_new] = index.try_emplace({numbers.class_of(*pod), owner, waits_for}, classes.size());
      if (is_new) classes.emplace_back();
      classes[it->second].pods.push_back(pod);
    }
    return classes;
  }

  Result<void> explain_class(ExplainedClass& each) {
    const api::PodPtr& first = each.pods.front();
    const std::size_t looks = std::max<std::size_t>(1, cluster_.cache.nodes().node_count());
    if (looks > looks_left_) {
      not_looked_at_ += each.pods.size();
      const api::PodCondition* scheduled = api::find_condition(*first, Symbol("PodScheduled"));
      const bool has_message = scheduled != nullptr && !scheduled->message.empty();
      each.cause.title = kNotLookedAt;
      each.predicate =
          has_message ? fmt::format("was last rejected with \"{}\".", scheduled->message) : "has not been tried yet.";
      return {};
    }
    looks_left_ -= looks;
    auto explanation = explain(cluster_, first, config_, gates_);
    if (!explanation) return fail(explanation.error());
    each.cause = cause_of(*explanation, first, cluster_);
    each.predicate = predicate_of(*explanation);
    // Pods that will get a node as things are need no change.
    const bool is_stuck = explanation->answer != answer::kPreempts && explanation->answer != answer::kFits;
    if (is_stuck) {
      each.help = std::move(explanation->help);
      each.no_help = std::move(explanation->no_help);
    }
    // Each explanation has the notes about what was read.
    for (std::string& note : explanation->notes) {
      const bool is_about_one = note.find("last tried") != std::string::npos;
      if (!is_about_one && noted_.insert(note).second) {
        report_.notes.push_back(std::move(note));
      }
    }
    return {};
  }

  void add_causes(const std::vector<ExplainedClass>& classes) {
    struct Row {
      PendingRow row;
      std::set<std::string> predicates;
      std::string example;
    };
    struct Group {
      PendingCause cause;
      std::map<std::tuple<std::string, std::string>, Row> rows;  // by kind and name
    };
    std::map<std::string, Group> groups;  // by title
    for (const ExplainedClass& each : classes) {
      Group& group = groups[each.cause.title];
      group.cause.cause = each.cause.title;
      group.cause.answer = each.cause.answer;
      group.cause.plugin = each.cause.plugin;
      group.cause.reason = each.cause.reason;
      group.cause.count += std::ssize(each.pods);
      const auto workload = api::workload_of(*each.pods.front());
      const std::string name_space = each.pods.front()->metadata.name_space.str();
      const Symbol kind = workload ? workload->kind : Symbol("Pod");
      std::string name = name_space + "/" + (workload ? workload->name : each.pods.front()->metadata.name);
      Row& found = group.rows[{kind.str(), name}];
      if (found.row.count == 0) {
        found.row.kind = kind;
        found.row.name = std::move(name);
        found.row.help = each.help;
        found.row.no_help = each.no_help;
        found.row.sentence = each.predicate;
        found.example = api::full_name(each.pods.front()->metadata);
      }
      found.row.count += std::ssize(each.pods);
      found.predicates.insert(each.predicate);
      for (const api::PodPtr& pod : each.pods) found.row.pods.push_back(api::full_name(pod->metadata));
    }
    for (auto& [title, group] : groups) {
      for (auto& [key, each] : group.rows) {
        // A sentence about a pod on a node is about that pod alone.
        const bool is_example = each.predicates.size() > 1 || group.cause.answer == answer::kBound;
        finish(each.row, is_example, each.example);
        group.cause.rows.push_back(std::move(each.row));
      }
      sort_stably(group.cause.rows, std::greater(), &PendingRow::count);
      report_.causes.push_back(std::move(group.cause));
    }
    sort_stably(report_.causes, std::greater(), &PendingCause::count);
  }

  // `example` is the pod that the sentence is about, if it is not about all of them.
  static void finish(PendingRow& row, bool is_example, const std::string& example) {
    std::ranges::sort(row.pods, natural_less);
    const std::string predicate = std::move(row.sentence);
    // Pods that no workload made may be alike all the same.
    const std::string which =
        row.kind == "Pod" ? fmt::format("like {}", row.name) : fmt::format("of {} {}", row.kind.text(), row.name);
    const std::string subject = fmt::format("{} {}", counted(row.count, "pod"), which);
    if (row.kind == "Pod" && row.count == 1) {
      row.sentence = fmt::format("{} {}", row.name, predicate);
    } else if (row.count == 1) {
      row.sentence = fmt::format("{}: {} {}", subject, row.pods.front(), predicate);
    } else if (is_example) {
      row.sentence = fmt::format("{}: such as {}, which {}", subject, example, predicate);
    } else {
      // Together they may not: one may take the room of the next, or the victims.
      const bool is_about_one = predicate.starts_with("fits on ") || predicate.starts_with("would go to ");
      const bool fits = is_about_one && !predicate.starts_with("fits on no");
      row.sentence = fmt::format("{}: each {}{}", subject, fits ? "by itself " : "", predicate);
    }
    if (const Help* best = best_of(row.help, row.pods.size())) {
      row.fix = best->sentence;
      row.command = best->command;
    }
  }

  void say_sentence(const PendingQuery& query) {
    const std::string where = query.name_space.empty() ? "" : fmt::format(" in namespace {}", query.name_space);
    const std::string which = query.labels.is_everything() ? "" : " with these labels";
    if (report_.pods == 0) {
      report_.sentence = fmt::format("No pod{}{} is pending.", which, where);
      return;
    }
    report_.sentence = fmt::format("{}{}{} {} pending, for {}.", counted(report_.pods, "pod"), which, where,
                                   report_.pods == 1 ? "is" : "are", counted(report_.causes.size(), "cause"));
  }

  Cluster& cluster_;
  const config::LoadedConfig& config_;
  const config::FeatureGates& gates_;
  std::size_t looks_left_;
  std::size_t not_looked_at_ = 0;
  std::set<std::string> noted_;
  PendingReport report_;
};

}  // namespace

Result<PendingReport> explain_pending(Cluster& cluster, const PendingQuery& query, const config::LoadedConfig& config,
                                      const config::FeatureGates& gates, std::size_t max_looks) {
  return PendingExplainer(cluster, config, gates, max_looks).run(query);
}

}  // namespace berth::explain
