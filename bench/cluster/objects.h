// The nodes and pods that schedulers are compared on, as JSON: those of upstream's scheduler_perf in spirit. Nodes have
// 32 cpu, 128Gi and room for 110 pods, in three zones; pods ask for 250m and 512Mi and belong to one of fifty apps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::bench {

enum class Shape : std::uint8_t {
  kPlain,
  kMixed,  // by turns two plain, one spread over zones, one alone on its host, one near its like in a zone
};

std::string node_name(std::size_t i);
std::string pod_name(std::size_t i);

std::string node_json(std::size_t i);
// On a node already if `node` is not empty.
std::string pod_json(std::size_t i, Shape shape, std::string_view scheduler, std::string_view node = {});
// In protobuf, as schedulers send it.
std::string binding_protobuf(std::string_view pod, std::string_view node);

}  // namespace berth::bench
