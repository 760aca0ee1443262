// The queue under random sequences of operations, beside a model that is too simple to be wrong: where each pod must
// be, which pods an event must wake (by asking every hint for every pod), what happened during each flight.
//
// RC_PARAMS chooses seed and number of runs: RC_PARAMS="seed=7 max_success=1000" property_test. Without it the seed is
// fixed. A failing sequence is made as short as possible and printed with what repeats it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"
#include "tests/property/queue_steps.h"

namespace berth::queue {
namespace {

using testing::all_events;
using testing::all_hints;
using testing::any_step;
using testing::at_ms;
using testing::Do;
using testing::kPluginCount;
using testing::kPlugins;
using testing::listens_to;
using testing::PodBuilder;
using testing::Step;

const bool kHasParameters = setenv("RC_PARAMS", "seed=1363 max_success=600 max_size=300", 0) == 0;

// How often the walks came to what is worth checking: a test that never gets there shows nothing.
struct Reached {
  int steps = 0, woken = 0, left_unschedulable = 0, woken_at_once = 0, gated = 0, missed = 0, flushed = 0,
      in_flight_woken = 0, popped_early = 0;
};

struct HistoryEvent {
  ClusterEvent event;
  EventObjects objects;
};

class Model {
 public:
  Model(QueueOptions options, Reached& reached)
      : reached_(reached), max_events_(options.max_in_flight_events), queue_(complete(std::move(options))) {}

  void take(const Step& step) {
    const Do what = static_cast<Do>(step.what);
    reached_.steps += 1;
    switch (what) {
      case Do::kAdd: return add(step);
      case Do::kUpdate: return update(step);
      case Do::kRemove: return remove(step);
      case Do::kPop: return pop();
      case Do::kPopSpecific: return pop_specific(step);
      case Do::kDone: return done(step);
      case Do::kGiveBack: return give_back(step);
      case Do::kEvent: return event(step);
      case Do::kActivate: return activate(step);
      case Do::kStep: now_ = now_ + Duration::milliseconds(step.choice * 17); return;
      case Do::kFlushBackoff: return flush_backoff();
      case Do::kFlushLeftover: return flush_leftover();
      case Do::kTurnGate: gate_is_open_ = step.choice % 2 == 0; return;
      case Do::kNominate:
        queue_.nominate(*known(step.pod).value_or(testing::make_pod("nobody")),
                        {.mode = Nominating::Mode::kOverride, .node_name = Symbol(step.choice % 2 == 0 ? "n1" : "")});
        return;
    }
  }

  void check() const {
    check_places();
    check_gauges();
    check_flights();
    for (const QueuedPod* pod : queue_.pods_in(Place::kUnschedulable)) {
      if (pod->is_gated()) reached_.gated += 1;
      const auto wake = queue_.wake_set(pod->pod->metadata.name_space, pod->pod->metadata.name);
      RC_ASSERT(wake.has_value());
      RC_ASSERT(!wake->triggers.empty() || wake->forced_try_at.is_set());
    }
  }

 private:
  QueueOptions complete(QueueOptions options) {
    options.profiles = {testing::profile()};
    options.hints = all_hints();
    options.metrics = &metrics_;
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [this](const api::Pod& pod) { return admits(pod); }}};
    return options;
  }
  bool admits(const api::Pod& pod) const { return gate_is_open_ || !pod.metadata.labels->contains(Symbol("gated")); }

  // --- Pods -------------------------------------------------------------------------------------------------------

  static std::string name_of(int pod) { return fmt::format("pod-{}", pod); }

  // Pods of few templates and labels, so that classes have several members.
  api::PodPtr make(int pod, int choice, const std::string& uid) {
    static const std::vector<api::PodPtr> likes = [] {
      std::vector<api::PodPtr> all;
      for (int i = 0; i < 6; ++i) {
        PodBuilder like("like");
        like.priority(i % 2).label("app", std::to_string(i % 3));
        if (i == 3) like.label("gated", "maybe");
        all.push_back(like.build());
      }
      return all;
    }();
    return PodBuilder(name_of(pod), *likes[static_cast<std::size_t>(choice) % likes.size()]).uid(uid).build();
  }

  std::optional<api::PodPtr> known(int pod) const {
    const auto found = known_.find(name_of(pod));
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }
  bool is_in_hand(const std::string& name) const { return in_hand_.contains(name); }

  struct Flight {
    PoppedPod popped;
    bool is_over = false;  // done() was called
    std::size_t since = 0;
  };

  // --- What must come of it ---------------------------------------------------------------------------------------

  QueueingStrategy decide(const api::Pod& pod, PluginSet rejectors, PluginSet pending,
                          const HistoryEvent& history_event) {
    if (rejectors.empty()) return QueueingStrategy::kAfterBackoff;
    if (history_event.event.is_wildcard()) {
      return history_event.objects.new_object.metadata().uid == pod.metadata.uid ? QueueingStrategy::kAfterBackoff
                                                                                 : QueueingStrategy::kSkip;
    }
    QueueingStrategy result = QueueingStrategy::kSkip;
    for (const HintRegistration& registration : hints_) {
      const Symbol names[] = {registration.plugin};
      const PluginSet plugin = queue_.plugin_set(names);
      if (!rejectors.intersects(plugin) || !listens_to(registration.event, history_event.event)) continue;
      const HintAnswer answer = registration.hint ? registration.hint(pod, history_event.objects) : HintAnswer::kQueue;
      if (answer == HintAnswer::kSkip) continue;
      if (pending.intersects(plugin)) return QueueingStrategy::kImmediately;
      result = QueueingStrategy::kAfterBackoff;
    }
    return result;
  }

  bool gate_hears(const ClusterEvent& event) const {
    for (const HintRegistration& registration : hints_) {
      if (registration.plugin == "Gate" && listens_to(registration.event, event)) return true;
    }
    return false;
  }
  bool somebody_hears(const ClusterEvent& event) const {
    for (const HintRegistration& registration : hints_) {
      if (listens_to(registration.event, event)) return true;
    }
    return false;
  }

  // Where a pod with this much backoff goes that is worth another try.
  Place destination(const QueuedPod& pod, QueueingStrategy strategy) const {
    if (strategy == QueueingStrategy::kSkip) return Place::kUnschedulable;
    const bool gate_matters =
        !(strategy == QueueingStrategy::kAfterBackoff && is_backing_off(pod)) || queue_pops_from_backoff_;
    if (gate_matters && !admits(*pod.pod)) return Place::kUnschedulable;
    if (strategy == QueueingStrategy::kImmediately || !is_backing_off(pod)) return Place::kActive;
    return pod.rejectors().empty() ? Place::kErrorBackoff : Place::kBackoff;
  }
  bool is_backing_off(const QueuedPod& pod) const {
    const Instant ends = queue_.backoff_ends_at(pod);
    if (!ends.is_set()) return false;
    return ends >= (queue_pops_from_backoff_ ? now_.floor_to_second() : now_);
  }

  void record(const ClusterEvent& event, const EventObjects& objects) {
    if (!queue_.in_flight().empty()) happened_.push_back({event, objects});
  }

  // --- Steps ------------------------------------------------------------------------------------------------------

  void add(const Step& step) {
    const std::string name = name_of(step.pod);
    if (is_in_hand(name)) return;  // its end has to be seen first, as from an informer
    const bool is_double = known_.contains(name) && step.choice % 3 != 0;
    const std::string uid = is_double ? known_.at(name)->metadata.uid : fmt::format("{}-{}", name, ++generation_);
    const api::PodPtr pod = make(step.pod, step.choice, uid);
    RC_ASSERT(queue_.add(pod, now_).has_value() == !is_double);
    if (!is_double) known_[name] = pod;
  }

  void update(const Step& step) {
    const std::string name = name_of(step.pod);
    if (!known_.contains(name)) return;
    const api::PodPtr old_pod = known_.at(name), new_pod = make(step.pod, step.choice, old_pod->metadata.uid);
    const bool is_flying = queue_.in_flight().contains(old_pod->metadata.uid);
    if (is_in_hand(name) && !is_flying) return;  // on its way to a node: callers drop such updates
    const ClusterEvent changed(resource::kUnschedulablePod, old_pod->metadata.labels != new_pod->metadata.labels
                                                                ? action::kUpdatePodLabel
                                                                : action::kUpdate);
    const HistoryEvent history_event{changed, {api::AnyObject(old_pod), api::AnyObject(new_pod)}};
    std::optional<Place> expected;
    if (is_flying) {
      record(changed, history_event.objects);
    } else if (const QueuedPod* queued = queue_.get(new_pod->metadata.name_space, name);
               queued->place == Place::kUnschedulable) {
      QueuedPod copy = *queued;
      copy.pod = new_pod;
      expected = destination(copy, decide(*new_pod, copy.rejectors(), copy.pending_plugins, history_event));
    } else {
      expected = queued->place;
    }
    RC_ASSERT(queue_.update(old_pod, new_pod, now_));
    known_[name] = new_pod;
    if (expected) RC_ASSERT(testing::place_of(queue_, name) == *expected);
  }

  void remove(const Step& step) {
    const std::string name = name_of(step.pod);
    if (is_in_hand(name)) return;
    const bool was_known = known_.contains(name);
    const api::PodPtr pod = was_known ? known_.at(name) : testing::make_pod(name);
    RC_ASSERT(queue_.remove(*pod).has_value() == was_known);
    known_.erase(name);
    RC_ASSERT(queue_.nominator().node_of(pod->metadata.uid).empty());
  }

  void pop() {
    std::vector<const QueuedPod*> candidates = queue_.pods_in(Place::kActive);
    const bool from_backoff = candidates.empty();
    if (from_backoff && queue_pops_from_backoff_) candidates = queue_.pods_in(Place::kBackoff);
    PoppedPod popped = queue_.pop(now_);
    RC_ASSERT((popped == nullptr) == candidates.empty());
    if (popped == nullptr) return;
    if (from_backoff) reached_.popped_early += 1;
    for (const QueuedPod* other : candidates) {
      if (other == popped.get()) continue;
      if (from_backoff && other->backoff_ends_at != popped->backoff_ends_at) {
        RC_ASSERT(popped->backoff_ends_at < other->backoff_ends_at);
      } else {
        RC_ASSERT(!priority_then_time(*other, *popped));
      }
    }
    take_in_hand(std::move(popped));
  }

  void pop_specific(const Step& step) {
    const auto pod = known(step.pod);
    if (!pod || is_in_hand(name_of(step.pod))) return;
    const Place place = testing::place_of(queue_, name_of(step.pod));
    const bool skips_gate = place == Place::kActive || (queue_pops_from_backoff_ && place != Place::kUnschedulable);
    PoppedPod popped = queue_.pop_specific(**pod, now_);
    RC_ASSERT((popped != nullptr) == (skips_gate || admits(**pod)));
    if (popped != nullptr) take_in_hand(std::move(popped));
  }

  void take_in_hand(PoppedPod popped) {
    const std::string name = popped->pod->metadata.name;
    RC_ASSERT(queue_.in_flight().contains(popped->uid()));
    RC_ASSERT(!is_in_hand(name));
    in_hand_[name] = Flight{std::move(popped), false, happened_.size()};
  }

  void done(const Step& step) {
    const auto found = in_hand_.find(name_of(step.pod));
    if (found == in_hand_.end()) {
      const auto pod = known(step.pod);
      RC_ASSERT(!queue_.done(pod ? (*pod)->metadata.uid : "nobody"));
      return;
    }
    Flight& flight = found->second;
    RC_ASSERT(queue_.done(flight.popped->uid()).has_value() == !flight.is_over);
    flight.is_over = true;
    if (step.choice % 2 == 0) {  // placed: the pod leaves; else its binding fails, and it comes back
      known_.erase(found->first);
      queue_.remove_nomination(*flight.popped->pod);
      in_hand_.erase(found);
    }
    forget_what_nobody_needs();
  }

  void give_back(const Step& step) {
    if (in_hand_.empty()) return;
    const auto found = std::next(in_hand_.begin(),
                                 static_cast<std::ptrdiff_t>(step.pod) % static_cast<std::ptrdiff_t>(in_hand_.size()));
    Flight flight = std::move(found->second);
    const std::string name = found->first;
    in_hand_.erase(found);

    QueuedPod& pod = *flight.popped;
    pod.clear_rejectors();
    pod.pod = known_.at(name);
    std::vector<Symbol> rejecting, pending;
    for (int plugin = 0; plugin < kPluginCount - 1; ++plugin) {
      if ((step.choice >> plugin & 1) != 0) rejecting.emplace_back(kPlugins[plugin]);
      if ((step.choice >> plugin & 9) == 9) pending.emplace_back(kPlugins[plugin]);
    }
    pod.unschedulable_plugins = queue_.plugin_set(rejecting);
    pod.pending_plugins = queue_.plugin_set(pending);

    QueueingStrategy strategy = QueueingStrategy::kSkip;
    if (rejecting.empty() || flight.is_over || happened_.size() - flight.since > max_events_) {
      strategy = QueueingStrategy::kAfterBackoff;
    } else {
      for (std::size_t i = flight.since; i < happened_.size() && strategy != QueueingStrategy::kImmediately; ++i) {
        const QueueingStrategy by_this = decide(*pod.pod, pod.rejectors(), pod.pending_plugins, happened_[i]);
        if (by_this != QueueingStrategy::kSkip) strategy = by_this;
      }
    }
    QueuedPod expected = pod;
    (rejecting.empty() ? expected.consecutive_errors : expected.unschedulable_count) += 1;
    if (!rejecting.empty()) expected.consecutive_errors = 0;
    expected.timestamp = now_;
    expected.backoff_ends_at = Instant();
    const Place place = destination(expected, strategy);
    if (!flight.is_over && happened_.size() - flight.since > max_events_) reached_.missed += 1;
    if (!rejecting.empty() && strategy == QueueingStrategy::kAfterBackoff) reached_.in_flight_woken += 1;
    if (strategy == QueueingStrategy::kImmediately) reached_.woken_at_once += 1;
    RC_ASSERT(queue_.add_unschedulable_if_not_present(std::move(flight.popped), queue_.scheduling_cycle(), now_));
    RC_ASSERT(testing::place_of(queue_, name) == place);
    forget_what_nobody_needs();
  }

  // The heart of it: no wake-up is lost, and none is invented.
  void event(const Step& step) {
    const ClusterEvent& event = all_events()[static_cast<std::size_t>(step.choice) % all_events().size()];
    const auto own = known(step.pod);
    EventObjects objects;
    if (event.resource.text().ends_with("Pod")) {
      const api::AnyObject object(own.value_or(testing::make_pod(name_of(step.pod))));
      (event.actions == action::kDelete ? objects.old_object : objects.new_object) = object;
    }
    std::map<std::string, Place> expected;
    for (const QueuedPod* pod : queue_.pods_in(Place::kUnschedulable)) {
      QueueingStrategy strategy = QueueingStrategy::kSkip;
      if (somebody_hears(event) && (!pod->is_gated() || gate_hears(event))) {
        strategy = decide(*pod->pod, pod->rejectors(), pod->pending_plugins, {event, objects});
      }
      expected[pod->pod->metadata.name] = destination(*pod, strategy);
    }
    RC_ASSERT(queue_.move_all(event, objects, now_));
    for (const auto& [name, place] : expected) {
      RC_ASSERT(testing::place_of(queue_, name) == place);
      (place == Place::kUnschedulable ? reached_.left_unschedulable : reached_.woken) += 1;
    }
    if (somebody_hears(event)) record(event, objects);
  }

  void activate(const Step& step) {
    const auto pod = known(step.pod);
    if (!pod) return;
    const std::string name = name_of(step.pod);
    const Place before = testing::place_of(queue_, name);
    const api::PodPtr pods[] = {*pod};
    RC_ASSERT(queue_.activate(pods, now_));
    if (is_in_hand(name)) {
      if (!in_hand_.at(name).is_over) record(force_activate(), {{}, api::AnyObject(*pod)});
      return;
    }
    const bool skips_gate = before == Place::kActive || (queue_pops_from_backoff_ && before != Place::kUnschedulable);
    RC_ASSERT(testing::place_of(queue_, name) ==
              (skips_gate || admits(**pod) ? Place::kActive : Place::kUnschedulable));
  }

  void flush_backoff() {
    const Instant next = queue_.next_flush_at();
    std::set<std::string> staying;
    for (const Place place : {Place::kBackoff, Place::kErrorBackoff}) {
      for (const QueuedPod* pod : queue_.pods_in(place)) {
        if (is_backing_off(*pod)) {
          staying.insert(pod->pod->metadata.name);
        } else {
          RC_ASSERT(next.is_set());
          RC_ASSERT(next <= now_);
        }
      }
    }
    RC_ASSERT(queue_.flush_backoff_completed(now_));
    std::set<std::string> stayed;
    for (const Place place : {Place::kBackoff, Place::kErrorBackoff}) {
      for (const QueuedPod* pod : queue_.pods_in(place)) stayed.insert(pod->pod->metadata.name);
    }
    RC_ASSERT(stayed == staying);
  }

  void flush_leftover() {
    now_ = now_ + Duration::seconds(100);
    const Duration limit = Duration::minutes(5);
    std::map<std::string, Place> expected;
    for (const QueuedPod* pod : queue_.pods_in(Place::kUnschedulable)) {
      const bool is_leftover = now_ - pod->waits_since > limit;
      if (is_leftover) reached_.flushed += 1;
      expected[pod->pod->metadata.name] =
          destination(*pod, is_leftover ? QueueingStrategy::kAfterBackoff : QueueingStrategy::kSkip);
    }
    RC_ASSERT(queue_.flush_unschedulable_leftover(now_));
    for (const auto& [name, place] : expected) RC_ASSERT(testing::place_of(queue_, name) == place);
    for (const QueuedPod* pod : queue_.pods_in(Place::kUnschedulable)) RC_ASSERT(now_ - pod->waits_since <= limit);
  }

  void forget_what_nobody_needs() {
    if (!queue_.in_flight().empty()) return;
    happened_.clear();
    for (auto& [name, flight] : in_hand_) flight.since = 0;  // all over, so nothing is read from here on
  }

  // --- Invariants -------------------------------------------------------------------------------------------------

  void check_places() const {
    std::map<std::string, int> places;
    std::size_t counted = 0;
    for (const Place place : {Place::kActive, Place::kBackoff, Place::kErrorBackoff, Place::kUnschedulable}) {
      RC_ASSERT(queue_.pods_in(place).size() == queue_.count(place));
      counted += queue_.count(place);
      for (const QueuedPod* pod : queue_.pods_in(place)) {
        places[pod->pod->metadata.name] += 1;
        RC_ASSERT(pod->pod == known_.at(pod->pod->metadata.name));
      }
    }
    for (const auto& [name, flight] : in_hand_) places[name] += 1;
    RC_ASSERT(places.size() == known_.size());
    for (const auto& [name, pod] : known_) RC_ASSERT(places[name] == 1);
    RC_ASSERT(queue_.pending_pods().size() == counted);
  }

  void check_gauges() const {
    std::map<std::string, std::int64_t> pending{{"active", 0}, {"backoff", 0}, {"unschedulable", 0}, {"gated", 0}},
        rejectors;
    for (const Place place : {Place::kActive, Place::kBackoff, Place::kErrorBackoff, Place::kUnschedulable}) {
      for (const QueuedPod* pod : queue_.pods_in(place)) {
        const bool is_in_backoff = place == Place::kBackoff || place == Place::kErrorBackoff;
        pending[place == Place::kActive ? "active"
                : is_in_backoff         ? "backoff"
                : pod->is_gated()       ? "gated"
                                        : "unschedulable"] += 1;
        pod->rejectors().for_each([&](PluginId plugin) { rejectors[queue_.plugin_name(plugin).str()] += 1; });
      }
    }
    for (const auto& [queue, count] : metrics_.pending) RC_ASSERT(count == pending[queue]);
    for (const auto& [queue, count] : pending) {
      RC_ASSERT(count == (metrics_.pending.contains(queue) ? metrics_.pending.at(queue) : 0));
    }
    for (const auto& [plugin_and_profile, count] : metrics_.unschedulable) {
      RC_ASSERT(count == rejectors[plugin_and_profile.substr(0, plugin_and_profile.find('/'))]);
    }
  }

  void check_flights() const {
    std::set<std::string> flying, expected;
    for (const api::PodPtr& pod : queue_.in_flight().pods()) flying.insert(pod->metadata.name);
    for (const auto& [name, flight] : in_hand_) {
      if (!flight.is_over) expected.insert(name);
    }
    RC_ASSERT(flying == expected);
    if (flying.empty()) RC_ASSERT(queue_.in_flight().event_count() == 0u);
    RC_ASSERT(queue_.in_flight().event_count() <= max_events_);
    std::int64_t events = 0;
    for (const auto& [label, count] : metrics_.in_flight_events) {
      RC_ASSERT(count >= 0);
      if (label != "PodPopped") events += count;
    }
    RC_ASSERT(events == static_cast<std::int64_t>(queue_.in_flight().event_count()));
  }

  Reached& reached_;
  bool gate_is_open_ = true;
  CountingQueueMetrics metrics_;
  const std::vector<HintRegistration> hints_ = all_hints();
  const std::size_t max_events_;
  SchedulingQueue queue_;
  std::map<std::string, api::PodPtr> known_;  // by name: waiting, or in somebody's hands
  std::map<std::string, Flight> in_hand_;     // by name; after the queue, which must outlive them
  std::vector<HistoryEvent> happened_;        // while something is in flight
  Instant now_ = at_ms(300);
  int generation_ = 0;

 public:
  bool queue_pops_from_backoff_ = true;
};

void holds(bool pop_from_backoff, std::size_t max_in_flight_events) {
  Reached reached;
  const bool succeeded = rc::check("the queue keeps its promises", [=, &reached] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
    QueueOptions options;
    options.pop_from_backoff = pop_from_backoff;
    options.max_in_flight_events = max_in_flight_events;
    Model model(std::move(options), reached);
    model.queue_pops_from_backoff_ = pop_from_backoff;
    for (const Step& step : steps) {
      model.take(step);
      model.check();
    }
  });
  EXPECT_TRUE(kHasParameters);
  EXPECT_TRUE(succeeded);
  if (reached.steps < 40'000) return;  // fewer were asked for
  for (const int times : {reached.steps, reached.woken, reached.left_unschedulable, reached.woken_at_once,
                          reached.gated, reached.flushed, reached.in_flight_woken}) {
    EXPECT_GT(times, 50);
  }
  EXPECT_EQ(reached.popped_early > 0, pop_from_backoff);
  EXPECT_EQ(reached.missed > 0, max_in_flight_events < 10);
  fmt::print("{} steps, {} pods woken, {} left unschedulable, {} woken at once, {} in flight, {} flushed\n",
             reached.steps, reached.woken, reached.left_unschedulable, reached.woken_at_once, reached.in_flight_woken,
             reached.flushed);
}

TEST(QueueProperties, HoldWithEarlyPopsFromBackoff) {
  holds(true, 8192);
}
TEST(QueueProperties, HoldWithoutEarlyPopsFromBackoff) {
  holds(false, 8192);
}
TEST(QueueProperties, HoldIfEventsAreDroppedForWantOfRoom) {
  holds(true, 3);
}

}  // namespace
}  // namespace berth::queue
