#include "bench/cluster/objects.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/codec/protobuf.h"

namespace berth::bench {

namespace {

constexpr std::size_t kZones = 3;
constexpr std::size_t kApps = 50;
constexpr std::size_t kTurns = 5;

std::string spread_json(std::string_view app) {
  return fmt::format(R"("topologySpreadConstraints":[{{"maxSkew":5,"topologyKey":"topology.kubernetes.io/zone",)"
                     R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{{"matchLabels":{{"app":"{}"}}}}}}],)",
                     app);
}

std::string affinity_json(std::string_view kind, std::string_view topology, std::string_view app) {
  return fmt::format(R"("affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[{{"topologyKey":"{}",)"
                     R"("labelSelector":{{"matchLabels":{{"app":"{}"}}}}}}]}}}},)",
                     kind, topology, app);
}

}  // namespace

std::string node_name(std::size_t i) {
  return fmt::format("node-{}", i);
}

std::string pod_name(std::size_t i) {
  return fmt::format("pod-{}", i);
}

std::string node_json(std::size_t i) {
  const std::string name = node_name(i);
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}",)"
      R"("topology.kubernetes.io/zone":"zone-{1}"}}}},"status":{{"allocatable":{2},"capacity":{2},)"
      R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      name, i % kZones, R"({"cpu":"32","memory":"128Gi","pods":"110","ephemeral-storage":"100Gi"})");
}

std::string pod_json(std::size_t i, Shape shape, std::string_view scheduler, std::string_view node) {
  const std::size_t turn = shape == Shape::kMixed ? i % kTurns : 0;
  std::string app = fmt::format("app-{}", i / kTurns % kApps);
  std::string rules;
  if (turn == 2) {
    rules = spread_json(app += "-spread");
  } else if (turn == 3) {
    rules = affinity_json("podAntiAffinity", "kubernetes.io/hostname", app += "-alone");
  } else if (turn == 4) {
    rules = affinity_json("podAffinity", "topology.kubernetes.io/zone", app += "-together");
  }
  const std::string place = node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", node);
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"default","labels":{{"app":"{}"}}}},)"
      R"("spec":{{"schedulerName":"{}",{}{}"terminationGracePeriodSeconds":0,"containers":[{{"name":"main",)"
      R"("image":"registry/image:1","resources":{{"requests":{{"cpu":"250m","memory":"512Mi"}}}}}}]}}}})",
      pod_name(i), app, scheduler, place, rules);
}

std::string binding_protobuf(std::string_view pod, std::string_view node) {
  auto binding = std::make_shared<api::Binding>();
  binding->metadata.name = pod;
  binding->metadata.name_space = Symbol("default");
  binding->target.kind = Symbol("Node");
  binding->target.name = node;
  return codec::object_to_protobuf(api::AnyObject(std::shared_ptr<const api::Binding>(std::move(binding))));
}

}  // namespace berth::bench
