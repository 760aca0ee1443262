// Makes a simulation last, so that one can watch it: so many virtual seconds pass in a second of the wall clock.
//
// Whatever happens in the world has happened by the time that one is told. So the pace keeps what the world looked like
// before that, and shows it with a clock that goes on until the next thing is due.
#pragma once

#include <functional>
#include <utility>

#include "berth/base/time.h"
#include "berth/report/live_view.h"

namespace berth::report {

struct PaceOptions {
  double speed = 1;  // virtual seconds per second; more than 0
  std::function<Duration()> wall_clock;
  std::function<void(Duration)> sleep;
  std::function<void(const Standing&)> show;  // called between naps
};

class Pace {
 public:
  explicit Pace(PaceOptions options) : options_(std::move(options)), began_at_(options_.wall_clock()) {}

  // Something has happened, and the world looks like this now: waits until its time has come.
  void step(const Standing& standing);
  // Nothing more happens until this virtual time.
  void wait_until(Duration end);

 private:
  PaceOptions options_;
  Duration began_at_;
  Standing shown_;
};

}  // namespace berth::report
