// What a simulated trace adds to the report of a simulation, for people and as JSON.
#include <fmt/format.h>

#include "berth/report/table.h"
#include "berth/report/words.h"
#include "berth/whatif/openb.h"

namespace berth::whatif {

std::string to_text(const OpenbReport& report) {
  report::Table table;
  using Align = report::Table::Align;
  table.add_column("");
  for (const char* head : {"pods", "p50", "p90", "p99", "max", "never placed"}) table.add_column(head, Align::kRight);
  const auto add = [&](std::string name, const OpenbWaits& waits) {
    table.add_row({std::move(name), report::grouped(waits.pods), report::short_time(waits.p50_seconds),
                   report::short_time(waits.p90_seconds), report::short_time(waits.p99_seconds),
                   report::short_time(waits.max_seconds), report::grouped(waits.never)});
  };
  add("in the trace", report.trace);
  add("simulated", report.simulated);
  std::string text = "\nHow long pods waited for a node, compared with the trace\n" + table.str();
  if (report.peak_gpu_share > 0) {
    text += fmt::format("\nGPUs in use: {} on average, at most {} (at {}).\n", report::percent(report.mean_gpu_share),
                        report::percent(report.peak_gpu_share), report::short_time(report.peak_gpu_seconds));
  }
  return text;
}

}  // namespace berth::whatif

namespace berth::api {

template <>
const Schema& schema_of<whatif::OpenbWaits>() {
  using W = whatif::OpenbWaits;
  static const Schema schema("OpenbWaits", {
                                               field<&W::pods>("pods", 0, kAlways),
                                               field<&W::never>("never", 0, kAlways),
                                               field<&W::p50_seconds>("p50Seconds", 0, kAlways),
                                               field<&W::p90_seconds>("p90Seconds", 0, kAlways),
                                               field<&W::p99_seconds>("p99Seconds", 0, kAlways),
                                               field<&W::max_seconds>("maxSeconds", 0, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<whatif::OpenbReport>() {
  using R = whatif::OpenbReport;
  static const Schema schema("OpenbReport", {
                                                field<&R::trace>("trace", 0, kAlways),
                                                field<&R::simulated>("simulated", 0, kAlways),
                                                field<&R::mean_gpu_share>("meanGpuShare", 0, kAlways),
                                                field<&R::peak_gpu_share>("peakGpuShare", 0, kAlways),
                                                field<&R::peak_gpu_seconds>("peakGpuSeconds", 0, kAlways),
                                                field<&R::report>("report", 0, kAlways),
                                            });
  return schema;
}

}  // namespace berth::api
