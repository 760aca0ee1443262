// Statements that put things into the cluster: nodes, pods, workloads, other objects, and whatever is in a file.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/base/interned.h"
#include "berth/codec/documents.h"
#include "berth/scenario/node_fields.h"
#include "berth/scenario/object_fields.h"
#include "berth/scenario/pod_fields.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/targets.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

constexpr std::int64_t kMostAtOnce = 10'000'000;

Result<void> create_nodes(sim::World& world, const NodeDraft& draft, const std::string& name, bool is_many,
                          std::size_t repetition) {
  for (std::size_t i = 0; i < draft.count; ++i) {
    const std::string own = is_many ? name_of_many(name, i, repetition) : numbered(name, repetition);
    auto node = std::make_shared<const api::Node>(finish(draft, own, i));
    if (auto created = world.create(api::AnyObject(std::move(node))); !created) return created;
  }
  return {};
}

Deed node_deed(NodeDraft draft, std::string name, bool is_many) {
  return make_deed(
      [draft = std::move(draft), name = std::move(name), is_many](sim::World& world, std::size_t repetition) {
        return create_nodes(world, draft, name, is_many, repetition);
      });
}

Parsed<Meaning> compile_node(std::string_view, Reader& reader, const Context&) {
  auto name = reader.name("a name for the node");
  if (!name) return std::unexpected(name.error());
  NodeDraft draft = new_node();
  if (auto read = read_fields(reader, FieldsOf<NodeDraft>{node_fields(), draft}); !read) {
    return std::unexpected(read.error());
  }
  return node_deed(std::move(draft), *std::move(name), false);
}

Parsed<Meaning> compile_nodes(std::string_view, Reader& reader, const Context&) {
  const auto count = reader.number("how many nodes", 0, kMostAtOnce);
  if (!count) return std::unexpected(count.error());
  auto name = reader.name("a name for the nodes");
  if (!name) return std::unexpected(name.error());
  NodeDraft draft = new_node();
  if (auto read = read_fields(reader, FieldsOf<NodeDraft>{node_fields(), draft},
                              FieldsOf<NodeDraft>{many_nodes_fields(), draft});
      !read) {
    return std::unexpected(read.error());
  }
  draft.count = static_cast<std::size_t>(*count);
  return node_deed(std::move(draft), *std::move(name), true);
}

Parsed<Meaning> compile_pool(std::string_view, Reader& reader, const Context&) {
  auto name = reader.name("a name for the pool");
  if (!name) return std::unexpected(name.error());
  NodeDraft draft = new_node();
  draft.labels[Symbol("pool")] = Symbol(*name);
  if (auto read =
          read_fields(reader, FieldsOf<NodeDraft>{pool_fields(), draft},
                      FieldsOf<NodeDraft>{many_nodes_fields(), draft}, FieldsOf<NodeDraft>{node_fields(), draft});
      !read) {
    return std::unexpected(read.error());
  }
  return node_deed(std::move(draft), *std::move(name), true);
}

Result<void> create_pod(sim::World& world, const api::Pod& pattern, std::string name) {
  auto pod = std::make_shared<api::Pod>(pattern);
  pod->metadata.name = std::move(name);
  return world.create(api::AnyObject(std::shared_ptr<const api::Pod>(std::move(pod))));
}

// A name with or without its namespace, and the fields of a pod.
struct NamedPod {
  std::string name;
  api::Pod pod;
};

Parsed<NamedPod> read_pod(Reader& reader, std::string_view what) {
  auto target = read_target(reader, what);
  if (!target) return std::unexpected(target.error());
  PodDraft draft = new_pod();
  draft.name_space = Symbol(target->name_space);
  if (auto read = read_fields(reader, FieldsOf<PodDraft>{pod_fields(), draft}); !read) {
    return std::unexpected(read.error());
  }
  return NamedPod{std::move(target->name), finish(std::move(draft))};
}

Parsed<Meaning> compile_pod(std::string_view, Reader& reader, const Context&) {
  auto pod = read_pod(reader, "a name for the pod");
  if (!pod) return std::unexpected(pod.error());
  return make_deed([pod = *std::move(pod)](sim::World& world, std::size_t repetition) {
    return create_pod(world, pod.pod, numbered(pod.name, repetition));
  });
}

Parsed<Meaning> compile_pods(std::string_view, Reader& reader, const Context&) {
  const auto count = reader.number("how many pods", 0, kMostAtOnce);
  if (!count) return std::unexpected(count.error());
  auto pod = read_pod(reader, "a name for the pods");
  if (!pod) return std::unexpected(pod.error());
  return make_deed([pod = *std::move(pod), count = static_cast<std::size_t>(*count)](
                       sim::World& world, std::size_t repetition) -> Result<void> {
    for (std::size_t i = 0; i < count; ++i) {
      if (auto made = create_pod(world, pod.pod, name_of_many(pod.name, i, repetition)); !made) return made;
    }
    return {};
  });
}

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
  return make_deed([word, name = std::move(target->name), workload, pod](sim::World& world, std::size_t repetition) {
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
    return make_deed([object = *std::move(object)](sim::World& world, std::size_t) { return world.apply(object); });
  }
  return mistake(reader.here(), "nothing is known of such objects");
}

std::string counted_mistakes(const std::vector<Error>& errors) {
  std::string text = errors.front().message();
  if (errors.size() > 1) text += fmt::format(" (and {} more)", errors.size() - 1);
  return text;
}

Parsed<Meaning> compile_apply(std::string_view, Reader& reader, const Context& context) {
  const Position at = reader.here();
  const auto source = read_document_or_file(reader, context, "a file of YAML or JSON, or <<END");
  if (!source) return std::unexpected(source.error());
  InternPool pool;
  codec::DecodeOptions decode;
  decode.pool = &pool;
  codec::Documents documents;
  codec::read_documents(source->text, source->name, decode, documents);
  if (!documents.errors.empty()) return mistake(at, counted_mistakes(documents.errors));
  if (documents.objects.empty()) return mistake(at, fmt::format("there are no objects in {}", source->name));
  for (const auto& [kind, count] : documents.unknown_kinds) {
    context.notes.push_back(fmt::format("{}: {} of kind {} left out", source->name, count, kind));
  }
  return make_deed([objects = std::move(documents.objects)](sim::World& world, std::size_t) -> Result<void> {
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
    {"apply", "FILE | <<END", "Objects from YAML or JSON: manifests, Lists, a dump of `kubectl get -o yaml`",
     Group::kThings, compile_apply},
});

}  // namespace

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
