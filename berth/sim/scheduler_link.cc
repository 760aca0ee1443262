#include "berth/sim/scheduler_link.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "berth/api/kinds.h"
#include "berth/api/watched_kinds.h"
#include "berth/base/check.h"
#include "berth/base/hash.h"
#include "berth/base/overloaded.h"
#include "berth/queue/queued_pod.h"

namespace berth::sim {

namespace {

using Urgency = Agenda::Urgency;
using engine::Outcome;

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// How late a change comes that is overtaken by those of other kinds.
constexpr Duration kMinReorderDelay = Duration::milliseconds(1);
constexpr Duration kMaxReorderDelay = Duration::milliseconds(100);

// A scheduler that says it has something to do now, after it has just been run, is asked again after this long.
constexpr Duration kMinTimer = Duration::milliseconds(1);

constexpr std::size_t kTriesBetweenCommands = 256;

std::size_t index_of(const api::ObjectKind& kind) {
  return static_cast<std::size_t>(&kind - api::all_kinds().data());
}

Outcome failed(const ApiError& error) {
  return {.kind = error.kind, .message = error.message, .object = {}, .extender_reply = {}};
}

Outcome outcome(Outcome::Kind kind, std::string message) {
  return {.kind = kind, .message = std::move(message), .object = {}, .extender_reply = {}};
}

template <typename T>
Outcome outcome(const ApiResult<T>& result) {
  return result ? Outcome{} : failed(result.error());
}

// What a command is about, as messages have it.
struct About {
  std::string_view resource;
  Symbol name_space;
  std::string_view name;
};

About about(const engine::Command& command) {
  return std::visit(Overloaded{
                        [](const engine::BindPod& what) {
                          const api::ObjectMeta& metadata = what.binding->metadata;
                          return About{"pods/binding", metadata.name_space, metadata.name};
                        },
                        [](const engine::PatchPodStatus& what) {
                          return About{"pods", what.base->metadata.name_space, what.base->metadata.name};
                        },
                        [](const engine::DeletePod& what) { return About{"pods", what.pod.name_space, what.pod.name}; },
                        [](const engine::ReadPod& what) { return About{"pods", what.pod.name_space, what.pod.name}; },
                        [](const engine::UpdateObject& what) {
                          const api::ObjectMeta& metadata = what.object.metadata();
                          return About{what.object.kind().resource, metadata.name_space, metadata.name};
                        },
                        [](const engine::CallExtender&) { return About{"extenders", {}, {}}; },
                    },
                    command.what);
}

// Two objects of one hash, should there ever be any, wait for each other for nothing.
std::uint64_t object_hash(const engine::Command& command) {
  const About what = about(command);
  const std::string_view resource = what.resource.substr(0, what.resource.find('/'));
  const std::uint64_t hash = hash_combine(hash_bytes(resource), hash_bytes(what.name_space.text()));
  if (const auto* call = std::get_if<engine::CallExtender>(&command.what)) return hash_combine(hash, call->extender);
  return hash_combine(hash, hash_bytes(what.name));
}

bool is_write(const engine::Command& command) {
  return std::holds_alternative<engine::BindPod>(command.what) ||
         std::holds_alternative<engine::PatchPodStatus>(command.what) ||
         std::holds_alternative<engine::DeletePod>(command.what) ||
         std::holds_alternative<engine::UpdateObject>(command.what);
}

bool takes_no_time(const Latency& latency) {
  return latency.shape == Latency::Shape::kFixed && latency.low <= Duration();
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::size_t in_backoff(const engine::Scheduler& scheduler) {
  return scheduler.queue().count(queue::Place::kBackoff) + scheduler.queue().count(queue::Place::kErrorBackoff);
}

// Why the next of the pods that failed with an error did, " (pod default/a: ...)"; empty if there is none.
std::string error_in_backoff(const engine::Scheduler& scheduler) {
  for (const queue::QueuedPod* queued : scheduler.queue().pods_in(queue::Place::kErrorBackoff)) {
    const engine::AttemptRecord* last = scheduler.attempts().last(queued->uid());
    if (last == nullptr || last->detail().message.empty()) continue;
    return fmt::format(" (pod {}: {})", api::full_name(queued->pod->metadata), last->detail().message);
  }
  return {};
}

// Whether anything may come of the next tries. Without any node pods go from try to backoff to try for ever, as in
// kube-scheduler; the world is idle nevertheless, or it would never be.
bool waits_for_backoff(const engine::Scheduler& scheduler) {
  return in_backoff(scheduler) > 0 && scheduler.cache().nodes().node_count() > 0;
}

}  // namespace

// The scheduler tells its observer what its own clock shows; the history is written in the world's time.
class SchedulerLink::InWorldTime final : public engine::Observer {
 public:
  InWorldTime(engine::Observer& to, const Agenda& agenda) : to_(to), agenda_(agenda) {}

  void event_happened(const queue::ClusterEvent& event, Instant) override { to_.event_happened(event, agenda_.now()); }
  void pod_moved(const queue::QueuedPod& pod, queue::QueueName queue, Symbol label, Instant) override {
    to_.pod_moved(pod, queue, label, agenda_.now());
  }
  void attempt_ended(const api::Pod& pod, const engine::AttemptRecord& record, Instant) override {
    to_.attempt_ended(pod, record, agenda_.now());
  }
  void pod_bound(const api::Pod& pod, Symbol node, Instant) override { to_.pod_bound(pod, node, agenda_.now()); }
  void binding_failed(const api::Pod& pod, Symbol node, std::string_view why, Instant) override {
    to_.binding_failed(pod, node, why, agenda_.now());
  }
  void preemption_began(const api::Pod& preemptor, Symbol node, const std::vector<api::PodPtr>& victims,
                        Instant) override {
    to_.preemption_began(preemptor, node, victims, agenda_.now());
  }
  void preemption_ended(const api::Pod& preemptor, Instant) override { to_.preemption_ended(preemptor, agenda_.now()); }

 private:
  engine::Observer& to_;
  const Agenda& agenda_;
};

const std::vector<const api::ObjectKind*>& SchedulerLink::kinds() {
  static const std::vector<const api::ObjectKind*> all = [] {
    std::vector<const api::ObjectKind*> kinds;
    for (const api::WatchedKind& each : api::watched_kinds()) kinds.push_back(each.kind);
    return kinds;
  }();
  return all;
}

SchedulerLink::SchedulerLink(engine::Options options, SimulatedExtender extender, Ends ends, Rng rng)
    : options_(std::move(options)),
      extender_(std::move(extender)),
      ends_(ends),
      rng_(rng),
      observer_(std::make_unique<InWorldTime>(ends.history, ends.agenda)),
      streams_(api::all_kinds().size()) {
  options_.observer = observer_.get();
  for (const api::ObjectKind* kind : kinds()) stream_of(*kind).is_read = true;
}

SchedulerLink::~SchedulerLink() = default;

Result<std::unique_ptr<SchedulerLink>> SchedulerLink::make(engine::Options options, SimulatedExtender extender,
                                                           Ends ends, Rng rng) {
  std::unique_ptr<SchedulerLink> link(new SchedulerLink(std::move(options), std::move(extender), ends, rng));
  // Whether it can be built at all is known from here on, so that start() cannot fail.
  if (auto built = engine::Scheduler::make(link->options_); !built) return fail(std::move(built).error());
  link->start();
  return link;
}

SchedulerLink::Stream& SchedulerLink::stream_of(const api::ObjectKind& kind) {
  return streams_[index_of(kind)];
}

// --- Life ------------------------------------------------------------------------------------------------------------

void SchedulerLink::start() {
  if (is_up()) return;
  auto built = engine::Scheduler::make(options_);
  BERTH_CHECK(built.has_value(), "the scheduler could be built before, and not now: {}", built.error().message());
  scheduler_ = *std::move(built);
  scheduler_->set_wall_clock_offset(clock_offset_);
  for (const api::ObjectKind* kind : kinds()) {
    Stream& stream = stream_of(*kind);
    stream.last_delivery = ends_.agenda.now();
    list(*kind);
  }
  scheduler_->start(scheduler_now());
  request_run();
}

void SchedulerLink::crash() {
  if (!is_up()) return;
  ++life_;
  scheduler_.reset();
  for (Stream& stream : streams_) {
    ++stream.epoch;
    stream.is_broken = false;
  }
  broken_ = 0;
  is_run_requested_ = false;
  attempt_ends_at_ = {};
  timer_at_ = {};
}

void SchedulerLink::jump_clock(Duration by) {
  clock_offset_ = clock_offset_ + by;
  if (is_up()) scheduler_->set_wall_clock_offset(clock_offset_);
}

// --- From the API server to the scheduler ----------------------------------------------------------------------------

void SchedulerLink::list(const api::ObjectKind& kind) {
  const std::vector<api::AnyObject> objects = ends_.api.list(kind);
  scheduler_->observe_list(kind, objects, scheduler_now());
}

Duration SchedulerLink::watch_latency() {
  Duration latency = ends_.faults.watch.draw(rng_);
  if (happens(ends_.faults.reordered_watches)) {
    latency =
        latency + Duration::nanoseconds(rng_.in_range(kMinReorderDelay.nanoseconds(), kMaxReorderDelay.nanoseconds()));
  }
  return latency;
}

void SchedulerLink::note_binding_by_others(const Change& change) {
  if (is_binding_ || change.kind != Change::Kind::kModified) return;
  const api::PodPtr pod = change.object.as<api::Pod>();
  if (pod == nullptr || pod->spec.node_name.empty()) return;
  if (change.before.as<api::Pod>()->spec.node_name.empty()) bindings_by_others_.insert(pod->metadata.uid);
}

void SchedulerLink::on_change(const Change& change) {
  note_binding_by_others(change);
  const api::ObjectKind& about = change.object.kind();
  Stream& stream = stream_of(about);
  if (!is_up() || !stream.is_read || stream.is_broken) return;
  if (happens(ends_.faults.lost_watches)) {
    break_watch(about);
    return;
  }
  const Instant now = ends_.agenda.now();
  stream.last_delivery = std::max(stream.last_delivery, now + watch_latency());
  ++on_their_way_;
  ends_.agenda.after(stream.last_delivery - now, Urgency::kWork,
                     [this, kind = change.kind, object = change.object, epoch = stream.epoch] {
                       --on_their_way_;
                       if (stream_of(object.kind()).epoch == epoch) deliver(kind, object);
                     });
}

void SchedulerLink::deliver(Change::Kind kind, const api::AnyObject& object) {
  if (kind == Change::Kind::kDeleted) {
    scheduler_->observe_deleted(object, scheduler_now());
  } else {
    scheduler_->observe(object, scheduler_now());
  }
  request_run();
}

void SchedulerLink::break_watch(const api::ObjectKind& kind) {
  Stream& stream = stream_of(kind);
  if (!is_up() || !stream.is_read || stream.is_broken) return;
  stream.is_broken = true;
  ++broken_;
  const std::uint64_t epoch = ++stream.epoch;
  ends_.agenda.after(ends_.faults.relist_after, Urgency::kWork, [this, &kind, epoch] {
    Stream& broken = stream_of(kind);
    if (broken.epoch != epoch) return;
    broken.is_broken = false;
    --broken_;
    broken.last_delivery = ends_.agenda.now();
    list(kind);
    request_run();
  });
}

void SchedulerLink::break_all_watches() {
  for (const api::ObjectKind* kind : kinds()) break_watch(*kind);
}

bool SchedulerLink::has_changes_on_their_way() const {
  return on_their_way_ > 0 || broken_ > 0;
}

// --- Running ---------------------------------------------------------------------------------------------------------

void SchedulerLink::request_run() {
  if (!is_up() || is_run_requested_) return;
  is_run_requested_ = true;
  ends_.agenda.after(Duration(), Urgency::kWork, [this, life = life_] {
    if (life == life_) run();
  });
}

void SchedulerLink::run() {
  is_run_requested_ = false;
  scheduler_->advance(scheduler_now());
  if (takes_no_time(ends_.faults.attempt)) {
    try_all();
  } else {
    try_one();
  }
  send_commands();
  set_timer();
}

// As Scheduler::run_until_idle(), but commands are taken away in between: a million pods at once give a million of
// them.
void SchedulerLink::try_all() {
  const Instant now = scheduler_now();
  std::size_t tries = 0;
  while (scheduler_->try_next(now)) {
    if (++tries % kTriesBetweenCommands == 0) send_commands();
  }
}

void SchedulerLink::try_one() {
  const Instant now = ends_.agenda.now();
  if (now < attempt_ends_at_ || !scheduler_->try_next(scheduler_now())) return;
  const Duration takes = std::max(ends_.faults.attempt.draw(rng_), Duration::nanoseconds(1));
  attempt_ends_at_ = now + takes;
  ends_.agenda.after(takes, Urgency::kWork, [this, life = life_] {
    if (life == life_) request_run();
  });
}

// The timer is never what keeps the world from being idle: is_busy() says whether anybody waits for it.
void SchedulerLink::set_timer() {
  const Instant due = scheduler_->next_due();
  if (!due.is_set()) return;
  const Instant now = ends_.agenda.now();
  const Instant at = std::max(due, now + kMinTimer);
  if (timer_at_.is_set() && timer_at_ <= at) return;  // looks again then
  timer_at_ = at;
  ends_.agenda.after(at - now, Urgency::kLater, [this, at, life = life_] {
    if (life != life_ || timer_at_ != at) return;
    timer_at_ = {};
    request_run();
  });
}

bool SchedulerLink::is_busy() const {
  return is_up() && (scheduler_->has_work() || scheduler_->bindings() > 0 || scheduler_->preemptions() > 0 ||
                     scheduler_->commands_under_way() > 0 || waits_for_backoff(*scheduler_));
}

std::string SchedulerLink::business() const {
  if (!is_up()) return {};
  std::vector<std::string> parts;
  if (const auto n = scheduler_->queue().count(queue::Place::kActive); n > 0) {
    parts.push_back(counted(n, "pod to try", "pods to try"));
  }
  if (const auto n = in_backoff(*scheduler_); n > 0) {
    parts.push_back(counted(n, "pod in backoff", "pods in backoff") + error_in_backoff(*scheduler_));
  }
  if (const auto n = scheduler_->bindings(); n > 0) parts.push_back(counted(n, "binding", "bindings"));
  if (const auto n = scheduler_->commands_under_way(); n > 0) {
    parts.push_back(counted(n, "command without an answer", "commands without an answer"));
  }
  if (on_their_way_ > 0) parts.push_back(counted(on_their_way_, "change on its way", "changes on their way"));
  if (broken_ > 0) parts.push_back(counted(broken_, "broken watch", "broken watches"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// --- From the scheduler to the API server ----------------------------------------------------------------------------

void SchedulerLink::send_commands() {
  const Instant now = ends_.agenda.now();
  for (engine::PodEvent& event : scheduler_->take_events()) {
    ends_.history.published(*event.regarding, event.type, event.reason, std::move(event.note), now);
  }
  for (engine::Command& command : scheduler_->take_commands()) send(std::move(command));
}

bool SchedulerLink::happens(Rate rate) {
  return rate > 0 && rng_.chance(rate, kAlways);
}

SchedulerLink::Fate SchedulerLink::draw_fate() {
  const Faults& faults = ends_.faults;
  if (happens(faults.errors)) return Fate::kError;
  if (happens(faults.conflicts)) return Fate::kConflict;
  if (happens(faults.lost_requests)) return Fate::kRequestLost;
  if (happens(faults.lost_answers)) return Fate::kAnswerLost;
  return Fate::kCarriedOut;
}

void SchedulerLink::send(engine::Command command) {
  const Instant now = ends_.agenda.now();
  const bool is_binding = std::holds_alternative<engine::BindPod>(command.what);
  const Duration takes = (is_binding ? ends_.faults.bind : ends_.faults.write).draw(rng_);
  const Duration there = Duration::nanoseconds(takes.nanoseconds() / 2);
  auto sent = std::make_unique<Sent>(Sent{.command = std::move(command),
                                          .about = 0,
                                          .life = life_,
                                          .fate = {},
                                          .is_doubled = false,
                                          .answer_takes = takes - there});
  if (is_write(sent->command)) {
    sent->fate = draw_fate();
    sent->is_doubled = happens(ends_.faults.doubled_answers);
  }
  sent->about = object_hash(sent->command);
  Turn& turn = turns_[sent->about];
  ++turn.commands;
  turn.not_before = std::max(turn.not_before, now + there);
  ends_.agenda.after(turn.not_before - now, Urgency::kWork, [this, sent = std::move(sent)] { carry_out(*sent); });
}

void SchedulerLink::carry_out(const Sent& sent) {
  const auto turn = turns_.find(sent.about);
  if (--turn->second.commands == 0) turns_.erase(turn);
  Outcome outcome = outcome_of(sent);
  if (sent.is_doubled) answer(sent, sent.answer_takes * 2, outcome);
  answer(sent, sent.answer_takes, std::move(outcome));
}

Outcome SchedulerLink::outcome_of(const Sent& sent) {
  switch (sent.fate) {
    case Fate::kError:
      return outcome(Outcome::Kind::kRefused, "Internal error occurred: etcdserver: request timed out");
    case Fate::kConflict: {
      const About what = about(sent.command);
      return outcome(Outcome::Kind::kConflict, fmt::format("Operation cannot be fulfilled on {} \"{}\": {}",
                                                           what.resource, what.name, kModified));
    }
    case Fate::kRequestLost: return outcome(Outcome::Kind::kUnknown, "http2: client connection lost");
    case Fate::kAnswerLost:
    case Fate::kCarriedOut: break;
  }
  Outcome done = std::visit(Overloaded{[&](const engine::BindPod& what) { return perform(what, sent.life); },
                                       [&](const auto& what) { return perform(what); }},
                            sent.command.what);
  if (sent.fate == Fate::kAnswerLost) return outcome(Outcome::Kind::kUnknown, "http2: client connection lost");
  return done;
}

void SchedulerLink::answer(const Sent& sent, Duration takes, Outcome outcome) {
  ends_.agenda.after(takes, Urgency::kWork,
                     [this, id = sent.command.id, life = sent.life, outcome = std::move(outcome)] {
                       if (life != life_) return;
                       scheduler_->complete(id, outcome, scheduler_now());
                       request_run();
                     });
}

Outcome SchedulerLink::perform(const engine::BindPod& bind, std::uint64_t life) {
  is_binding_ = true;
  const auto done = ends_.api.bind(*bind.binding, ends_.agenda.now());
  is_binding_ = false;
  if (done && life != life_) {
    const api::ObjectMeta& metadata = bind.binding->metadata;
    const api::PodPtr pod = ends_.api.get<api::Pod>(metadata.name_space, metadata.name);
    if (pod != nullptr) bindings_by_others_.insert(pod->metadata.uid);
  }
  return outcome(done);
}

Outcome SchedulerLink::perform(const engine::PatchPodStatus& patch) {
  return outcome(ends_.api.patch_status(patch, ends_.agenda.now()));
}

Outcome SchedulerLink::perform(const engine::DeletePod& remove) {
  const engine::PodRef& ref = remove.pod;
  const Instant now = ends_.agenda.now();
  const api::PodPtr pod = ends_.api.get<api::Pod>(ref.name_space, ref.name);
  if (pod != nullptr && pod->metadata.uid == ref.uid) ends_.history.evicted(*pod, now);
  return outcome(ends_.api.remove(api::kind_of<api::Pod>(), ref.name_space, ref.name, now, ref.uid));
}

Outcome SchedulerLink::perform(const engine::ReadPod& read) {
  const api::AnyObject pod = ends_.api.get(api::kind_of<api::Pod>(), read.pod.name_space, read.pod.name);
  if (!pod) return outcome(Outcome::Kind::kNotFound, fmt::format("pods \"{}\" not found", read.pod.name));
  return {.kind = Outcome::Kind::kDone, .message = {}, .object = pod, .extender_reply = {}};
}

Outcome SchedulerLink::perform(const engine::UpdateObject& update) {
  auto updated = ends_.api.update(update.object);
  if (!updated) return failed(updated.error());
  return {.kind = Outcome::Kind::kDone, .message = {}, .object = *std::move(updated), .extender_reply = {}};
}

Outcome SchedulerLink::perform(const engine::CallExtender& call) {
  if (extender_) return extender_(call);
  return outcome(Outcome::Kind::kRefused, "no extender is simulated");
}

}  // namespace berth::sim
