#include "berth/explain/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "berth/admission/namespaces.h"
#include "berth/api/daemon_pods.h"
#include "berth/plugins/volume_claims.h"

namespace berth::explain {

namespace {

constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

// The template of a workload; null for every other object.
const api::PodTemplateSpec* template_of(const api::AnyObject& object) {
  if (const auto owner = object.as<api::Deployment>()) return &owner->spec.pod_template;
  if (const auto owner = object.as<api::ReplicaSet>()) return &owner->spec.pod_template;
  if (const auto owner = object.as<api::StatefulSet>()) return &owner->spec.pod_template;
  if (const auto owner = object.as<api::Job>()) return &owner->spec.pod_template;
  if (const auto owner = object.as<api::DaemonSet>()) return &owner->spec.pod_template;
  if (const auto owner = object.as<api::ReplicationController>()) return owner->spec.pod_template.get();
  return nullptr;
}

// "Deployment/web"
std::string title_of(const api::AnyObject& object) {
  return fmt::format("{}/{}", object.kind().kind, object.metadata().name);
}

Error no_pod_in(std::span<const api::AnyObject> manifest) {
  if (manifest.size() != 1) return Error("there is no pod in it");
  const std::string_view kind = manifest.front().kind().kind;
  return Error(fmt::format("a {} is no pod, nor does it have a template for pods", kind));
}

bool is_policy(const api::AnyObject& object) {
  return object.as<api::PriorityClass>() != nullptr || object.as<api::StorageClass>() != nullptr ||
         object.as<api::LimitRange>() != nullptr || object.as<api::ResourceQuota>() != nullptr;
}

// What hand-written manifests leave out.
template <typename T>
api::AnyObject in_a_namespace(const std::shared_ptr<const T>& object) {
  if (!object->metadata.name_space.empty()) return api::AnyObject(object);
  auto copy = std::make_shared<T>(*object);
  copy->metadata.name_space = Symbol("default");
  return api::AnyObject(std::shared_ptr<const T>(std::move(copy)));
}

void tell(admission::Admission& admission, const api::AnyObject& object) {
  if (const auto quota = object.as<api::ResourceQuota>()) {
    (void)admission.add(in_a_namespace(quota));
  } else if (const auto range = object.as<api::LimitRange>()) {
    (void)admission.add(in_a_namespace(range));
  } else if (const auto pod = object.as<api::Pod>()) {
    (void)admission.add(in_a_namespace(pod));
  } else if (const auto claim = object.as<api::PersistentVolumeClaim>()) {
    (void)admission.add(in_a_namespace(claim));
  } else if (object.kind().metadata != nullptr) {
    (void)admission.add(object);
  }
}

bool has_volume_without_class(const cache::ClusterObjects& objects) {
  bool found = false;
  objects.persistent_volumes.for_each([&](const auto& volume) {
    found = found || (plugins::class_of(*volume).empty() && volume->status.phase != "Bound");
  });
  return found;
}

// Why nobody can know where the volume of a claim is going to be; nothing if the claim can be looked at as it is.
std::optional<std::string> why_unknown(const api::PersistentVolumeClaim& claim, const cache::ClusterObjects& objects) {
  const Symbol name = plugins::class_of(claim);
  if (name.empty()) {
    if (!claim.spec.storage_class_name && objects.storage_classes.size() == 0) {
      return "its storage class was not read";
    }
    if (has_volume_without_class(objects)) return "it takes a volume without a class, before a node is chosen";
    return std::nullopt;
  }
  const api::StorageClass* found = objects.storage_classes.find(name.text());
  if (found == nullptr) {
    // Without any class in the dump, there is none to be missed.
    if (objects.storage_classes.size() == 0) return "its storage class was not read";
    return std::nullopt;
  }
  if (found->volume_binding_mode == "WaitForFirstConsumer") return std::nullopt;
  return "its volume is made before a node is chosen";
}

// The API server warns of them, too: 128m is not 128Mi.
std::vector<std::string> notes_about_bytes(const api::PodTemplate& spec) {
  std::vector<std::string> notes;
  for (const api::Container& container : spec.containers) {
    for (const std::string_view kind : {"memory", "ephemeral-storage"}) {
      const api::Quantity* amount = container.resources.requests.find(Symbol(kind));
      if (amount == nullptr || amount->milli_value() % 1000 == 0) continue;
      notes.push_back(fmt::format(
          "Container {} asks for {} {}, which is no whole number of bytes: m stands for thousandths, Mi for "
          "mebibytes.",
          container.name.text(), amount->str(), kind));
    }
  }
  return notes;
}

}  // namespace

Probe::Probe() : admission_(std::make_unique<admission::Admission>()) {}

bool Probe::makes_pods(const api::AnyObject& object) {
  return object.as<api::Pod>() != nullptr || template_of(object) != nullptr;
}

Result<Probe> Probe::make(std::span<const api::AnyObject> manifest, std::span<const api::AnyObject> dump) {
  const auto first = std::ranges::find_if(manifest, makes_pods);
  if (first == manifest.end()) return fail(no_pod_in(manifest));
  Probe probe;
  // Quotas first: they count what comes after them. What else is in the manifest is created with the workload.
  for (const bool are_policies : {true, false}) {
    for (const api::AnyObject& object : dump) {
      if (is_policy(object) == are_policies) tell(*probe.admission_, object);
    }
    for (const api::AnyObject& object : manifest) {
      const bool is_claim = object.as<api::PersistentVolumeClaim>() != nullptr;  // told when it is made
      if (is_policy(object) == are_policies && !makes_pods(object) && !is_claim) tell(*probe.admission_, object);
    }
  }
  for (const api::AnyObject& object : manifest) {
    if (auto claim = object.as<api::PersistentVolumeClaim>()) {
      probe.claims_.emplace(claim->metadata.name, std::move(claim));
    } else if (!makes_pods(object) && object.as<api::Node>() == nullptr) {
      probe.companions_.push_back(object);
    }
  }
  probe.read(*first);
  const auto in_namespace = admission::check_namespace(*first, probe.draft_.metadata.name_space.text(), dump, manifest);
  if (!in_namespace) return fail(in_namespace.error());
  std::vector<std::string> others;
  for (const api::AnyObject& object : manifest) {
    if (makes_pods(object) && &object != &*first) others.push_back(title_of(object));
  }
  if (!others.empty()) {
    probe.note_once(fmt::format("The manifest has {} pods and workloads; this is about {}, the first. Left out: {}.",
                                others.size() + 1, title_of(*first), listed(others, 5)));
  }
  return probe;
}

void Probe::read(const api::AnyObject& object) {
  if (const auto pod = object.as<api::Pod>()) {
    draft_ = *pod;
    if (draft_.metadata.name.empty()) {
      draft_.metadata.name = draft_.metadata.generate_name.empty() ? "pod" : draft_.metadata.generate_name.str();
    }
  } else {
    const api::PodTemplateSpec& of_pods = *template_of(object);
    draft_.metadata = of_pods.metadata;
    draft_.metadata.name = object.metadata().name;
    draft_.metadata.name_space = object.metadata().name_space;
    draft_.spec = of_pods.spec;
    workload_ = title_of(object);
    set_ = object.as<api::StatefulSet>();
    if (set_ != nullptr && set_->spec.ordinals) next_ordinal_ = set_->spec.ordinals->start;
  }
  if (draft_.metadata.name_space.empty()) draft_.metadata.name_space = Symbol("default");
  for (std::string& note : notes_about_bytes(*draft_.spec)) note_once(std::move(note));
  daemon_set_ = object.as<api::DaemonSet>();
  if (daemon_set_ == nullptr) return;
  api::PodTemplate spec = *draft_.spec.shared;
  spec.tolerations = api::daemon_tolerations(spec);
  draft_.spec.shared = Interned<api::PodTemplate>(std::move(spec));
}

void Probe::note_once(std::string note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

Error Probe::refused(const Error& error) const {
  if (workload_.empty()) return error;
  return Error(fmt::format("{} could not create its pods: {}", workload_, error.what())).with_fix(error.fix());
}

std::string Probe::next_ordinal_name(const Cluster& cluster) {
  while (true) {
    std::string name = fmt::format("{}-{}", draft_.metadata.name, next_ordinal_++);
    const auto there = cluster.pods.find(fmt::format("{}/{}", draft_.metadata.name_space.text(), name));
    if (there == cluster.pods.end() || api::is_terminal(*there->second)) return name;
  }
}

Result<api::PodPtr> Probe::make_pod(Cluster& cluster) {
  ++made_;
  std::string name = set_ != nullptr ? next_ordinal_name(cluster) : draft_.metadata.name;
  const bool has_random_name = !workload_.empty() && set_ == nullptr;
  std::string shown = has_random_name ? name + "-..." : name;
  std::string uid =
      draft_.metadata.uid.empty() ? fmt::format("{}/{}", draft_.metadata.name_space.text(), name) : draft_.metadata.uid;
  return make_named(cluster, std::move(name), std::move(uid), std::move(shown));
}

Result<api::PodPtr> Probe::make_instance(Cluster& cluster) {
  ++made_;
  std::string name = set_ != nullptr ? next_ordinal_name(cluster) : fmt::format("{}-{}", draft_.metadata.name, made_);
  std::string shown = name;
  if (workload_.empty()) shown = draft_.metadata.name;
  if (!workload_.empty() && set_ == nullptr) shown = draft_.metadata.name + "-...";
  // No UID of a real pod has a blank.
  return make_named(cluster, std::move(name), fmt::format("instance {}", made_), std::move(shown));
}

Result<api::PodPtr> Probe::make_named(Cluster& cluster, std::string name, std::string uid, std::string shown) {
  for (const api::AnyObject& object : std::exchange(companions_, {})) cluster.objects.set(object);
  api::Pod pod = draft_;
  pod.metadata.name = std::move(name);
  pod.metadata.uid = std::move(uid);
  if (set_ != nullptr) {
    api::Labels labels = *pod.metadata.labels;
    labels[Symbol(kPodNameLabel)] = Symbol(pod.metadata.name);
    labels[Symbol(kPodIndexLabel)] = Symbol(pod.metadata.name.substr(draft_.metadata.name.size() + 1));
    pod.metadata.labels = std::move(labels);
  }
  if (auto added = add_claims(cluster, pod, shown); !added) return fail(refused(added.error()));
  std::string real_name = std::exchange(pod.metadata.name, std::move(shown));
  auto admitted = admission_->admit(std::move(pod));
  if (!admitted) {
    Error error = admitted.error();
    const Symbol wanted = draft_.spec->priority_class_name;
    if (!wanted.empty() && admission_->priorities().find(wanted.text()) == nullptr) {
      error = std::move(error).with_fix("dump priorityclasses too, or correct the name");
    }
    return fail(refused(error));
  }
  admitted->metadata.name = std::move(real_name);
  return std::make_shared<const api::Pod>(*std::move(admitted));
}

Result<void> Probe::add_claims(Cluster& cluster, api::Pod& pod, const std::string& shown) {
  std::vector<api::Volume> volumes = pod.spec->volumes;
  const std::size_t before = volumes.size();
  // Those of a StatefulSet take the place of volumes of the same name.
  if (set_ != nullptr) {
    for (const api::PersistentVolumeClaim& each : set_->spec.volume_claim_templates) {
      std::erase_if(volumes, [&](const api::Volume& volume) { return volume.name == each.metadata.name; });
      api::PersistentVolumeClaim claim = each;
      claim.metadata.name = fmt::format("{}-{}", each.metadata.name, pod.metadata.name);
      const auto has = add_claim(cluster, claim, each.metadata.name, claim.metadata.name);
      if (!has) return fail(has.error());
      if (!*has) continue;
      api::Volume& volume = volumes.emplace_back();
      volume.name = each.metadata.name;
      volume.source.persistent_volume_claim.emplace().claim_name =
          fmt::format("{}-{}", each.metadata.name, pod.metadata.name);
    }
  }
  std::set<std::string> left_out;
  for (const api::Volume& volume : volumes) {
    const auto& by_name = volume.source.persistent_volume_claim;
    const auto given = by_name ? claims_.find(by_name->claim_name) : claims_.end();
    if (given == claims_.end()) continue;
    const auto has = add_claim(cluster, *given->second, given->first, given->first);
    if (!has) return fail(has.error());
    if (!*has) left_out.insert(volume.name);
  }
  for (const api::Volume& volume : volumes) {
    if (!volume.source.ephemeral || !volume.source.ephemeral->volume_claim_template) continue;
    const api::PersistentVolumeClaimTemplate& of_claim = *volume.source.ephemeral->volume_claim_template;
    api::PersistentVolumeClaim claim;
    claim.metadata = of_claim.metadata;
    claim.metadata.name = fmt::format("{}-{}", pod.metadata.name, volume.name);
    claim.metadata.owner_references = std::vector{api::OwnerReference{.api_version = Symbol("v1"),
                                                                      .kind = Symbol("Pod"),
                                                                      .name = pod.metadata.name,
                                                                      .uid = pod.metadata.uid,
                                                                      .controller = true,
                                                                      .block_owner_deletion = true}};
    claim.spec = of_claim.spec;
    const auto has = add_claim(cluster, std::move(claim), volume.name, fmt::format("{}-{}", shown, volume.name));
    if (!has) return fail(has.error());
    if (!*has) left_out.insert(volume.name);
  }
  std::erase_if(volumes, [&](const api::Volume& volume) { return left_out.contains(volume.name); });
  if (volumes.size() == before && set_ == nullptr) return {};
  api::PodTemplate spec = *pod.spec.shared;
  spec.volumes = std::move(volumes);
  pod.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  return {};
}

Result<bool> Probe::add_claim(Cluster& cluster, api::PersistentVolumeClaim claim, const std::string& volume,
                              std::string shown) {
  claim.metadata.name_space = draft_.metadata.name_space;
  if (cluster.objects.persistent_volume_claims.find(claim.metadata.name_space, claim.metadata.name) != nullptr) {
    return true;
  }
  std::string real_name = std::exchange(claim.metadata.name, std::move(shown));
  auto admitted = admission_->admit(std::move(claim));
  if (!admitted) return fail(std::move(admitted).error());
  admitted->metadata.name = std::move(real_name);
  if (const auto why = why_unknown(*admitted, cluster.objects)) {
    note_once(fmt::format("The claim {} is left out: {}.", volume, *why));
    return false;
  }
  admitted->metadata.uid = fmt::format("claim {}", admitted->metadata.name);
  admitted->status.phase = Symbol("Pending");
  auto made = std::make_shared<const api::PersistentVolumeClaim>(*std::move(admitted));
  (void)admission_->add(api::AnyObject(made));
  cluster.objects.persistent_volume_claims.set(std::move(made));
  return true;
}

}  // namespace berth::explain
