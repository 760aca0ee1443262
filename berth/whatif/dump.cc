#include "berth/whatif/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/api/autoscaling.h"
#include "berth/api/kinds.h"
#include "berth/explain/stable_order.h"
#include "berth/sim/object_copy.h"

namespace berth::whatif {

namespace {

// By kind, namespace and name.
using Key = std::tuple<std::string, std::string, std::string>;

bool is_of_use(const api::ObjectKind& kind) {
  return kind.metadata != nullptr && &kind != &api::kind_of<api::Event>() && &kind != &api::kind_of<api::Lease>() &&
         &kind != &api::kind_of<api::Binding>() && &kind != &api::kind_of<api::ConfigMap>() &&
         kind.type != &api::type_of<api::PartialObject>();
}

// Classes and nodes before what lives on them; pods last, when everything that they refer to is there.
int rank_of(const api::ObjectKind& kind) {
  if (&kind == &api::kind_of<api::Namespace>()) return 0;
  if (&kind == &api::kind_of<api::PriorityClass>() || &kind == &api::kind_of<api::StorageClass>()) return 1;
  if (&kind == &api::kind_of<api::Node>()) return 2;
  if (&kind == &api::kind_of<api::Pod>()) return 4;
  return 3;
}

std::string namespace_of(const api::AnyObject& object) {
  if (!object.kind().namespaced) return "";
  const Symbol name_space = object.metadata().name_space;
  return name_space.empty() ? "default" : name_space.str();
}

Key key_of(const api::AnyObject& object) {
  return {std::string(object.kind().kind), namespace_of(object), object.metadata().name};
}

bool has_owners_without_uid(const api::AnyObject& object) {
  return std::ranges::any_of(*object.metadata().owner_references,
                             [](const api::OwnerReference& owner) { return owner.uid.empty(); });
}

class Preparation {
 public:
  explicit Preparation(std::span<const api::AnyObject> dump) {
    for (const api::AnyObject& object : dump) {
      if (!is_of_use(object.kind())) continue;
      objects_.push_back(with_uid(object));
      uids_[key_of(object)] = objects_.back().metadata().uid;
    }
  }

  std::vector<api::AnyObject> run() {
    for (api::AnyObject& object : objects_) {
      if (has_owners_without_uid(object)) object = with_known_owners(object);
      if (const auto pod = object.as<api::Pod>()) object = with_readiness(pod);
    }
    explain::sort_stably(objects_, {}, [](const api::AnyObject& object) { return rank_of(object.kind()); });
    return std::move(objects_);
  }

 private:
  static api::AnyObject with_uid(const api::AnyObject& object) {
    if (!object.metadata().uid.empty()) return object;
    return sim::with_metadata(object, [&](api::ObjectMeta& metadata) {
      metadata.uid = fmt::format("{}/{}/{}", object.kind().kind, namespace_of(object), metadata.name);
    });
  }

  api::AnyObject with_known_owners(const api::AnyObject& object) const {
    return sim::with_metadata(object, [&](api::ObjectMeta& metadata) {
      std::vector<api::OwnerReference> owners = *metadata.owner_references;
      for (api::OwnerReference& owner : owners) {
        if (!owner.uid.empty()) continue;
        const auto found = uids_.find(Key(owner.kind.str(), namespace_of(object), owner.name));
        // Pods of one owner belong together even if it is not there.
        owner.uid = found != uids_.end() ? found->second
                                         : fmt::format("{}/{}/{}", owner.kind.text(), namespace_of(object), owner.name);
      }
      metadata.owner_references = std::move(owners);
    });
  }

  static api::AnyObject with_readiness(const api::PodPtr& pod) {
    static const Symbol running("Running"), ready("Ready"), is_true("True");
    if (pod->status.phase != running || api::find_condition(*pod, ready) != nullptr) return api::AnyObject(pod);
    auto changed = std::make_shared<api::Pod>(*pod);
    api::PodCondition& condition = changed->status.conditions.emplace_back();
    condition.type = ready;
    condition.status = is_true;
    return api::AnyObject(api::PodPtr(std::move(changed)));
  }

  std::vector<api::AnyObject> objects_;
  std::map<Key, std::string> uids_;
};

}  // namespace

std::vector<api::AnyObject> prepared(std::span<const api::AnyObject> dump) {
  return Preparation(dump).run();
}

Instant time_of(std::span<const api::AnyObject> dump) {
  Instant newest;
  for (const api::AnyObject& object : dump) {
    if (object.kind().metadata != nullptr) newest = std::max(newest, object.metadata().creation_timestamp);
  }
  return newest.is_set() ? newest + Duration::seconds(1) : newest;
}

std::vector<std::string> load(sim::World& world, std::span<const api::AnyObject> objects) {
  std::vector<std::string> left_out;
  for (const api::AnyObject& object : objects) {
    // A resource version of another API server means nothing to this one.
    const api::AnyObject fresh =
        sim::with_metadata(object, [](api::ObjectMeta& metadata) { metadata.resource_version.clear(); });
    if (const auto applied = world.apply(fresh); !applied) {
      left_out.push_back(fmt::format("{} {} is left out: {}.", object.kind().kind, api::full_name(object.metadata()),
                                     applied.error().message()));
    }
  }
  return left_out;
}

}  // namespace berth::whatif
