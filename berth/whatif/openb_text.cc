// What a simulated trace adds to the report of a simulation, for people and as JSON.
#include <fmt/format.h>

#include "berth/text/table.h"
#include "berth/text/words.h"
#include "berth/whatif/openb.h"

namespace berth::whatif {

std::string to_text(const OpenbReport& report, const text::Style& style) {
  text::Table table;
  table.add_column("");
  for (const char* head : {"pods", "p50", "p90", "p99", "max", "never placed"}) {
    table.add_column(head, text::Align::kRight);
  }
  const auto add = [&](std::string name, const OpenbWaits& waits) {
    table.add_row({std::move(name), text::grouped(waits.pods), text::short_time(waits.p50_seconds),
                   text::short_time(waits.p90_seconds), text::short_time(waits.p99_seconds),
                   text::short_time(waits.max_seconds), text::grouped(waits.never)});
  };
  add("in the trace", report.trace);
  add("simulated", report.simulated);
  text::Page page;
  page.section("How long pods waited for a node, compared with the trace");
  page.table(std::move(table));
  if (report.peak_gpu_share > 0) {
    page.paragraph(fmt::format("GPUs in use: {} on average, at most {} (at {}).", text::percent(report.mean_gpu_share),
                               text::percent(report.peak_gpu_share), text::short_time(report.peak_gpu_seconds)));
  }
  return "\n" + page.render(style);
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
