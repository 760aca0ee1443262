#include "cmd/berth/cluster_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/plugins/volume_claims.h"
#include "berth/text/escape.h"
#include "berth/text/words.h"
#include "berth/validation/dump_notes.h"
#include "berth/validation/written_objects.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/output.h"
#include "cmd/berth/progress.h"

namespace berth::cmd {
namespace {

constexpr std::size_t kMaxKinds = 4;
// More than a screenful of errors hides the first.
constexpr std::size_t kMaxErrors = 20;

constexpr std::string_view kHowToDump = "kubectl get nodes,pods -A -o yaml";

bool is_manifest(std::string name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// A folder's manifests in order of their names; anything else is itself.
std::vector<std::string> files_of(const std::string& file) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_directory(file, error)) return {file};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(file, error)) {
    if (is_manifest(entry.path().filename().string())) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

template <typename Read>
codec::Documents read_all(const std::vector<std::string>& files, Read read) {
  codec::Documents documents;
  for (const std::string& given : files) {
    const std::vector<std::string> found = files_of(given);
    if (found.empty()) {
      documents.errors.push_back(Error("there is no *.yaml, *.yml or *.json file in it").in_file(given));
    }
    for (const std::string& file : found) {
      std::optional<Progress> progress;
      // Who types it in need not be told.
      if (file != "-" || !is_terminal(stdin)) progress.emplace("Reading " + shown_name(file));
      if (const auto text = read_whole(file)) {
        read(*text, shown_name(file), documents);
      } else {
        documents.errors.push_back(text.error());
      }
    }
  }
  return documents;
}

std::string names_of(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(shown_name(file));
  return text::listed(names, kMaxKinds);
}

bool has_nodes(const codec::Documents& documents) {
  return std::ranges::any_of(documents.objects,
                             [](const api::AnyObject& object) { return object.as<api::Node>() != nullptr; });
}

// The controllers that own pods, or the ReplicaSets of pods, and that Berth does not know, with the number of pods.
std::map<std::string, std::int64_t> pods_of_unknown_owners(const std::vector<api::AnyObject>& objects) {
  const auto unknown_owner = [](const api::ObjectMeta& metadata) -> std::string {
    const api::OwnerReference* owner = api::controller_of(metadata);
    if (owner == nullptr || api::find_kind(owner->api_version.text(), owner->kind.text()) != nullptr) return "";
    // Those that Berth's readers do not need, but that are Kubernetes' own.
    if (owner->kind == "CronJob") return "";
    return fmt::format("{} {}", owner->kind.text(), owner->name);
  };
  std::map<std::pair<std::string, std::string>, std::string> of_sets;  // by namespace and name
  for (const api::AnyObject& object : objects) {
    const auto set = object.as<api::ReplicaSet>();
    if (set == nullptr) continue;
    if (std::string owner = unknown_owner(set->metadata); !owner.empty()) {
      of_sets[{set->metadata.name_space.str(), set->metadata.name}] = std::move(owner);
    }
  }
  std::map<std::string, std::int64_t> counts;
  for (const api::AnyObject& object : objects) {
    const auto pod = object.as<api::Pod>();
    if (pod == nullptr) continue;
    if (std::string owner = unknown_owner(pod->metadata); !owner.empty()) {
      ++counts[owner];
    } else if (const api::OwnerReference* set = api::controller_of(pod->metadata); set != nullptr && !of_sets.empty()) {
      const auto found = of_sets.find({pod->metadata.name_space.str(), set->name});
      if (found != of_sets.end()) ++counts[found->second];
    }
  }
  return counts;
}

}  // namespace

std::string ClusterInput::full_name(const std::string& name) const {
  const bool is_alone = !name.empty() && name.find('/') == std::string::npos;
  return is_alone && !name_space.empty() ? name_space + "/" + name : name;
}

std::expected<ClusterInput, InputError> read_cluster(const std::vector<std::string>& files, const ClusterAccess& access,
                                                     const ClusterKinds& kinds, std::string_view option,
                                                     InternPool& pool) {
  ClusterInput input;
  if (!files.empty()) {
    input.documents = read_objects(files, pool);
    input.name_space = access.name_space;
    if (input.documents.objects.empty())
      return std::unexpected(InputError{Error(no_cluster_in(input.documents, files))});
    return input;
  }
  const auto endpoint = cluster_endpoint(access);
  if (!endpoint) {
    return std::unexpected(InputError{
        Error(fmt::format("which cluster? Give {}, or a kubeconfig: {}", option, endpoint.error().message())),
        kExitUsage});
  }
  auto listed = list_cluster(*endpoint, kinds, pool);
  if (!listed) return std::unexpected(InputError{std::move(listed).error()});
  input.documents = *std::move(listed);
  // As for kubectl, a name alone is one of the context's namespace.
  input.name_space = endpoint->name_space.empty() ? "default" : endpoint->name_space;
  if (!kinds.events_of.empty()) list_events_of(*endpoint, input.full_name(kinds.events_of), pool, input.documents);
  return input;
}

void set_namespace(std::vector<api::AnyObject>& objects, std::string_view name_space) {
  if (name_space.empty()) return;
  const auto set_if = [&]<typename T>(api::AnyObject& object, const std::shared_ptr<const T>& given) {
    if (given == nullptr || !given->metadata.name_space.empty()) return;
    T changed = *given;
    changed.metadata.name_space = Symbol(name_space);
    object = api::AnyObject(std::make_shared<const T>(std::move(changed)));
  };
  for (api::AnyObject& object : objects) {
    set_if(object, object.as<api::Pod>());
    set_if(object, object.as<api::Deployment>());
    set_if(object, object.as<api::ReplicaSet>());
    set_if(object, object.as<api::StatefulSet>());
    set_if(object, object.as<api::DaemonSet>());
    set_if(object, object.as<api::ReplicationController>());
    set_if(object, object.as<api::Job>());
  }
}

int input_failure(std::string_view command, const InputError& error) {
  if (error.exit_code == kExitUsage) return usage_failure(command, error.error.message());
  failure(error.error.message());
  return error.exit_code;
}

std::string contradiction_of(const std::vector<std::string>& files, const ClusterAccess& access,
                             std::string_view option) {
  if (files.empty() || !access.names_a_cluster()) return "";
  return fmt::format("give {}, or a cluster with --kubeconfig or --context, not both", option);
}

codec::Documents read_objects(const std::vector<std::string>& files, InternPool& pool) {
  codec::DecodeOptions decode;
  decode.pool = &pool;
  codec::Documents documents =
      read_all(files, [&](std::string_view text, const std::string& name, codec::Documents& into) {
        codec::read_documents(text, name, decode, into);
      });
  documents.notes = validation::tidy_dump(documents.objects);
  return documents;
}

codec::Documents read_written_objects(const std::vector<std::string>& files, InternPool& pool) {
  return read_all(files, [&](std::string_view text, const std::string& name, codec::Documents& into) {
    validation::read_written(text, name, &pool, into);
  });
}

std::string no_cluster_in(const codec::Documents& documents, const std::vector<std::string>& files) {
  if (has_nodes(documents)) return "";
  if (files.empty()) return "the cluster has no nodes";
  for (const codec::UnreadableObject& object : documents.unreadable) {
    if (object.kind == "Node") return object.error.message();
  }
  if (documents.objects.empty() && !documents.errors.empty()) {
    const std::string more = documents.errors.size() > 1
                                 ? fmt::format(" (and {})", text::counted(documents.errors.size() - 1, "more error"))
                                 : "";
    return documents.errors.front().message() + more;
  }
  const std::string names = names_of(files);
  if (documents.objects.empty() && documents.unknown_kinds.empty()) {
    return fmt::format("there are no objects in {}: {} writes those of a cluster", names, kHowToDump);
  }
  const std::string others = documents.objects.empty() ? " (" + unknown_kinds_text(documents) + ")" : "";
  return fmt::format("there are no nodes in {}{}: dump them too, with {}", names, others, kHowToDump);
}

std::string unreadable_text(const codec::Documents& documents, std::string_view kind, std::string_view name) {
  const std::size_t slash = name.find('/');
  for (const codec::UnreadableObject& object : documents.unreadable) {
    if (object.kind != kind) continue;
    const std::string_view name_space = object.name_space.empty() ? "default" : std::string_view(object.name_space);
    const bool is_meant = slash == std::string_view::npos
                              ? object.name == name
                              : name_space == name.substr(0, slash) && object.name == name.substr(slash + 1);
    if (is_meant) return fmt::format("{} {} could not be read: {}", kind, name, object.error.message());
  }
  return "";
}

std::string unreadable_need_text(const codec::Documents& documents, const api::Pod& pod) {
  if (documents.unreadable.empty()) return "";
  const Symbol given = pod.metadata.name_space;
  const Symbol name_space = given.empty() ? Symbol("default") : given;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<std::string> name = plugins::claim_name_of(pod, volume);
    if (!name) continue;
    std::string text =
        unreadable_text(documents, "PersistentVolumeClaim", fmt::format("{}/{}", name_space.text(), *name));
    if (!text.empty()) return text;
    for (const api::AnyObject& object : documents.objects) {
      const auto claim = object.as<api::PersistentVolumeClaim>();
      if (claim == nullptr || claim->metadata.name != *name) continue;
      if (claim->metadata.name_space != given && claim->metadata.name_space != name_space) continue;
      text = unreadable_text(documents, "PersistentVolume", claim->spec.volume_name);
      if (text.empty()) text = unreadable_text(documents, "StorageClass", plugins::class_of(*claim).text());
      if (!text.empty()) return text;
    }
  }
  return "";
}

Error or_unreadable(const Error& error, const codec::Documents& documents, std::string_view kind,
                    std::string_view name) {
  const std::string unreadable = unreadable_text(documents, kind, name);
  return unreadable.empty() ? error : Error(unreadable);
}

Error or_unreadable_class(const Error& error, const codec::Documents& documents) {
  for (const codec::UnreadableObject& each : documents.unreadable) {
    const bool is_missed =
        error.what().find(fmt::format("no PriorityClass with name {} was", each.name)) != std::string::npos;
    if (each.kind == "PriorityClass" && is_missed) return or_unreadable(error, documents, each.kind, each.name);
  }
  return error;
}

std::string unknown_kinds_text(const codec::Documents& documents) {
  if (documents.unknown_kinds.empty()) return "";
  std::size_t count = 0;
  std::vector<std::string> kinds;
  for (const auto& [kind, times] : documents.unknown_kinds) {
    count += times;
    kinds.push_back(fmt::format("{} ({})", kind, times));
  }
  return fmt::format("{} of kinds that Berth does not know {} left out: {}.", text::counted(count, "object"),
                     count == 1 ? "is" : "are", text::listed(kinds, kMaxKinds));
}

std::string unknown_owners_text(const codec::Documents& documents) {
  const std::map<std::string, std::int64_t> counts = pods_of_unknown_owners(documents.objects);
  if (counts.empty()) return "";
  std::vector<std::pair<std::string, std::int64_t>> owners(counts.begin(), counts.end());
  std::ranges::sort(owners, {}, [](const auto& owner) { return std::pair(-owner.second, owner.first); });
  std::vector<std::string> texts;
  for (const auto& [owner, pods] : owners) {
    texts.push_back(
        texts.empty() ? fmt::format("{} {} to {}", text::counted(pods, "pod"), pods == 1 ? "belongs" : "belong", owner)
                      : fmt::format("{} to {}", pods, owner));
  }
  return fmt::format("{}, of {} that Berth does not know.", text::listed(texts, kMaxKinds),
                     owners.size() == 1 ? "a kind" : "kinds");
}

std::vector<std::string> notes_about(const codec::Documents& documents) {
  std::vector<std::string> notes = documents.notes;
  for (std::string note : {unknown_kinds_text(documents), unknown_owners_text(documents)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "berth: note: {}\n", text::escaped(note));
}

int complain_about(const codec::Documents& documents) {
  for (const Error& error : documents.errors) failure("left out: " + error.message());
  return documents.errors.empty() ? kExitOk : kExitFailure;
}

int complain(const std::vector<Error>& errors) {
  for (std::size_t i = 0; i < std::min(errors.size(), kMaxErrors); ++i) failure(errors[i].message());
  if (errors.size() > kMaxErrors) failure(fmt::format("and {} more", errors.size() - kMaxErrors));
  return kExitFailure;
}

std::expected<report::Settings, std::vector<Error>> load_settings(const std::string& config_file,
                                                                  const std::string& feature_gates) {
  auto gates = config::FeatureGates::parse(feature_gates);
  if (!gates) {
    std::vector<Error> errors;
    for (const Error& error : gates.error()) errors.emplace_back("--feature-gates: " + error.message());
    return std::unexpected(std::move(errors));
  }
  report::Settings settings;
  settings.gates = *std::move(gates);
  settings.config = config::default_config({.gates = settings.gates});
  if (config_file.empty()) return settings;
  const auto text = read_whole(config_file);
  if (!text) return std::unexpected(std::vector<Error>{Error("cannot read " + text.error().message())});
  auto loaded = config::load_config(*text, {.gates = settings.gates});
  if (!loaded) return std::unexpected(loaded.error().errors(shown_name(config_file)));
  settings.config = *std::move(loaded);
  return settings;
}

}  // namespace berth::cmd
