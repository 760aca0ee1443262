// The world's clock and its list of things to come, as the parts of a world see them.
#pragma once

#include <cstdint>
#include <functional>

#include "berth/base/time.h"

namespace berth::sim {

class Agenda {
 public:
  enum class Urgency : std::uint8_t {
    kWork,   // the world is not idle before it is done
    kLater,  // happens in time, but nobody waits for it: a running pod's end
  };
  virtual ~Agenda() = default;
  virtual Instant now() const = 0;
  // Things of the same instant happen in the order in which they were asked for.
  virtual void after(Duration delay, Urgency urgency, std::move_only_function<void()> what) = 0;
};

}  // namespace berth::sim
