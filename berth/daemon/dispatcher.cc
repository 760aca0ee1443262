#include "berth/daemon/dispatcher.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "berth/base/check.h"
#include "berth/client/jitter.h"
#include "berth/daemon/extender_client.h"

namespace berth::daemon {
namespace {

using engine::Outcome;

constexpr std::array<Lane, kLaneCount> kByUrgency = {Lane::kBind,   Lane::kNomination, Lane::kEviction,
                                                     Lane::kVolume, Lane::kStatus,     Lane::kExtender};

constexpr std::string_view kShuttingDown = "the scheduler is shutting down";

bool is_more_urgent(Lane a, Lane b) {
  return a < b;
}

// first * factor^n, at most `longest`.
Duration grown(Duration first, std::int64_t factor, std::size_t n, Duration longest) {
  Duration delay = first;
  for (std::size_t i = 0; i < n && delay < longest; ++i) delay = delay * factor;
  return std::min(delay, longest);
}

}  // namespace

Dispatcher::Dispatcher(client::Loop& loop, client::Transport& api, Options options, OnOutcome on_outcome)
    : loop_(loop),
      api_(api),
      options_(std::move(options)),
      on_outcome_(std::move(on_outcome)),
      rng_(options_.seed),
      budget_(options_.requests_per_second, options_.burst) {
  lane(Lane::kBind).limit = options_.binds;
  lane(Lane::kNomination).limit = options_.nominations;
  lane(Lane::kEviction).limit = options_.evictions;
  lane(Lane::kVolume).limit = options_.volumes;
  lane(Lane::kStatus).limit = options_.statuses;
  lane(Lane::kExtender).limit = options_.extenders;
}

Dispatcher::~Dispatcher() {
  for (const auto& [id, job] : jobs_) {
    if (job->request != 0) job->transport->cancel(job->request);
    if (job->timer != 0) loop_.cancel_timer(job->timer);
  }
  for (const client::TimerId timer : {budget_timer_, delivery_timer_, grace_timer_, idle_timer_}) {
    if (timer != 0) loop_.cancel_timer(timer);
  }
}

Dispatcher::Job* Dispatcher::find(JobId id) {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second.get();
}

// --- Waiting ---------------------------------------------------------------------------------------------------------

void Dispatcher::submit(std::vector<engine::Command> commands) {
  for (engine::Command& command : commands) add(std::move(command));
  pump();
}

void Dispatcher::add(engine::Command command) {
  const Lane urgency = lane_of(command.what);
  if (is_refused(urgency)) return refuse({command.id});
  std::string object = object_of(command.what);
  std::vector<JobId>* chain = object.empty() ? nullptr : &chains_[object];
  if (chain != nullptr) {
    if (merge_into_last(*chain, command)) return;
    for (const JobId before : *chain) raise_priority(before, urgency);
  }
  const JobId id = ++last_id_;
  auto job = std::make_unique<Job>();
  job->id = id;
  job->commands.push_back(command.id);
  job->work = std::move(command.what);
  job->object = std::move(object);
  job->lane = job->next_lane = urgency;
  ++lane(urgency).statistics.waiting;
  const bool is_first = chain == nullptr || chain->empty();
  if (chain != nullptr) chain->push_back(id);
  if (is_first) enqueue(*job);
  jobs_.emplace(id, std::move(job));
}

// A patch that has not been sent yet is merged with the next one.
bool Dispatcher::merge_into_last(const std::vector<JobId>& chain, const engine::Command& command) {
  const auto* newer = std::get_if<engine::PatchPodStatus>(&command.what);
  if (newer == nullptr || chain.empty()) return false;
  Job& last = *find(chain.back());
  auto* older = std::get_if<engine::PatchPodStatus>(&last.work);
  if (older == nullptr || last.was_sent) return false;
  auto both = merge(*older, *newer);
  if (!both) return false;
  // Of a condition that the next one replaces nothing is left to be done. A pod that fails again and again while the
  // server is slow has one command that way, and not one for each time.
  const bool is_replaced = newer->condition && !older->nominated_node_name;
  if (is_replaced) {
    for (const engine::CommandId replaced : std::exchange(last.commands, {})) {
      undelivered_.emplace_back(replaced, Outcome());
    }
    deliver_soon();
  }
  *older = *std::move(both);
  last.commands.push_back(command.id);
  ++lane(last.lane).statistics.merged;
  for (const JobId before : chain) raise_priority(before, lane_of(command.what));
  return true;
}

// Something urgent waits for this job.
void Dispatcher::raise_priority(JobId id, Lane to) {
  Job& job = *find(id);
  if (!is_more_urgent(to, job.next_lane)) return;
  job.next_lane = to;
  if (job.state == Job::State::kInFlight) return;
  --lane(job.lane).statistics.waiting;
  ++lane(to).statistics.waiting;
  job.lane = to;
  if (job.state == Job::State::kInQueue) lane(to).queue.push_back(id);
}

void Dispatcher::enqueue(Job& job) {
  if (std::holds_alternative<engine::ReadPod>(job.work)) {
    const Instant settled_at = unsettled_.take(job.object);
    if (settled_at.is_set() && settled_at > loop_.now()) return enqueue_after(job, settled_at - loop_.now());
  }
  job.state = Job::State::kInQueue;
  // Who has had a turn before does not wait for all others again.
  if (job.was_sent) {
    lane(job.lane).queue.push_front(job.id);
  } else {
    lane(job.lane).queue.push_back(job.id);
  }
}

void Dispatcher::enqueue_after(Job& job, Duration delay) {
  job.state = Job::State::kBackingOff;
  job.timer = loop_.after(delay, [this, id = job.id] {
    Job& waited = *find(id);
    waited.timer = 0;
    enqueue(waited);
    pump();
  });
}

// --- Sending ---------------------------------------------------------------------------------------------------------

void Dispatcher::pump() {
  for (const Lane which : kByUrgency) {
    if (!pump(which)) break;
  }
  // They are not the API server's business, whatever its budget says.
  if (budget_timer_ != 0) pump(Lane::kExtender);
}

// False if the budget is used up.
bool Dispatcher::pump(Lane which) {
  LaneState& of = lane(which);
  while (of.statistics.in_flight < of.limit) {
    Job* job = first_in_queue(of);
    if (job == nullptr) return true;
    if (which != Lane::kExtender && !budget_.try_take(loop_.now())) {
      if (budget_timer_ == 0) {
        budget_timer_ = loop_.after(budget_.wait(), [this] {
          budget_timer_ = 0;
          pump();
        });
      }
      return false;
    }
    of.queue.pop_front();
    start(*job);
  }
  return true;
}

Dispatcher::Job* Dispatcher::first_in_queue(LaneState& of) {
  while (!of.queue.empty()) {
    Job* job = find(of.queue.front());
    if (job != nullptr && job->state == Job::State::kInQueue && &lane(job->lane) == &of) return job;
    of.queue.pop_front();
  }
  return nullptr;
}

void Dispatcher::start(Job& job) {
  Statistics& statistics = lane(job.lane).statistics;
  --statistics.waiting;
  ++statistics.in_flight;
  job.state = Job::State::kInFlight;
  if (!job.was_sent) job.first_sent_at = loop_.now();
  if (job.lane == Lane::kExtender) {
    start_extender(job);
  } else {
    start_api(job);
  }
  job.was_sent = true;
}

void Dispatcher::start_extender(Job& job) {
  const auto& call = std::get<engine::CallExtender>(job.work);
  job.transport = call.extender < options_.configured_extenders.size() && options_.extender_transport
                      ? options_.extender_transport(call.extender)
                      : nullptr;
  if (job.transport == nullptr) {
    return settle_soon(job, outcome_of(Outcome::Kind::kRefused, "no client for this extender"));
  }
  job.request = job.transport->start(extender_request(options_.configured_extenders[call.extender], call),
                                     [this, id = job.id](const client::Response& response) { answered(id, response); });
}

void Dispatcher::start_api(Job& job) {
  const auto* patch = std::get_if<engine::PatchPodStatus>(&job.work);
  if (patch != nullptr && !job.was_sent) {
    job.form.names_uid = options_.status_patches_name_uid;
    job.form.is_base_outdated = patched_.contains(job.object, patch->base->metadata.resource_version);
  }
  auto request = request_for(job.work, job.form, options_.request_timeout);
  if (!request) return settle_soon(job, outcome_of(Outcome::Kind::kRefused, request.error().message()));
  if (!request->has_value()) return settle_soon(job, Outcome());
  if (patch != nullptr && patch->condition) patched_.add(job.object, patch->base->metadata.resource_version);
  job.transport = &api_;
  job.request = api_.start(**std::move(request),
                           [this, id = job.id](const client::Response& response) { answered(id, response); });
}

void Dispatcher::settle_soon(Job& job, Outcome outcome) {
  job.timer = loop_.after(Duration(), [this, id = job.id, outcome = std::move(outcome)] {
    Job* settled = find(id);
    settled->timer = 0;
    finish(*settled, outcome);
  });
}

bool Dispatcher::PatchedVersions::contains(const std::string& object, const std::string& version) const {
  const auto is_in = [&](const engine::TextMap<std::string>& versions) {
    const auto it = versions.find(object);
    return it != versions.end() && it->second == version;
  };
  return !version.empty() && (is_in(young_) || is_in(old_));
}

void Dispatcher::PatchedVersions::add(const std::string& object, const std::string& version) {
  if (young_.size() >= kGeneration) old_ = std::exchange(young_, {});
  young_.insert_or_assign(object, version);
}

void Dispatcher::Unsettled::add(const std::string& object, Instant now, Instant until) {
  if (until_.size() >= kMany) absl::erase_if(until_, [&](const auto& entry) { return entry.second < now; });
  until_.insert_or_assign(object, until);
}

Instant Dispatcher::Unsettled::take(const std::string& object) {
  const auto found = until_.find(object);
  if (found == until_.end()) return {};
  const Instant until = found->second;
  until_.erase(found);
  return until;
}

// --- Answers ---------------------------------------------------------------------------------------------------------

void Dispatcher::answered(JobId id, const client::Response& response) {
  Job& job = *find(id);
  job.request = 0;
  Reading reading;
  if (const auto* call = std::get_if<engine::CallExtender>(&job.work)) {
    reading.outcome = extender_outcome(options_.configured_extenders[call->extender], *call, response);
  } else {
    reading = read_answer(job.work, response);
  }
  if (const auto delay = delay_before_retry(job, reading)) {
    back_off(job, *delay);
    pump();
  } else {
    const bool is_open =
        std::holds_alternative<engine::BindPod>(job.work) && reading.outcome.kind == Outcome::Kind::kUnknown;
    if (is_open) unsettled_.add(job.object, loop_.now(), loop_.now() + options_.settling_time);
    finish(job, reading.outcome);
  }
}

std::optional<Duration> Dispatcher::delay_before_retry(Job& job, const Reading& reading) {
  if (reading.retry == Retry::kNo || is_refused(job.next_lane)) return std::nullopt;
  const std::size_t retries = job.retries[static_cast<std::size_t>(reading.retry)]++;
  switch (reading.retry) {
    case Retry::kNo: break;
    case Retry::kSoon:
      if (retries + 1 >= options_.tries) return std::nullopt;
      return jittered(grown(options_.first_delay, options_.delay_factor, retries, Duration::max()));
    case Retry::kThroughOutage: {
      const Duration delay =
          jittered(grown(options_.first_delay, options_.delay_factor, retries, options_.longest_delay));
      const Duration since_first = loop_.now() - job.first_sent_at;
      if (since_first + delay > options_.outage_patience) return std::nullopt;
      return delay;
    }
    case Retry::kWhenTold: {
      if (retries >= options_.throttled_tries) return std::nullopt;
      const Duration told = reading.retry_after > Duration() ? reading.retry_after : options_.default_retry_after;
      return jittered(std::min(told, options_.longest_retry_after));
    }
  }
  return std::nullopt;
}

Duration Dispatcher::jittered(Duration delay) {
  return client::jittered(delay, options_.jitter, rng_);
}

void Dispatcher::back_off(Job& job, Duration delay) {
  --lane(job.lane).statistics.in_flight;
  ++lane(job.lane).statistics.retried;
  job.lane = job.next_lane;
  ++lane(job.lane).statistics.waiting;
  enqueue_after(job, delay);
}

void Dispatcher::finish(Job& job, const Outcome& outcome) {
  Statistics& statistics = lane(job.lane).statistics;
  --statistics.in_flight;
  ++(outcome.is_done() ? statistics.done : statistics.failed);
  const std::vector<engine::CommandId> commands = std::move(job.commands);
  remove(job);
  for (const engine::CommandId command : commands) on_outcome_(command, outcome);
  pump();
  notice_idle();
}

// Lets the next one of its chain go.
void Dispatcher::remove(Job& job) {
  if (const auto found = chains_.find(job.object); found != chains_.end()) {
    std::vector<JobId>& chain = found->second;
    const bool was_first = chain.front() == job.id;
    std::erase(chain, job.id);
    if (chain.empty()) {
      chains_.erase(found);
    } else if (was_first) {
      enqueue(*find(chain.front()));
    }
  }
  jobs_.erase(job.id);
}

// --- The end ---------------------------------------------------------------------------------------------------------

void Dispatcher::begin_shutdown(Duration grace, std::function<void()> on_idle) {
  BERTH_CHECK(!is_stopping_, "a second shutdown");
  is_stopping_ = true;
  on_idle_ = std::move(on_idle);
  std::vector<Job*> dropped;
  for (const auto& [id, job] : jobs_) {
    if (job->state != Job::State::kInFlight && is_refused(job->lane)) dropped.push_back(job.get());
  }
  // Latest first, so that no chain moves on to what is to be dropped; and in an order that does not depend on a hash.
  std::ranges::sort(dropped, [](const Job* a, const Job* b) { return a->id > b->id; });
  for (Job* job : dropped) {
    if (job->timer != 0) loop_.cancel_timer(job->timer);
    Statistics& statistics = lane(job->lane).statistics;
    --statistics.waiting;
    ++statistics.failed;
    refuse(job->commands);
    remove(*job);
  }
  grace_timer_ = loop_.after(grace, [this] {
    grace_timer_ = 0;
    end_now();
  });
  notice_idle();
}

void Dispatcher::when_idle(std::function<void()> on_idle) {
  BERTH_CHECK(is_stopping_ && !on_idle_, "not stopping, or on_idle is set already");
  on_idle_ = std::move(on_idle);
  notice_idle();
}

void Dispatcher::end_now() {
  has_ended_ = true;
  std::vector<std::unique_ptr<Job>> left;
  for (auto& [id, job] : jobs_) left.push_back(std::move(job));
  jobs_.clear();
  chains_.clear();
  std::ranges::sort(left, [](const auto& a, const auto& b) { return a->id < b->id; });
  for (const auto& job : left) {
    Statistics& statistics = lane(job->lane).statistics;
    const bool is_in_flight = job->state == Job::State::kInFlight;
    --(is_in_flight ? statistics.in_flight : statistics.waiting);
    ++statistics.failed;
    if (job->request != 0) job->transport->cancel(job->request);
    if (job->timer != 0) loop_.cancel_timer(job->timer);
    const Outcome outcome =
        outcome_of(is_in_flight ? Outcome::Kind::kUnknown : Outcome::Kind::kRefused, std::string(kShuttingDown));
    for (const engine::CommandId command : job->commands) undelivered_.emplace_back(command, outcome);
  }
  deliver_soon();
}

void Dispatcher::refuse(const std::vector<engine::CommandId>& commands) {
  for (const engine::CommandId command : commands) {
    undelivered_.emplace_back(command, outcome_of(Outcome::Kind::kRefused, std::string(kShuttingDown)));
  }
  deliver_soon();
}

void Dispatcher::deliver_soon() {
  if (delivery_timer_ != 0) return;
  delivery_timer_ = loop_.after(Duration(), [this] {
    delivery_timer_ = 0;
    for (auto& [command, outcome] : std::exchange(undelivered_, {})) on_outcome_(command, std::move(outcome));
    notice_idle();
  });
}

// Later, since whoever gets an outcome may answer with the next command, and whoever waits for the end may end us.
void Dispatcher::notice_idle() {
  if (!is_stopping_ || !on_idle_ || !is_idle() || idle_timer_ != 0) return;
  idle_timer_ = loop_.after(Duration(), [this] {
    idle_timer_ = 0;
    if (!is_idle()) return;
    const auto on_idle = std::exchange(on_idle_, {});
    on_idle();
  });
}

}  // namespace berth::daemon
