// Statements that put things into the cluster: nodes, pods, workloads, other objects, and whatever is in a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/interned.h"
#include "berth/codec/documents.h"
#include "berth/scenario/node_fields.h"
#include "berth/scenario/object_fields.h"
#include "berth/scenario/pod_fields.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/targets.h"
#include "berth/scenario/values.h"
#include "berth/sim/api_server.h"
#include "berth/validation/written_objects.h"

namespace berth::scenario {

namespace {

constexpr std::int64_t kMostAtOnce = 10'000'000;

// The words that are left of a statement.
Line rest_of(Reader& reader) {
  Line line{{reader.rest().begin(), reader.rest().end()}, std::nullopt};
  while (!reader.at_end()) reader.skip();
  return line;
}

// What {n} stands for in the fields of one of many things: which one it is, or which time under `every`.
std::size_t number_of(std::size_t index, std::size_t repetition) {
  return repetition == 0 ? index + 1 : repetition;
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

Result<void> create_node(sim::World& world, const NodeDraft& draft, const std::string& name, std::size_t index) {
  return world.create(api::AnyObject(std::make_shared<const api::Node>(finish(draft, name, index))));
}

Parsed<Meaning> compile_node(std::string_view, Reader& reader, const Context&) {
  auto name = reader.name("a name for the node");
  if (!name) return std::unexpected(name.error());
  NodeDraft draft = new_node();
  if (auto read = read_fields(reader, FieldsOf<NodeDraft>{node_fields(), draft}); !read) {
    return std::unexpected(read.error());
  }
  return make_creation(sim::kObjectsPerNode,
                       [draft = std::move(draft), name = *std::move(name)](sim::World& world, std::size_t repetition) {
                         return create_node(world, draft, numbered(name, repetition), 0);
                       });
}

// The fields of `nodes`, or of a pool.
Parsed<NodeDraft> read_node_fields(const Line& fields, const std::string& pool) {
  NodeDraft draft = new_node();
  const FieldsOf<NodeDraft> own{node_fields(), draft}, of_many{many_nodes_fields(), draft};
  Reader reader(fields);
  Parsed<void> read;
  if (pool.empty()) {
    read = read_fields(reader, own, of_many);
  } else {
    draft.labels[Symbol("pool")] = Symbol(pool);
    read = read_fields(reader, FieldsOf<NodeDraft>{pool_fields(), draft}, of_many, own);
  }
  if (!read) return std::unexpected(read.error());
  return draft;
}

// `count` is that of `nodes`; the fields of a pool have it.
Parsed<Meaning> compile_many_nodes(const std::string& name, const std::string& pool, std::optional<std::int64_t> count,
                                   Reader& reader) {
  const Line fields = rest_of(reader);
  auto first = read_node_fields(numbered(fields, 1), pool);
  if (!first) return std::unexpected(first.error());
  if (count) first->count = static_cast<std::size_t>(*count);
  const auto objects = static_cast<std::int64_t>(first->count * sim::kObjectsPerNode);
  return make_creation(objects,
                       [name, pool, fields, draft = *std::move(first), differ = has_number(fields)](
                           sim::World& world, std::size_t repetition) -> Result<void> {
                         for (std::size_t i = 0; i < draft.count; ++i) {
                           std::optional<NodeDraft> own;
                           if (differ) {
                             auto read = read_node_fields(numbered(fields, number_of(i, repetition)), pool);
                             if (!read) return fail(read.error().what);
                             own = *std::move(read);
                           }
                           if (auto made = create_node(world, own ? *own : draft, name_of_many(name, i, repetition), i);
                               !made)
                             return made;
                         }
                         return {};
                       });
}

Parsed<Meaning> compile_nodes(std::string_view, Reader& reader, const Context&) {
  const auto count = reader.number("how many nodes", 0, kMostAtOnce);
  if (!count) return std::unexpected(count.error());
  const auto name = reader.name("a name for the nodes");
  if (!name) return std::unexpected(name.error());
  return compile_many_nodes(*name, "", *count, reader);
}

Parsed<Meaning> compile_pool(std::string_view, Reader& reader, const Context&) {
  const auto name = reader.name("a name for the pool");
  if (!name) return std::unexpected(name.error());
  return compile_many_nodes(*name, *name, std::nullopt, reader);
}

// --- Pods ------------------------------------------------------------------------------------------------------------

Result<void> create_pod(sim::World& world, const api::Pod& pattern, std::string name) {
  auto pod = std::make_shared<api::Pod>(pattern);
  pod->metadata.name = std::move(name);
  return world.create(api::AnyObject(std::shared_ptr<const api::Pod>(std::move(pod))));
}

// A pod without a name.
Parsed<api::Pod> read_pod_fields(Reader& reader, std::string_view name_space) {
  PodDraft draft = new_pod();
  draft.name_space = Symbol(name_space);
  if (auto read = read_fields(reader, FieldsOf<PodDraft>{pod_fields(), draft}); !read) {
    return std::unexpected(read.error());
  }
  return finish(std::move(draft));
}

Parsed<api::Pod> read_pod_fields(const Line& fields, std::string_view name_space) {
  Reader reader(fields);
  return read_pod_fields(reader, name_space);
}

Parsed<Meaning> compile_pod(std::string_view, Reader& reader, const Context&) {
  auto target = read_target(reader, "a name for the pod");
  if (!target) return std::unexpected(target.error());
  auto pod = read_pod_fields(reader, target->name_space);
  if (!pod) return std::unexpected(pod.error());
  return make_creation(
      1, [name = std::move(target->name), pod = *std::move(pod)](sim::World& world, std::size_t repetition) {
        return create_pod(world, pod, numbered(name, repetition));
      });
}

Parsed<Meaning> compile_pods(std::string_view, Reader& reader, const Context&) {
  const auto count = reader.number("how many pods", 0, kMostAtOnce);
  if (!count) return std::unexpected(count.error());
  const auto target = read_target(reader, "a name for the pods");
  if (!target) return std::unexpected(target.error());
  const Line fields = rest_of(reader);
  auto first = read_pod_fields(numbered(fields, 1), target->name_space);
  if (!first) return std::unexpected(first.error());
  return make_creation(*count,
                       [target = *target, fields, pattern = *std::move(first), count = static_cast<std::size_t>(*count),
                        differ = has_number(fields)](sim::World& world, std::size_t repetition) -> Result<void> {
                         for (std::size_t i = 0; i < count; ++i) {
                           std::optional<api::Pod> own;
                           if (differ) {
                             auto read = read_pod_fields(numbered(fields, number_of(i, repetition)), target.name_space);
                             if (!read) return fail(read.error().what);
                             own = *std::move(read);
                           }
                           const api::Pod& pod = own ? *own : pattern;
                           if (auto made = create_pod(world, pod, name_of_many(target.name, i, repetition)); !made)
                             return made;
                         }
                         return {};
                       });
}

// --- Other things ----------------------------------------------------------------------------------------------------

Parsed<Meaning> compile_workload(std::string_view word, Reader& reader, const Context&) {
  auto target = read_target(reader, fmt::format("a name for the {}", word));
  if (!target) return std::unexpected(target.error());
  WorkloadDraft workload;
  PodDraft pod = new_pod();
  pod.name_space = Symbol(target->name_space);
  if (auto read = read_fields(reader, FieldsOf<WorkloadDraft>{workload_fields(), workload},
                              FieldsOf<PodDraft>{pod_fields(), pod});
      !read) {
    return std::unexpected(read.error());
  }
  const std::int64_t objects = objects_of(make_workload(word, target->name, workload, pod));
  return make_creation(
      objects, [word, name = std::move(target->name), workload, pod](sim::World& world, std::size_t repetition) {
        return world.apply(make_workload(word, numbered(name, repetition), workload, pod));
      });
}

Parsed<Meaning> compile_object(std::string_view word, Reader& reader, const Context&) {
  const auto target = read_target(reader, fmt::format("a name for the {}", word));
  if (!target) return std::unexpected(target.error());
  for (const ObjectWord& row : object_words()) {
    if (row.word != word) continue;
    auto object = row.make(reader, Symbol(target->name_space), target->name);
    if (!object) return std::unexpected(object.error());
    return make_creation(1,
                         [object = *std::move(object)](sim::World& world, std::size_t) { return world.apply(object); });
  }
  return mistake(reader.here(), "nothing is known of such objects");
}

// One a line, so that each is found where it stands.
std::string listed_mistakes(const std::vector<Error>& errors) {
  constexpr std::size_t kMaxListed = 5;
  std::string text = errors.front().message();
  for (std::size_t i = 1; i < std::min(errors.size(), kMaxListed); ++i) text += "; " + errors[i].message();
  if (errors.size() > kMaxListed) text += fmt::format("; and {} more", errors.size() - kMaxListed);
  return text;
}

// "Secret, example.com/v1 Thing"
std::string unknown_kinds_of(const codec::Documents& documents) {
  std::string text;
  for (const auto& [kind, count] : documents.unknown_kinds) text += (text.empty() ? "" : ", ") + kind;
  return text;
}

Parsed<Meaning> compile_apply(std::string_view, Reader& reader, const Context& context) {
  const Position at = reader.here();
  const auto source = read_document_or_file(reader, context, "a file of YAML or JSON, or <<END");
  if (!source) return std::unexpected(source.error());
  InternPool pool;
  codec::Documents documents;
  validation::read_written(source->text, source->name, &pool, documents);
  if (!documents.errors.empty()) return mistake(at, listed_mistakes(documents.errors));
  if (documents.objects.empty()) {
    const std::string kinds = documents.unknown_kinds.empty()
                                  ? std::string()
                                  : fmt::format(" of a kind that matters here: only {}", unknown_kinds_of(documents));
    return mistake(at, fmt::format("there are no objects{} in {}", kinds, source->name));
  }
  for (const auto& [kind, count] : documents.unknown_kinds) {
    context.notes.push_back(fmt::format("{}: {} of kind {} left out", source->name, count, kind));
  }
  std::int64_t count = 0;
  for (const api::AnyObject& object : documents.objects) count += objects_of(object);
  return make_creation(count, [objects = std::move(documents.objects)](sim::World& world, std::size_t) -> Result<void> {
    for (const api::AnyObject& object : objects) {
      if (auto applied = world.apply(object); !applied) return applied;
    }
    return {};
  });
}

constexpr auto kStatements = std::to_array<StatementSpec>({
    {"node", "NAME FIELD...", "A node", Group::kThings, compile_node},
    {"nodes", "COUNT NAME FIELD...", "Nodes NAME-1, NAME-2, ...; or with the number in place of `{n}` in NAME",
     Group::kThings, compile_nodes},
    {"pool", "NAME count=COUNT FIELD...", "Nodes NAME-1, NAME-2, ... with the label `pool=NAME`", Group::kThings,
     compile_pool},
    {"nodegroup", "NAME FIELD...", "A group of nodes that the autoscaler resizes; its nodes have the label `pool=NAME`",
     Group::kThings, compile_node_group},
    {"autoscaler", "FIELD... | off", "How the autoscaler works: it adds nodes to groups for pods that fit nowhere",
     Group::kThings, compile_autoscaler},
    {"pod", "NAME FIELD...", "A pod", Group::kThings, compile_pod},
    {"pods", "COUNT NAME FIELD...", "Pods NAME-1, NAME-2, ...; or with the number in place of `{n}` in NAME",
     Group::kThings, compile_pods},
    {"deployment", "NAME FIELD...", "A Deployment; if it is there already, it is changed and rolled out",
     Group::kThings, compile_workload},
    {"replicaset", "NAME FIELD...", "A ReplicaSet", Group::kThings, compile_workload},
    {"statefulset", "NAME FIELD...", "A StatefulSet", Group::kThings, compile_workload},
    {"daemonset", "NAME FIELD...", "A DaemonSet", Group::kThings, compile_workload},
    {"job", "NAME FIELD...", "A Job", Group::kThings, compile_workload},
    {"pdb", "NAME FIELD...", "A PodDisruptionBudget", Group::kThings, compile_object},
    {"priorityclass", "NAME FIELD...", "A PriorityClass", Group::kThings, compile_object},
    {"namespace", "NAME FIELD...", "A Namespace; only needed for its labels", Group::kThings, compile_object},
    {"service", "NAME FIELD...", "A Service", Group::kThings, compile_object},
    {"storageclass", "NAME FIELD...", "A StorageClass", Group::kThings, compile_object},
    {"pv", "NAME FIELD...", "A PersistentVolume", Group::kThings, compile_object},
    {"pvc", "NAME FIELD...", "A PersistentVolumeClaim", Group::kThings, compile_object},
    {"csinode", "NODE FIELD...", "What CSI drivers a node has", Group::kThings, compile_object},
    {"quota", "NAME FIELD...", "A ResourceQuota", Group::kThings, compile_object},
    {"limitrange", "NAME FIELD...", "A LimitRange", Group::kThings, compile_object},
    {"apply", "FILE | <<END", "Objects from YAML or JSON: manifests, Lists, a dump of `kubectl get -o yaml`",
     Group::kThings, compile_apply},
});

}  // namespace

std::int64_t objects_of(const api::AnyObject& object) {
  if (object.as<api::Node>() != nullptr) return sim::kObjectsPerNode;
  if (const auto owner = object.as<api::Deployment>()) return std::int64_t{2} + owner->spec.replicas.value_or(1);
  if (const auto owner = object.as<api::ReplicaSet>()) return std::int64_t{1} + owner->spec.replicas.value_or(1);
  if (const auto owner = object.as<api::ReplicationController>())
    return std::int64_t{1} + owner->spec.replicas.value_or(1);
  if (const auto owner = object.as<api::StatefulSet>()) {
    const auto claims = static_cast<std::int64_t>(owner->spec.volume_claim_templates.size());
    return 1 + owner->spec.replicas.value_or(1) * (1 + claims);
  }
  if (const auto job = object.as<api::Job>()) {
    return 1 + std::int64_t{std::max(job->spec.parallelism.value_or(1), job->spec.completions.value_or(1))};
  }
  return 1;
}

std::span<const StatementSpec> thing_statements() {
  return kStatements;
}

Parsed<NamedText> read_document_or_file(Reader& reader, const Context& context, std::string_view what) {
  if (const auto& document = reader.line().document; document && reader.is_next("<<" + document->end)) {
    reader.skip();
    if (auto end = reader.end(); !end) return std::unexpected(end.error());
    // Lines before it make the numbers in messages right.
    const std::string lines_before(static_cast<std::size_t>(document->first_line - 1), '\n');
    return NamedText{context.options.file, lines_before + document->text};
  }
  const Position at = reader.here();
  const auto name = reader.text(what);
  if (!name) return std::unexpected(name.error());
  if (auto end = reader.end(); !end) return std::unexpected(end.error());
  const std::filesystem::path path = std::filesystem::path(context.options.file).parent_path() / *name;
  auto text = context.options.read(path.string());
  if (!text) return mistake(at, fmt::format("cannot read {}: {}", path.string(), text.error().message()));
  return NamedText{path.string(), *std::move(text)};
}

}  // namespace berth::scenario
