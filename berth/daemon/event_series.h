// Which events are repetitions. An event that differs from an earlier one only in its note becomes a series: one object
// whose count is raised, instead of a thousand objects that say the same.
//
// The rules are upstream's: type, action, reason, reporter, `regarding` (with its resourceVersion) and `related` make
// the key, the note does not. The second occurrence makes a series with a count of 2; later ones only count. What was
// not seen for kSeriesIdle is forgotten.
//
// Nearly all events occur once, and a busy scheduler reports hundreds of thousands within the time that they are
// remembered. So of a single event only a fingerprint and a time are kept, from which its name can be made again; the
// object itself is kept from the second occurrence on. If a series has to be created anew because its object is gone,
// it therefore has the note of its second occurrence, not the first.
//
// Not thread safe; does no I/O: event_publisher.h writes what this says.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/cluster.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"

namespace berth::daemon {

// Upstream's finishTime and refreshTime.
inline constexpr Duration kSeriesIdle = Duration::minutes(6);
inline constexpr Duration kSeriesRefresh = Duration::minutes(30);

// "web.18a2b3c4d5e6f708": the object's name and the time in hexadecimal nanoseconds; a UUID where that is not a valid
// name. The same for the same arguments.
std::string event_name(std::string_view regarding, Instant made_at, const Rng& rng);

// An event that has occurred more than once.
struct RepeatedEvent {
  api::Event event;  // with its series
  Instant seen_at;   // last, by the loop's clock
  // Kept by the publisher: the count that was sent last, whether a write waits or is under way, and whether another one
  // was asked for meanwhile.
  std::int32_t sent_count = 0;
  bool is_write_pending = false;
  bool is_write_wanted = false;
};

class EventSeries {
 public:
  struct Limits {
    // At some 40 bytes each. Beyond it the oldest is forgotten: if it is repeated, that makes a new object.
    std::size_t max_single = 100'000;
    // At 1 to 2 KB each. Beyond it the one that was not seen for longest is finished early.
    std::size_t max_repeated = 10'000;
  };

  struct Observed {
    bool is_new = false;  // to be created as it is
    // To be written: it has just become a series.
    std::shared_ptr<RepeatedEvent> repeated;
    // Had to make room, see Limits; to be written for the last time.
    std::shared_ptr<RepeatedEvent> finished;
  };

  EventSeries(Limits limits, const Rng& rng) : limits_(limits), rng_(rng) {}

  // `event` is complete as for a new object, its name from `made_at` (the time of day). `now` is the loop's.
  Observed observe(const api::Event& event, Instant made_at, Instant now);

  // Every kSeriesIdle: forgets what was not seen since kSeriesIdle, and returns the series among it, to be written for
  // the last time.
  std::vector<std::shared_ptr<RepeatedEvent>> finish_idle(Instant now);

  // Those that go on; the one that was not seen for longest first.
  std::vector<std::shared_ptr<RepeatedEvent>> active() const;

  std::size_t single_count() const { return single_.size(); }
  std::size_t repeated_count() const { return repeated_.size(); }

 private:
  // Two independent hashes of all that makes the key: with a million events alive, two of them share one with a
  // probability of 10^-27.
  struct Fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Fingerprint&) const = default;
    template <typename H>
    friend H AbslHashValue(H state, const Fingerprint& fingerprint) {
      return H::combine(std::move(state), fingerprint.low, fingerprint.high);
    }
  };
  struct Single {
    Instant made_at;
    Instant seen_at;
  };
  struct Repeated {
    Fingerprint key;
    std::shared_ptr<RepeatedEvent> event;
  };
  using RepeatedList = std::list<Repeated>;  // the one that was not seen for longest first

  static Fingerprint fingerprint_of(const api::Event& event);
  void remember_single(const Fingerprint& key, Single single);
  void forget_oldest_single();
  std::shared_ptr<RepeatedEvent> forget_oldest_repeated();

  Limits limits_;
  Rng rng_;
  absl::flat_hash_map<Fingerprint, Single> single_;
  // In the order of time. One that has become a series meanwhile is here and not in the map.
  std::deque<std::pair<Fingerprint, Instant>> single_order_;
  RepeatedList repeated_;
  absl::flat_hash_map<Fingerprint, RepeatedList::iterator> repeated_by_key_;
};

}  // namespace berth::daemon
