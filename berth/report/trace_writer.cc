#include "berth/report/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "berth/base/check.h"
#include "berth/codec/json.h"

namespace berth::report {

namespace {

constexpr Duration kMarkLength = Duration::microseconds(1);

std::string quoted(std::string_view text) {
  return codec::to_json(std::string(text));
}

}  // namespace

TraceWriter::TraceWriter(std::ostream& out, Instant epoch) : out_(out), epoch_(epoch) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
}

void TraceWriter::close() {
  out_ << "\n]}\n";
}

void TraceWriter::open(std::string_view phase, TraceProcess process, std::uint64_t track) {
  line_ = fmt::format("{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{}", is_first_ ? "" : ",", phase,
                      static_cast<int>(process), track);
  is_first_ = false;
}
void TraceWriter::put(std::string_view member, std::string_view text) {
  line_ += fmt::format(",\"{}\":{}", member, quoted(text));
}
// Microseconds; the fraction only where there is one.
void TraceWriter::put_time(std::string_view member, std::int64_t nanoseconds) {
  line_ += fmt::format(",\"{}\":{}", member, nanoseconds / 1000);
  if (nanoseconds % 1000 != 0) line_ += fmt::format(".{:03}", nanoseconds % 1000);
}
void TraceWriter::shut() {
  line_ += "}";
  out_ << line_;
}

void TraceWriter::name_process(TraceProcess process, std::string_view name) {
  open("M", process, 0);
  put("name", "process_name");
  line_ += fmt::format(",\"args\":{{\"name\":{}}}", quoted(name));
  shut();
}

void TraceWriter::name_track(TraceProcess process, std::uint64_t track, std::string_view name) {
  open("M", process, track);
  put("name", "thread_name");
  line_ += fmt::format(",\"args\":{{\"name\":{}}}", quoted(name));
  shut();
}

void TraceWriter::counter(std::string_view name, std::int64_t value, Instant at) {
  open("C", TraceProcess::kQueues, 0);
  put("name", name);
  put_time("ts", (at - epoch_).nanoseconds());
  line_ += fmt::format(",\"args\":{{\"pods\":{}}}", value);
  shut();
}

void TraceWriter::instant(TraceProcess process, std::uint64_t track, std::string_view name, Instant at) {
  open("i", process, track);
  put("name", name);
  put_time("ts", (at - epoch_).nanoseconds());
  put("s", "t");
  shut();
}

void TraceWriter::begin(TraceProcess process, std::uint64_t track, std::string_view name, Instant at) {
  open("B", process, track);
  put("name", name);
  put("cat", "place");
  put_time("ts", (at - epoch_).nanoseconds());
  shut();
}

void TraceWriter::end(TraceProcess process, std::uint64_t track, Instant at) {
  open("E", process, track);
  put_time("ts", (at - epoch_).nanoseconds());
  shut();
}

void TraceWriter::slice(TraceProcess process, std::uint64_t track, std::string_view name, std::string_view note,
                        Instant at, Duration length) {
  open("X", process, track);
  put("name", name);
  put_time("ts", (at - epoch_).nanoseconds());
  put_time("dur", length.nanoseconds());
  if (!note.empty()) line_ += fmt::format(",\"args\":{{\"message\":{}}}", quoted(note));
  shut();
}

void TraceWriter::arrow(TraceProcess process, std::uint64_t track, char point, std::uint64_t id, Instant at) {
  open(std::string_view(&point, 1), process, track);
  put("name", "wake");
  put("cat", "wake");
  line_ += fmt::format(",\"id\":{}", id);
  put_time("ts", (at - epoch_).nanoseconds());
  if (point == 'f') put("bp", "e");
  shut();
}

void Track::enter(std::string_view phase, Instant at) {
  advance(at);
  if (phase == phase_) return;
  if (is_phase_written_) writer_->end(process_, number_, at);
  phase_ = phase;
  phase_since_ = at;
  is_phase_written_ = false;
}

void Track::mark(std::string name, std::string note, Instant at) {
  advance(at);
  marks_.push_back({std::move(name), std::move(note), {}});
  marks_at_ = at;
}

void Track::arrow(char point, std::uint64_t id) {
  BERTH_CHECK(!marks_.empty(), "an arrow {} belongs to a mark", id);
  marks_.back().arrows.emplace_back(point, id);
}

void Track::advance(Instant to) {
  if (!phase_.empty() && !is_phase_written_ && phase_since_ < to) {
    writer_->begin(process_, number_, phase_, phase_since_);
    is_phase_written_ = true;
  }
  if (!marks_.empty() && marks_at_ < to) write_marks(std::min(kMarkLength, to - marks_at_));
}

void Track::write_marks(Duration length) {
  for (const Mark& mark : marks_) {
    writer_->slice(process_, number_, mark.name, mark.note, marks_at_, length);
    for (const auto& [point, id] : mark.arrows) writer_->arrow(process_, number_, point, id, marks_at_);
  }
  marks_.clear();
}

void Track::finish(Instant end) {
  advance(end);
  if (!marks_.empty()) write_marks(kMarkLength);
  if (is_phase_written_) writer_->end(process_, number_, end);
  is_phase_written_ = false;
  phase_.clear();
}

}  // namespace berth::report
