#include "berth/plugins/assumed_volumes.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

VolumePtr labelled_copy(const api::PersistentVolume& volume) {
  auto copy = std::make_shared<api::PersistentVolume>(volume);
  volume_labelled("assumed", "yes")(*copy);
  return copy;
}

TEST(AssumeCache, AnAssumptionHoldsUntilTheObjectChanges) {
  StorageWorld world;
  api::PersistentVolume volume = world.volume("pv", "local", "1Gi");
  AssumeCache<api::PersistentVolume> cache;
  const auto current = [&] { return cache.current(world.objects.persistent_volumes.get("pv")); };
  EXPECT_EQ(*current(), volume);

  const VolumePtr assumed = labelled_copy(volume);
  ASSERT_TRUE(cache.assume(world.objects.persistent_volumes, assumed));
  EXPECT_EQ(current(), assumed);
  world.set(volume);  // the same version again
  EXPECT_EQ(current(), assumed);

  volume.metadata.resource_version = world.next_version();
  world.set(volume);
  EXPECT_EQ(*current(), volume);
  cache.restore(volume);  // of another version than what was assumed
  EXPECT_EQ(cache.size(), 1u);
}

TEST(AssumeCache, RestoringForgets) {
  StorageWorld world;
  const api::PersistentVolume volume = world.volume("pv", "local", "1Gi");
  AssumeCache<api::PersistentVolume> cache;
  ASSERT_TRUE(cache.assume(world.objects.persistent_volumes, labelled_copy(volume)));
  cache.restore(volume);
  EXPECT_EQ(*cache.current(world.objects.persistent_volumes.get("pv")), volume);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(AssumeCache, OnlyTheStoredVersionCanBeChanged) {
  StorageWorld world;
  api::PersistentVolumeClaim claim = world.claim("data", "local", "1Gi");
  AssumeCache<api::PersistentVolumeClaim> cache;
  const auto assume = [&] {
    return cache.assume(world.objects.persistent_volume_claims,
                        std::make_shared<const api::PersistentVolumeClaim>(claim));
  };
  claim.metadata.resource_version = "7";
  EXPECT_EQ(assume().error().what(), "\"default/data\" is out of sync (stored: 101, assume: 7)");
  claim.metadata.name = "other";
  EXPECT_EQ(assume().error().what(), "persistentvolumeclaims \"default/other\" not found");
}

TEST(AssumeCache, DoesNotKeepWhatIsOvertaken) {
  StorageWorld world;
  AssumeCache<api::PersistentVolume> cache;
  for (int i = 0; i < 1000; ++i) {
    const api::PersistentVolume volume = world.volume("pv-" + std::to_string(i), "local", "1Gi");
    ASSERT_TRUE(cache.assume(world.objects.persistent_volumes, labelled_copy(volume)));
    world.volume(volume.metadata.name, "local", "2Gi");  // a newer version
  }
  EXPECT_LT(cache.size(), 200u);
}

TEST(AssumedVolumes, FindsTheVolumesOfAClassAfterChanges) {
  StorageWorld world;
  AssumedVolumes assumed;
  const auto names = [&](std::string_view storage_class) {
    std::vector<std::string> all;
    for (const auto& indexed : assumed.volumes_of_class(world.objects, Symbol(storage_class))) {
      all.push_back(indexed->volume->metadata.name);
    }
    return all;
  };
  world.volume("b", "local", "1Gi", {usable_on(kHost, {"n"})});
  world.volume("a", "local", "1Gi");
  EXPECT_EQ(names("local"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names("other"), std::vector<std::string>{});
  EXPECT_EQ(assumed.volumes_of_class(world.objects, Symbol("local"))[1]->pinned_key, kHost);

  world.volume("b", "other", "1Gi");
  EXPECT_EQ(names("local"), std::vector<std::string>{"a"});
  EXPECT_EQ(names("other"), std::vector<std::string>{"b"});
  EXPECT_TRUE(assumed.volumes_of_class(world.objects, Symbol("other"))[0]->pinned_key.empty());
  world.objects.persistent_volumes.remove(Symbol(), "a");
  EXPECT_EQ(names("local"), std::vector<std::string>{});
}

}  // namespace
}  // namespace berth::plugins
