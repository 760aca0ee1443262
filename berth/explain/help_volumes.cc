// What would help a pod that its volumes keep waiting: another claim, class or volume, a smaller request, or the pod
// that holds a volume gone.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/config/suggest.h"
#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/field_changes.h"
#include "berth/explain/help_search.h"
#include "berth/explain/volume_facts.h"
#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// How many things that would help are said about volumes.
constexpr std::size_t kMaxSaid = 3;

const Symbol& storage_symbol() {
  static const Symbol storage("storage");
  return storage;
}

template <typename Change>
ClaimPtr changed_claim(const api::PersistentVolumeClaim& claim, Change&& change) {
  api::PersistentVolumeClaim changed = claim;
  change(changed);
  return std::make_shared<const api::PersistentVolumeClaim>(std::move(changed));
}

// A volume as the claim wants it; on one node if `host` is given.
VolumePtr volume_for(const api::PersistentVolumeClaim& claim, std::string volume_name, const Symbol* host,
                     bool is_bound) {
  api::PersistentVolume volume;
  volume.metadata.name = std::move(volume_name);
  volume.spec.capacity = claim.spec.resources.requests;
  volume.spec.access_modes = claim.spec.access_modes;
  volume.spec.storage_class_name = plugins::class_of(claim);
  volume.spec.volume_mode = claim.spec.volume_mode;
  volume.spec.volume_attributes_class_name = claim.spec.volume_attributes_class_name;
  volume.status.phase = Symbol(is_bound ? "Bound" : "Available");
  if (claim.spec.selector) {
    api::Labels labels = claim.spec.selector->match_labels;
    for (const api::LabelSelectorRequirement& each : claim.spec.selector->match_expressions) {
      if (each.op == "In" && !each.values.empty()) labels[each.key] = each.values.front();
      if (each.op == "Exists") labels[each.key] = Symbol("true");
    }
    volume.metadata.labels = std::move(labels);
  }
  if (is_bound) {
    api::ObjectReference reference;
    reference.kind = Symbol("PersistentVolumeClaim");
    reference.name_space = claim.metadata.name_space;
    reference.name = claim.metadata.name;
    reference.uid = claim.metadata.uid;
    volume.spec.claim_ref.emplace() = std::move(reference);
  }
  if (host != nullptr) {
    api::NodeSelectorTerm term;
    term.match_expressions.push_back({Symbol("kubernetes.io/hostname"), Symbol("In"), {*host}});
    api::VolumeNodeAffinity affinity;
    affinity.required.emplace();
    affinity.required->node_selector_terms.push_back(std::move(term));
    volume.spec.node_affinity = std::optional(std::move(affinity));
  }
  return std::make_shared<const api::PersistentVolume>(std::move(volume));
}

void mark_bound(api::PersistentVolumeClaim& claim, const std::string& volume_name) {
  api::Annotations annotations = *claim.metadata.annotations;
  annotations[Symbol("pv.kubernetes.io/bind-completed")] = "yes";
  claim.metadata.annotations = std::move(annotations);
  claim.metadata.deletion_timestamp = Instant();
  claim.spec.volume_name = volume_name;
  claim.status.phase = Symbol("Bound");
}

std::string modes_text(const std::vector<Symbol>& modes) {
  std::vector<std::string> texts;
  for (const Symbol mode : modes) texts.push_back(mode.str());
  return listed(texts);
}

// "of 10Gi and class local with ReadWriteOnce"
std::string properties_text(const api::PersistentVolumeClaim& claim) {
  const Symbol class_name = plugins::class_of(claim);
  std::string text = fmt::format("of at least {}", bytes_text(wanted_bytes(claim)));
  if (!class_name.empty()) text += fmt::format(" and class {}", class_name.text());
  if (!claim.spec.access_modes.empty()) text += " with " + modes_text(claim.spec.access_modes);
  if (claim.spec.volume_mode == Symbol("Block")) text += " and volumeMode Block";
  return text;
}

// What could be done about one claim, the likeliest first. `then` is what comes behind the sentence; "{}" in it stands
// for the node.
struct Repair {
  Step step;
  std::string then = "it fits on {}";
};

std::string filled(std::string_view then, std::string_view node) {
  const std::size_t at = then.find("{}");
  return at == std::string_view::npos ? std::string(then)
                                      : fmt::format("{}{}{}", then.substr(0, at), node, then.substr(at + 2));
}

constexpr std::string_view kWithReachableVolume = "with a volume that {} can reach, it fits there";

class Repairs {
 public:
  Repairs(const HelpSearch& search, const PodClaim& claim) : search_(search), claim_(claim) {}

  std::vector<Repair> all() {
    if (claim_.claim == nullptr) {
      // A controller creates it, and a claim that is not made for the pod is of no use to it.
      if (claim_.is_ephemeral) return {};
      use_nearest_claim();
      create_claim(fmt::format("create the PersistentVolumeClaim {}", claim_.name));
    } else if (claim_.claim->status.phase == "Lost" || claim_.claim->metadata.deletion_timestamp.is_set()) {
      create_claim(fmt::format("create the PersistentVolumeClaim {} anew", claim_.name));
    } else if (claim_.is_bound()) {
      name_nearest_volume();
      create_volume();
    } else if (!claim_.claim->spec.volume_name.empty()) {
      name_nearest_volume();
      adapt_to_named_volume();
      create_volume();
    } else {
      correct_class();
      adapt_to_volumes();
      if (!claim_.has_provisioner()) create_volume();
      if (claim_.has_provisioner()) wait_for_volume();
    }
    return std::move(repairs_);
  }

  // For a claim that waits for the pod: what the claim could ask for instead.
  std::vector<Repair> of_waiting() {
    adapt_to_volumes();
    forget_selected_node();
    lower_to_capacity();
    return std::move(repairs_);
  }

 private:
  const Cluster& cluster() const { return search_.cluster; }
  Symbol name_space() const { return search_.pod().metadata.name_space; }

  void add(std::string_view kind, std::string text, std::vector<api::AnyObject> objects, std::string_view then,
           std::string command = "") {
    Step step{.kind = kind, .text = std::move(text)};
    step.objects = std::move(objects);
    step.command = std::move(command);
    repairs_.push_back({std::move(step), std::string(then)});
  }

  std::string claim_command(const api::PersistentVolumeClaim& changed) const {
    // Of a workload that does not exist yet: its manifest is what has to be changed.
    if (!cluster().pods.contains(api::full_name(search_.pod().metadata))) return "";
    return recreate_command("pvc", name_space(), claim_.name, field_changes(claim_.claim->spec, changed.spec, "/spec"));
  }

  void use_nearest_claim() {
    std::vector<std::string> names;
    cluster().objects.persistent_volume_claims.for_each_in(
        name_space(), [&](const auto& each) { names.push_back(each->metadata.name); });
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string nearest(config::nearest_name(claim_.name, views));
    if (nearest.empty()) return;
    Step step{.kind = "claim",
              .text = fmt::format("use the PersistentVolumeClaim {} instead of {}", nearest, claim_.name)};
    step.pod = [old = claim_.name, nearest](api::PodTemplate& spec) {
      for (api::Volume& volume : spec.volumes) {
        if (volume.source.persistent_volume_claim && volume.source.persistent_volume_claim->claim_name == old) {
          volume.source.persistent_volume_claim->claim_name = nearest;
        }
      }
    };
    repairs_.push_back({std::move(step)});
  }

  void create_claim(std::string text) {
    api::PersistentVolumeClaim claim;
    if (claim_.claim != nullptr) claim = *claim_.claim;
    claim.metadata.name = claim_.name;
    claim.metadata.name_space = name_space();
    const VolumePtr volume = volume_for(claim, "volume of " + claim_.name, nullptr, true);
    mark_bound(claim, volume->metadata.name);
    add("claim", std::move(text),
        {api::AnyObject(std::make_shared<const api::PersistentVolumeClaim>(claim)), api::AnyObject(volume)},
        kWithReachableVolume);
  }

  void name_nearest_volume() {
    const std::string& wanted = claim_.claim->spec.volume_name;
    std::vector<std::string> names;
    cluster().objects.persistent_volumes.for_each([&](const VolumePtr& volume) {
      if (volume->metadata.name != wanted && mismatches(*claim_.claim, *volume).empty()) {
        names.push_back(volume->metadata.name);
      }
    });
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string meant(config::nearest_name(wanted, views));
    if (meant.empty() && !names.empty()) meant = names.front();
    if (meant.empty()) return;
    const ClaimPtr said = changed_claim(*claim_.claim, [&](auto& claim) { claim.spec.volume_name = meant; });
    const ClaimPtr bound = changed_claim(*said, [&](auto& claim) { mark_bound(claim, meant); });
    add("volume", fmt::format("name the volume {} instead of {} in claim {}", meant, wanted, claim_.name),
        {api::AnyObject(bound)}, "it fits on {}", claim_command(*said));
  }

  void adapt_to_named_volume() {
    const VolumePtr volume = cluster().objects.persistent_volumes.get(claim_.claim->spec.volume_name);
    if (volume != nullptr) adapt_to(*volume, true);
  }

  void create_volume() {
    const std::string& wanted = claim_.claim->spec.volume_name;
    if (!wanted.empty() && cluster().objects.persistent_volumes.find(wanted) != nullptr) {
      // The name is taken: another volume, and no name in the claim.
      const ClaimPtr said = changed_claim(*claim_.claim, [](auto& claim) { claim.spec.volume_name.clear(); });
      const VolumePtr volume = volume_for(*said, "volume of " + claim_.name, nullptr, true);
      const ClaimPtr bound = changed_claim(*said, [&](auto& claim) { mark_bound(claim, volume->metadata.name); });
      add("volume",
          fmt::format("do not name the volume {} in claim {}, and create a PersistentVolume {}", wanted, claim_.name,
                      properties_text(*claim_.claim)),
          {api::AnyObject(bound), api::AnyObject(volume)}, kWithReachableVolume);
      return;
    }
    const VolumePtr volume =
        volume_for(*claim_.claim, wanted.empty() ? "volume of " + claim_.name : wanted, nullptr, true);
    const ClaimPtr bound = changed_claim(*claim_.claim, [&](auto& claim) { mark_bound(claim, volume->metadata.name); });
    add("volume",
        fmt::format("create {} {} for claim {}",
                    wanted.empty() ? "a PersistentVolume" : "the PersistentVolume " + wanted,
                    properties_text(*claim_.claim), claim_.name),
        {api::AnyObject(bound), api::AnyObject(volume)}, kWithReachableVolume);
  }

  void wait_for_volume() {
    const VolumePtr volume = volume_for(*claim_.claim, "volume of " + claim_.name, nullptr, true);
    const ClaimPtr bound = changed_claim(*claim_.claim, [&](auto& claim) { mark_bound(claim, volume->metadata.name); });
    add("claim", fmt::format("have the PersistentVolumeClaim {} bound to a volume", claim_.name),
        {api::AnyObject(bound), api::AnyObject(volume)}, kWithReachableVolume);
  }

  // A class that there is: the nearest by name, else the default, else any that provisions.
  void correct_class() {
    if (claim_.storage_class != nullptr) return;
    if (claim_.class_name.empty() && claim_.claim->spec.storage_class_name) return;  // it says that it wants none
    std::vector<std::string> names;
    const api::StorageClass* any = default_class(cluster());
    cluster().objects.storage_classes.for_each([&](const auto& each) {
      names.push_back(each->metadata.name);
      const bool provisions = !each->provisioner.empty() && each->provisioner != "kubernetes.io/no-provisioner";
      if (any == nullptr && provisions) any = each.get();
    });
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string meant(config::nearest_name(claim_.class_name.text(), views));
    if (meant.empty() && any != nullptr) meant = any->metadata.name;
    const api::StorageClass* storage_class = cluster().objects.storage_classes.find(meant);
    if (meant.empty() || storage_class == nullptr) return;
    const ClaimPtr said =
        changed_claim(*claim_.claim, [&](auto& claim) { claim.spec.storage_class_name = Symbol(meant); });
    const std::string text = claim_.class_name.empty()
                                 ? fmt::format("name the storage class {} in claim {}", meant, claim_.name)
                                 : fmt::format("name the storage class {} instead of {} in claim {}", meant,
                                               claim_.class_name.text(), claim_.name);
    if (storage_class->volume_binding_mode == Symbol("WaitForFirstConsumer")) {
      add("claim", text, {api::AnyObject(said)}, "it fits on {}", claim_command(*said));
      return;
    }
    const VolumePtr volume = volume_for(*said, "volume of " + claim_.name, nullptr, true);
    const ClaimPtr bound = changed_claim(*said, [&](auto& claim) { mark_bound(claim, volume->metadata.name); });
    add("claim", text, {api::AnyObject(bound), api::AnyObject(volume)},
        fmt::format("once {} has provisioned a volume that {{}} can reach, it fits there",
                    storage_class->provisioner.text()),
        claim_command(*said));
  }

  void adapt_to_volumes() {
    const bool is_immediate = !claim_.waits_for_pod();
    std::size_t tried = 0;
    for (const VolumePtr& volume : candidate_volumes(cluster(), *claim_.claim)) {
      if (++tried > kMaxGuesses) return;
      adapt_to(*volume, is_immediate);
    }
  }

  // The claim as it would have to be to get this volume, if it is there to be had.
  void adapt_to(const api::PersistentVolume& volume, bool binds) {
    const auto& reference = volume.spec.claim_ref;
    const bool is_taken = reference && (reference->name != claim_.name || reference->name_space != name_space());
    if (is_taken || volume.metadata.deletion_timestamp.is_set()) return;
    if (!reference && !volume.status.phase.empty() && volume.status.phase != "Available") return;
    std::vector<std::string> changes;
    bool drops_selector = false;
    const ClaimPtr said = changed_claim(*claim_.claim, [&](api::PersistentVolumeClaim& claim) {
      if (wanted_bytes(claim) > offered_bytes(volume)) {
        changes.push_back(fmt::format("ask for {} instead of {}", bytes_text(offered_bytes(volume)),
                                      bytes_text(wanted_bytes(claim))));
        if (const api::Quantity* offered = volume.spec.capacity.find(storage_symbol())) {
          claim.spec.resources.requests[storage_symbol()] = *offered;
        }
      }
      const bool has_modes = std::ranges::all_of(claim.spec.access_modes, [&](Symbol mode) {
        return std::ranges::find(volume.spec.access_modes, mode) != volume.spec.access_modes.end();
      });
      // Who wants to write is not helped by a volume that can only be read.
      const bool is_to_be_read =
          std::ranges::all_of(volume.spec.access_modes, [](Symbol mode) { return mode == "ReadOnlyMany"; });
      if (!has_modes && !is_to_be_read) {
        changes.push_back(fmt::format("ask for {} instead of {}", modes_text(volume.spec.access_modes),
                                      modes_text(claim.spec.access_modes)));
        claim.spec.access_modes = volume.spec.access_modes;
      }
      if (plugins::class_of(claim) != plugins::class_of(volume)) {
        changes.push_back(fmt::format("name the class {}", plugins::class_of(volume).empty()
                                                               ? std::string("\"\"")
                                                               : plugins::class_of(volume).str()));
        claim.spec.storage_class_name = plugins::class_of(volume);
      }
      static const Symbol file_system("Filesystem");
      if (claim.spec.volume_mode.value_or(file_system) != volume.spec.volume_mode.value_or(file_system)) {
        changes.push_back(fmt::format("be {}", volume.spec.volume_mode.value_or(file_system).text()));
        claim.spec.volume_mode = volume.spec.volume_mode;
      }
      if (claim.spec.selector) {
        const auto selector = api::LabelMatcher::compile(*claim.spec.selector);
        if (selector && !selector->matches(*volume.metadata.labels)) {
          drops_selector = true;
          claim.spec.selector.reset();
        }
      }
    });
    if ((changes.empty() && !drops_selector) || !mismatches(*said, volume).empty()) return;
    std::string text = changes.empty() ? ""
                                       : fmt::format("let claim {} {}, as volume {} offers", claim_.name,
                                                     listed(changes), volume.metadata.name);
    if (drops_selector) {
      text += fmt::format("{}remove the selector of claim {}, which volume {} does not match",
                          text.empty() ? "" : ", and ", claim_.name, volume.metadata.name);
    }
    if (!binds) {
      add("claim", text, {api::AnyObject(said)}, "it fits on {}", claim_command(*said));
      return;
    }
    const ClaimPtr bound = changed_claim(*said, [&](auto& claim) { mark_bound(claim, volume.metadata.name); });
    add("claim", text, {api::AnyObject(bound)}, "it fits on {}", claim_command(*said));
  }

  void forget_selected_node() {
    static const Symbol selected("volume.kubernetes.io/selected-node");
    const std::string* node = claim_.claim->metadata.annotations->find(selected);
    if (node == nullptr) return;
    const ClaimPtr said = changed_claim(*claim_.claim, [](auto& claim) {
      api::Annotations annotations = *claim.metadata.annotations;
      annotations.erase(selected);
      claim.metadata.annotations = std::move(annotations);
    });
    add("claim", fmt::format("take the annotation {}={} off claim {}", selected.text(), *node, claim_.name),
        {api::AnyObject(said)}, "it fits on {}",
        fmt::format("kubectl annotate pvc {} -n {} {}-", shell_word(claim_.name), shell_word(name_space().text()),
                    selected.text()));
  }

  // The largest amounts that the driver still has somewhere, in whole Mi.
  void lower_to_capacity() {
    constexpr std::int64_t kMi = 1024 * 1024;
    if (!claim_.has_provisioner()) return;
    std::set<std::int64_t, std::greater<>> amounts;
    cluster().objects.csi_storage_capacities.for_each([&](const auto& capacity) {
      if (capacity->storage_class_name != claim_.class_name) return;
      const auto& limit = capacity->maximum_volume_size ? capacity->maximum_volume_size : capacity->capacity;
      const std::int64_t bytes = limit ? limit->value() / kMi * kMi : 0;
      if (bytes > 0 && bytes < wanted_bytes(*claim_.claim)) amounts.insert(bytes);
    });
    std::size_t tried = 0;
    for (const std::int64_t bytes : amounts) {
      if (++tried > kMaxGuesses) return;
      const ClaimPtr said = changed_claim(*claim_.claim, [&](auto& claim) {
        claim.spec.resources.requests[storage_symbol()] =
            api::Quantity::from_units(bytes, api::Quantity::Format::kBinarySI);
      });
      add("claim",
          fmt::format("let claim {} ask for {} instead of {}", claim_.name, bytes_text(bytes),
                      bytes_text(wanted_bytes(*claim_.claim))),
          {api::AnyObject(said)}, "it fits on {}", claim_command(*said));
    }
  }

  const HelpSearch& search_;
  const PodClaim& claim_;
  std::vector<Repair> repairs_;
};

// Says the first few that work. Returns how many.
std::size_t try_out(HelpSearch& search, const std::vector<Repair>& repairs, std::size_t max_said) {
  std::size_t said = 0;
  std::set<std::string> texts;
  for (const Repair& repair : repairs) {
    if (said == max_said) break;
    if (!texts.insert(repair.step.text).second) continue;
    const auto where = search.best_node(repair.step);
    if (!where) continue;
    search.say(std::span(&repair.step, 1), *where, filled(repair.then, *where));
    ++said;
  }
  return said;
}

std::string driver_of(const Cluster& cluster, const api::Pod& pod) {
  for (const PodClaim& claim : claims_of(cluster, pod)) {
    if (claim.claim == nullptr) continue;
    const api::PersistentVolume* volume = cluster.objects.persistent_volumes.find(claim.claim->spec.volume_name);
    if (volume != nullptr && volume->spec.source.csi) return volume->spec.source.csi->driver.str();
    if (claim.storage_class != nullptr) return claim.storage_class->provisioner.str();
  }
  return "";
}

// The pod that holds a ReadWriteOncePod claim, or uses up a node's limit, gone.
void without_holder(HelpSearch& search) {
  for (const PodClaim& claim : claims_of(search.cluster, search.pod())) {
    if (claim.claim == nullptr) continue;
    const auto& modes = claim.claim->spec.access_modes;
    if (std::ranges::find(modes, Symbol("ReadWriteOncePod")) == modes.end()) continue;
    Step step{.kind = "neighbours"};
    std::vector<std::string> names;
    for (const api::PodPtr& user :
         users_of_claim(search.cluster, search.pod().metadata.name_space, claim.name, search.pod())) {
      step.gone_pods.push_back(user);
      names.push_back(fmt::format("{} on {}", api::full_name(user->metadata), user->spec.node_name.text()));
    }
    if (names.empty() || !search.may_be_moved(step.gone_pods)) continue;
    step.text = fmt::format("end {}, which {} claim {}", listed(names), names.size() == 1 ? "uses" : "use", claim.name);
    if (const auto where = search.best_node(step)) search.say_on(step, *where);
  }
}

void free_attachment(HelpSearch& search) {
  std::size_t tried = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kNodeVolumeLimits)) continue;
    const std::string node_name = search.cluster.name_of(finding.row);
    std::vector<api::PodPtr> holders;
    for (const cache::PlacedPod& placed : search.node(finding.row).pods) {
      const api::OwnerReference* owner = api::controller_of(placed.pod->metadata);
      const bool comes_back = owner != nullptr && owner->kind == "DaemonSet";
      if (!comes_back && !claims_of(search.cluster, *placed.pod).empty()) holders.push_back(placed.pod);
    }
    std::ranges::sort(holders, [](const api::PodPtr& a, const api::PodPtr& b) {
      const auto key = [](const api::Pod& pod) {
        return std::pair(api::priority_of(pod), api::full_name(pod.metadata));
      };
      return key(*a) < key(*b);
    });
    for (const api::PodPtr& holder : holders) {
      if (++tried > kMaxGuesses) return;
      Step step{.kind = "neighbours",
                .text = fmt::format("move {}, which has a volume of {}, away from {}", api::full_name(holder->metadata),
                                    driver_of(search.cluster, *holder), node_name)};
      step.gone_pods.push_back(holder);
      if (!search.may_be_moved(step.gone_pods)) continue;
      if (search.fits_on(node_name, step)) return search.say_there(step, node_name);
    }
  }
}

// A volume on a node that lacks nothing else.
void add_volume_on_node(HelpSearch& search, const PodClaim& claim) {
  static const Symbol hostname("kubernetes.io/hostname");
  if (claim.has_provisioner()) return;
  std::size_t tried = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kVolumeBinding)) continue;
    if (++tried > kMaxGuesses) return;
    const Symbol* host = search.node(finding.row).labels().find(hostname);
    const std::string node_name = search.cluster.name_of(finding.row);
    Step step{.kind = "volume",
              .text = fmt::format("create a PersistentVolume {} on {} for claim {}", properties_text(*claim.claim),
                                  node_name, claim.name)};
    step.objects = {api::AnyObject(volume_for(*claim.claim, "volume of " + claim.name, host, false))};
    if (search.fits_on(node_name, step)) return search.say_there(step, node_name);
  }
}

}  // namespace

void provide_claims(HelpSearch& search) {
  std::vector<PodClaim> waiting;
  for (PodClaim& claim : claims_of(search.cluster, search.pod())) {
    const bool has_volume = claim.is_bound() && claim.claim->status.phase != "Lost" &&
                            !claim.claim->metadata.deletion_timestamp.is_set() &&
                            search.cluster.objects.persistent_volumes.find(claim.claim->spec.volume_name) != nullptr;
    if (!has_volume && !claim.waits_for_pod()) waiting.push_back(std::move(claim));
  }
  if (waiting.size() == 1) {
    try_out(search, Repairs(search, waiting.front()).all(), kMaxSaid);
    return;
  }
  // Each has to be mended: of each, the first way. If that is not enough, each by a volume of its own.
  for (const bool is_first : {true, false}) {
    std::vector<Step> steps;
    for (const PodClaim& claim : waiting) {
      std::vector<Repair> repairs = Repairs(search, claim).all();
      if (repairs.empty()) return;
      steps.push_back(std::move(is_first ? repairs.front().step : repairs.back().step));
    }
    if (steps.empty()) return;
    if (const auto where = search.best_node(steps)) {
      return search.say(steps, *where, filled(kWithReachableVolume, *where));
    }
  }
}

void fit_volumes(HelpSearch& search) {
  const bool is_concerned = std::ranges::any_of(search.diagnosis.findings, [](const NodeFinding& finding) {
    return std::ranges::any_of(finding.failing,
                               [](const FailingFilter& each) { return is_volume_plugin(each.plugin); });
  });
  if (!is_concerned) return;
  without_holder(search);
  free_attachment(search);
  for (const PodClaim& claim : claims_of(search.cluster, search.pod())) {
    if (claim.claim == nullptr || claim.is_bound() || !claim.waits_for_pod()) continue;
    if (try_out(search, Repairs(search, claim).of_waiting(), 1) > 0 && search.help.size() >= kMaxSaid) return;
    add_volume_on_node(search, claim);
  }
}

}  // namespace berth::explain
