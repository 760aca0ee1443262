#include "berth/explain/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "berth/api/kinds.h"
#include "berth/codec/json.h"
#include "berth/explain/field_changes.h"
#include "berth/explain/what_if.h"

namespace berth::explain {

// --- Who made the pod

namespace {

constexpr std::string_view kTemplatePath = "/spec/template/spec";

template <typename T>
void take_template(PodOwner& owner, std::shared_ptr<const T> object) {
  if (object == nullptr) return;
  owner.spec = &*object->spec.pod_template.spec.shared;
  owner.holder = std::move(object);
}

// Of a ReplicaSet: its Deployment, whose template is the same but for a label.
void climb_from_replica_set(PodOwner& owner, const Cluster& cluster, const api::Pod& pod) {
  const auto replica_set = cluster.objects.replica_sets.get(owner.name_space, owner.name);
  const api::OwnerReference* above = replica_set != nullptr ? api::controller_of(replica_set->metadata) : nullptr;
  take_template(owner, replica_set);
  std::string deployment;
  if (above != nullptr && above->kind == "Deployment") {
    deployment = above->name;
  } else if (replica_set == nullptr) {
    // Not in the dump: named by the Deployment and the hash of the template, which the pod has as a label.
    const Symbol* hash = pod.metadata.labels->find(Symbol("pod-template-hash"));
    const std::string suffix = hash == nullptr ? "" : "-" + hash->str();
    if (suffix.size() > 1 && owner.name.ends_with(suffix) && owner.name.size() > suffix.size()) {
      deployment = owner.name.substr(0, owner.name.size() - suffix.size());
    }
  }
  if (deployment.empty()) return;
  owner.kind = Symbol("Deployment");
  owner.name = deployment;
  take_template(owner, cluster.find_other<api::Deployment>(owner.name_space, owner.name));
}

}  // namespace

PodOwner owner_of(const Cluster& cluster, const api::Pod& pod) {
  PodOwner owner;
  owner.name_space = pod.metadata.name_space;
  const api::OwnerReference* controller = api::controller_of(pod.metadata);
  if (controller == nullptr) {
    owner.kind = Symbol("Pod");
    owner.name = pod.metadata.name;
    owner.path = "/spec";
    owner.spec = &*pod.spec.shared;
    return owner;
  }
  owner.kind = controller->kind;
  owner.name = controller->name;
  owner.path = kTemplatePath;
  if (owner.kind == "ReplicaSet") {
    climb_from_replica_set(owner, cluster, pod);
  } else if (owner.kind == "StatefulSet") {
    take_template(owner, cluster.objects.stateful_sets.get(owner.name_space, owner.name));
  } else if (owner.kind == "DaemonSet") {
    take_template(owner, cluster.find_other<api::DaemonSet>(owner.name_space, owner.name));
  } else if (owner.kind == "Job") {
    take_template(owner, cluster.find_other<api::Job>(owner.name_space, owner.name));
  } else if (owner.kind == "ReplicationController") {
    const auto found = cluster.objects.replication_controllers.get(owner.name_space, owner.name);
    if (found != nullptr && found->spec.pod_template) {
      owner.spec = &*found->spec.pod_template->spec.shared;
      owner.holder = found;
    }
  }
  return owner;
}

// --- Trying out

TakenSteps::TakenSteps(Cluster& cluster, const api::PodPtr& pod, std::span<const Step> steps)
    : cluster_(cluster), pod_(pod) {
  const bool changes_pod = std::ranges::any_of(steps, [](const Step& step) { return step.pod != nullptr; });
  if (changes_pod) {
    pod_ = changed_pod(*pod, [&](api::PodTemplate& spec) {
      for (const Step& step : steps) {
        if (step.pod) step.pod(spec);
      }
    });
  }
  for (const Step& step : steps) {
    for (const NodeChange& each : step.nodes) {
      const cache::RowId row = cluster_.cache.nodes().row_of(Symbol(each.node));
      if (row == cache::kNoRow) continue;
      old_nodes_.push_back(cluster_.cache.nodes().at(row).node);
      api::Node node = *old_nodes_.back();
      each.change(node);
      cluster_.cache.set_node(std::make_shared<const api::Node>(std::move(node)));
    }
    for (const api::NodePtr& node : step.new_nodes) {
      cluster_.cache.set_node(node);
      new_nodes_.push_back(node);
    }
    for (const api::PodPtr& gone : step.gone_pods) {
      if (std::ranges::find(gone_pods_, gone) != gone_pods_.end()) continue;
      (void)cluster_.cache.remove(*gone);
      gone_pods_.push_back(gone);
    }
    for (const api::PodPtr& added : step.new_pods) {
      (void)cluster_.cache.add(added);
      new_pods_.push_back(added);
    }
    for (const api::AnyObject& object : step.objects) {
      objects_.emplace_back(object, cluster_.objects.get(object));
      cluster_.objects.set(object);
    }
  }
}

TakenSteps::~TakenSteps() {
  for (auto it = objects_.rbegin(); it != objects_.rend(); ++it) {
    if (it->second) {
      cluster_.objects.set(it->second);
    } else {
      cluster_.objects.remove(it->first);
    }
  }
  for (const api::PodPtr& added : new_pods_) (void)cluster_.cache.remove(*added);
  for (const api::PodPtr& gone : gone_pods_) (void)cluster_.cache.add(gone);
  for (const api::NodePtr& node : new_nodes_) (void)cluster_.cache.remove_node(*node);
  // A node that was changed twice is set back to what it was first.
  for (auto it = old_nodes_.rbegin(); it != old_nodes_.rend(); ++it) cluster_.cache.set_node(*it);
}

// --- Writing down

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

namespace {

std::string recreated(std::string_view resource, Symbol name_space, std::string_view name, std::string_view type,
                      std::string_view patch) {
  return fmt::format(
      "kubectl get {} {} -n {} -o json | kubectl patch --local -f - --type={} -p {} -o json | kubectl replace --force "
      "-f -",
      resource, shell_word(name), shell_word(name_space.text()), type, shell_word(patch));
}

}  // namespace

std::string recreate_command(std::string_view resource, Symbol name_space, std::string_view name,
                             const std::vector<PatchOperation>& operations) {
  return recreated(resource, name_space, name, "json", json_patch(operations));
}

namespace {

void add_changes(Help& help, Symbol kind, Symbol name_space, const std::string& name,
                 const std::vector<PatchOperation>& operations) {
  const auto json = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(api::RawJson{text});
  };
  for (const PatchOperation& each : operations) {
    help.changes.push_back({kind, name_space, name, Symbol(each.op), each.path, json(each.from), json(each.to)});
  }
}

void add_command(Help& help, std::string_view command) {
  if (command.empty()) return;
  help.command += (help.command.empty() ? "" : " && ") + std::string(command);
}

// The API server works the number and the policy out of the class, and refuses others.
void leave_priority_to_admission(const api::PodTemplate& before, api::PodTemplate& after) {
  if (before.priority_class_name == after.priority_class_name) return;
  after.priority.reset();
  after.preemption_policy.reset();
}

api::PodTemplate applied(const api::PodTemplate& before, std::span<const Step> steps) {
  api::PodTemplate after = before;
  for (const Step& step : steps) {
    if (step.pod) step.pod(after);
  }
  leave_priority_to_admission(before, after);
  return after;
}

// An owner that is not in the dump may lack what the API server filled in: whole fields are set then, which works
// whether they are there or not. What containers ask for is set container by container.
std::vector<PatchOperation> whole_fields(std::vector<PatchOperation> operations, const api::PodTemplate& after,
                                         std::string_view path) {
  std::map<std::string, std::string> values;  // of the fields of `after`
  const api::Schema& schema = api::schema_of<api::PodTemplate>();
  for (const api::Field& field : schema.fields()) {
    values[std::string(field.json_name)] = codec::to_json(*field.type, field.in(&after));
  }
  std::vector<PatchOperation> result;
  const auto add = [&](PatchOperation operation) {
    const auto is_same = [&](const PatchOperation& each) { return each.path == operation.path; };
    if (std::ranges::none_of(result, is_same)) result.push_back(std::move(operation));
  };
  for (PatchOperation& each : operations) {
    const std::string_view inside = std::string_view(each.path).substr(path.size() + 1);
    const std::string field(inside.substr(0, inside.find('/')));
    if (each.op == "remove" && inside == field) {
      add(std::move(each));
      continue;
    }
    const auto container = [&]() -> const api::Container* {
      const bool is_init = field == "initContainers";
      if (!is_init && field != "containers") return nullptr;
      const std::string_view index = inside.substr(std::min(inside.size(), field.size() + 1));
      const auto& list = is_init ? after.init_containers : after.containers;
      const auto at = static_cast<std::size_t>(std::atoi(std::string(index.substr(0, index.find('/'))).c_str()));
      return index.find("/resources") != std::string_view::npos && at < list.size() ? &list[at] : nullptr;
    }();
    if (container != nullptr) {
      const std::size_t end = each.path.find("/resources") + std::string_view("/resources").size();
      add({"add", each.path.substr(0, end), "", codec::to_json(container->resources)});
    } else if (field == "containers" || field == "initContainers") {
      add(std::move(each));
    } else {
      add({"add", fmt::format("{}/{}", path, field), "", values[field]});
    }
  }
  return result;
}

// What may be changed of a pod that is there: tolerations may be added, and scheduling gates removed.
bool is_allowed_in_place(const std::vector<PatchOperation>& operations) {
  return std::ranges::all_of(operations, [](const PatchOperation& each) {
    return (each.op == "add" && each.path.starts_with("/spec/tolerations")) ||
           (each.op == "remove" && each.path.starts_with("/spec/schedulingGates"));
  });
}

// The dump leaves out volumes that do not matter to a scheduler, so their positions are not known. A strategic merge
// patch finds them by name. Empty if something else than the claims of volumes is changed.
std::string claims_patch(const std::vector<PatchOperation>& operations, const api::PodTemplate& before,
                         std::string_view path) {
  constexpr std::string_view kClaimName = "/persistentVolumeClaim/claimName";
  const std::string start = std::string(path) + "/volumes/";
  std::vector<std::string> volumes;
  for (const PatchOperation& each : operations) {
    if (each.op != "replace" || !each.path.starts_with(start) || !each.path.ends_with(kClaimName)) return "";
    const std::string index = each.path.substr(start.size(), each.path.size() - start.size() - kClaimName.size());
    const auto at = static_cast<std::size_t>(std::atoi(index.c_str()));
    if (index.find('/') != std::string::npos || at >= before.volumes.size()) return "";
    volumes.push_back(fmt::format(R"({{"name":{},"persistentVolumeClaim":{{"claimName":{}}}}})",
                                  codec::to_json(before.volumes[at].name), each.to));
  }
  std::string patch = fmt::format(R"({{"volumes":[{}]}})", fmt::join(volumes, ","));
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    patch = fmt::format(R"({{"{}":{}}})", path.substr(slash + 1, end - slash - 1), patch);
    end = slash;
  }
  return patch;
}

std::string pod_command(const Cluster& cluster, const api::Pod& pod, const PodOwner& owner,
                        const api::PodTemplate& before, std::vector<PatchOperation> operations) {
  if (!cluster.pods.contains(api::full_name(pod.metadata))) return "";
  const bool has_volumes = std::ranges::any_of(operations, [&](const PatchOperation& each) {
    return each.path.starts_with(std::string(owner.path) + "/volumes/");
  });
  const std::string patch = has_volumes ? claims_patch(operations, before, owner.path) : json_patch(operations);
  if (patch.empty() || (has_volumes && owner.kind == "Job")) return "";
  const std::string_view type = has_volumes ? "strategic" : "json";
  const auto patch_of = [&](std::string_view resource) {
    return fmt::format("kubectl patch {} {} -n {} --type={} -p {}", resource, shell_word(owner.name),
                       shell_word(owner.name_space.text()), type, shell_word(patch));
  };
  const std::string delete_pod =
      fmt::format("kubectl delete pod {} -n {}", shell_word(pod.metadata.name), shell_word(owner.name_space.text()));
  if (owner.kind == "Pod") {
    return is_allowed_in_place(operations) ? patch_of("pod")
                                           : recreated("pod", owner.name_space, owner.name, type, patch);
  }
  if (owner.kind == "Deployment") return patch_of("deployment");
  if (owner.kind == "DaemonSet") return patch_of("daemonset");
  // These make no new pod while the old one is there.
  if (owner.kind == "StatefulSet") return patch_of("statefulset") + " && " + delete_pod;
  if (owner.kind == "ReplicaSet") return patch_of("replicaset") + " && " + delete_pod;
  if (owner.kind == "ReplicationController") return patch_of("replicationcontroller") + " && " + delete_pod;
  if (const auto job = cluster.find_other<api::Job>(owner.name_space, owner.name); owner.kind == "Job" && job) {
    // A Job's template cannot be changed, and a new one gets a selector of its own.
    if (job->spec.selector && !job->spec.manual_selector.value_or(false)) {
      operations.push_back({"remove", "/spec/selector", "", ""});
    }
    for (const std::string_view label : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
      if (!job->spec.pod_template.metadata.labels->contains(Symbol(label))) continue;
      operations.push_back({"remove", "/spec/template/metadata/labels/" + pointer_step(label), "", ""});
    }
    return recreate_command("job", owner.name_space, owner.name, operations);
  }
  return "";
}

void write_pod(Help& help, const Cluster& cluster, const api::Pod& pod, std::span<const Step> steps) {
  if (std::ranges::none_of(steps, [](const Step& step) { return step.pod != nullptr; })) return;
  const PodOwner owner = owner_of(cluster, pod);
  const api::PodTemplate& before = owner.spec != nullptr ? *owner.spec : *pod.spec;
  const api::PodTemplate after = applied(before, steps);
  std::vector<PatchOperation> operations = field_changes(before, after, owner.path);
  if (owner.spec == nullptr) operations = whole_fields(std::move(operations), after, owner.path);
  const bool is_known_kind = owner.kind == "Pod" || owner.kind == "Deployment" || owner.kind == "ReplicaSet" ||
                             owner.kind == "StatefulSet" || owner.kind == "DaemonSet" ||
                             owner.kind == "ReplicationController" || owner.kind == "Job";
  // Where such an owner has the pod's fields, only its operator knows.
  if (!is_known_kind) {
    help.sentence += fmt::format(" (to be changed in {} {}/{}, which makes the pod)", owner.kind.text(),
                                 owner.name_space.text(), owner.name);
  }
  if (operations.empty() || !is_known_kind) {
    // Not from its owner's template, or the owner is of a kind with a template of its own form: what the pod would be.
    add_changes(help, Symbol("Pod"), pod.metadata.name_space, pod.metadata.name,
                field_changes(*pod.spec.shared, applied(*pod.spec, steps), "/spec"));
    return;
  }
  add_command(help, pod_command(cluster, pod, owner, before, operations));
  add_changes(help, owner.kind, owner.name_space, owner.name, operations);
}

// "disktype=ssd" for each label that is not as before.
void write_node(Help& help, const api::Node& before, const api::Node& after) {
  const std::string node = shell_word(after.metadata.name);
  if (before.spec.unschedulable && !after.spec.unschedulable) add_command(help, "kubectl uncordon " + node);
  std::string labels;
  bool overwrites = false;
  for (const auto& [key, value] : *after.metadata.labels) {
    const Symbol* old = before.metadata.labels->find(key);
    if (old != nullptr && *old == value) continue;
    overwrites |= old != nullptr;
    labels += " " + shell_word(fmt::format("{}={}", key.text(), value.text()));
  }
  if (!labels.empty()) {
    add_command(help, fmt::format("kubectl label node {}{}{}", node, labels, overwrites ? " --overwrite" : ""));
  }
  add_changes(help, Symbol("Node"), Symbol(), after.metadata.name, field_changes(before, after));
}

}  // namespace

void write_down(Help& help, const Cluster& cluster, const api::Pod& pod, std::span<const Step> steps) {
  write_pod(help, cluster, pod, steps);
  std::map<std::string, std::pair<api::NodePtr, api::Node>> nodes;  // by name: before and after
  for (const Step& step : steps) {
    for (const NodeChange& each : step.nodes) {
      const cache::RowId row = cluster.cache.nodes().row_of(Symbol(each.node));
      if (row == cache::kNoRow) continue;
      const api::NodePtr& node = cluster.cache.nodes().at(row).node;
      const auto [it, is_new] = nodes.try_emplace(each.node, node, *node);
      each.change(it->second.second);
    }
  }
  for (const auto& [name, both] : nodes) write_node(help, *both.first, both.second);
  const auto json = [](const auto& object) { return api::RawJson{codec::to_json(*object)}; };
  for (const Step& step : steps) {
    for (const api::NodePtr& node : step.new_nodes) {
      help.changes.push_back(
          {Symbol("Node"), Symbol(), node->metadata.name, Symbol("create"), "", std::nullopt, json(node)});
    }
    add_command(help, step.command);
    for (const api::AnyObject& object : step.objects) {
      const api::ObjectMeta& metadata = object.metadata();
      const Symbol kind(object.kind().kind);
      if (const api::AnyObject old = cluster.objects.get(object)) {
        add_changes(help, kind, metadata.name_space, metadata.name,
                    field_changes(*object.kind().type, old.get(), object.get()));
      } else {
        help.changes.push_back({kind, metadata.name_space, metadata.name, Symbol("create"), "", std::nullopt,
                                api::RawJson{codec::object_to_json(object)}});
      }
    }
    for (const api::PodPtr& gone : step.gone_pods) {
      const api::ObjectMeta& metadata = gone->metadata;
      help.changes.push_back(
          {Symbol("Pod"), metadata.name_space, metadata.name, Symbol("delete"), "", std::nullopt, std::nullopt});
      add_command(help, fmt::format("kubectl delete pod {} -n {}", shell_word(metadata.name),
                                    shell_word(metadata.name_space.text())));
    }
    for (const api::PodPtr& added : step.new_pods) {
      const api::ObjectMeta& metadata = added->metadata;
      help.changes.push_back(
          {Symbol("Pod"), metadata.name_space, metadata.name, Symbol("create"), "", std::nullopt, json(added)});
    }
  }
}

}  // namespace berth::explain
