#include "berth/plugins/csi_translation.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

api::PersistentVolume volume_with(const std::vector<VolumeShape>& shapes) {
  api::PersistentVolume volume;
  for (const VolumeShape& shape : shapes) shape(volume);
  return volume;
}

VolumeShape google_disk(std::string_view name) {
  return [name = std::string(name)](api::PersistentVolume& volume) {
    volume.spec.source.gce_persistent_disk.emplace().pd_name = name;
  };
}

std::string handle_or_error(const api::PersistentVolume& volume) {
  const Result<std::string> handle = csi_handle_of(volume);
  return handle ? *handle : "error: " + handle.error().what();
}

TEST(CsiTranslation, HandlesOfDisks) {
  const std::string ebs = "error: failed to translate Kubernetes ID to EBS Volume ID ";
  struct {
    std::vector<VolumeShape> shapes;
    std::string handle;
  } const cases[] = {
      {{amazon_disk("vol-1")}, "vol-1"},
      {{amazon_disk("anything")}, "anything"},
      {{amazon_disk("aws://za/vol-1")}, "vol-1"},
      {{amazon_disk("aws:///vol-1/")}, "vol-1"},
      {{amazon_disk("aws://za/vol%2D1?x#y")}, "vol-1"},
      {{amazon_disk("aws://za/other")}, ebs + "Invalid format for AWS volume (aws://za/other)"},
      {{amazon_disk("aws://za/vol-%zz")},
       ebs + "Invalid disk name (aws://za/vol-%zz): parse \"aws://za/vol-%zz\": invalid URL escape \"%zz\""},
      {{google_disk("d")}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
      {{google_disk("d"), volume_labelled(kZone, "us-central1-a")}, "projects/UNSPECIFIED/zones/us-central1-a/disks/d"},
      {{google_disk("d"), volume_labelled(kBetaZone, "us-central1-a__us-central1-b")},
       "projects/UNSPECIFIED/regions/us-central1/disks/d"},
      {{google_disk("d"), volume_labelled(kZone, "us-central1-a__us-east1-b")},
       "error: failed to get region from zones: multiple or no regions gotten from zones, got: map[us-central1:{} "
       "us-east1:{}]"},
      {{google_disk("d"), volume_labelled(kZone, "a__b")},
       "error: failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"},
  };
  for (const auto& each : cases) EXPECT_EQ(handle_or_error(volume_with(each.shapes)), each.handle);
}

TEST(CsiTranslation, OnlyManagedAzureDisksHaveAHandle) {
  api::VolumeSource source;
  auto& disk = source.azure_disk.emplace();
  disk.disk_uri = "/subscriptions/s/disk";
  EXPECT_EQ(csi_handle_of(source).value(), "/subscriptions/s/disk");
  disk.kind = Symbol("Managed");
  EXPECT_EQ(csi_handle_of(source).value(), "/subscriptions/s/disk");
  disk.kind = Symbol("Shared");
  EXPECT_EQ(csi_handle_of(source).error().what(), "kind(Shared) is not supported in csi migration");
}

TEST(CsiTranslation, TheDriversLabelStandsForTheZone) {
  const InTreePlugin& ebs = *find_in_tree_plugin("kubernetes.io/aws-ebs");
  const auto affinity = [&](const std::vector<VolumeShape>& shapes) {
    return csi_node_affinity(volume_with(shapes), ebs);
  };
  EXPECT_EQ(affinity({}), std::nullopt);
  EXPECT_EQ(affinity({usable_on(kZone, {"a"})}), on_nodes("topology.ebs.csi.aws.com/zone", {"a"}));
  EXPECT_EQ(affinity({usable_on(kBetaZone, {"a"})}), on_nodes("topology.ebs.csi.aws.com/zone", {"a"}));
  EXPECT_EQ(affinity({volume_labelled(kZone, "b__a")}), on_nodes("topology.ebs.csi.aws.com/zone", {"a", "b"}));
  // What the affinity says comes before the labels, and other conditions stay.
  EXPECT_EQ(affinity({usable_on(kZone, {"a"}), volume_labelled(kZone, "b")}),
            on_nodes("topology.ebs.csi.aws.com/zone", {"a"}));
  EXPECT_EQ(affinity({usable_on(kHost, {"n"})}), on_nodes(kHost, {"n"}));

  api::PersistentVolume volume = volume_with({usable_on(kBetaZone, {"a"})});
  api::VolumeNodeAffinity both = **volume.spec.node_affinity;
  auto& expressions = both.required->node_selector_terms.front().match_expressions;
  expressions.push_back(on_nodes(kBetaRegion, {"r"}).node_selector_terms.front().match_expressions.front());
  volume.spec.node_affinity = std::optional(both);
  const auto translated = csi_node_affinity(volume, ebs);
  EXPECT_EQ(translated->node_selector_terms.front().match_expressions[1].key, "topology.kubernetes.io/region");

  const InTreePlugin& azure = *find_in_tree_plugin("kubernetes.io/azure-disk");
  EXPECT_EQ(csi_node_affinity(volume_with({usable_on(kZone, {"a"})}), azure), on_nodes(kZone, {"a"}));
}

TEST(CsiTranslation, ANodeSaysWhichPluginsAreMigratedThere) {
  const InTreePlugin& ebs = *find_in_tree_plugin("kubernetes.io/aws-ebs");
  api::CsiNode node;
  EXPECT_FALSE(is_migrated_on(nullptr, ebs));
  EXPECT_FALSE(is_migrated_on(&node, ebs));
  testing::annotate(node, "storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs");
  EXPECT_TRUE(is_migrated_on(&node, ebs));
  EXPECT_FALSE(is_migrated_on(&node, *find_in_tree_plugin("kubernetes.io/cinder")));
  testing::annotate(node, "storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/azure-file");
  EXPECT_FALSE(is_migrated_on(&node, *find_in_tree_plugin("kubernetes.io/azure-file")));
  EXPECT_EQ(find_in_tree_plugin("csi.example.com"), nullptr);
}

}  // namespace
}  // namespace berth::plugins
