#include "berth/scenario/object_fields.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

// The provisioner of a storage class that names none; any name will do in a simulation.
constexpr std::string_view kProvisioner = "csi.berth.dev";

// An object with its labels, which are kept apart while they are collected.
template <typename Object>
struct Draft {
  Object object;
  api::Labels labels;
};

template <typename Object>
constexpr FieldSpec<Draft<Object>> kNamespaceField = {
    {"namespace", "NAME", "`default` if not given; or write the name as NAMESPACE/NAME"},
    [](Draft<Object>& draft, std::string_view, std::string_view value) -> Done {
      if (value.empty()) return std::unexpected("a namespace");
      draft.object.metadata.name_space = Symbol(value);
      return {};
    }};

template <typename Object>
constexpr FieldSpec<Draft<Object>> kLabelField = {
    {"label.", "VALUE", "A label"}, [](Draft<Object>& draft, std::string_view name, std::string_view value) -> Done {
      const auto key = read_label_key(name);
      if (!key) return std::unexpected(key.error());
      return set_to(draft.labels[*key], read_label_value(value));
    }};

// --- PodDisruptionBudget, PriorityClass, Namespace, Service
// -----------------------------------------------------------

using BudgetDraft = Draft<api::PodDisruptionBudget>;
constexpr auto kBudgetFields = std::to_array<FieldSpec<BudgetDraft>>({
    {{"selector", "SELECTOR", "The pods that it protects"},
     [](BudgetDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.selector, read_selector(value));
     }},
    {{"min-available", "COUNT|PERCENT", "How many have to stay"},
     [](BudgetDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.min_available, read_count_or_percentage(value));
     }},
    {{"max-unavailable", "COUNT|PERCENT", "How many may be missing"},
     [](BudgetDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.max_unavailable, read_count_or_percentage(value));
     }},
    kNamespaceField<api::PodDisruptionBudget>,
});

using ClassDraft = Draft<api::PriorityClass>;
constexpr auto kClassFields = std::to_array<FieldSpec<ClassDraft>>({
    {{"value", "NUMBER", "The priority of its pods"},
     [](ClassDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.value, read_number(value, std::numeric_limits<std::int32_t>::min(),
                                                     std::numeric_limits<std::int32_t>::max()));
     }},
    {{"preemption", "never|lower", "Whether its pods may preempt"},
     [](ClassDraft& draft, std::string_view, std::string_view value) -> Done {
       if (value != "never" && value != "lower") return std::unexpected("never or lower");
       draft.object.preemption_policy = Symbol(value == "never" ? "Never" : "PreemptLowerPriority");
       return {};
     }},
    {{"default", "", "The class of pods that name none"},
     [](ClassDraft& draft, std::string_view, std::string_view) -> Done {
       draft.object.global_default = true;
       return {};
     }},
});

constexpr auto kNamespaceFields = std::to_array<FieldSpec<Draft<api::Namespace>>>({kLabelField<api::Namespace>});

constexpr auto kServiceFields = std::to_array<FieldSpec<Draft<api::Service>>>({
    {{"selector", "KEY=VALUE,...", "The labels of its pods"},
     [](Draft<api::Service>& draft, std::string_view, std::string_view value) -> Done {
       const auto selector = read_selector(value);
       if (!selector || !selector->match_expressions.empty()) return std::unexpected("labels such as app=web,tier=a");
       draft.object.spec.selector = selector->match_labels;
       return {};
     }},
    kNamespaceField<api::Service>,
});

// --- Storage ---------------------------------------------------------------------------------------------------------

using StorageClassDraft = Draft<api::StorageClass>;
constexpr auto kStorageClassFields = std::to_array<FieldSpec<StorageClassDraft>>({
    {{"wait", "", "Volumes are bound and made when a pod needs them (WaitForFirstConsumer); the default"},
     [](StorageClassDraft& draft, std::string_view, std::string_view) -> Done {
       draft.object.volume_binding_mode = Symbol("WaitForFirstConsumer");
       return {};
     }},
    {{"immediate", "", "... or as soon as there is a claim"},
     [](StorageClassDraft& draft, std::string_view, std::string_view) -> Done {
       draft.object.volume_binding_mode = Symbol("Immediate");
       return {};
     }},
    {{"provisioner", "NAME|none", "Who makes volumes; `none`: nobody does"},
     [](StorageClassDraft& draft, std::string_view, std::string_view value) -> Done {
       if (value.empty()) return std::unexpected("the name of a CSI driver, or none");
       draft.object.provisioner = Symbol(value == "none" ? "kubernetes.io/no-provisioner" : value);
       return {};
     }},
    {{"zones", "A,B,...", "Where volumes can be made; anywhere if not given"},
     [](StorageClassDraft& draft, std::string_view, std::string_view value) -> Done {
       auto zones = read_list(value);
       if (!zones) return std::unexpected(zones.error());
       draft.object.allowed_topologies = {{{{Symbol(kZoneLabel), *std::move(zones)}}}};
       return {};
     }},
});

// "rwo", "rwx", "rox", "rwop"
Value<std::vector<Symbol>> read_access_modes(std::string_view text) {
  auto words = read_list(text);
  if (!words) return std::unexpected(words.error());
  for (Symbol& word : *words) {
    if (word == "rwo") {
      word = Symbol("ReadWriteOnce");
    } else if (word == "rwx") {
      word = Symbol("ReadWriteMany");
    } else if (word == "rox") {
      word = Symbol("ReadOnlyMany");
    } else if (word == "rwop") {
      word = Symbol("ReadWriteOncePod");
    } else {
      return std::unexpected("rwo, rwx, rox or rwop");
    }
  }
  return words;
}

using VolumeDraft = Draft<api::PersistentVolume>;

Done require_on_volume(VolumeDraft& draft, std::string_view key, std::string_view value) {
  auto values = read_list(value);
  if (!values) return std::unexpected(values.error());
  api::VolumeNodeAffinity affinity = (*draft.object.spec.node_affinity).value_or(api::VolumeNodeAffinity());
  if (!affinity.required) affinity.required = api::NodeSelector{{api::NodeSelectorTerm()}};
  affinity.required->node_selector_terms.front().match_expressions.push_back(
      {.key = Symbol(key), .op = Symbol("In"), .values = *std::move(values)});
  draft.object.spec.node_affinity = std::optional(std::move(affinity));
  return {};
}

constexpr auto kVolumeFields = std::to_array<FieldSpec<VolumeDraft>>({
    {{"size", "AMOUNT", "10Gi if not given"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.capacity[Symbol("storage")], read_quantity(value));
     }},
    {{"class", "NAME", "Its storage class"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) -> Done {
       draft.object.spec.storage_class_name = Symbol(value);
       return {};
     }},
    {{"modes", "MODE,...", "rwo, rwx, rox or rwop; rwo if not given"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.access_modes, read_access_modes(value));
     }},
    {{"zone", "A,B,...", "Only nodes of these zones can use it"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) {
       return require_on_volume(draft, kZoneLabel, value);
     }},
    {{"node", "A,B,...", "Only these nodes can use it"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) {
       return require_on_volume(draft, kHostnameLabel, value);
     }},
    {{"claim", "[NAMESPACE/]NAME", "It is reserved for this claim"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) -> Done {
       if (value.empty()) return std::unexpected("the name of a claim");
       const std::size_t slash = value.find('/');
       api::ObjectReference& claim = draft.object.spec.claim_ref.emplace();
       claim.kind = Symbol("PersistentVolumeClaim");
       claim.name_space = Symbol(slash == std::string_view::npos ? "default" : value.substr(0, slash));
       claim.name = std::string(slash == std::string_view::npos ? value : value.substr(slash + 1));
       return {};
     }},
    {{"driver", "NAME", "The CSI driver that it belongs to"},
     [](VolumeDraft& draft, std::string_view, std::string_view value) -> Done {
       if (value.empty()) return std::unexpected("the name of a CSI driver");
       draft.object.spec.source.csi.emplace().driver = Symbol(value);
       return {};
     }},
    kLabelField<api::PersistentVolume>,
});

using ClaimDraft = Draft<api::PersistentVolumeClaim>;
constexpr auto kClaimFields = std::to_array<FieldSpec<ClaimDraft>>({
    {{"size", "AMOUNT", "10Gi if not given"},
     [](ClaimDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.resources.requests[Symbol("storage")], read_quantity(value));
     }},
    {{"class", "NAME", "Its storage class"},
     [](ClaimDraft& draft, std::string_view, std::string_view value) -> Done {
       draft.object.spec.storage_class_name = Symbol(value);
       return {};
     }},
    {{"modes", "MODE,...", "rwo, rwx, rox or rwop; rwo if not given"},
     [](ClaimDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.access_modes, read_access_modes(value));
     }},
    {{"volume", "NAME", "The volume that it wants, and no other"},
     [](ClaimDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.volume_name, read_text(value));
     }},
    {{"selector", "SELECTOR", "The labels of the volume that it wants"},
     [](ClaimDraft& draft, std::string_view, std::string_view value) {
       return set_to(draft.object.spec.selector, read_selector(value));
     }},
    kNamespaceField<api::PersistentVolumeClaim>,
});

using CsiNodeDraft = Draft<api::CsiNode>;
constexpr auto kCsiNodeFields = std::to_array<FieldSpec<CsiNodeDraft>>({
    {{"driver", "NAME[:LIMIT]", "A driver on the node named, and how many volumes it can attach; may be repeated"},
     [](CsiNodeDraft& draft, std::string_view, std::string_view value) -> Done {
       const std::size_t colon = value.find(':');
       api::CsiNodeDriver driver;
       driver.name = Symbol(value.substr(0, colon));
       if (colon != std::string_view::npos) {
         const auto limit = read_number(value.substr(colon + 1), 0, std::numeric_limits<std::int32_t>::max());
         if (!limit) return std::unexpected("a driver such as csi.berth.dev or csi.berth.dev:16");
         driver.allocatable = api::VolumeNodeResources{static_cast<std::int32_t>(*limit)};
       }
       if (driver.name.empty()) return std::unexpected("a driver such as csi.berth.dev or csi.berth.dev:16");
       draft.object.spec.drivers.push_back(std::move(driver));
       return {};
     }},
});

// --- Quotas and limits -----------------------------------------------------------------------------------------------

using QuotaDraft = Draft<api::ResourceQuota>;

template <const auto& kPrefix>
Done set_hard(QuotaDraft& draft, std::string_view name, std::string_view value) {
  return set_to(draft.object.spec.hard[Symbol(std::string(kPrefix) + std::string(name))], read_quantity(value));
}
constexpr std::string_view kNoPrefix, kRequestsPrefix = "requests.", kLimitsPrefix = "limits.";

constexpr auto kQuotaFields = std::to_array<FieldSpec<QuotaDraft>>({
    {{"pods", "COUNT", "How many pods there may be that have not ended"}, set_hard<kNoPrefix>},
    {{"cpu", "AMOUNT", "What the pods may ask for together"}, set_hard<kNoPrefix>},
    {{"memory", "AMOUNT", "What the pods may ask for together"}, set_hard<kNoPrefix>},
    {{"requests.", "AMOUNT", "... of any resource: `requests.cpu=4`, `requests.storage=1Ti` (of claims)"},
     set_hard<kRequestsPrefix>},
    {{"limits.", "AMOUNT", "The sum of their limits: `limits.memory=8Gi`"}, set_hard<kLimitsPrefix>},
    {{"persistentvolumeclaims", "COUNT", "How many claims there may be"}, set_hard<kNoPrefix>},
    {{"DOMAIN/NAME", "AMOUNT", "Any other name of a quota: `count/jobs.batch=5`"}, set_hard<kNoPrefix>},
    {{"scope", "SCOPE", "Only such pods count: BestEffort, NotBestEffort, Terminating, ...; may be repeated"},
     [](QuotaDraft& draft, std::string_view, std::string_view value) -> Done {
       constexpr auto kScopes =
           std::to_array<std::string_view>({"BestEffort", "NotBestEffort", "Terminating", "NotTerminating",
                                            "PriorityClass", "CrossNamespacePodAffinity"});
       if (std::ranges::find(kScopes, value) == kScopes.end()) {
         return std::unexpected(
             "BestEffort, NotBestEffort, Terminating, NotTerminating, PriorityClass or "
             "CrossNamespacePodAffinity");
       }
       draft.object.spec.scopes.emplace_back(value);
       return {};
     }},
    {{"class", "A,B,...", "Only pods of these priority classes count"},
     [](QuotaDraft& draft, std::string_view, std::string_view value) -> Done {
       auto classes = read_list(value);
       if (!classes) return std::unexpected(classes.error());
       if (!draft.object.spec.scope_selector) draft.object.spec.scope_selector.emplace();
       draft.object.spec.scope_selector->match_expressions.push_back(
           {.scope_name = Symbol("PriorityClass"), .op = Symbol("In"), .values = *std::move(classes)});
       return {};
     }},
    kNamespaceField<api::ResourceQuota>,
});

using RangeDraft = Draft<api::LimitRange>;

// Of the `type` before it; of containers if there is none.
template <api::ResourceList api::LimitRangeItem::* kList>
Done set_bound(RangeDraft& draft, std::string_view name, std::string_view value) {
  std::vector<api::LimitRangeItem>& items = draft.object.spec.limits;
  if (items.empty()) items.emplace_back().type = Symbol("Container");
  return set_to((items.back().*kList)[Symbol(name)], read_quantity(value));
}

constexpr auto kRangeFields = std::to_array<FieldSpec<RangeDraft>>({
    {{"type", "container|pod|pvc", "What the fields after it are about; containers if not given"},
     [](RangeDraft& draft, std::string_view, std::string_view value) -> Done {
       std::string_view type;
       if (value == "container") type = "Container";
       if (value == "pod") type = "Pod";
       if (value == "pvc") type = "PersistentVolumeClaim";
       if (type.empty()) return std::unexpected("container, pod or pvc");
       draft.object.spec.limits.emplace_back().type = Symbol(type);
       return {};
     }},
    {{"max.", "AMOUNT", "The most that one may be limited to: `max.cpu=2`"}, set_bound<&api::LimitRangeItem::max>},
    {{"min.", "AMOUNT", "The least that one has to ask for"}, set_bound<&api::LimitRangeItem::min>},
    {{"default.", "AMOUNT", "The limit of a container that has none"}, set_bound<&api::LimitRangeItem::default_limit>},
    {{"default-request.", "AMOUNT", "What a container asks for that does not say"},
     set_bound<&api::LimitRangeItem::default_request>},
    {{"max-ratio.", "NUMBER", "How many times the request a limit may be"},
     set_bound<&api::LimitRangeItem::max_limit_request_ratio>},
    kNamespaceField<api::LimitRange>,
});

// --- Words -----------------------------------------------------------------------------------------------------------

template <typename Object>
void set_defaults(Object&) {}

void set_defaults(api::StorageClass& storage_class) {
  storage_class.provisioner = Symbol(kProvisioner);
  storage_class.volume_binding_mode = Symbol("WaitForFirstConsumer");
}

void set_defaults(api::PersistentVolume& volume) {
  volume.spec.capacity[Symbol("storage")] =
      api::Quantity::from_units(std::int64_t{10} << 30, api::Quantity::Format::kBinarySI);
  volume.spec.access_modes = {Symbol("ReadWriteOnce")};
  volume.status.phase = Symbol("Available");
}

void set_defaults(api::PersistentVolumeClaim& claim) {
  claim.spec.resources.requests[Symbol("storage")] =
      api::Quantity::from_units(std::int64_t{10} << 30, api::Quantity::Format::kBinarySI);
  claim.spec.access_modes = {Symbol("ReadWriteOnce")};
  claim.status.phase = Symbol("Pending");
}

// What depends on several fields.
template <typename Object>
void complete(Object&) {}

void complete(api::PersistentVolume& volume) {
  if (volume.spec.source.csi) volume.spec.source.csi->volume_handle = volume.metadata.name;
}

void complete(api::CsiNode& node) {
  for (api::CsiNodeDriver& driver : node.spec.drivers) driver.node_id = node.metadata.name;
}

template <typename Object, const auto& kFields>
Parsed<api::AnyObject> make_object(Reader& reader, Symbol name_space, const std::string& name) {
  Draft<Object> draft;
  draft.object.metadata.name = name;
  if (api::kind_of<Object>().namespaced) draft.object.metadata.name_space = name_space;
  set_defaults(draft.object);
  const std::span<const FieldSpec<Draft<Object>>> fields = kFields;
  if (auto read = read_fields(reader, FieldsOf<Draft<Object>>{fields, draft}); !read) {
    return std::unexpected(read.error());
  }
  draft.object.metadata.labels = std::move(draft.labels);
  complete(draft.object);
  return api::AnyObject(std::make_shared<const Object>(std::move(draft.object)));
}

template <typename Object, const auto& kFields>
ObjectWord row(std::string_view word, std::string_view help) {
  const std::span<const FieldSpec<Draft<Object>>> fields = kFields;
  return {word, help, help_of(fields), make_object<Object, kFields>};
}

}  // namespace

std::span<const ObjectWord> object_words() {
  static const std::vector<ObjectWord> words = {
      row<api::PodDisruptionBudget, kBudgetFields>("pdb", "A PodDisruptionBudget"),
      row<api::PriorityClass, kClassFields>("priorityclass", "A PriorityClass"),
      row<api::Namespace, kNamespaceFields>("namespace", "A Namespace; only needed for its labels"),
      row<api::Service, kServiceFields>("service", "A Service, which pods are spread by if nothing else is said"),
      row<api::StorageClass, kStorageClassFields>("storageclass", "A StorageClass"),
      row<api::PersistentVolume, kVolumeFields>("pv", "A PersistentVolume"),
      row<api::PersistentVolumeClaim, kClaimFields>("pvc", "A PersistentVolumeClaim"),
      row<api::ResourceQuota, kQuotaFields>("quota", "A ResourceQuota"),
      row<api::LimitRange, kRangeFields>("limitrange", "A LimitRange"),
      row<api::CsiNode, kCsiNodeFields>("csinode", "What CSI drivers a node has; named after the node"),
  };
  return words;
}

}  // namespace berth::scenario
