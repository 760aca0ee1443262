#include "berth/daemon/cluster_session.h"

#include <future>
#include <source_location>
#include <string_view>
#include <utility>

#include "berth/base/rng.h"

namespace berth::daemon {

namespace {

// The random stream of each part, forked from the seed.
enum Stream : std::uint64_t { kInformers = 1, kEvents = 2, kElection = 3, kDispatcher = 4 };

informer::Log informer_log(Log& log) {
  return [&log](const informer::LogLine& line) {
    std::vector<LogField> fields;
    if (!line.error.empty()) fields.push_back({"err", line.error});
    fields.push_back({"resource", line.resource});
    const auto where = std::source_location::current();
    constexpr int kInfoLevel = 2;
    switch (line.severity) {
      case informer::Severity::kInfo:
        if (log.is_on(kInfoLevel)) log.write(LogSeverity::kInfo, kInfoLevel, line.message, fields, where);
        return;
      case informer::Severity::kWarning: log.write(LogSeverity::kWarning, 0, line.message, fields, where); return;
      case informer::Severity::kError: log.write(LogSeverity::kError, 0, line.message, fields, where); return;
    }
  };
}

// Runs `fn` on the loop's thread and waits until it has returned.
void run_on(client::Loop& loop, const std::function<void()>& fn) {
  std::promise<void> done;
  loop.post([&] {
    fn();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace

// --- Putting it together ---------------------------------------------------------------------------------------------

ClusterSession::ClusterSession(ApiLine reading, ApiLine writing, EngineInbox& engine, Log& log, Options options)
    : reading_(reading), writing_(writing), engine_(engine), log_(log), options_(std::move(options)) {}

ClusterSession::~ClusterSession() = default;

informer::Informers::Options ClusterSession::informer_options() {
  informer::Informers::Options options;
  options.kinds = options_.kinds;
  options.reflector.pool = &pool_;
  options.reflector.log = informer_log(log_);
  options.on_all_synced = [this] { synced(); };
  return options;
}

Dispatcher::Options ClusterSession::dispatcher_options() {
  Dispatcher::Options options = options_.dispatcher;
  options.seed = Rng(options_.seed).fork(kDispatcher).next_u64();
  return options;
}

EventPublisherOptions ClusterSession::event_options() {
  EventPublisherOptions options = options_.events;
  options.is_busy_binding = [this] {
    const Dispatcher::Statistics& binds = dispatcher_->statistics(Lane::kBind);
    return binds.waiting + binds.in_flight > 0;
  };
  return options;
}

std::unique_ptr<LeaderElector> ClusterSession::make_elector() {
  if (!options_.election) return nullptr;
  LeaderElectionCallbacks callbacks;
  callbacks.on_started_leading = [this] { leads(); };
  callbacks.on_stopped_leading = [this] {
    is_leading_ = false;
    if (options_.on_lost_leadership) options_.on_lost_leadership();
  };
  callbacks.on_new_leader = [this](const std::string& identity) {
    log_.info(0, "New leader elected", {{"lease", options_.election->name}, {"identity", identity}});
  };
  callbacks.publish = [this](api::Event event) { events_->publish(std::move(event)); };
  return std::make_unique<LeaderElector>(writing_.loop, writing_.transport, log_, Rng(options_.seed).fork(kElection),
                                         *options_.election, std::move(callbacks));
}

// --- Life ------------------------------------------------------------------------------------------------------------

void ClusterSession::start() {
  if (!options_.reads_only_when_leading || !options_.election) start_reading();
  writing_.loop.post([this] { start_writing(); });
}

void ClusterSession::send(EngineOutput output) {
  writing_.loop.post([this, sent = std::move(output)]() mutable {
    for (const engine::PodEvent& event : sent.events) {
      if (events_) events_->publish(event);
    }
    if (dispatcher_) dispatcher_->submit(std::move(sent.commands));
  });
}

void ClusterSession::begin_shutdown(Grace grace, std::function<void()> on_done) {
  reading_.loop.post([this] {
    if (informers_) informers_->stop();
  });
  writing_.loop.post([this, grace, on_done = std::move(on_done)] {
    // The lease is released first: the next leader need not wait for the last events of this one.
    const auto leave = [this, grace, on_done] {
      give_back_lease(grace.lease, [this, grace, on_done] { events_->begin_shutdown(grace.events, on_done); });
    };
    dispatcher_->begin_shutdown(grace.binds, [this, leave] { when_settled(leave); });
  });
}

// The engine may answer the last results with further commands: a bind after what an extender said, a look at a pod
// whose bind has an unknown outcome. They complete before the lease is released.
void ClusterSession::when_settled(const std::function<void()>& then) {
  if (options_.let_engine_settle) options_.let_engine_settle();
  // Behind what the engine sent.
  writing_.loop.post([this, then] {
    if (dispatcher_->is_idle()) return then();
    dispatcher_->when_idle([this, then] { when_settled(then); });
  });
}

void ClusterSession::give_back_lease(Duration at_most, const std::function<void()>& on_done) {
  if (elector_) {
    is_leading_ = false;
    elector_->stop(at_most, on_done);
  } else {
    on_done();
  }
}

void ClusterSession::close() {
  run_on(reading_.loop, [this] { informers_.reset(); });
  run_on(writing_.loop, [this] {
    visible_elector_ = nullptr;
    elector_.reset();
    dispatcher_.reset();
    events_.reset();
  });
}

std::uint64_t ClusterSession::slow_renewals() const {
  const LeaderElector* elector = visible_elector_.load();
  return elector == nullptr ? 0 : elector->slowpath_total();
}

void ClusterSession::start_reading() {
  reading_.loop.post([this] {
    informers_ = std::make_unique<informer::Informers>(reading_.loop, reading_.transport, engine_,
                                                       Rng(options_.seed).fork(kInformers), informer_options());
    informers_->start();
  });
}

void ClusterSession::start_writing() {
  events_ = std::make_unique<EventPublisher>(writing_.loop, writing_.transport, log_, Rng(options_.seed).fork(kEvents),
                                             event_options());
  dispatcher_ = std::make_unique<Dispatcher>(
      writing_.loop, writing_.transport, dispatcher_options(),
      [this](engine::CommandId id, engine::Outcome outcome) { engine_.complete(id, std::move(outcome)); });
  elector_ = make_elector();
  visible_elector_ = elector_.get();
  if (elector_) {
    elector_->start();
  } else {
    leads();
  }
}

void ClusterSession::synced() {
  log_.info(0, "Sync completed");
  is_synced_ = true;
  begin_if_ready();
}

void ClusterSession::leads() {
  is_leading_ = true;
  if (options_.election && options_.reads_only_when_leading) start_reading();
  begin_if_ready();
}

void ClusterSession::begin_if_ready() {
  const std::lock_guard lock(mutex_);
  if (has_begun_ || !is_synced_ || !is_leading_) return;
  has_begun_ = true;
  log_.info(0, "Scheduling started");
  engine_.start();
}

}  // namespace berth::daemon
