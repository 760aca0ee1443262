#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/documents.h"
#include "berth/explain/explain.h"
#include "berth/explain/volume_facts.h"

namespace berth::explain {
namespace {

std::string node(std::string_view name, std::string_view zone, std::string_view pool = "web",
                 std::string_view cpu = "4") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, "
      "topology.kubernetes.io/zone: {1}, pool: {2}}}}}\nstatus: {{allocatable: {{cpu: \"{3}\", memory: 8Gi, pods: "
      "\"10\"}}}}\n",
      name, zone, pool, cpu);
}
// In namespace d, with the claim c; `more` is put into the spec.
std::string pod(std::string_view name, std::string_view on, std::string_view cpu = "1", std::string_view more = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: d, labels: {{app: w}}}}\nspec: {{nodeName: "
      "\"{}\", {}{}containers: [{{name: a, image: x, resources: {{requests: {{cpu: \"{}\"}}}}}}]}}\n",
      name, on, more, more.empty() ? "" : ", ", cpu);
}
constexpr std::string_view kUsesClaim = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]";
std::string claim(std::string_view spec, std::string_view metadata = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c, namespace: d{}{}}}\n"
      "spec: {{accessModes: [ReadWriteOnce], {}}}\n",
      metadata.empty() ? "" : ", ", metadata, spec);
}
std::string storage_class(std::string_view name, std::string_view provisioner, std::string_view more = "") {
  return fmt::format(
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {}}}\nprovisioner: {}\n"
      "volumeBindingMode: WaitForFirstConsumer\n{}",
      name, provisioner, more);
}

class ExplainVolumes : public ::testing::Test {
 protected:
  Explanation about(std::string_view name, std::string_view text) {
    codec::DecodeOptions options;
    options.pool = &pool_;
    codec::Documents documents;
    codec::read_documents(text, "test.yaml", options, documents);
    EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message();
    Cluster cluster(documents.objects);
    const auto found = cluster.find_pod(name);
    EXPECT_TRUE(found.has_value());
    const auto result = explain(cluster, *found, config::default_config());
    EXPECT_TRUE(result.has_value()) << result.error().message();
    return *result;
  }
  static std::vector<std::string> helps(const Explanation& explanation) {
    std::vector<std::string> sentences;
    for (const Help& help : explanation.help) sentences.push_back(help.sentence);
    return sentences;
  }

  InternPool pool_;
};
using Sentences = std::vector<std::string>;

TEST_F(ExplainVolumes, AStorageThatIsTooFullIsSaidBySegment) {
  const auto capacity = [](std::string_view name, std::string_view zone, std::string_view amount) {
    return fmt::format(
        "---\napiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {{name: {}, namespace: kube-system}}\n"
        "storageClassName: fast\nnodeTopology: {{matchLabels: {{topology.kubernetes.io/zone: {}}}}}\ncapacity: {}\n",
        name, zone, amount);
  };
  const Explanation e =
      about("d/x", node("n1", "a") + node("n2", "b") + storage_class("fast", "disk.example.com") +
                       "---\napiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: disk.example.com}\n"
                       "spec: {storageCapacity: true}\n" +
                       capacity("s1", "a", "20Gi") + capacity("s2", "b", "10Gi") +
                       claim("storageClassName: fast, resources: {requests: {storage: 100Gi}}") +
                       pod("x", "", "1", kUsesClaim));
  EXPECT_EQ(e.sentence,
            "d/x fits on none of the 2 nodes: both do not have room for claim c of 100Gi (disk.example.com has 20Gi in "
            "zone a and 10Gi in zone b).");
  ASSERT_FALSE(e.help.empty());
  EXPECT_EQ(e.help[0].sentence, "let claim c ask for 20Gi instead of 100Gi: it fits on n1");
}

TEST_F(ExplainVolumes, AClassThatMakesVolumesElsewhereNeedsANodeThere) {
  const Explanation e = about(
      "d/x",
      node("n1", "a") +
          storage_class("zonal", "disk.example.com",
                        "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: "
                        "[b]}]}]\n") +
          claim("storageClassName: zonal, resources: {requests: {storage: 1Gi}}") + pod("x", "", "1", kUsesClaim));
  EXPECT_EQ(e.sentence,
            "d/x does not fit on the only node, n1: it is not where class zonal makes volumes (claim c needs one; its "
            "allowedTopologies are zone b).");
  EXPECT_EQ(helps(e), (Sentences{"add a node like n1 to pool web in zone b: it fits there"}));
}

TEST_F(ExplainVolumes, SpreadThatWantsMoreDomainsNeedsANewOne) {
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, minDomains: 3, topologyKey: topology.kubernetes.io/zone, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: w}}}]";
  const Explanation e =
      about("d/x", node("n1", "a") + node("n2", "b") + pod("w1", "n1") + pod("w2", "n2") + pod("x", "", "1", spread));
  const Sentences sentences = helps(e);
  EXPECT_NE(std::ranges::find(sentences,
                              "add a node like n1 to pool web in a zone where there is no node yet: it fits there"),
            sentences.end())
      << e.sentence;
}

TEST_F(ExplainVolumes, AClaimIsToldWhatAVolumeLacks) {
  api::PersistentVolumeClaim wanted;
  wanted.spec.access_modes = {Symbol("ReadWriteMany")};
  wanted.spec.resources.requests[Symbol("storage")] = *api::Quantity::parse("10Gi");
  api::PersistentVolume volume;
  volume.spec.capacity[Symbol("storage")] = *api::Quantity::parse("5Gi");
  volume.spec.access_modes = {Symbol("ReadWriteOnce")};
  volume.spec.storage_class_name = Symbol("gp3");
  volume.spec.volume_mode = Symbol("Block");
  volume.status.phase = Symbol("Available");
  EXPECT_EQ(mismatches(wanted, volume),
            (Sentences{"offers 5Gi", "is of class gp3", "has ReadWriteOnce only", "is Block"}));
}

}  // namespace
}  // namespace berth::explain
