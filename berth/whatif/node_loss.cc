#include "berth/whatif/node_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/rng.h"
#include "berth/config/suggest.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/words.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/plugins/default_plugins.h"

namespace berth::whatif {

namespace {

// Of the pods without a place on one node, groups that are alike and get a sentence.
constexpr std::size_t kMaxSentences = 3;

bool belongs_to_its_node(const api::Pod& pod) {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  return (owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node")) ||
         pod.metadata.annotations->contains(Symbol("kubernetes.io/config.mirror"));
}

// As its controller would make it again.
api::PodPtr made_again(const api::Pod& pod) {
  auto copy = std::make_shared<api::Pod>(pod);
  copy->spec.node_name = Symbol();
  // No UID of a real pod has a blank.
  copy->metadata.uid = pod.metadata.uid + " again";
  copy->status = api::PodStatus();
  return copy;
}

// The profiles of the configuration, with what each remembers.
class Profiles {
 public:
  Profiles(const report::Settings& settings, explain::Cluster& cluster) : settings_(settings), cluster_(cluster) {}

  struct Entry {
    std::unique_ptr<framework::Profile> profile;
    std::unique_ptr<framework::EquivalenceCache> memory;
  };

  // Pods of a scheduler that the configuration does not have are placed by its first profile.
  Result<Entry*> of(Symbol asked_for) {
    static const Symbol by_default("default-scheduler");
    const Symbol scheduler = asked_for.empty() ? by_default : asked_for;
    const auto known = by_name_.find(scheduler);
    if (known != by_name_.end()) return known->second;
    const auto& profiles = settings_.config.config.profiles;
    auto configured = std::ranges::find_if(
        profiles, [&](const config::Profile& profile) { return profile.name() == scheduler.text(); });
    if (configured == profiles.end()) {
      foreign_.insert(scheduler.str());
      configured = profiles.begin();
    }
    const Symbol name(configured->name());
    Entry& entry = entries_[name];
    if (entry.profile == nullptr) {
      auto built =
          framework::Profile::build(*configured, plugins::default_registry(), settings_.gates, cluster_.objects);
      if (!built) return fail(built.error());
      entry.profile = *std::move(built);
      entry.memory = std::make_unique<framework::EquivalenceCache>(*entry.profile, cluster_.view());
    }
    by_name_[scheduler] = &entry;
    return &entry;
  }

  const std::set<std::string>& foreign() const { return foreign_; }

 private:
  const report::Settings& settings_;
  explain::Cluster& cluster_;
  std::map<Symbol, Entry, SymbolTextLess> entries_;
  std::map<Symbol, Entry*, SymbolTextLess> by_name_;
  std::set<std::string> foreign_;
};

// Nodes that are lost together.
struct Domain {
  std::string name;
  std::vector<std::string> nodes;
};

class Trial {
 public:
  Trial(explain::Cluster& cluster, Profiles& profiles) : cluster_(cluster), profiles_(profiles) {}

  // What becomes of the pods of the domain's nodes; with sentences if asked for.
  Result<Loss> run(const Domain& domain, Rng rng, bool with_sentences) {
    Loss loss;
    loss.domain = domain.name;
    loss.nodes = std::ssize(domain.nodes);
    take_out(domain);
    std::ranges::sort(to_place_, [](const api::PodPtr& a, const api::PodPtr& b) {
      const auto of_a = api::priority_of(*a), of_b = api::priority_of(*b);
      return of_a != of_b ? of_a > of_b
                          : explain::natural_less(api::full_name(a->metadata), api::full_name(b->metadata));
    });
    loss.pods = std::ssize(to_place_);
    Result<void> placed = {};
    for (const api::PodPtr& pod : to_place_) {
      placed = place(*pod, rng, with_sentences, loss);
      if (!placed) break;
    }
    put_back();
    if (!placed) return fail(placed.error());
    return loss;
  }

 private:
  void take_out(const Domain& domain) {
    const cache::NodeTable& table = cluster_.cache.nodes();
    for (const std::string& name : domain.nodes) {
      const cache::NodeState& state = table.at(table.row_of(Symbol(name)));
      nodes_.push_back(state.node);
      for (const cache::PlacedPod& placed : state.pods) pods_.push_back(placed.pod);
    }
    for (const api::PodPtr& pod : pods_) {
      if (!belongs_to_its_node(*pod) && !pod->metadata.deletion_timestamp.is_set()) to_place_.push_back(pod);
      (void)cluster_.cache.remove(*pod);
    }
    for (const api::NodePtr& node : nodes_) (void)cluster_.cache.remove_node(*node);
  }

  Result<void> place(const api::Pod& lost, Rng& rng, bool with_sentences, Loss& loss) {
    api::PodPtr pod = made_again(lost);
    const auto profile = profiles_.of(pod->spec->scheduler_name);
    if (!profile) return fail(profile.error());
    const framework::PodToPlace next{pod, cluster_.cache.compile(*pod)};
    const framework::Decision decision = (*profile)->memory->decide(next, cluster_.nominated, rng.next_u64());
    if (!decision.error.is_success()) {
      return fail(fmt::format("{}: a plugin fails: {}", api::full_name(lost.metadata), decision.error.message()));
    }
    if (decision.row == cache::kNoRow) {
      loss.stranded.push_back(api::full_name(lost.metadata));
      if (with_sentences) say_why(lost, pod, *(*profile)->profile, loss);
      return {};
    }
    auto bound = std::make_shared<api::Pod>(*pod);
    bound->spec.node_name = cluster_.cache.nodes().at(decision.row).name;
    placed_.push_back(bound);
    ++loss.placed;
    return cluster_.cache.add(std::move(bound));
  }

  // Pods of one template and with the same labels are without a place for the same reason.
  void say_why(const api::Pod& lost, const api::PodPtr& pod, const framework::Profile& profile, Loss& loss) {
    const auto key = std::pair(pod->spec.shared.identity(), pod->metadata.labels.identity());
    const auto [found, is_new] = told_.try_emplace(key, loss.sentences.size());
    if (!is_new) {
      if (found->second < loss.sentences.size())
        loss.sentences[found->second].pods.push_back(api::full_name(lost.metadata));
      return;
    }
    if (loss.sentences.size() == kMaxSentences) return;
    StrandedPods& group = loss.sentences.emplace_back();
    group.pods.push_back(api::full_name(lost.metadata));
    if (cluster_.cache.nodes().node_count() == 0) {
      group.sentence = fmt::format("{} fits nowhere: no node is left.", group.pods.front());
      return;
    }
    const explain::Evaluation evaluation = explain::evaluate(profile, cluster_, pod);
    if (evaluation.error || evaluation.fits()) return;
    group.sentence =
        fmt::format("{} {}.", group.pods.front(), explain::diagnose(profile, cluster_, evaluation).headline);
  }

  void put_back() {
    for (const api::PodPtr& pod : placed_) (void)cluster_.cache.remove(*pod);
    for (const api::NodePtr& node : nodes_) cluster_.cache.set_node(node);
    for (const api::PodPtr& pod : pods_) (void)cluster_.cache.add(pod);
    nodes_.clear();
    pods_.clear();
    to_place_.clear();
    placed_.clear();
    told_.clear();
  }

  explain::Cluster& cluster_;
  Profiles& profiles_;
  std::vector<api::NodePtr> nodes_;
  std::vector<api::PodPtr> pods_;      // all of these nodes
  std::vector<api::PodPtr> to_place_;  // of these, those that are made again
  std::vector<api::PodPtr> placed_;
  std::map<std::pair<const void*, const void*>, std::size_t> told_;  // by identity: only looked up
};

Result<std::vector<Domain>> domains_of(const explain::Cluster& cluster, const LossOptions& options,
                                       NodeLosses& result) {
  std::vector<Domain> domains;
  const std::vector<cache::RowId> rows = cluster.rows_by_name();
  if (options.by.empty()) {
    for (const cache::RowId row : rows) domains.push_back({cluster.name_of(row), {cluster.name_of(row)}});
    return domains;
  }
  std::map<std::string, std::size_t> index;
  std::set<std::string> keys;
  std::size_t without = 0;
  for (const cache::RowId row : rows) {
    const api::Labels& labels = *cluster.cache.nodes().at(row).node->metadata.labels;
    for (const auto& [key, value] : labels) keys.insert(key.str());
    const Symbol* value = labels.find(Symbol(options.by));
    if (value == nullptr) {
      ++without;
      continue;
    }
    const auto [found, is_new] = index.try_emplace(value->str(), domains.size());
    if (is_new) domains.push_back({value->str(), {}});
    domains[found->second].nodes.push_back(cluster.name_of(row));
  }
  if (domains.empty()) {
    const std::vector<std::string_view> names(keys.begin(), keys.end());
    const std::string_view nearest = config::nearest_name(options.by, names);
    Error error(fmt::format("no node has the label {}", options.by));
    if (!nearest.empty()) return fail(std::move(error).with_fix(fmt::format("did you mean {}?", nearest)));
    return fail(std::move(error));
  }
  std::ranges::sort(domains, [](const Domain& a, const Domain& b) { return explain::natural_less(a.name, b.name); });
  if (without > 0) {
    result.notes.push_back(fmt::format("{} the label {}: the loss of {} is not looked at.",
                                       explain::nodes_that(without, "has not", "have not"), options.by,
                                       without == 1 ? "it" : "them"));
  }
  return domains;
}

std::string sentence_of(const NodeLosses& losses, const LossOptions& options) {
  const std::string what = options.by.empty() ? "node" : fmt::format("value of {}", options.by);
  const std::int64_t bad = losses.domains - losses.survivable;
  if (bad == 0) {
    return losses.domains == 1 ? fmt::format("The loss of the only {} is survivable: no pod has to be placed.", what)
                               : fmt::format("The loss of any one {} is survivable: all pods fit elsewhere.", what);
  }
  if (losses.domains == 1) return fmt::format("There is only one {}: its pods fit nowhere else.", what);
  const std::string of = options.by.empty() ? fmt::format("{} nodes", losses.domains)
                                            : fmt::format("{} values of {}", losses.domains, options.by);
  return bad == losses.domains
             ? fmt::format("The loss of any one of the {} is not survivable: pods fit nowhere else.", of)
             : fmt::format("The loss of {} of the {} is not survivable: pods fit nowhere else.", bad, of);
}

void note_what_was_read(const explain::Cluster& cluster, const Profiles& profiles, NodeLosses& result) {
  const auto pending = std::ranges::count_if(cluster.pods, [](const auto& entry) {
    return entry.second->spec.node_name.empty() && !api::is_terminal(*entry.second);
  });
  if (pending > 0) {
    result.notes.push_back(fmt::format("{} pending in what was read and {} no room here.",
                                       pending == 1 ? "1 pod is" : fmt::format("{} pods are", pending),
                                       pending == 1 ? "takes up" : "take up"));
  }
  const auto alone = std::ranges::count_if(cluster.pods, [](const auto& entry) {
    const api::Pod& pod = *entry.second;
    return !pod.spec.node_name.empty() && !api::is_terminal(pod) && !belongs_to_its_node(pod) &&
           api::controller_of(pod.metadata) == nullptr;
  });
  if (alone > 0) {
    result.notes.push_back(
        fmt::format("{} no controller: nothing makes {} again when {} lost; here {} placed like the others.",
                    alone == 1 ? "1 pod has" : fmt::format("{} pods have", alone), alone == 1 ? "it" : "them",
                    alone == 1 ? "its node is" : "their node is", alone == 1 ? "it is" : "they are"));
  }
  if (!profiles.foreign().empty()) {
    const std::vector<std::string> names(profiles.foreign().begin(), profiles.foreign().end());
    result.notes.push_back(
        fmt::format("Pods of {} are placed by the first profile of the configuration.", explain::listed(names, 3)));
  }
}

}  // namespace

Result<NodeLosses> node_losses(explain::Cluster& cluster, const report::Settings& settings,
                               const LossOptions& options) {
  NodeLosses result;
  result.by = options.by.empty() ? "node" : options.by;
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  if (result.nodes == 0) return fail("there is no node in what was read");
  const auto domains = domains_of(cluster, options, result);
  if (!domains) return fail(domains.error());
  result.domains = std::ssize(*domains);

  const Rng root(options.seed);
  Profiles profiles(settings, cluster);
  Trial trial(cluster, profiles);
  std::vector<std::pair<std::size_t, Loss>> bad;  // with the place among the domains
  for (std::size_t i = 0; i < domains->size(); ++i) {
    auto loss = trial.run((*domains)[i], root.fork(i), false);
    if (!loss) return fail(loss.error());
    if (!loss->stranded.empty()) bad.emplace_back(i, *std::move(loss));
  }
  std::ranges::sort(bad, [](const auto& a, const auto& b) {
    const std::size_t of_a = a.second.stranded.size(), of_b = b.second.stranded.size();
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  });
  for (std::size_t i = 0; i < std::min(bad.size(), options.explained); ++i) {
    auto loss = trial.run((*domains)[bad[i].first], root.fork(bad[i].first), true);
    if (!loss) return fail(loss.error());
    // Rows are dealt out anew when nodes come back, and equal nodes are chosen by rows; what is told has to agree.
    bad[i].second = *std::move(loss);
  }
  result.survivable = result.domains - std::ssize(bad);
  result.ok = bad.empty();
  for (auto& [index, loss] : bad) result.losses.push_back(std::move(loss));
  result.sentence = sentence_of(result, options);
  note_what_was_read(cluster, profiles, result);
  return result;
}

}  // namespace berth::whatif
