// Virtual time: it stands still while something happens and jumps to the next thing that is due.
//
// Things of one instant happen in the order in which they were asked for. They lie together, because in a simulation
// with fixed latencies thousands of them fall on the same instant. Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "berth/base/time.h"
#include "berth/sim/agenda.h"

namespace berth::sim {

class VirtualTime final : public Agenda {
 public:
  explicit VirtualTime(Instant start) : now_(start) {}

  Instant now() const override { return now_; }
  // What is due in the past happens now.
  void after(Duration delay, Urgency urgency, std::move_only_function<void()> what) override;
  void at(Instant when, Urgency urgency, std::move_only_function<void()> what);

  // How many things are to come that the world has to wait for.
  std::size_t work() const { return work_; }
  // When the next thing is due; unset if there is none.
  Instant next_at() const;
  // Requires: there is one. Lets it happen.
  void step();
  // Requires: nothing is due before. Time does not go back.
  void advance_to(Instant when);

 private:
  struct Item {
    std::move_only_function<void()> what;
    Urgency urgency = Urgency::kWork;
  };
  struct Moment {
    std::vector<Item> items;
    std::size_t next = 0;
  };

  Instant now_;
  std::map<Instant, Moment> moments_;  // each has something that is to happen yet
  std::size_t work_ = 0;
};

}  // namespace berth::sim
