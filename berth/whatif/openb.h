// The OpenB trace of Alibaba (clusterdata, cluster-trace-gpu-v2023) as a simulation: a production cluster with GPUs,
// its nodes and pods in two CSV files, with what really happened to compare with.
//
// What becomes of its columns:
// - A node has cpu, memory, and 1000 of the resource berth.dev/gpu-milli per GPU; the GPU's model is the label
//   berth.dev/gpu-model, and the nodes of one model are a pool.
// - A pod asks for cpu, memory and num_gpu * gpu_milli of berth.dev/gpu-milli; the models of gpu_spec are a required
//   node affinity. So shares of GPUs are added up per node: that two halves lie on different GPUs, and a whole one
//   does not fit any more, is not told apart.
// - It is created at creation_time and ends at deletion_time, unless that is the end of the trace, when it runs on. One
//   that has no node by then is given up.
// - The qos gives it a priority: LS 300, Guaranteed 200, Burstable 100, BE 0. It decides who is tried first; nobody is
//   preempted, because the trace does not say what becomes of a pod that is.
//
// Time 0 of the simulation is time 0 of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/report/summary.h"
#include "berth/sim/world.h"
#include "berth/text/page.h"

namespace berth::whatif {

inline constexpr std::string_view kGpuMilli = "berth.dev/gpu-milli";
inline constexpr std::string_view kGpuModel = "berth.dev/gpu-model";

struct OpenbNode {
  std::string name;
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string model;  // empty without GPUs
};
struct OpenbPod {
  std::string name;
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpu_milli = 0;       // of all its GPUs
  std::vector<std::string> models;  // empty: any
  std::string qos;
  Duration created_at;  // since time 0
  std::optional<Duration> deleted_at;
  std::optional<Duration> scheduled_at;  // nothing if it never was
};
struct OpenbTrace {
  std::vector<OpenbNode> nodes;
  std::vector<OpenbPod> pods;  // in order of creation

  Duration end() const;  // of the last thing that happens
};

struct NamedText {
  std::string name;  // of the file, for messages
  std::string text;
};
// `max_pods` keeps the first ones that were created; 0: all. The error has file and line.
Result<OpenbTrace> read_openb(const NamedText& nodes, const NamedText& pods, std::size_t max_pods = 0);

struct OpenbOptions {
  std::uint64_t seed = 1;
  report::Settings settings;
  std::function<void(sim::World&)> on_step;  // called after everything that happens
};
// The world at the end of the trace.
Result<std::unique_ptr<sim::World>> simulate(const OpenbTrace& trace, const OpenbOptions& options = {});

// From creation to the binding to a node.
struct OpenbWaits {
  std::int64_t pods = 0;   // that got a node
  std::int64_t never = 0;  // that did not
  double p50_seconds = 0;
  double p90_seconds = 0;
  double p99_seconds = 0;
  double max_seconds = 0;
};
// How full the GPUs were while the trace ran.
struct OpenbReport {
  OpenbWaits trace;  // what really happened
  OpenbWaits simulated;
  double mean_gpu_share = 0;  // of all GPUs in use, over time; shares of 1
  double peak_gpu_share = 0;
  double peak_gpu_seconds = 0;  // when
  report::Summary report;
};
OpenbReport report_on(const OpenbTrace& trace, const sim::World& world, report::Summary summary);
// What comes behind the report of a simulation.
std::string to_text(const OpenbReport& report, const text::Style& style = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::OpenbReport>();
}
