// The scheduler cache and its node table under random histories of pods and nodes, beside a model that knows only which
// pods and nodes there are. After every step the cache must say the same as a table that is built from scratch from
// the model, and a reader that follows the journal must see what the table has.
//
// RC_PARAMS chooses seed and number of runs, as for the queue: see queue_property_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "berth/cache/comparer.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/cache/testing.h"

namespace berth::cache {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;

constexpr Duration kTtl = Duration::seconds(30);
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

enum class Do : int {
  kSetNode,
  kRemoveNode,
  kAssume,
  kFinishBinding,
  kForget,
  kAdd,
  kUpdate,
  kRemove,
  kWait,
  kExpire,
  kReadJournal,
};

struct Step {
  Do what = Do::kSetNode;
  int which = 0;  // the pod or the node
  int choice = 0;
};

void showValue(const Step& step, std::ostream& out) {
  out << "{" << static_cast<int>(step.what) << ", " << step.which << ", " << step.choice << "}";
}

rc::Gen<Step> any_step() {
  const auto make = [](Do what, int which, int choice) { return Step{what, which, choice}; };
  return rc::gen::resize(rc::kNominalSize, rc::gen::apply(make,
                                                          rc::gen::weightedElement<Do>({{5, Do::kSetNode},
                                                                                        {1, Do::kRemoveNode},
                                                                                        {8, Do::kAssume},
                                                                                        {6, Do::kFinishBinding},
                                                                                        {3, Do::kForget},
                                                                                        {6, Do::kAdd},
                                                                                        {4, Do::kUpdate},
                                                                                        {3, Do::kRemove},
                                                                                        {2, Do::kWait},
                                                                                        {2, Do::kExpire},
                                                                                        {3, Do::kReadJournal}}),
                                                          rc::gen::inRange(0, 10), rc::gen::inRange(0, 1000)));
}

// How often the histories came to what is worth checking.
struct Reached {
  int steps = 0, refused = 0, confirmed = 0, confirmed_elsewhere = 0, expired = 0, without_node = 0, read = 0;
};

// What is known about a row without a look at other rows.
struct RowFacts {
  std::int64_t allocatable_milli_cpu = 0, allocatable_memory = 0, allocatable_pods = 0;
  std::int64_t requested_milli_cpu = 0, requested_memory = 0, non_zero_milli_cpu = 0, non_zero_memory = 0, pods = 0;
  std::string zone;
  std::string taints;
  bool is_unschedulable = false;
  std::size_t images = 0;
  bool operator==(const RowFacts&) const = default;

  void read_pods(const NodeTable& table, RowId row) {
    const NodeColumns& columns = table.columns();
    requested_milli_cpu = columns.requested_milli_cpu[row];
    requested_memory = columns.requested_memory[row];
    non_zero_milli_cpu = columns.non_zero_milli_cpu[row];
    non_zero_memory = columns.non_zero_memory[row];
    pods = columns.pods[row];
  }
  void read_capacity(const NodeTable& table, RowId row) {
    const NodeColumns& columns = table.columns();
    allocatable_milli_cpu = columns.allocatable_milli_cpu[row];
    allocatable_memory = columns.allocatable_memory[row];
    allocatable_pods = columns.allocatable_pods[row];
  }
  void read_labels(const NodeTable& table, RowId row) {
    const TopologyColumn& column = table.topology(Symbol(kZone));
    const DomainId domain = column.domain_of(row);
    zone = domain == kNoDomain ? "" : column.value(domain).str();
  }
  void read_taints(const NodeTable& table, RowId row) {
    taints.clear();
    for (const api::Taint& taint : table.taint_list(table.columns().taints[row])) taints += taint.key.str() + " ";
    is_unschedulable = table.unschedulable().test(row);
  }
  void read_images(const NodeTable& table, RowId row) { images = table.at(row).node->status.images->size(); }

  static RowFacts of(const NodeTable& table, RowId row) {
    RowFacts facts;
    facts.read_pods(table, row);
    facts.read_capacity(table, row);
    facts.read_labels(table, row);
    facts.read_taints(table, row);
    facts.read_images(table, row);
    return facts;
  }
};

// The pods of one class and where they are. Two classes of one table never have the same key.
using ClassKey = std::tuple<std::string, const void*, const void*, bool>;
using ClassCounts = std::map<ClassKey, std::map<std::string, std::uint32_t>>;

ClassKey key_of(const PodClass& pod_class) {
  return {pod_class.name_space.str(), pod_class.labels.identity(), pod_class.compiled.get(), pod_class.is_terminating};
}

// A table by what can be seen of it, with names instead of rows.
struct TableFacts {
  std::map<std::string, RowFacts> nodes;
  ClassCounts classes;
  std::size_t claim_users = 0;
  std::int32_t lowest_priority = 0;
  std::vector<std::size_t> nodes_with_image;
  bool operator==(const TableFacts&) const = default;

  static TableFacts of(const NodeTable& table) {
    TableFacts facts;
    table.nodes().for_each([&](std::size_t row) {
      const auto id = static_cast<RowId>(row);
      facts.nodes.emplace(table.at(id).name.str(), RowFacts::of(table, id));
    });
    table.for_each_class([&](const PodClass& pod_class) {
      for (const auto& [row, count] : pod_class.pods_on_row) {
        facts.classes[key_of(pod_class)][table.at(row).name.str()] = count;
      }
    });
    facts.claim_users = table.claim_users(Symbol("default"), "disk");
    facts.lowest_priority = table.lowest_priority();
    for (const char* image : {"image-0", "image-1", "image-2"}) {
      const ImageState* state = table.image(Symbol(image));
      facts.nodes_with_image.push_back(state == nullptr ? 0 : state->nodes);
    }
    return facts;
  }
};

// Keeps what it has worked out from the table up to date by the journal alone, as plugins do.
class Reader {
 public:
  void catch_up(const NodeTable& table) {
    const bool is_complete = table.journal().read(read_, [&](const Change& change) { apply(table, change); });
    if (!is_complete) start_over(table);
    read_ = table.journal().end();
  }

  void check(const NodeTable& table) const {
    std::map<RowId, RowFacts> rows;
    table.nodes().for_each(
        [&](std::size_t row) { rows.emplace(static_cast<RowId>(row), RowFacts::of(table, static_cast<RowId>(row))); });
    RC_ASSERT(rows_ == rows);
    RC_ASSERT(classes_ == counts_of(table));
  }

 private:
  using Counts = std::map<std::pair<const PodClass*, RowId>, std::uint32_t>;

  static Counts counts_of(const NodeTable& table) {
    Counts counts;
    table.for_each_class([&](const PodClass& pod_class) {
      for (const auto& [row, count] : pod_class.pods_on_row) counts[{&pod_class, row}] = count;
    });
    return counts;
  }

  void start_over(const NodeTable& table) {
    rows_.clear();
    table.nodes().for_each(
        [&](std::size_t row) { rows_.emplace(static_cast<RowId>(row), RowFacts::of(table, static_cast<RowId>(row))); });
    classes_ = counts_of(table);
  }

  // The table may be further than the change: what is read is what it has now.
  void apply(const NodeTable& table, const Change& change) {
    if (change.is_about_pod()) {
      const auto at = classes_.try_emplace({change.pod_class, change.row}, 0).first;
      at->second += change.kind == Change::Kind::kPodAdded ? 1 : -1;
      if (at->second == 0) classes_.erase(at);
    }
    if (change.kind == Change::Kind::kNodeRemoved) {
      rows_.erase(change.row);
      return;
    }
    if (!table.nodes().test(change.row)) return;
    if (change.kind == Change::Kind::kNodeAdded) rows_[change.row] = RowFacts::of(table, change.row);
    const auto found = rows_.find(change.row);
    if (found == rows_.end()) return;
    RowFacts& facts = found->second;
    switch (change.kind) {
      case Change::Kind::kPodAdded:
      case Change::Kind::kPodRemoved: return facts.read_pods(table, change.row);
      case Change::Kind::kNodeCapacity: return facts.read_capacity(table, change.row);
      case Change::Kind::kNodeLabels: return facts.read_labels(table, change.row);
      case Change::Kind::kNodeTaints: return facts.read_taints(table, change.row);
      case Change::Kind::kNodeOther: return facts.read_images(table, change.row);
      case Change::Kind::kNodeAdded:
      case Change::Kind::kNodeRemoved: return;
    }
  }

  std::uint64_t read_ = 0;
  std::map<RowId, RowFacts> rows_;
  Counts classes_;
};

class Model {
 public:
  explicit Model(Reached& reached) : reached_(reached), cache_({.assumed_pod_ttl = kTtl}) {}

  void take(const Step& step) {
    ++reached_.steps;
    switch (step.what) {
      case Do::kSetNode: return set_node(step);
      case Do::kRemoveNode: return remove_node(step);
      case Do::kAssume: return assume(step);
      case Do::kFinishBinding: return finish_binding(step);
      case Do::kForget: return forget(step);
      case Do::kAdd: return add(step);
      case Do::kUpdate: return update(step);
      case Do::kRemove: return remove(step);
      case Do::kWait: now_ = now_ + Duration::seconds(step.choice % 25); return;
      case Do::kExpire: return expire();
      case Do::kReadJournal:
        ++reached_.read;
        reader_.catch_up(cache_.nodes());
        return reader_.check(cache_.nodes());
    }
  }

  void check() const {
    check_pods();
    check_table();
    std::vector<api::NodePtr> nodes;
    for (const auto& [name, node] : nodes_) nodes.push_back(node);
    std::vector<api::PodPtr> pods;
    for (const auto& [uid, known] : pods_) {
      if (!known.is_assumed) pods.push_back(known.pod);
    }
    RC_ASSERT(compare(cache_, nodes, pods) == std::vector<std::string>());
    RC_ASSERT(compare_sums(cache_.nodes()) == std::vector<std::string>());
  }

 private:
  struct Known {
    api::PodPtr pod;
    bool is_assumed = false;
    Instant deadline;
  };

  // --- Objects ------------------------------------------------------------------------------------------------------

  static std::string node_name(int which) { return fmt::format("node-{}", which % 4); }

  static api::NodePtr make_node(const Step& step) {
    NodeBuilder node(node_name(step.which));
    node.allocatable("cpu", step.choice % 2 == 0 ? "4" : "8").allocatable("memory", "8Gi");
    if (step.choice % 3 != 0) node.zone(step.choice % 3 == 1 ? "a" : "b");
    if (step.choice % 5 == 0) node.taint("dedicated", "", "NoSchedule");
    if (step.choice % 7 == 0) node.unschedulable();
    for (int i = 0; i < step.choice % 4; ++i) node.image(fmt::format("image-{}", i), 1000);
    return node.build();
  }

  // Pods of few templates, so that classes have several members.
  static api::PodPtr make_pod(const Step& step, std::string_view node) {
    static const std::vector<api::PodPtr> likes = [] {
      std::vector<api::PodPtr> all;
      all.push_back(PodBuilder("like").request("cpu", "100m").label("app", "web").build());
      all.push_back(PodBuilder("like").request("cpu", "1").request("memory", "1Gi").priority(10).build());
      all.push_back(PodBuilder("like").claim("disk").host_port(80).label("app", "db").build());
      all.push_back(PodBuilder("like").priority(-5).build());
      return all;
    }();
    const std::size_t like = static_cast<std::size_t>(step.choice / 4) % likes.size();
    PodBuilder pod(fmt::format("pod-{}", step.which), *likes[like]);
    if (step.choice % 11 == 0) pod.terminating();
    return pod.on(node).build();
  }
  static api::PodPtr make_pod(const Step& step) { return make_pod(step, node_name(step.choice)); }

  Known* find(const Step& step) {
    const auto found = pods_.find(fmt::format("pod-{}-uid", step.which));
    return found == pods_.end() ? nullptr : &found->second;
  }

  // --- Steps --------------------------------------------------------------------------------------------------------

  void expect(const Result<void>& result, bool is_accepted) {
    RC_ASSERT(result.has_value() == is_accepted);
    if (!is_accepted) ++reached_.refused;
  }

  void set_node(const Step& step) {
    const api::NodePtr node = make_node(step);
    cache_.set_node(node);
    nodes_[node->metadata.name] = node;
  }

  void remove_node(const Step& step) {
    const api::NodePtr node = make_node(step);
    expect(cache_.remove_node(*node), nodes_.contains(node->metadata.name));
    nodes_.erase(node->metadata.name);
  }

  void assume(const Step& step) {
    const api::PodPtr pod = make_pod(step);
    const bool is_new = find(step) == nullptr;
    expect(cache_.assume(pod), is_new);
    if (is_new) pods_[pod->metadata.uid] = {pod, true, {}};
  }

  void finish_binding(const Step& step) {
    Known* known = find(step);
    cache_.finish_binding(known != nullptr ? *known->pod : *make_pod(step), now_);
    if (known != nullptr && known->is_assumed) known->deadline = now_ + kTtl;
  }

  void forget(const Step& step) {
    const Known* known = find(step);
    const api::PodPtr pod = known != nullptr && step.choice % 3 != 0 ? known->pod : make_pod(step);
    const bool is_there = known != nullptr && known->pod->spec.node_name == pod->spec.node_name && known->is_assumed;
    expect(cache_.forget(*pod), known == nullptr || is_there);
    if (is_there) pods_.erase(pod->metadata.uid);
  }

  void add(const Step& step) {
    const Known* known = find(step);
    // Mostly where it was assumed to be.
    const bool is_elsewhere = step.choice % 4 == 0;
    const api::PodPtr pod =
        known != nullptr && !is_elsewhere ? make_pod(step, known->pod->spec.node_name.text()) : make_pod(step);
    const bool is_accepted = known == nullptr || known->is_assumed;
    if (known != nullptr && known->is_assumed) {
      ++(known->pod->spec.node_name == pod->spec.node_name ? reached_.confirmed : reached_.confirmed_elsewhere);
    }
    expect(cache_.add(pod), is_accepted);
    if (is_accepted) pods_[pod->metadata.uid] = {pod, false, {}};
  }

  void update(const Step& step) {
    const Known* known = find(step);
    const api::PodPtr old_pod = known != nullptr ? known->pod : make_pod(step);
    const api::PodPtr new_pod = make_pod(step, old_pod->spec.node_name.text());
    const bool is_accepted = known != nullptr && !known->is_assumed;
    expect(cache_.update(*old_pod, new_pod), is_accepted);
    if (is_accepted) pods_[new_pod->metadata.uid] = {new_pod, false, {}};
  }

  void remove(const Step& step) {
    const Known* known = find(step);
    const api::PodPtr pod = known != nullptr ? known->pod : make_pod(step);
    expect(cache_.remove(*pod), known != nullptr);
    pods_.erase(pod->metadata.uid);
  }

  void expire() {
    std::set<std::string> expected, expired;
    Instant first;
    for (const auto& [uid, known] : pods_) {
      if (!known.deadline.is_set()) continue;
      if (known.deadline < now_) expected.insert(uid);
      if (!first.is_set() || known.deadline < first) first = known.deadline;
    }
    RC_ASSERT(cache_.next_expiry().is_set() == first.is_set());
    if (first.is_set()) RC_ASSERT(cache_.next_expiry() == first + Duration::nanoseconds(1));
    for (const api::PodPtr& pod : cache_.expire(now_)) expired.insert(pod->metadata.uid);
    RC_ASSERT(expired == expected);
    reached_.expired += static_cast<int>(expired.size());
    for (const std::string& uid : expired) pods_.erase(uid);
  }

  // --- Invariants ---------------------------------------------------------------------------------------------------

  void check_pods() const {
    std::size_t assumed = 0;
    for (const auto& [uid, known] : pods_) {
      RC_ASSERT(cache_.find(uid) == known.pod);
      RC_ASSERT(cache_.is_assumed(uid) == known.is_assumed);
      assumed += known.is_assumed ? 1 : 0;
    }
    RC_ASSERT(cache_.pod_count() == pods_.size());
    RC_ASSERT(cache_.assumed_count() == assumed);
  }

  // What pods take up is there exactly as long as they are: the table is one built from scratch.
  void check_table() const {
    const NodeTable& table = cache_.nodes();
    SchedulerCache fresh;
    for (const auto& [name, node] : nodes_) fresh.set_node(node);
    for (const auto& [uid, known] : pods_) {
      RC_ASSERT(fresh.add(known.pod).has_value());
      if (!nodes_.contains(known.pod->spec.node_name.str())) ++reached_.without_node;
    }
    TableFacts facts = TableFacts::of(table), expected = TableFacts::of(fresh.nodes());
    RC_ASSERT(facts.classes.size() == expected.classes.size());
    facts.classes.clear(), expected.classes.clear();  // keyed by what each cache compiled for itself
    RC_ASSERT(facts == expected);
    RC_ASSERT(table.node_count() == nodes_.size());
    const std::set<RowId> visited(table.order().begin(), table.order().end());
    RC_ASSERT(visited.size() == table.order().size());
    RC_ASSERT(visited.size() == nodes_.size());
    for (const RowId row : visited) RC_ASSERT(table.nodes().test(row));
  }

  Reached& reached_;
  SchedulerCache cache_;
  std::map<std::string, api::NodePtr> nodes_;  // by name
  std::map<std::string, Known> pods_;          // by UID
  Reader reader_;
  Instant now_ = Instant::from_unix_seconds(1000);
};

TEST(CacheProperties, HoldUnderRandomHistories) {
  Reached reached;
  const bool succeeded = rc::check("the cache is what its pods and nodes make it", [&reached] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
    Model model(reached);
    for (const Step& step : steps) {
      model.take(step);
      model.check();
    }
  });
  EXPECT_TRUE(succeeded);
  if (reached.steps < 40'000) return;  // fewer were asked for
  for (const int times : {reached.refused, reached.confirmed, reached.confirmed_elsewhere, reached.expired,
                          reached.without_node, reached.read}) {
    EXPECT_GT(times, 50);
  }
  fmt::print("{} steps, {} refused, {} pods confirmed, {} of them elsewhere, {} expired, {} journal reads\n",
             reached.steps, reached.refused, reached.confirmed, reached.confirmed_elsewhere, reached.expired,
             reached.read);
}

}  // namespace
}  // namespace berth::cache
