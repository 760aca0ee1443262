#include "berth/sim/faults.h"

#include <algorithm>
#include <cmath>

namespace berth::sim {

Duration Latency::draw(Rng& rng) const {
  switch (shape) {
    case Shape::kFixed: return low;
    case Shape::kUniform:
      if (high <= low) return low;
      return Duration::nanoseconds(rng.in_range(low.nanoseconds(), high.nanoseconds()));
    case Shape::kExponential: {
      // unit() is below 1, so the logarithm is of something above 0.
      const double drawn = -std::log(1.0 - rng.unit()) * static_cast<double>(low.nanoseconds());
      const double most = static_cast<double>(high.nanoseconds());
      return Duration::nanoseconds(static_cast<std::int64_t>(std::min(drawn, most)));
    }
  }
  return low;
}

}  // namespace berth::sim
