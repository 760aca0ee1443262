// Statements that change what is there: what users, administrators and failing machines do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/scenario/node_fields.h"
#include "berth/scenario/pod_fields.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/targets.h"
#include "berth/scenario/values.h"
#include "berth/sim/api_server.h"
#include "berth/sim/object_copy.h"

namespace berth::scenario {

namespace {

using Kind = sim::HistoryEvent::Kind;

Parsed<std::vector<Target>> read_targets(Reader& reader, std::string_view what) {
  std::vector<Target> targets;
  do {
    auto target = read_target(reader, what);
    if (!target) return std::unexpected(target.error());
    targets.push_back(*std::move(target));
  } while (!reader.at_end());
  return targets;
}

// What is in a namespace goes with it. Those that make pods go first, so that they do not make them again; what an
// owner takes along is gone when its turn comes.
void empty_namespace(sim::World& world, const std::string& name) {
  const auto remove_all = [&](const api::ObjectKind& kind) {
    std::vector<std::string> names;
    world.api().for_each(kind, [&](const api::AnyObject& object) {
      if (object.metadata().name_space == name) names.push_back(object.metadata().name);
    });
    for (const std::string& each : names) (void)world.remove(kind, name, each);
  };
  const api::ObjectKind& pods = api::kind_of<api::Pod>();
  for (const api::ObjectKind& kind : api::all_kinds()) {
    if (kind.namespaced && kind.metadata != nullptr && &kind != &pods) remove_all(kind);
  }
  remove_all(pods);
}

Parsed<Meaning> compile_delete(std::string_view, Reader& reader, const Context&) {
  const auto kind = read_kind(reader);
  if (!kind) return std::unexpected(kind.error());
  auto targets = read_targets(reader, fmt::format("the name of a {}", word_of(**kind)));
  if (!targets) return std::unexpected(targets.error());
  return make_action(
      [kind = *kind, targets = *std::move(targets)](sim::World& world, std::size_t repetition) -> Result<void> {
        for (const Target& target : targets) {
          const auto objects = find(world, *kind, numbered(target, repetition));
          if (!objects) return fail(objects.error());
          for (const api::AnyObject& object : *objects) {
            const api::ObjectMeta& metadata = object.metadata();
            if (kind == &api::kind_of<api::Namespace>()) empty_namespace(world, metadata.name);
            if (auto removed = world.remove(*kind, metadata.name_space.text(), metadata.name); !removed) return removed;
          }
        }
        return {};
      },
      Kind::kStatement);
}

Parsed<Meaning> compile_scale(std::string_view, Reader& reader, const Context&) {
  constexpr auto kScalable = std::to_array<std::string_view>({"deployment", "replicaset", "statefulset"});
  const auto word = reader.one_of(kScalable, "deployment, replicaset or statefulset");
  if (!word) return std::unexpected(word.error());
  auto target = read_target(reader, fmt::format("the name of a {}", *word));
  if (!target) return std::unexpected(target.error());
  const auto replicas = reader.number("how many replicas", 0, 10'000'000);
  if (!replicas) return std::unexpected(replicas.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  Action action = make_action(
      [kind = kind_of_word(*word)->kind, target = *std::move(target), replicas = static_cast<std::int32_t>(*replicas)](
          sim::World& world, std::size_t repetition) {
        return world.scale(kind, target.name_space, numbered(target.name, repetition), replicas);
      },
      Kind::kStatement);
  action.objects = *replicas;
  return action;
}

Result<void> change_node(sim::World& world, std::string_view word, const std::string& node) {
  if (word == "cordon") return world.cordon(node, true);
  if (word == "uncordon") return world.cordon(node, false);
  if (word == "drain") return world.drain(node);
  if (word == "fail-node") return world.fail_node(node);
  return world.recover_node(node);
}

Parsed<Meaning> compile_node_change(std::string_view word, Reader& reader, const Context&) {
  auto targets = read_targets(reader, "the name of a node");
  if (!targets) return std::unexpected(targets.error());
  return make_action([word, targets = *std::move(targets)](sim::World& world, std::size_t repetition) -> Result<void> {
    for (const Target& target : targets) {
      const auto nodes = find(world, api::kind_of<api::Node>(), numbered(target, repetition));
      if (!nodes) return fail(nodes.error());
      for (const api::AnyObject& node : *nodes) {
        if (auto changed = change_node(world, word, node.metadata().name); !changed) return changed;
      }
    }
    return {};
  });
}

// --- Labels and taints -----------------------------------------------------------------------------------------------

struct LabelChange {
  Symbol key;
  std::optional<Symbol> value;  // nothing: taken away
};

template <typename Object>
Result<void> change_labels(sim::World& world, const Target& target, const std::vector<LabelChange>& changes) {
  return edit<Object>(world, target, [&](Object& object) {
    api::Labels labels = *object.metadata.labels;
    for (const LabelChange& change : changes) {
      if (change.value) {
        labels[change.key] = *change.value;
      } else {
        labels.erase(change.key);
      }
    }
    object.metadata.labels = std::move(labels);
  });
}

Parsed<std::vector<LabelChange>> read_label_changes(Reader& reader, bool are_set) {
  std::vector<LabelChange> changes;
  do {
    const Word* word = reader.peek();
    if (word == nullptr || word->is_quoted || word->has_value() != are_set || !read_label_key(word->key())) {
      return reader.expected(are_set ? "a label such as disk=ssd" : "the name of a label");
    }
    LabelChange change{Symbol(word->key()), std::nullopt};
    if (are_set) {
      const auto value = read_label_value(word->value());
      if (!value) return std::unexpected(unexpected_text(word->value_at(), value.error(), word->value()));
      change.value = *value;
    }
    changes.push_back(change);
    reader.skip();
  } while (!reader.at_end());
  return changes;
}

constexpr auto kLabelled = std::to_array<std::string_view>({"node", "pod", "namespace"});

Parsed<Meaning> compile_label(std::string_view word, Reader& reader, const Context&) {
  const auto kind = reader.one_of(kLabelled, "node, pod or namespace");
  if (!kind) return std::unexpected(kind.error());
  auto target = read_target(reader, fmt::format("the name of a {}", *kind));
  if (!target) return std::unexpected(target.error());
  auto changes = read_label_changes(reader, word == "label");
  if (!changes) return std::unexpected(changes.error());
  return make_action(
      [kind = *kind, target = *std::move(target), changes = *std::move(changes)](sim::World& world,
                                                                                 std::size_t repetition) {
        const Target own = numbered(target, repetition);
        if (kind == "node") return change_labels<api::Node>(world, own, changes);
        if (kind == "pod") return change_labels<api::Pod>(world, own, changes);
        return change_labels<api::Namespace>(world, own, changes);
      },
      Kind::kStatement);
}

bool is_same_taint(const api::Taint& a, const api::Taint& b) {
  return a.key == b.key && a.effect == b.effect;
}

Parsed<Meaning> compile_taint(std::string_view, Reader& reader, const Context&) {
  if (auto node = reader.keyword("node"); !node) return std::unexpected(node.error());
  auto target = read_target(reader, "the name of a node");
  if (!target) return std::unexpected(target.error());
  std::vector<api::Taint> taints;
  do {
    auto taint = reader.value(read_taint);
    if (!taint) return std::unexpected(taint.error());
    taints.push_back(*std::move(taint));
  } while (!reader.at_end());
  return make_action(
      [target = *std::move(target), taints = std::move(taints)](sim::World& world, std::size_t repetition) {
        return edit<api::Node>(world, numbered(target, repetition), [&](api::Node& node) {
          for (const api::Taint& taint : taints) {
            std::erase_if(node.spec.taints, [&](const api::Taint& each) { return is_same_taint(each, taint); });
            node.spec.taints.push_back(taint);
          }
        });
      });
}

Parsed<Meaning> compile_untaint(std::string_view, Reader& reader, const Context&) {
  if (auto node = reader.keyword("node"); !node) return std::unexpected(node.error());
  auto target = read_target(reader, "the name of a node");
  if (!target) return std::unexpected(target.error());
  std::vector<std::string> taints;
  do {
    auto taint = reader.name("a taint's key, or KEY:EFFECT");
    if (!taint) return std::unexpected(taint.error());
    taints.push_back(*std::move(taint));
  } while (!reader.at_end());
  return make_action(
      [target = *std::move(target), taints = std::move(taints)](sim::World& world, std::size_t repetition) {
        return edit<api::Node>(world, numbered(target, repetition), [&](api::Node& node) {
          std::erase_if(node.spec.taints, [&](const api::Taint& taint) {
            return std::ranges::any_of(taints, [&](const std::string& text) {
              return taint.key == text || taint.key.str() + ":" + taint.effect.str() == text;
            });
          });
        });
      });
}

// --- Fields of nodes and pods ----------------------------------------------------------------------------------------

// The words are checked when the statement is read, and applied again to each object.
template <typename Object, typename Draft>
Parsed<Meaning> compile_fields(Reader& reader, Target target, std::span<const FieldSpec<Draft>> fields, Draft scratch) {
  if (reader.at_end()) return reader.expected("fields such as cpu=2");
  const std::vector<Word> words(reader.rest().begin(), reader.rest().end());
  if (auto read = read_fields(reader, FieldsOf<Draft>{fields, scratch}); !read) return std::unexpected(read.error());
  return make_action(
      [target = std::move(target), words, fields](sim::World& world, std::size_t repetition) {
        return edit<Object>(world, numbered(target, repetition), [&](Object& object) {
          Draft draft = draft_of(object);
          for (const Word& word : words) (void)set_field(word, FieldsOf<Draft>{fields, draft});
          if constexpr (std::is_same_v<Object, api::Pod>) {
            object = finish(std::move(draft), object);
          } else {
            object = finish(draft, object.metadata.name);
          }
        });
      },
      Kind::kStatement);
}

Parsed<Meaning> compile_set(std::string_view, Reader& reader, const Context&) {
  constexpr auto kKinds = std::to_array<std::string_view>({"node", "pod"});
  const auto kind = reader.one_of(kKinds, "node or pod");
  if (!kind) return std::unexpected(kind.error());
  auto target = read_target(reader, fmt::format("the name of a {}", *kind));
  if (!target) return std::unexpected(target.error());
  if (*kind == "node") return compile_fields<api::Node>(reader, *std::move(target), node_fields(), new_node());
  return compile_fields<api::Pod>(reader, *std::move(target), pod_fields(), new_pod());
}

Parsed<Meaning> compile_ungate(std::string_view, Reader& reader, const Context&) {
  auto target = read_target(reader, "the name of a pod");
  if (!target) return std::unexpected(target.error());
  std::vector<std::string> gates;
  while (!reader.at_end()) {
    auto gate = reader.name("the name of a gate");
    if (!gate) return std::unexpected(gate.error());
    gates.push_back(*std::move(gate));
  }
  return make_action(
      [target = *std::move(target), gates = std::move(gates)](sim::World& world, std::size_t repetition) {
        return edit<api::Pod>(world, numbered(target, repetition), [&](api::Pod& pod) {
          api::PodTemplate spec = *pod.spec;
          std::erase_if(spec.scheduling_gates, [&](const api::PodSchedulingGate& gate) {
            return gates.empty() || std::ranges::find(gates, gate.name.text()) != gates.end();
          });
          pod.spec.shared = std::move(spec);
        });
      },
      Kind::kStatement);
}

// --- Single pods -----------------------------------------------------------------------------------------------------

Result<void> recreate(sim::World& world, const Target& target) {
  const auto pods = find(world, api::kind_of<api::Pod>(), target);
  if (!pods) return fail(pods.error());
  for (const api::AnyObject& object : *pods) {
    const auto pod = object.as<api::Pod>();
    const api::ObjectMeta& metadata = pod->metadata;
    if (auto removed = world.remove(object.kind(), metadata.name_space.text(), metadata.name); !removed) return removed;
    world.api().finish_deletion(metadata.name_space, metadata.name, metadata.uid);
    auto created = world.create(api::AnyObject(std::make_shared<const api::Pod>(sim::as_created(*pod))));
    if (!created) return created;
  }
  return {};
}

Result<void> finish_pods(sim::World& world, const Target& target, Symbol phase) {
  return edit<api::Pod>(world, target, [&](api::Pod& pod) { pod.status.phase = phase; });
}

Parsed<Meaning> compile_pod_action(std::string_view word, Reader& reader, const Context&) {
  if (auto pod = reader.keyword("pod"); !pod) return std::unexpected(pod.error());
  auto target = read_target(reader, "the name of a pod");
  if (!target) return std::unexpected(target.error());
  const bool fails = word == "finish" && reader.accept("failed");
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return make_action(
      [word, target = *std::move(target), fails](sim::World& world, std::size_t repetition) {
        const Target own = numbered(target, repetition);
        return word == "recreate" ? recreate(world, own)
                                  : finish_pods(world, own, Symbol(fails ? "Failed" : "Succeeded"));
      },
      Kind::kStatement);
}

Parsed<Meaning> compile_bind(std::string_view, Reader& reader, const Context&) {
  if (auto pod = reader.keyword("pod"); !pod) return std::unexpected(pod.error());
  auto target = read_target(reader, "the name of a pod");
  if (!target) return std::unexpected(target.error());
  if (auto to = reader.keyword("to"); !to) return std::unexpected(to.error());
  auto node = reader.name("the name of a node");
  if (!node) return std::unexpected(node.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return make_action(
      [target = *std::move(target), node = *std::move(node)](sim::World& world,
                                                             std::size_t repetition) -> Result<void> {
        const auto pods = find(world, api::kind_of<api::Pod>(), numbered(target, repetition));
        if (!pods) return fail(pods.error());
        for (const api::AnyObject& pod : *pods) {
          api::Binding binding;
          binding.metadata.name = pod.metadata().name;
          binding.metadata.name_space = pod.metadata().name_space;
          binding.metadata.uid = pod.metadata().uid;
          binding.target.kind = Symbol("Node");
          binding.target.name = numbered(node, repetition);
          if (auto bound = world.api().bind(binding, world.now()); !bound) return fail(bound.error().message);
        }
        return {};
      },
      Kind::kStatement);
}

// --- The scheduler ---------------------------------------------------------------------------------------------------

Parsed<Meaning> compile_scheduler(std::string_view word, Reader& reader, const Context&) {
  if (auto scheduler = reader.keyword("scheduler"); !scheduler) return std::unexpected(scheduler.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  return make_action([word](sim::World& world, std::size_t) -> Result<void> {
    if (word != "start" && !world.is_scheduler_up()) return fail("the scheduler is down already");
    if (word == "start" && world.is_scheduler_up()) return fail("the scheduler is up already");
    if (word != "start") world.crash_scheduler();
    if (word != "crash") world.start_scheduler();
    return {};
  });
}

constexpr auto kStatements = std::to_array<StatementSpec>({
    {"delete", "KIND NAME...", "Delete objects; `*` in a name stands for anything", Group::kChanges, compile_delete},
    {"scale", "KIND NAME REPLICAS", "Scale a deployment, replicaset or statefulset", Group::kChanges, compile_scale},
    {"set", "node|pod NAME FIELD...", "Change fields of what is there", Group::kChanges, compile_set},
    {"label", "node|pod|namespace NAME KEY=VALUE...", "Add or change labels", Group::kChanges, compile_label},
    {"unlabel", "node|pod|namespace NAME KEY...", "Take labels away", Group::kChanges, compile_label},
    {"taint", "node NAME KEY[=VALUE]:EFFECT...", "Add taints", Group::kChanges, compile_taint},
    {"untaint", "node NAME KEY[:EFFECT]...", "Take taints away", Group::kChanges, compile_untaint},
    {"cordon", "NODE...", "Nothing new is placed there", Group::kChanges, compile_node_change},
    {"uncordon", "NODE...", "... and now again", Group::kChanges, compile_node_change},
    {"drain", "NODE...", "Cordon, and evict its pods", Group::kChanges, compile_node_change},
    {"fail-node", "NODE...", "Its kubelet is gone: it is tainted, and its pods are lost after a while", Group::kChanges,
     compile_node_change},
    {"recover-node", "NODE...", "It is back", Group::kChanges, compile_node_change},
    {"ungate", "POD [GATE...]", "Take scheduling gates away; all if none is named", Group::kChanges, compile_ungate},
    {"recreate", "pod NAME", "Delete it and create it anew under the same name, at once", Group::kChanges,
     compile_pod_action},
    {"finish", "pod NAME [failed]", "It has run to its end", Group::kChanges, compile_pod_action},
    {"bind", "pod NAME to NODE", "Somebody else binds it", Group::kChanges, compile_bind},
    {"crash", "scheduler", "It loses its memory, and nothing is scheduled", Group::kChanges, compile_scheduler},
    {"start", "scheduler", "... until it is started", Group::kChanges, compile_scheduler},
    {"restart", "scheduler", "Both at once", Group::kChanges, compile_scheduler},
});

}  // namespace

std::span<const StatementSpec> change_statements() {
  return kStatements;
}

}  // namespace berth::scenario
