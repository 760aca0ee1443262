// Writes events of the trace event format, one at a time. Internal to this folder: trace.h says what they are for.
//
// Viewers draw arrows between slices only, and never from one that takes no time. What happens in an instant is
// therefore a slice of a microsecond, or less if the track goes on earlier: slices of a track lie inside each other or
// apart, never across.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/time.h"

namespace berth::report {

enum class TraceProcess : std::uint8_t { kCluster = 1, kQueues = 2, kPods = 3 };

class TraceWriter {
 public:
  // Opens the JSON object; close() ends it.
  TraceWriter(std::ostream& out, Instant epoch);
  void close();

  void name_process(TraceProcess process, std::string_view name);
  void name_track(TraceProcess process, std::uint64_t track, std::string_view name);
  // The value of a counter from now on.
  void counter(std::string_view name, std::int64_t value, Instant at);
  // Something without a duration, and without arrows.
  void instant(TraceProcess process, std::uint64_t track, std::string_view name, Instant at);
  void begin(TraceProcess process, std::uint64_t track, std::string_view name, Instant at);
  void end(TraceProcess process, std::uint64_t track, Instant at);
  void slice(TraceProcess process, std::uint64_t track, std::string_view name, std::string_view note, Instant at,
             Duration length);
  // One point of an arrow; 's' begins it, 't' goes on, 'f' ends it. Belongs to the slice written before it.
  void arrow(TraceProcess process, std::uint64_t track, char point, std::uint64_t id, Instant at);

 private:
  void open(std::string_view phase, TraceProcess process, std::uint64_t track);
  void put(std::string_view member, std::string_view text);
  void put_time(std::string_view member, std::int64_t nanoseconds);
  void shut();

  std::ostream& out_;
  Instant epoch_;
  std::string line_;
  bool is_first_ = true;
};

// One track with what is not written yet, because its length is not known.
class Track {
 public:
  Track(TraceWriter& writer, TraceProcess process, std::uint64_t number)
      : writer_(&writer), process_(process), number_(number) {}

  // The track is in this phase from now on; an empty name is none. Phases that take no time are not written.
  void enter(std::string_view phase, Instant at);
  // Something that happens in an instant.
  void mark(std::string name, std::string note, Instant at);
  // A point of an arrow at the last mark. Requires: there is one at that time.
  void arrow(char point, std::uint64_t id);
  // Writes what began before, up to now.
  void advance(Instant to);
  // Nothing more comes: what goes on ends here.
  void finish(Instant end);

 private:
  struct Mark {
    std::string name;
    std::string note;
    std::vector<std::pair<char, std::uint64_t>> arrows;
  };
  void write_marks(Duration length);

  TraceWriter* writer_;
  TraceProcess process_;
  std::uint64_t number_;
  std::string phase_;
  Instant phase_since_;
  bool is_phase_written_ = false;
  std::vector<Mark> marks_;  // all of one time
  Instant marks_at_;
};

}  // namespace berth::report
