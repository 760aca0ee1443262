#include "bench/decide/memory.h"

#include <fmt/format.h>
#include <malloc.h>

#include <fstream>
#include <string>
#include <string_view>

#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/codec/protobuf.h"

namespace berth::bench {

namespace {

template <typename T>
std::shared_ptr<const T> decoded(std::shared_ptr<const T> object, const codec::DecodeOptions& options) {
  const std::string bytes = codec::object_to_protobuf(api::AnyObject(std::move(object)));
  auto read = codec::object_from_protobuf(bytes, options);
  BERTH_CHECK(read.has_value(), "{}", read.error().message());
  return read->as<T>();
}

// A line of /proc/self/status.
double resident_megabytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == field && status >> kilobytes) return kilobytes / 1024;
  }
  BERTH_CHECK(false, "no {}", field);
  return 0;
}

}  // namespace

void measure_memory(Way way, std::size_t nodes, std::size_t pods_per_node) {
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  const PodMaker maker(PodKind::kMixed);
  const std::size_t pods = nodes * pods_per_node;
  const std::unique_ptr<Decider> decider = make_decider(way);
  for (std::size_t number = 0; number < nodes; ++number) {
    decider->cache().set_node(decoded(make_node(number), options));
  }
  for (std::size_t number = 0; number < pods; ++number) {
    const auto added = decider->cache().add(decoded(maker.placed(number, pods_per_node), options));
    BERTH_CHECK(added.has_value(), "{}", added.error().message());
  }
  for (std::size_t number = 0; number < kApps; ++number) decider->decide(decoded(maker.seen(number), options));

  const auto report = [&](std::string_view item, std::string_view field) {
    fmt::print("{{\"item\":\"{}\",\"nodes\":{},\"pods\":{},\"value\":{:.1f}}}\n", item, nodes, pods,
               resident_megabytes(field));
  };
  report("resident MB", "VmRSS:");
  report("resident MB, peak", "VmHWM:");
  malloc_trim(0);
  report("resident MB, after giving back", "VmRSS:");
}

}  // namespace berth::bench
