// The cluster that decisions are made in, and the pods that are decided about: the same as
// tests/oracle/decidebench/cluster.go makes.
//
// Every node has as many pods as the others, of 50 apps and of the kind that is measured; no two pods of an app are on
// one node. Pods of one app share labels and template, as they do when they are decoded with one pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/base/interned.h"

namespace berth::bench {

inline constexpr std::size_t kApps = 50;
inline constexpr std::size_t kZones = 3;
inline constexpr std::size_t kPodsPerNode = 10;
inline constexpr std::int32_t kMaxSkew = 5;

// What a pod demands of where it goes, besides resources. Each is about the pods of its own app.
enum class PodKind : std::uint8_t {
  kPlain,       // nothing
  kSpread,      // the zones must not differ by more than kMaxSkew
  kAffine,      // in a zone where one is
  kAntiAffine,  // on a host where none is
  kMixed,       // by turns 2 plain, 1 spread, 1 anti-affine, 1 affine; an app has always the same
};
inline constexpr PodKind kPodKinds[] = {PodKind::kPlain, PodKind::kSpread, PodKind::kAffine, PodKind::kAntiAffine,
                                        PodKind::kMixed};
std::string_view to_string(PodKind kind);

api::NodePtr make_node(std::size_t number);

class PodMaker {
 public:
  explicit PodMaker(PodKind kind);

  // Pod `number` of those that are there before anything is decided.
  api::PodPtr placed(std::size_t number, std::size_t pods_per_node = kPodsPerNode) const;
  // Of an app that is there already.
  api::PodPtr seen(std::size_t number) const;
  // Of an app of its own, `number` of all there ever were. Shaped as the pod at `position` of those of known apps.
  api::PodPtr unseen(std::size_t number, std::size_t position);
  // A replica of an app that no node has enough CPU for.
  api::PodPtr rejected(std::size_t number) const;

 private:
  api::Pod make(const std::string& app, PodKind kind, std::int64_t milli_cpu);
  PodKind kind_of(std::size_t app) const;

  PodKind kind_;
  InternPool pool_;
  std::vector<api::Pod> by_app_;
  api::Pod rejected_;
};

}  // namespace berth::bench
