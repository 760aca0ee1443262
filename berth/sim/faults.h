// What goes wrong in a simulated cluster, and how long things take there. A scenario sets these; all chance comes from
// the world's seed.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/rng.h"
#include "berth/base/time.h"

namespace berth::sim {

// How long something takes.
struct Latency {
  enum class Shape : std::uint8_t {
    kFixed,        // always `low`
    kUniform,      // between `low` and `high`
    kExponential,  // `low` on average, at most `high`
  };
  Shape shape = Shape::kFixed;
  Duration low;
  Duration high;

  static Latency fixed(Duration d) { return {Shape::kFixed, d, d}; }
  Duration draw(Rng& rng) const;
};

// Parts per million, so that a scenario's "5%" is exact.
using Rate = std::uint32_t;
inline constexpr Rate kAlways = 1'000'000;

struct Faults {
  // From a scheduler's command to its being carried out, and from there to the answer; half each way.
  Latency bind = Latency::fixed(Duration::milliseconds(2));
  Latency write = Latency::fixed(Duration::milliseconds(2));  // patches, deletes, updates, reads
  // From a change in the API server to the scheduler's seeing it.
  Latency watch = Latency::fixed(Duration::milliseconds(1));
  // How long an attempt to place a pod takes; no other pod is tried meanwhile.
  Latency attempt = Latency::fixed(Duration());
  // From a pod's creation by its controller's decision, and from binding to running.
  Latency controller = Latency::fixed(Duration::milliseconds(5));
  Latency pod_start = Latency::fixed(Duration());
  // How long a volume takes to be made or bound.
  Latency provision = Latency::fixed(Duration::seconds(1));
  // How long a deleted pod takes to be gone, unless the pod says otherwise.
  Latency termination = Latency::fixed(Duration());

  // Of the scheduler's writes (bindings included).
  Rate errors = 0;           // refused with an internal error
  Rate conflicts = 0;        // refused with a conflict
  Rate lost_answers = 0;     // carried out, but the scheduler hears "unknown"
  Rate lost_requests = 0;    // not carried out, and the scheduler hears "unknown"
  Rate doubled_answers = 0;  // the scheduler hears the answer twice
  // Of the changes that a watch delivers.
  Rate lost_watches = 0;       // the watch breaks here: nothing more of that kind comes until it is listed anew
  Rate reordered_watches = 0;  // arrives late, after later changes of other kinds (never of the same object)
  Duration relist_after = Duration::seconds(1);  // how long after a break the kind is listed anew
};

}  // namespace berth::sim
