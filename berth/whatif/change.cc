#include "berth/whatif/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "berth/admission/namespaces.h"
#include "berth/config/suggest.h"
#include "berth/explain/facts.h"
#include "berth/explain/what_if.h"
#include "berth/explain/words.h"
#include "berth/text/words.h"

namespace berth::whatif {

namespace {

constexpr std::size_t kMaxNamed = 5;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || number < 0) return std::nullopt;
  return number;
}

// `*` stands for any number of characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// --- Which nodes are meant -------------------------------------------------------------------------------------------

class NodeNames {
 public:
  explicit NodeNames(const explain::Cluster& cluster) : cluster_(cluster), pools_(explain::pools_of(cluster)) {}

  // In the natural order of their names.
  Result<std::vector<cache::RowId>> find(std::string_view text) const {
    const std::vector<cache::RowId> all = cluster_.rows_by_name();
    const auto named = std::ranges::find_if(all, [&](cache::RowId row) { return cluster_.name_of(row) == text; });
    if (named != all.end()) return std::vector{*named};
    for (const explain::Pool& pool : pools_) {
      if (!pool.name.empty() && pool.name == text) return pool.rows;
    }
    std::vector<cache::RowId> found;
    if (text.find('*') != std::string_view::npos) {
      std::ranges::copy_if(all, std::back_inserter(found),
                           [&](cache::RowId row) { return matches(text, cluster_.name_of(row)); });
    }
    if (found.empty()) return fail(not_found(text));
    return found;
  }

  bool is_pool(std::string_view text) const {
    return std::ranges::any_of(pools_, [&](const explain::Pool& pool) { return pool.name == text; }) &&
           cluster_.cache.nodes().row_of(Symbol(text)) == cache::kNoRow;
  }

 private:
  Error not_found(std::string_view text) const {
    std::vector<std::string> names;
    for (const explain::Pool& pool : pools_) {
      if (!pool.name.empty()) names.push_back(pool.name);
    }
    const std::size_t pools = names.size();
    for (const cache::RowId row : cluster_.rows_by_name()) names.push_back(cluster_.name_of(row));
    Error error(fmt::format("there is no node and no pool {}", text));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view nearest = config::nearest_name(text, views);
    if (!nearest.empty()) return std::move(error).with_fix(fmt::format("did you mean {}?", nearest));
    names.resize(pools);
    if (names.empty()) return error;
    return std::move(error).with_fix(
        fmt::format("there {} {}", pools == 1 ? "is the pool" : "are the pools", explain::listed(names, kMaxNamed)));
  }

  const explain::Cluster& cluster_;
  std::vector<explain::Pool> pools_;
};

bool is_well(const api::Node& node) {
  return !node.spec.unschedulable && std::ranges::none_of(node.spec.taints, [](const api::Taint& taint) {
    return !explain::node_state_of(taint).empty();
  });
}

// --- New nodes -------------------------------------------------------------------------------------------------------

api::Node fresh_node(const api::Node& model, std::string name) {
  static const Symbol hostname("kubernetes.io/hostname");
  api::Node node = model;
  api::Labels labels = *node.metadata.labels;
  labels[hostname] = Symbol(name);
  node.metadata.labels = std::move(labels);
  node.metadata.name = std::move(name);
  node.metadata.uid.clear();
  node.metadata.resource_version.clear();
  node.metadata.creation_timestamp = Instant();
  node.spec.provider_id.clear();
  node.spec.unschedulable = false;
  std::erase_if(node.spec.taints, [](const api::Taint& taint) { return !explain::node_state_of(taint).empty(); });
  // The API server makes it ready.
  node.status.conditions.clear();
  return node;
}

class NodeMaker {
 public:
  NodeMaker(const explain::Cluster& cluster, std::span<const api::AnyObject> dump) : cluster_(cluster) {
    for (const cache::RowId row : cluster.rows_by_name()) taken_.insert(cluster.name_of(row));
    for (const api::AnyObject& object : dump) {
      const auto set = object.as<api::DaemonSet>();
      if (set == nullptr) continue;
      const Symbol name_space = set->metadata.name_space;
      daemon_sets_.insert(fmt::format("{}/{}", name_space.empty() ? "default" : name_space.text(), set->metadata.name));
    }
  }

  void add(const api::Node& model, cache::RowId row, std::string_view base, Plan& plan) {
    const std::string name = next_name(base);
    plan.new_nodes.push_back(name);
    plan.create.emplace_back(std::make_shared<const api::Node>(fresh_node(model, name)));
    if (const api::CsiNode* csi = cluster_.objects.csi_nodes.find(model.metadata.name)) {
      auto copy = std::make_shared<api::CsiNode>(*csi);
      copy->metadata = api::ObjectMeta();
      copy->metadata.name = name;
      plan.create.emplace_back(std::shared_ptr<const api::CsiNode>(std::move(copy)));
    }
    if (row != cache::kNoRow) add_daemons(row, name, plan);
  }

 private:
  std::string next_name(std::string_view base) {
    std::string name;
    do {
      name = fmt::format("{}-new-{}", base, ++numbers_[std::string(base)]);
    } while (!taken_.insert(name).second);
    return name;
  }

  // The pods of DaemonSets that nobody plays: each node of this kind has them.
  void add_daemons(cache::RowId row, const std::string& node, Plan& plan) const {
    for (const cache::PlacedPod& placed : cluster_.cache.nodes().at(row).pods) {
      const api::ObjectMeta& metadata = placed.pod->metadata;
      const api::OwnerReference* owner = api::controller_of(metadata);
      if (owner == nullptr || owner->kind != "DaemonSet") continue;
      if (daemon_sets_.contains(fmt::format("{}/{}", metadata.name_space.text(), owner->name))) continue;
      auto pod = std::make_shared<api::Pod>(*placed.pod);
      pod->metadata.name = fmt::format("{}-{}", owner->name, node);
      pod->metadata.uid.clear();
      pod->metadata.resource_version.clear();
      pod->spec.node_name = Symbol(node);
      plan.create.emplace_back(api::PodPtr(std::move(pod)));
    }
  }

  const explain::Cluster& cluster_;
  std::set<std::string> taken_;
  std::set<std::string> daemon_sets_;  // that are in the dump
  std::map<std::string, int> numbers_;
};

Result<void> plan_nodes(const NodesToAdd& wanted, const NodeNames& names, const explain::Cluster& cluster,
                        NodeMaker& maker, Plan& plan) {
  plan.words.push_back(
      fmt::format("add {} like {}", explain::counted(static_cast<std::size_t>(wanted.count), "node"), wanted.like));
  plan.add_words += (plan.add_words.empty() ? "" : "; ") + plan.words.back();
  if (wanted.model != nullptr) {
    for (std::int64_t i = 0; i < wanted.count; ++i) {
      maker.add(*wanted.model, cache::kNoRow, wanted.model->metadata.name, plan);
    }
    return {};
  }
  const auto found = names.find(wanted.like);
  if (!found) return fail(found.error());
  // Healthy ones if there are any, in turn: a pool may span zones.
  std::vector<cache::RowId> models;
  std::ranges::copy_if(*found, std::back_inserter(models),
                       [&](cache::RowId row) { return is_well(*cluster.cache.nodes().at(row).node); });
  if (models.empty()) models = *found;
  for (std::int64_t i = 0; i < wanted.count; ++i) {
    const cache::RowId row = models[static_cast<std::size_t>(i) % models.size()];
    maker.add(*cluster.cache.nodes().at(row).node, row, wanted.like, plan);
  }
  return {};
}

// --- Scaling ---------------------------------------------------------------------------------------------------------

struct ScalableKind {
  const api::ObjectKind* kind;
  std::string_view short_name;
};
std::array<ScalableKind, 5> scalable_kinds() {
  return {{{&api::kind_of<api::Deployment>(), "deploy"},
           {&api::kind_of<api::ReplicaSet>(), "rs"},
           {&api::kind_of<api::StatefulSet>(), "sts"},
           {&api::kind_of<api::ReplicationController>(), "rc"},
           {&api::kind_of<api::Job>(), "job"}}};
}

const api::ObjectKind* scalable_kind(std::string_view word) {
  const std::string given = lower(word);
  for (const ScalableKind& each : scalable_kinds()) {
    if (given == lower(each.kind->kind) || given == each.kind->resource || given == each.short_name) return each.kind;
  }
  return nullptr;
}

bool has_replica_set(const api::Deployment& deployment, std::span<const api::AnyObject> dump) {
  return std::ranges::any_of(dump, [&](const api::AnyObject& object) {
    const auto set = object.as<api::ReplicaSet>();
    const api::OwnerReference* owner = set == nullptr ? nullptr : api::controller_of(set->metadata);
    return owner != nullptr && owner->uid == deployment.metadata.uid;
  });
}

Result<Scaling> resolved(const Scaling& wanted, std::span<const api::AnyObject> dump) {
  const api::ObjectKind* kind = scalable_kind(wanted.kind);
  if (kind == nullptr) {
    return fail(Error(fmt::format("a {} has no number of pods to set", wanted.kind))
                    .with_fix("a Deployment, ReplicaSet, StatefulSet, ReplicationController or Job has"));
  }
  std::vector<api::AnyObject> found;
  for (const api::AnyObject& object : dump) {
    if (&object.kind() != kind || object.metadata().name != wanted.name) continue;
    const Symbol name_space = object.metadata().name_space;
    if (wanted.name_space.empty() || (name_space.empty() ? "default" : name_space.text()) == wanted.name_space) {
      found.push_back(object);
    }
  }
  if (found.empty()) {
    Error error(fmt::format("there is no {} {} in what was read", kind->kind, wanted.name));
    std::vector<std::string_view> names;
    for (const api::AnyObject& object : dump) {
      if (&object.kind() == kind) names.push_back(object.metadata().name);
    }
    const std::string_view nearest = config::nearest_name(wanted.name, names);
    return fail(nearest.empty() ? error : std::move(error).with_fix(fmt::format("did you mean {}?", nearest)));
  }
  if (found.size() > 1) {
    return fail(Error(fmt::format("{} namespaces have a {} {}", found.size(), kind->kind, wanted.name))
                    .with_fix(fmt::format("say {}/NAMESPACE/{}", wanted.kind, wanted.name)));
  }
  if (const auto deployment = found.front().as<api::Deployment>();
      deployment != nullptr && deployment->status.replicas > 0 && !has_replica_set(*deployment, dump)) {
    return fail(Error(fmt::format("the ReplicaSets of Deployment {} were not read", wanted.name))
                    .with_fix("dump replicasets too"));
  }
  Scaling scaling = wanted;
  scaling.kind = std::string(kind->kind);
  const Symbol name_space = found.front().metadata().name_space;
  scaling.name_space = name_space.empty() ? "default" : name_space.str();
  return scaling;
}

Result<std::vector<std::string>> resolved_nodes(std::span<const std::string> texts, const NodeNames& names,
                                                const explain::Cluster& cluster) {
  std::vector<std::string> result;
  for (const std::string& text : texts) {
    const auto found = names.find(text);
    if (!found) return fail(found.error());
    for (const cache::RowId row : *found) {
      std::string name = cluster.name_of(row);
      if (std::ranges::find(result, name) == result.end()) result.push_back(std::move(name));
    }
  }
  return result;
}

// "drain n-1 and n-2", "remove the pool gpu (4 nodes)"
std::string nodes_words(std::string_view verb, const std::string& text, const NodeNames& names) {
  const auto found = names.find(text);
  const std::size_t count = found ? found->size() : 0;
  if (names.is_pool(text)) return fmt::format("{} the pool {} ({})", verb, text, explain::counted(count, "node"));
  if (count == 1) return fmt::format("{} {}", verb, text);
  return fmt::format("{} {} ({})", verb, text, explain::counted(count, "node"));
}

// A node that is meant twice counts with the first.
void plan_leaving(const std::string& text, bool removes, const NodeNames& names, const explain::Cluster& cluster,
                  Plan& plan) {
  LeavingNodes& leaving = plan.leaving.emplace_back();
  leaving.subject = names.is_pool(text) ? "the pool " + text : text;
  leaving.words = nodes_words(removes ? "remove" : "drain", text, names);
  leaving.removes = removes;
  plan.words.push_back(leaving.words);
  if (const auto found = names.find(text)) {
    for (const cache::RowId row : *found) leaving.nodes.push_back(cluster.name_of(row));
  }
}

// --- Applied objects -------------------------------------------------------------------------------------------------

template <typename... Workloads>
api::AnyObject cleared(const api::AnyObject& object) {
  api::AnyObject result = object;
  const auto clear = [&]<typename T>(const std::shared_ptr<const T>& workload) {
    if (workload == nullptr) return;
    auto copy = std::make_shared<T>(*workload);
    copy->status = {};
    result = api::AnyObject(std::shared_ptr<const T>(std::move(copy)));
  };
  (clear(object.as<Workloads>()), ...);
  return result;
}

// A manifest that was taken from a cluster has a status. The API server takes none from who applies it.
api::AnyObject without_status(const api::AnyObject& object) {
  return cleared<api::Deployment, api::ReplicaSet, api::StatefulSet, api::DaemonSet, api::Job,
                 api::ReplicationController, api::PodDisruptionBudget>(object);
}

// The pods of a Deployment that is in the dump without its ReplicaSets would all be made again.
Result<void> check_applied(const api::AnyObject& object, std::span<const api::AnyObject> dump) {
  const auto applied = object.as<api::Deployment>();
  if (applied == nullptr) return {};
  for (const api::AnyObject& each : dump) {
    const auto deployment = each.as<api::Deployment>();
    if (deployment == nullptr || workload_key(each) != workload_key(object)) continue;
    if (deployment->status.replicas > 0 && !has_replica_set(*deployment, dump)) {
      return fail(Error(fmt::format("the ReplicaSets of Deployment {} were not read", deployment->metadata.name))
                      .with_fix("dump replicasets too"));
    }
  }
  return {};
}

std::string objects_words(std::span<const api::AnyObject> objects) {
  std::vector<std::string> names;
  for (const api::AnyObject& object : objects) {
    names.push_back(fmt::format("{} {}", object.kind().kind, api::full_name(object.metadata())));
  }
  return fmt::format("apply {}", explain::listed(names, kMaxNamed));
}

}  // namespace

std::string workload_key(const api::AnyObject& object) {
  const Symbol name_space = object.metadata().name_space;
  const std::string_view where = name_space.empty() ? std::string_view("default") : name_space.text();
  if (&object.kind() == &api::kind_of<api::Pod>()) return fmt::format("{}/{}", where, object.metadata().name);
  return fmt::format("{}/{}/{}", where, object.kind().kind, object.metadata().name);
}

std::string Scaling::workload() const {
  return fmt::format("{}/{}/{}", name_space, kind, name);
}

std::string Scaling::words() const {
  return fmt::format("scale {} {}/{} to {}", kind, name_space, name, replicas);
}

const LeavingNodes* Plan::find_leaving(const std::string& node) const {
  const auto found = std::ranges::find_if(
      leaving, [&](const LeavingNodes& each) { return std::ranges::find(each.nodes, node) != each.nodes.end(); });
  return found == leaving.end() ? nullptr : &*found;
}

bool Plan::applies(std::string_view workload) const {
  return std::ranges::any_of(apply, [&](const api::AnyObject& object) { return workload_key(object) == workload; });
}

bool Plan::leaves(const std::string& node) const {
  return std::ranges::find(drain, node) != drain.end() || std::ranges::find(remove, node) != remove.end();
}

Result<Scaling> parse_scaling(std::string_view text) {
  const std::size_t equals = text.rfind('='), slash = text.find('/');
  const auto replicas = equals == std::string_view::npos ? std::nullopt : number_in(text.substr(equals + 1));
  if (!replicas || *replicas > 1'000'000 || slash == std::string_view::npos || slash == 0 || slash + 1 >= equals) {
    return fail(fmt::format("expected KIND/NAME=N such as deployment/web=5, found \"{}\"", text));
  }
  Scaling result;
  result.kind = std::string(text.substr(0, slash));
  std::string_view name = text.substr(slash + 1, equals - slash - 1);
  if (const std::size_t second = name.find('/'); second != std::string_view::npos) {
    result.name_space = std::string(name.substr(0, second));
    name = name.substr(second + 1);
  }
  result.name = std::string(name);
  result.replicas = static_cast<std::int32_t>(*replicas);
  return result;
}

Result<NodesToAdd> parse_nodes_to_add(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const auto count = equals == std::string_view::npos ? std::nullopt : number_in(text.substr(equals + 1));
  if (!count || equals == 0) {
    return fail(fmt::format("expected TEMPLATE=N such as general=3, found \"{}\"", text));
  }
  if (*count < 1 || *count > kMaxNodesToAdd) {
    return fail(fmt::format("expected between 1 and {}, found {}", text::counted(kMaxNodesToAdd, "node"),
                            text::grouped(*count)));
  }
  NodesToAdd result;
  result.like = std::string(text.substr(0, equals));
  result.count = *count;
  return result;
}

Result<Plan> plan(const Changes& changes, const explain::Cluster& cluster, std::span<const api::AnyObject> dump) {
  Plan result;
  const NodeNames names(cluster);
  NodeMaker maker(cluster, dump);
  for (const NodesToAdd& wanted : changes.add_nodes) {
    if (auto planned = plan_nodes(wanted, names, cluster, maker, result); !planned) return fail(planned.error());
  }
  result.apply = changes.apply;
  for (api::AnyObject& object : result.apply) {
    auto allowed = admission::check_namespace(object, object.metadata().name_space.text(), dump, changes.apply);
    if (!allowed) return fail(allowed.error());
    if (auto checked = check_applied(object, dump); !checked) return fail(checked.error());
    object = without_status(object);
  }
  if (!result.apply.empty()) {
    result.apply_words = objects_words(result.apply);
    result.words.push_back(result.apply_words);
  }
  for (const Scaling& wanted : changes.scale) {
    auto scaling = resolved(wanted, dump);
    if (!scaling) return fail(scaling.error());
    result.words.push_back(scaling->words());
    result.scale.push_back(*std::move(scaling));
  }
  auto drain = resolved_nodes(changes.drain, names, cluster);
  if (!drain) return fail(drain.error());
  auto remove = resolved_nodes(changes.remove, names, cluster);
  if (!remove) return fail(remove.error());
  for (const std::string& text : changes.drain) plan_leaving(text, false, names, cluster, result);
  for (const std::string& text : changes.remove) plan_leaving(text, true, names, cluster, result);
  result.drain = *std::move(drain);
  result.remove = *std::move(remove);
  return result;
}

Result<void> carry_out(const Plan& plan, sim::World& world, const std::function<void()>& settle,
                       const std::function<void()>& before_removal) {
  for (const api::AnyObject& object : plan.create) {
    if (auto done = world.create(object); !done) return done;
  }
  for (const api::AnyObject& object : plan.apply) {
    if (auto done = world.apply(object); !done) return done;
  }
  for (const Scaling& scaling : plan.scale) {
    if (auto done = world.scale(scaling.kind, scaling.name_space, scaling.name, scaling.replicas); !done) return done;
  }
  settle();

  // As kubectl drain does with several: no pod moves from one to the next.
  std::vector<std::string> leaving = plan.drain;
  leaving.insert(leaving.end(), plan.remove.begin(), plan.remove.end());
  if (leaving.empty()) return {};
  for (const std::string& node : leaving) {
    if (auto done = world.cordon(node, true); !done) return done;
  }
  for (const std::string& node : leaving) {
    if (auto done = world.drain(node); !done) return done;
  }
  settle();

  if (plan.remove.empty()) return {};
  before_removal();
  for (const std::string& node : plan.remove) {
    if (auto done = world.remove(api::kind_of<api::Node>(), "", node); !done) return done;
  }
  settle();
  return {};
}

}  // namespace berth::whatif
