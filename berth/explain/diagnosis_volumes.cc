#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "berth/api/label_selector.h"
#include "berth/api/node_selector.h"
#include "berth/config/suggest.h"
#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/volume_facts.h"
#include "berth/explain/words.h"
#include "berth/plugins/names.h"
#include "berth/plugins/node_volume_limits.h"
#include "berth/plugins/volume_claims.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;
using framework::ReasonCode;

// " (did you mean gp3?)"; or what there is instead, if it is little.
std::string instead_text(std::string_view wanted, const std::vector<std::string>& known, std::string_view what) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view nearest = config::nearest_name(wanted, views);
  if (!nearest.empty()) return fmt::format(" (did you mean {}?)", nearest);
  if (known.empty()) return fmt::format("; there is no {} at all", what);
  return fmt::format("; there {} {}", known.size() == 1 ? "is" : "are", listed(known, kMaxNamed));
}

std::vector<std::string> class_names(const Cluster& cluster) {
  std::vector<std::string> names;
  cluster.objects.storage_classes.for_each([&](const auto& each) { names.push_back(each->metadata.name); });
  return names;
}

// "pv-small (node n1) offers 5Gi; pv-2 is Block"
// Of nodes on which no volume is found, `rows`, a volume that matches the claim and can be used there goes to another
// claim, of this pod or of one that is being placed.
std::string offers_text(const Cluster& cluster, const api::PersistentVolumeClaim& claim,
                        std::span<const cache::RowId> rows = {}) {
  const auto is_taken = [&](const api::PersistentVolume& volume) {
    if (rows.empty()) return false;
    const std::vector<std::string> reach = nodes_for(cluster, volume);
    return std::ranges::any_of(
        rows, [&](cache::RowId row) { return std::ranges::find(reach, cluster.name_of(row)) != reach.end(); });
  };
  const std::vector<VolumePtr> volumes = candidate_volumes(cluster, claim);
  std::vector<std::string> texts;
  for (const VolumePtr& volume : volumes) {
    const std::vector<std::string> wrong = mismatches(claim, *volume);
    const std::string place = place_text(*volume);
    const std::string where = place.empty() ? "" : fmt::format(" ({})", place);
    texts.push_back(fmt::format("{}{} {}", volume->metadata.name, where,
                                !wrong.empty()      ? listed(wrong)
                                : is_taken(*volume) ? std::string("goes to another claim")
                                                    : std::string("would do")));
    if (texts.size() > kMaxNamed) break;
  }
  if (texts.empty()) return "";
  const std::size_t more = volumes.size() - std::min(volumes.size(), kMaxNamed);
  if (texts.size() > kMaxNamed) texts.resize(kMaxNamed);
  std::string text = fmt::format("{}", fmt::join(texts, "; "));
  if (more > 0) text += fmt::format("; and {} more", more);
  return text;
}

// "10Gi of class local, ReadWriteMany"
std::string wish_text(const api::PersistentVolumeClaim& claim) {
  const Symbol class_name = plugins::class_of(claim);
  std::string text = bytes_text(wanted_bytes(claim));
  text += class_name.empty() ? " without a class" : fmt::format(" of class {}", class_name.text());
  std::vector<std::string> modes;
  for (const Symbol mode : claim.spec.access_modes) modes.push_back(mode.str());
  if (!modes.empty()) text += ", " + listed(modes);
  if (claim.spec.volume_mode == Symbol("Block")) text += ", Block";
  return text;
}

// What the provisioner or the volume controller said last.
std::string event_text(const Cluster& cluster, const api::PersistentVolumeClaim& claim) {
  const ObjectEvent* newest = nullptr;
  for (const ObjectEvent* event : cluster.events.about("PersistentVolumeClaim", claim.metadata.name_space,
                                                       claim.metadata.name, claim.metadata.uid)) {
    if (event->is_warning) newest = event;
  }
  if (newest == nullptr) return "";
  return fmt::format("; {}: {}", newest->reason.text(), newest->message.substr(0, newest->message.find('\n')));
}

class ClaimReason {
 public:
  ClaimReason(const Cluster& cluster, const api::Pod& pod, const PodClaim& claim)
      : cluster_(cluster), pod_(pod), claim_(claim) {}

  std::string text() const {
    if (claim_.claim == nullptr) return of_missing();
    if (claim_.claim->status.phase == "Lost") {
      return fmt::format("cannot use its PersistentVolumeClaim {}: it is Lost, since its volume {} does not exist",
                         claim_.name, claim_.claim->spec.volume_name);
    }
    if (claim_.claim->metadata.deletion_timestamp.is_set()) return of_deletion();
    if (claim_.is_ephemeral && plugins::why_not_made_for(pod_, *claim_.claim)) {
      return fmt::format(
          "cannot use the PersistentVolumeClaim {} of its ephemeral volume {}: the claim was not made for this pod",
          claim_.name, claim_.volume);
    }
    if (claim_.is_bound()) return of_bound();
    if (!claim_.claim->spec.volume_name.empty()) return of_prebound();
    if (claim_.waits_for_pod()) return "";
    return of_unbound();
  }

 private:
  std::string waits(std::string_view why) const {
    return fmt::format(
        "waits for its PersistentVolumeClaim {} to be bound to a volume, which does not depend on the "
        "scheduler: {}",
        claim_.name, why);
  }

  std::string of_missing() const {
    if (claim_.is_ephemeral) {
      return fmt::format(
          "waits for the PersistentVolumeClaim {} of its ephemeral volume {}, which the ephemeral volume controller "
          "has "
          "not created yet",
          claim_.name, claim_.volume);
    }
    std::vector<std::string> names, elsewhere;
    const auto& all = cluster_.objects.persistent_volume_claims;
    all.for_each_in(pod_.metadata.name_space, [&](const auto& each) { names.push_back(each->metadata.name); });
    all.for_each([&](const auto& each) {
      if (each->metadata.name == claim_.name) elsewhere.push_back(each->metadata.name_space.str());
    });
    std::string text = fmt::format("waits for the PersistentVolumeClaim {}, which does not exist in namespace {}",
                                   claim_.name, pod_.metadata.name_space.text());
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (!elsewhere.empty()) {
      text += fmt::format("; there is one of that name in namespace {}", listed(elsewhere, kMaxNamed));
    } else if (const auto nearest = config::nearest_name(claim_.name, views); !nearest.empty()) {
      text += fmt::format(" (did you mean {}?)", nearest);
    }
    return text;
  }

  std::string of_deletion() const {
    std::vector<std::string> users;
    for (const api::PodPtr& user : users_of_claim(cluster_, pod_.metadata.name_space, claim_.name, pod_)) {
      users.push_back(fmt::format("{} on {}", api::full_name(user->metadata), user->spec.node_name.text()));
    }
    return fmt::format("cannot use its PersistentVolumeClaim {}: it is being deleted{}", claim_.name,
                       users.empty() ? "" : fmt::format(" once {} has ended", listed(users, kMaxNamed)));
  }

  // VolumeZone wants the volume of a bound claim to be there.
  std::string of_bound() const {
    const std::string& volume = claim_.claim->spec.volume_name;
    if (cluster_.objects.persistent_volumes.find(volume) != nullptr) return "";
    return fmt::format("cannot use its PersistentVolumeClaim {}: the volume {} that it is bound to does not exist",
                       claim_.name, volume);
  }

  std::string of_prebound() const {
    const std::string& volume_name = claim_.claim->spec.volume_name;
    const api::PersistentVolume* volume = cluster_.objects.persistent_volumes.find(volume_name);
    const std::string start = fmt::format(
        "waits for its PersistentVolumeClaim {} to be bound to the volume {} that it names", claim_.name, volume_name);
    if (volume == nullptr) {
      std::vector<std::string> names;
      cluster_.objects.persistent_volumes.for_each([&](const auto& each) { names.push_back(each->metadata.name); });
      return fmt::format("{}, which does not exist{}", start, instead_text(volume_name, names, "PersistentVolume"));
    }
    const std::vector<std::string> wrong = mismatches(*claim_.claim, *volume);
    if (wrong.empty()) return fmt::format("{}; the volume controller has not done so yet", start);
    return fmt::format("{}, but that volume {} (the claim wants {})", start, listed(wrong), wish_text(*claim_.claim));
  }

  std::string of_unbound() const {
    const api::PersistentVolumeClaim& claim = *claim_.claim;
    const std::string offers = offers_text(cluster_, claim);
    const std::string no_volume =
        offers.empty() ? std::string("there is no such volume") : fmt::format("of the volumes, {}", offers);
    if (!claim_.class_name.empty() && claim_.storage_class == nullptr) {
      std::string text = fmt::format("its storage class {} does not exist{}", claim_.class_name.text(),
                                     instead_text(claim_.class_name.text(), class_names(cluster_), "StorageClass"));
      if (!offers.empty()) text += "; of the volumes of that class, " + offers;
      return waits(text);
    }
    if (claim_.class_name.empty()) {
      if (claim.spec.storage_class_name) {
        return waits(fmt::format("it wants {}, which nothing provisions, and {}", wish_text(claim), no_volume));
      }
      const api::StorageClass* by_default = default_class(cluster_);
      if (by_default != nullptr) {
        return waits(fmt::format("it names no storage class, and has not been given the default class {} yet",
                                 by_default->metadata.name));
      }
      return waits(fmt::format("it names no storage class, and no class is the default{}{}",
                               class_names(cluster_).empty()
                                   ? std::string("; there is no StorageClass at all")
                                   : "; there are " + listed(class_names(cluster_), kMaxNamed),
                               offers.empty() ? "" : "; of the volumes without a class, " + offers));
    }
    if (!claim_.has_provisioner()) {
      return waits(fmt::format("it wants {}, which nothing provisions, and {}", wish_text(claim), no_volume));
    }
    return waits(fmt::format("{} has not provisioned {} yet{}", claim_.storage_class->provisioner.text(),
                             wish_text(claim), event_text(cluster_, claim)));
  }

  const Cluster& cluster_;
  const api::Pod& pod_;
  const PodClaim& claim_;
};

// --- Nodes

class NodePhrases {
 public:
  NodePhrases(const Cluster& cluster, const Evaluation& evaluation, std::span<const cache::RowId> rows)
      : cluster_(cluster), pod_(*evaluation.pod), rows_(rows), claims_(claims_of(cluster, *evaluation.pod)) {}

  std::optional<Phrase> of_binding(const FailingFilter& failing) const {
    if (failing.has(ReasonCode::kVolumeNodeAffinity)) return of_place();
    if (failing.has(ReasonCode::kBoundVolumeMissing)) return of_missing_volume();
    if (failing.has(ReasonCode::kNotEnoughStorage)) return of_capacity();
    if (failing.has(ReasonCode::kNoVolumeToBind)) return of_no_volume();
    return std::nullopt;
  }

  // The volumes that are elsewhere.
  std::optional<Phrase> of_place() const {
    std::vector<std::string> volumes, places;
    for (const PodClaim& claim : claims_) {
      if (!claim.is_bound()) continue;
      const api::PersistentVolume* volume = cluster_.objects.persistent_volumes.find(claim.claim->spec.volume_name);
      if (volume == nullptr) continue;
      const std::vector<std::string> reach = nodes_for(cluster_, *volume);
      const bool is_elsewhere = std::ranges::any_of(
          rows_, [&](cache::RowId row) { return std::ranges::find(reach, cluster_.name_of(row)) == reach.end(); });
      if (!is_elsewhere) continue;
      volumes.push_back(fmt::format("volume {} of claim {}", volume->metadata.name, claim.name));
      const std::string place = place_text(*volume);
      const bool is_on_node = reach.size() == 1 && place == "node " + reach.front();
      places.push_back(is_on_node ? "it is on " + place
                                  : fmt::format("it is in {}, where {}", place,
                                                reach.empty() ? std::string("there is no node")
                                                              : fmt::format("{} {}", listed(reach, kMaxNamed),
                                                                            reach.size() == 1 ? "is" : "are")));
    }
    if (volumes.empty()) return std::nullopt;
    const std::string text = "cannot use " + listed(volumes, kMaxNamed);
    return Phrase{text, text, fmt::format("{}", fmt::join(places, "; "))};
  }

  std::optional<Phrase> of_missing_volume() const {
    for (const PodClaim& claim : claims_) {
      if (!claim.is_bound()) continue;
      const std::string& volume = claim.claim->spec.volume_name;
      if (cluster_.objects.persistent_volumes.find(volume) != nullptr) continue;
      const std::string text = fmt::format("cannot use claim {}", claim.name);
      return Phrase{text, text, fmt::format("the volume {} that it is bound to does not exist", volume)};
    }
    return std::nullopt;
  }

  std::optional<Phrase> of_capacity() const {
    for (const PodClaim& claim : claims_) {
      if (!claim.waits_for_pod()) continue;
      std::vector<std::pair<std::int64_t, std::string>> segments;
      bool is_enough = false;
      cluster_.objects.csi_storage_capacities.for_each([&](const auto& capacity) {
        if (capacity->storage_class_name != claim.class_name) return;
        const auto& limit = capacity->maximum_volume_size ? capacity->maximum_volume_size : capacity->capacity;
        const std::int64_t bytes = limit ? limit->value() : 0;
        const auto nodes = api::LabelMatcher::compile(capacity->node_topology);
        const bool is_of_row = nodes && !nodes->is_nothing() && std::ranges::any_of(rows_, [&](cache::RowId row) {
                                 return nodes->matches(cluster_.cache.nodes().at(row).labels());
                               });
        is_enough |= is_of_row && bytes >= wanted_bytes(*claim.claim);
        segments.emplace_back(-bytes, fmt::format("{} in {}", bytes_text(bytes), segment_text(*capacity)));
      });
      if (is_enough) continue;
      std::ranges::sort(segments);
      std::vector<std::string> texts;
      for (auto& [bytes, text] : segments) texts.push_back(std::move(text));
      const std::string text =
          fmt::format("not have room for claim {} of {}", claim.name, bytes_text(wanted_bytes(*claim.claim)));
      return Phrase{"does " + text, "do " + text,
                    texts.empty()
                        ? fmt::format("{} reports no capacity for class {}", claim.storage_class->provisioner.text(),
                                      claim.class_name.text())
                        : fmt::format("{} has {}", claim.storage_class->provisioner.text(), listed(texts, kMaxNamed))};
    }
    return std::nullopt;
  }

  std::optional<Phrase> of_no_volume() const {
    static const Symbol selected_node("volume.kubernetes.io/selected-node");
    for (const PodClaim& claim : claims_) {
      if (!claim.waits_for_pod()) continue;
      const std::string* selected = claim.claim->metadata.annotations->find(selected_node);
      if (selected != nullptr) {
        if (std::ranges::all_of(rows_, [&](cache::RowId row) { return cluster_.name_of(row) == *selected; })) continue;
        const std::string text = fmt::format("not {}", *selected);
        return Phrase{"is " + text, "are " + text,
                      fmt::format("the volume of claim {} is being provisioned there", claim.name)};
      }
      if (claim.has_provisioner()) {
        if (claim.storage_class->allowed_topologies.empty()) continue;
        const std::string text = fmt::format("not where class {} makes volumes", claim.class_name.text());
        return Phrase{"is " + text, "are " + text,
                      fmt::format("claim {} needs one; its allowedTopologies are {}", claim.name,
                                  topologies_text(*claim.storage_class))};
      }
      const std::string offers = offers_text(cluster_, *claim.claim, rows_);
      const std::string text = fmt::format("no volume for claim {}", claim.name);
      return Phrase{"has " + text, "have " + text,
                    fmt::format("it wants {}; {}", wish_text(*claim.claim),
                                offers.empty() ? no_offer_text(*claim.claim) : offers)};
    }
    return std::nullopt;
  }

  std::optional<Phrase> of_limits(const cache::ClusterObjects& objects) const {
    std::vector<std::string> texts;
    std::set<std::string> drivers;
    // Each look goes through all attachments, so it is not taken at more nodes than are named.
    for (const cache::RowId row : rows_.first(std::min(rows_.size(), kMaxNamed + 1))) {
      for (const plugins::VolumeLimit& each :
           plugins::exceeded_volume_limits(pod_, cluster_.cache.nodes().at(row), objects)) {
        drivers.insert(each.driver.str());
        texts.push_back(fmt::format("{} has {} of {} attached{}", cluster_.name_of(row), each.attached, each.limit,
                                    each.wanted == 1 ? "" : fmt::format(", and it needs {} more", each.wanted)));
      }
    }
    if (texts.empty()) return std::nullopt;
    const std::string text = fmt::format("no room for another volume of {}",
                                         listed(std::vector<std::string>(drivers.begin(), drivers.end())));
    const std::string all_named = listed(texts);
    return Phrase{"has " + text, "have " + text,
                  rows_.size() > kMaxNamed + 1 ? fmt::format("{}, and so on", all_named) : all_named};
  }

  std::optional<Phrase> of_restrictions(const FailingFilter& failing) const {
    if (failing.has(ReasonCode::kReadWriteOncePodInUse)) {
      for (const PodClaim& claim : claims_) {
        if (claim.claim == nullptr) continue;
        const auto& modes = claim.claim->spec.access_modes;
        if (std::ranges::find(modes, Symbol("ReadWriteOncePod")) == modes.end()) continue;
        const std::string holders = users_text(claim.name);
        if (holders.empty()) continue;
        const std::string text =
            fmt::format("take it while another pod uses claim {}, which is ReadWriteOncePod", claim.name);
        return Phrase{"cannot " + text, "cannot " + text, "used by " + holders};
      }
      return std::nullopt;
    }
    std::vector<std::string> holders;
    for (const cache::RowId row : rows_) {
      for (const cache::PlacedPod& placed : cluster_.cache.nodes().at(row).pods) {
        const bool shares = std::ranges::any_of(placed.pod->spec->volumes, [](const api::Volume& volume) {
          const api::VolumeSource& source = volume.source;
          return source.gce_persistent_disk || source.aws_elastic_block_store || source.rbd || source.iscsi;
        });
        if (shares) {
          holders.push_back(fmt::format("{} on {}", api::full_name(placed.pod->metadata), cluster_.name_of(row)));
        }
      }
    }
    return Phrase{"has its disk in use", "have its disk in use",
                  holders.empty() ? "" : "by " + listed(holders, kMaxNamed)};
  }

 private:
  std::string users_text(const std::string& claim_name) const {
    std::vector<std::string> texts;
    for (const api::PodPtr& user : users_of_claim(cluster_, pod_.metadata.name_space, claim_name, pod_)) {
      texts.push_back(fmt::format("{} on {}", api::full_name(user->metadata), user->spec.node_name.text()));
    }
    return listed(texts, kMaxNamed);
  }

  // There is no volume of the class that is not bound to another claim.
  std::string no_offer_text(const api::PersistentVolumeClaim& claim) const {
    std::size_t bound = 0;
    cluster_.objects.persistent_volumes.for_each([&](const VolumePtr& volume) {
      if (plugins::class_of(*volume) == plugins::class_of(claim)) ++bound;
    });
    if (bound == 0) return "there is no volume of that class";
    return bound == 1 ? std::string("the only volume of that class is bound to another claim")
                      : fmt::format("all {} volumes of that class are bound to other claims", bound);
  }

  static std::string segment_text(const api::CsiStorageCapacity& capacity) {
    if (!capacity.node_topology) return "no topology segment";
    std::vector<std::string> texts;
    for (const auto& [key, value] : capacity.node_topology->match_labels) {
      texts.push_back(place_text(key, {value}));
    }
    for (const api::LabelSelectorRequirement& each : capacity.node_topology->match_expressions) {
      texts.push_back(each.op == "In" ? place_text(each.key, each.values)
                                      : requirement_text(each.key.text(), each.op.text(), each.values));
    }
    return texts.empty() ? "the whole cluster" : listed(texts);
  }

  static std::string topologies_text(const api::StorageClass& storage_class) {
    std::vector<std::string> texts;
    for (const api::TopologySelectorTerm& term : storage_class.allowed_topologies) {
      std::vector<std::string> parts;
      for (const api::TopologySelectorLabelRequirement& each : term.match_label_expressions) {
        parts.push_back(place_text(each.key, each.values));
      }
      texts.push_back(listed(parts));
    }
    return fmt::format("{}", fmt::join(texts, ", or "));
  }

  const Cluster& cluster_;
  const api::Pod& pod_;
  std::span<const cache::RowId> rows_;
  std::vector<PodClaim> claims_;
};

}  // namespace

bool is_volume_plugin(Symbol plugin) {
  return plugin == name::kVolumeBinding || plugin == name::kVolumeZone || plugin == name::kVolumeRestrictions ||
         plugin == name::kNodeVolumeLimits;
}

std::optional<Phrase> volume_phrase(const Cluster& cluster, const Evaluation& evaluation, Symbol plugin,
                                    const Members& members) {
  if (!is_volume_plugin(plugin)) return std::nullopt;
  std::vector<cache::RowId> rows;
  for (const NodeFinding* member : members) rows.push_back(member->row);
  const NodePhrases phrases(cluster, evaluation, rows);
  const FailingFilter& failing = members.front()->primary_filter();
  if (plugin == name::kVolumeBinding) return phrases.of_binding(failing);
  if (plugin == name::kVolumeZone) return phrases.of_place();
  if (plugin == name::kNodeVolumeLimits) return phrases.of_limits(cluster.objects);
  return phrases.of_restrictions(failing);
}

std::string brief_of_volumes(const Cluster& /*cluster*/, const Evaluation& /*evaluation*/, cache::RowId /*row*/,
                             const FailingFilter& failing) {
  if (failing.plugin == name::kVolumeBinding || failing.plugin == name::kVolumeZone) return "out of reach of a volume";
  if (failing.plugin == name::kNodeVolumeLimits) return "at the limit of attached volumes";
  if (failing.plugin == name::kVolumeRestrictions) return "kept from it by a volume in use";
  return "";
}

std::string rejection_headline(const Cluster& cluster, const Evaluation& evaluation) {
  const framework::Status& status = evaluation.pre_filter.status;
  if (is_volume_plugin(status.plugin())) {
    for (const PodClaim& claim : claims_of(cluster, *evaluation.pod)) {
      if (std::string text = ClaimReason(cluster, *evaluation.pod, claim).text(); !text.empty()) return text;
    }
  }
  return fmt::format("cannot be placed: {}", status.message());
}

}  // namespace berth::explain
