// Walks the schema tables of all kinds, so that a mistake in a table (a field twice, a number twice, a member of
// another type) shows here and not in a codec.
#include "berth/api/object.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "berth/api/autoscaling.h"
#include "berth/api/kinds.h"

namespace berth::api {
namespace {

// How many bytes a value of the type takes, as far as a table says: nothing for objects, whose fields say it
// themselves.
std::size_t size_of(const Type& type) {
  switch (type.kind) {
    case Kind::kBool: return sizeof(bool);
    case Kind::kInt32: return sizeof(std::int32_t);
    case Kind::kInt64: return sizeof(std::int64_t);
    case Kind::kDouble: return sizeof(double);
    case Kind::kString: return sizeof(std::string);
    case Kind::kSymbol: return sizeof(Symbol);
    case Kind::kQuantity: return sizeof(Quantity);
    case Kind::kTime: return sizeof(Instant);
    case Kind::kMicroTime: return sizeof(MicroTime);
    case Kind::kDuration: return sizeof(Duration);
    case Kind::kIntOrString: return sizeof(IntOrString);
    case Kind::kRawJson: return sizeof(RawJson);
    case Kind::kList: return sizeof(std::vector<int>);
    case Kind::kMap: return sizeof(FlatMap<int>);
    case Kind::kInterned: return sizeof(Interned<int>);
    case Kind::kOptional: return 1;
    case Kind::kObject: {
      std::size_t size = 0;
      for (const Field& field : type.schema().fields()) size = std::max(size, field.offset + size_of(*field.type));
      return size;
    }
  }
  return 0;
}

// Calls `visit` for each object type that is reachable, once.
template <typename Visit>
void walk(const Type& type, std::set<const Schema*>& seen, const Visit& visit) {
  if (type.element != nullptr) walk(*type.element, seen, visit);
  if (type.kind != Kind::kObject || !seen.insert(&type.schema()).second) return;
  visit(type);
  for (const Field& field : type.schema().fields()) walk(*field.type, seen, visit);
}

std::vector<const Type*> all_object_types() {
  std::vector<const Type*> types;
  std::set<const Schema*> seen;
  for (const ObjectKind& kind : all_kinds()) {
    walk(*kind.type, seen, [&](const Type& type) { types.push_back(&type); });
  }
  return types;
}

TEST(Schemas, HaveDistinctNamesNumbersAndMembers) {
  const auto types = all_object_types();
  EXPECT_GT(types.size(), 130u);
  for (const Type* type : types) {
    const Schema& schema = type->schema();
    EXPECT_FALSE(schema.fields().empty()) << schema.name();
    std::set<std::string_view> names;
    std::set<std::uint32_t> numbers;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const Field& field : schema.fields()) {
      const std::string what = std::string(schema.name()) + "." + std::string(field.json_name);
      if (!field.json_name.empty()) {
        EXPECT_TRUE(names.insert(field.json_name).second) << what;
        EXPECT_NE(field.number, 0u) << what;
      }
      if (field.number != 0) {
        EXPECT_TRUE(numbers.insert(field.number).second) << what;
      }
      places.emplace_back(field.offset, field.offset + size_of(*field.type));
    }
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i) {
      EXPECT_LE(places[i - 1].second, places[i].first) << schema.name() << " has members that overlap";
    }
  }
}

TEST(Schemas, FindEachFieldByNameAndNumber) {
  for (const Type* type : all_object_types()) {
    const Schema& schema = type->schema();
    for (const Field& field : schema.fields()) {
      if (!field.json_name.empty()) {
        std::size_t hint = 0;
        const Slot* slot = schema.by_json_name(field.json_name, hint);
        ASSERT_NE(slot, nullptr) << schema.name() << "." << field.json_name;
        EXPECT_EQ(slot->field, &field);
        EXPECT_EQ(slot->through, nullptr);
      }
      if (field.number != 0) {
        const Slot* slot = schema.by_number(field.number);
        ASSERT_NE(slot, nullptr) << schema.name() << "." << field.json_name;
        EXPECT_EQ(slot->field, &field);
      }
    }
  }
}

TEST(Schemas, ReachThroughInlineMembers) {
  std::size_t hint = 0;
  const Schema& pod = schema_of<PodSpec>();
  const Slot* tolerations = pod.by_json_name("tolerations", hint);
  ASSERT_NE(tolerations, nullptr);
  EXPECT_EQ(tolerations->through, pod.shared_part());
  EXPECT_EQ(pod.by_number(22)->field, tolerations->field);

  const Schema& volume = schema_of<Volume>();
  const Slot* claim = volume.by_json_name("persistentVolumeClaim", hint = 0);
  ASSERT_NE(claim, nullptr);
  ASSERT_NE(claim->through, nullptr);
  EXPECT_EQ(volume.by_number(2)->field, claim->through);
}

TEST(Schemas, DropVolumesThatDoNotMatter) {
  PodTemplate pod;
  pod.volumes.resize(3);
  pod.volumes[0].name = "token";
  pod.volumes[1].name = "data";
  pod.volumes[1].source.persistent_volume_claim.emplace().claim_name = "claim";
  pod.volumes[2].name = "config";
  ASSERT_NE(schema_of<PodTemplate>().normalize(), nullptr);
  schema_of<PodTemplate>().normalize()(&pod);
  ASSERT_EQ(pod.volumes.size(), 1u);
  EXPECT_EQ(pod.volumes[0].name, "data");
}

TEST(Kinds, AreDistinct) {
  std::set<std::pair<std::string_view, std::string_view>> kinds;
  std::set<std::pair<std::string_view, std::string_view>> resources;
  for (const ObjectKind& kind : all_kinds()) {
    EXPECT_TRUE(kinds.emplace(kind.api_version, kind.kind).second) << kind.kind;
    EXPECT_TRUE(resources.emplace(kind.api_version, kind.resource).second) << kind.kind;
    EXPECT_EQ(find_kind(kind.api_version, kind.kind), &kind);
    if (kind.type != &type_of<PartialObject>()) EXPECT_EQ(kind.type->schema().name(), kind.kind);
  }
}

TEST(Kinds, ReadNodePoolsOfTheBetaAsThoseOfToday) {
  EXPECT_EQ(find_kind("karpenter.sh/v1beta1", "NodePool"), &kind_of<NodePool>());
  EXPECT_EQ(find_kind("karpenter.sh/v1alpha5", "Provisioner"), nullptr);
}

TEST(Kinds, MakeEmptyObjects) {
  for (const ObjectKind& kind : all_kinds()) {
    const std::shared_ptr<void> object = kind.make();
    const std::shared_ptr<void> other = kind.make();
    EXPECT_TRUE(is_zero(*kind.type, object.get())) << kind.kind;
    EXPECT_EQ(hash_value(*kind.type, object.get()), hash_value(*kind.type, other.get())) << kind.kind;
    if (kind.metadata == nullptr) continue;
    EXPECT_EQ(kind.metadata(object.get()), ObjectMeta{}) << kind.kind;
    // Metadata is the field 1 of every kind and lies where the table says.
    EXPECT_EQ(&kind.metadata(object.get()), kind.type->schema().by_number(1)->field->in(object.get())) << kind.kind;
  }
}

TEST(Kinds, HashAndZeroSeeEachField) {
  Pod pod;
  const Type& type = type_of<Pod>();
  const std::uint64_t empty = hash_value(type, &pod);
  const auto differs = [&] { return !is_zero(type, &pod) && hash_value(type, &pod) != empty; };
  pod.metadata.name = "p";
  EXPECT_TRUE(differs());
  pod = {};
  pod.spec.node_name = Symbol("n");
  EXPECT_TRUE(differs());
  pod = {};
  pod.status.conditions.emplace_back();
  EXPECT_TRUE(differs());
  pod = {};
  PodTemplate shared;
  shared.priority = 0;
  pod.spec.shared = Interned(shared);
  EXPECT_TRUE(differs());
}

TEST(Kinds, OfLists) {
  EXPECT_EQ(list_item_kind("v1", "PodList"), &kind_of<Pod>());
  EXPECT_EQ(list_item_kind("storage.k8s.io/v1", "CSINodeList"), &kind_of<CsiNode>());
  EXPECT_EQ(list_item_kind("apps/v1", "PodList"), nullptr);
  EXPECT_EQ(list_item_kind("v1", "List"), nullptr);
  EXPECT_EQ(list_item_kind("v1", "Pod"), nullptr);
  EXPECT_EQ(list_item_kind("v1", "StatusList"), nullptr);
  EXPECT_EQ(find_kind("v1", "PodList"), nullptr);
  EXPECT_EQ(find_kind("v1", "Secret"), nullptr);
}

TEST(AnyObject, KnowsItsKind) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = "p";
  const AnyObject object{std::shared_ptr<const Pod>(pod)};
  EXPECT_EQ(&object.kind(), &kind_of<Pod>());
  EXPECT_EQ(object.metadata().name, "p");
  EXPECT_EQ(object.as<Pod>(), pod);
  EXPECT_EQ(object.as<Node>(), nullptr);
  EXPECT_FALSE(AnyObject());
}

}  // namespace
}  // namespace berth::api
