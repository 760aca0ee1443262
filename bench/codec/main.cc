// bench-codec FILE.jsonl [--seconds S]: how fast pods and nodes are decoded from protobuf and from JSON, on one thread.
//
// The file is a trace of tests/oracle/codec in mode `realistic`. Each of the four is run for S seconds over all objects
// of its kind, with one pool and, for protobuf, one reader, as a watch has them; the last decoded version of each
// object is kept, as a cache does. Prints a table, and last a line of JSON with the names of the oracle's own -bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>

#include "bench/codec/trace.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf_reader.h"

namespace berth::bench {
namespace {

using Decode = std::function<Result<api::AnyObject>(std::string_view)>;

struct Speed {
  double objects_per_second = 0;
  double megabytes_per_second = 0;
};

Result<Speed> measure(const std::vector<std::string_view>& inputs, const Decode& decode, double seconds) {
  if (inputs.empty()) return Speed{};
  std::vector<api::AnyObject> kept(inputs.size());
  std::size_t objects = 0;
  std::size_t bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0;
  while (elapsed < seconds) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto object = decode(inputs[i]);
      if (!object) return fail(std::move(object.error()));
      kept[i] = std::move(*object);
      bytes += inputs[i].size();
    }
    objects += inputs.size();
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return Speed{static_cast<double>(objects) / elapsed, static_cast<double>(bytes) / elapsed / 1e6};
}

Result<void> run(const std::string& path, double seconds) {
  auto trace = read_trace(path);
  if (!trace) return fail(std::move(trace.error()));
  std::string summary;
  fmt::print("{:<16}{:>10}{:>12}{:>10}\n", "", "objects", "objects/s", "MB/s");
  for (const std::string_view kind : {"Pod", "Node"}) {
    std::vector<std::string_view> protobuf;
    std::vector<std::string_view> json;
    for (const TraceObject& object : *trace) {
      if (object.kind != kind) continue;
      protobuf.push_back(object.protobuf);
      json.push_back(object.json);
    }
    const auto report = [&](std::string_view format, const auto& inputs, const Decode& decode) -> Result<void> {
      const auto speed = measure(inputs, decode, seconds);
      if (!speed) return fail(speed.error());
      fmt::print("{:<16}{:>10}{:>12.0f}{:>10.1f}\n", fmt::format("{} {}s", format, kind), inputs.size(),
                 speed->objects_per_second, speed->megabytes_per_second);
      summary += fmt::format("{}\"{}{}sPerSecond\":{:.0f}", summary.empty() ? "" : ",", format, kind,
                             speed->objects_per_second);
      return {};
    };
    InternPool pool;
    codec::DecodeOptions options;
    options.pool = &pool;
    codec::ProtobufReader reader(&pool, codec::ProtobufReader::Memory::kRemember);
    const auto from_protobuf = [&](std::string_view bytes) { return codec::object_from_protobuf(bytes, reader); };
    const auto from_json = [&](std::string_view text) { return codec::object_from_json(text, options); };
    if (auto done = report("protobuf", protobuf, from_protobuf); !done) return done;
    if (auto done = report("json", json, from_json); !done) return done;
  }
  fmt::print("{{{}}}\n", summary);
  return {};
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  std::string path;
  double seconds = 3;
  CLI::App app("How fast pods and nodes are decoded");
  app.add_option("FILE", path, "a trace of tests/oracle/codec -mode realistic")->required();
  app.add_option("--seconds", seconds, "how long each measurement takes")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const auto done = berth::bench::run(path, seconds); !done) {
    fmt::print(stderr, "bench-codec: {}\n", done.error().message());
    return 1;
  }
  return 0;
}
