#include "berth/daemon/daemon.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "berth/base/rng.h"
#include "berth/daemon/clock.h"
#include "berth/daemon/cluster_session.h"
#include "berth/daemon/component_metrics.h"
#include "berth/daemon/connections.h"
#include "berth/daemon/endpoints.h"
#include "berth/daemon/engine_thread.h"
#include "berth/daemon/scheduling_log.h"
#include "berth/daemon/serving.h"
#include "berth/daemon/thread_policy.h"
#include "berth/engine/scheduler.h"

namespace berth::daemon {

namespace {

// --- Identity --------------------------------------------------------------------------------------------------------

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::uint64_t entropy() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

// A random UUID (RFC 9562, version 4).
std::string make_uuid(Rng rng) {
  constexpr std::uint64_t kVersion = 0x4000;
  constexpr std::uint64_t kVariant = 0x8000;
  const std::uint64_t high = rng.next_u64();
  const std::uint64_t low = rng.next_u64();
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     (high & 0x0fff) | kVersion, ((low >> 48) & 0x3fff) | kVariant, low & 0xffff'ffff'ffff);
}

// --- Exiting ---------------------------------------------------------------------------------------------------------

// Exits without running destructors, joining threads or finishing requests.
[[noreturn]] void exit_now(Log& log, int code) {
  log.flush();
  std::_Exit(code);
}

// The signals that the main thread waits for.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR2}) sigaddset(&signals, signal);
  return signals;
}

// From now on SIGTERM and SIGINT end the process at once.
void exit_at_next_signal() {
  constexpr auto kEnd = [](int) { ::_exit(1); };
  std::signal(SIGTERM, kEnd);
  std::signal(SIGINT, kEnd);
  std::signal(SIGUSR2, SIG_IGN);
  const sigset_t signals = awaited_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// --- The process -----------------------------------------------------------------------------------------------------

class Process {
 public:
  Process(const Settings& settings, const BuildInfo& build, Log& log)
      : settings_(settings), build_(build), log_(log), scheduling_log_(log), seed_(entropy()) {}

  // All parts run when it returns.
  Result<void> start();
  // Waits for requests in flight up to a grace period, and releases the lease.
  void shut_down();
  // What SIGUSR2 asks for.
  void inspect();

 private:
  engine::Options engine_options();
  ClusterSession::Options session_options();
  std::optional<LeaderElectionOptions> election_options() const;
  EndpointOptions endpoint_options();
  Result<void> start_serving();
  bool elects() const { return settings_.config.config.leader_election.leader_elect; }

  const Settings& settings_;
  const BuildInfo& build_;
  Log& log_;
  SchedulingLog scheduling_log_;
  const std::uint64_t seed_;
  const std::string hostname_ = host_name();
  MachineClock clock_;
  const Instant started_at_ = clock_.wall_now();
  std::atomic<bool> is_shutting_down_ = false;

  // In the order of construction; destroyed in reverse.
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<EngineThread> engine_;
  std::unique_ptr<ClusterSession> session_;
  std::unique_ptr<Serving> serving_;
};

Result<void> Process::start() {
  auto connections = Connections::make(settings_, build_.user_agent, log_);
  if (!connections) return std::unexpected(connections.error());
  connections_ = *std::move(connections);
  auto engine = EngineThread::make(engine_options(), [this](EngineOutput output) {
    session_->send(std::move(output));  // there is none before the session starts
  });
  if (!engine) return std::unexpected(engine.error());
  engine_ = *std::move(engine);
  session_ = std::make_unique<ClusterSession>(connections_->reading(), connections_->writing(), *engine_, log_,
                                              session_options());
  // Health checks are served first: a probe must not wait for the lists of a large cluster.
  if (auto served = start_serving(); !served) return served;
  log_.info(0, "Starting Berth",
            {{"version", build_.version},
             {"kubeSchedulerVersion", kUpstreamVersion},
             {"server", connections_->server()},
             {"seed", seed_}});
  session_->start();
  return {};
}

engine::Options Process::engine_options() {
  engine::Options options;
  options.config = settings_.config;
  options.gates = settings_.gates;
  options.seed = seed_;
  options.maximum_in_unschedulable = settings_.flags.deprecated.pod_max_in_unschedulable_pods_duration;
  options.observer = &scheduling_log_;
  return options;
}

ClusterSession::Options Process::session_options() {
  ClusterSession::Options options;
  options.let_engine_settle = [this] { engine_->settle(); };
  options.dispatcher.configured_extenders = settings_.config.config.extenders;
  options.dispatcher.extender_transport = [this](std::size_t extender) { return connections_->extender(extender); };
  if (settings_.limit) {
    options.dispatcher.requests_per_second = settings_.limit->per_second;
    options.dispatcher.burst = settings_.limit->burst;
  }
  options.events.hostname = hostname_;
  options.election = election_options();
  options.reads_only_when_leading = settings_.config.config.delay_cache_until_active;
  options.seed = seed_;
  options.on_lost_leadership = [this] {
    log_.error("Leaderelection lost");
    exit_now(log_, 1);
  };
  return options;
}

std::optional<LeaderElectionOptions> Process::election_options() const {
  if (!elects()) return std::nullopt;
  const config::LeaderElection& configured = settings_.config.config.leader_election;
  LeaderElectionOptions options;
  options.name_space = configured.resource_namespace;
  options.name = configured.resource_name;
  options.identity = hostname_ + "_" + make_uuid(Rng(seed_).fork(entropy()));
  options.component = settings_.config.config.profiles.front().name();
  options.lease_duration = configured.lease_duration;
  options.renew_deadline = configured.renew_deadline;
  options.retry_period = configured.retry_period;
  return options;
}

EndpointOptions Process::endpoint_options() {
  EndpointOptions options;
  options.ask = [this](const std::function<void(engine::Scheduler&)>& question) { return engine_->ask(question); };
  options.metrics = &engine_->metrics();
  options.component_metrics = std::make_shared<ComponentMetrics>();
  ComponentMetrics& metrics = *options.component_metrics;
  metrics.add([this](MetricText& text) { connections_->counts().write(text); });
  if (elects()) {
    metrics.add(leader_metrics(
        settings_.config.config.leader_election.resource_name, [this] { return session_->is_leading(); },
        [this] { return session_->slow_renewals(); }));
  }
  metrics.add(build_metrics(settings_.flags.reported_version));
  metrics.add(feature_metrics(settings_.gates));
  metrics.add(process_metrics());

  options.config = settings_.config;
  options.config.config = settings_.config.with_all_arguments();
  options.gates = settings_.gates;
  options.flags = run_flag_values(settings_.flags);
  options.is_leader = [this] { return session_->is_leading(); };
  options.now = [this] { return clock_.wall_now(); };
  options.started_at = started_at_;

  using Problem = std::optional<std::string>;
  // As in kube-scheduler it never fails: a process that loses the lease exits.
  const serve::HealthCheck election{.name = "leaderElection", .check = []() -> Problem { return std::nullopt; }};
  if (elects()) {
    options.healthz.push_back(election);
    options.readyz.push_back(election);
  }
  options.readyz.push_back({.name = "shutdown", .check = [this]() -> Problem {
                              if (is_shutting_down_) return "process is shutting down";
                              return std::nullopt;
                            }});
  options.readyz.push_back({.name = "sched-handler-sync", .check = [this]() -> Problem {
                              if (!session_->is_synced()) return "handlers are not fully synchronized";
                              return std::nullopt;
                            }});
  options.set_verbosity = [this](int level) { log_.set_verbosity(level); };
  return options;
}

Result<void> Process::start_serving() {
  if (settings_.flags.serving.secure_port == 0) return {};
  Serving::Options options{.hostname = hostname_,
                           .authentication = connections_->authentication(),
                           .authorization = connections_->authorization(),
                           .fallback = connections_->writing(),
                           .on_fatal = [this](const Error& error) {
                             log_.error("Cannot load client CA bundle; exiting", {{"err", error}});
                             exit_now(log_, 1);
                           }};
  auto serving = Serving::start(settings_.flags, endpoint_options(), log_, std::move(options));
  if (!serving) return std::unexpected(serving.error());
  serving_ = *std::move(serving);
  return {};
}

void Process::shut_down() {
  is_shutting_down_ = true;
  engine_->end_work();
  std::promise<void> done;
  session_->begin_shutdown({}, [&] { done.set_value(); });
  done.get_future().wait();
  // No request may reach a part that is being destroyed.
  if (serving_) serving_->stop();
  engine_->stop();
  session_->close();
}

void Process::inspect() {
  (void)engine_->ask([&](engine::Scheduler& scheduler) {
    log_.info(0, "Scheduler state",
              {{"nodes", scheduler.cache().nodes().node_count()},
               {"pods", scheduler.cache().pod_count()},
               {"assumedPods", scheduler.cache().assumed_count()},
               {"bindings", scheduler.bindings()},
               {"preemptions", scheduler.preemptions()},
               {"pendingCommands", scheduler.commands_under_way()}});
    for (const std::string& problem : scheduler.broken_invariants()) {
      log_.error("Scheduler state is inconsistent; please report this bug", {{"err", problem}});
    }
  });
}

}  // namespace

int run(const Settings& settings, const BuildInfo& build, Log& log) {
  const sigset_t signals = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there are threads, which inherit it
  std::signal(SIGPIPE, SIG_IGN);
  use_batch_scheduling();  // likewise

  Process process(settings, build, log);
  if (auto started = process.start(); !started) {
    log.error("Failed to start", {{"err", started.error()}});
    exit_now(log, 1);
  }
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal == SIGUSR2) {
      process.inspect();
      continue;
    }
    log.info(0, "Requested to terminate, exiting", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
    exit_at_next_signal();
    process.shut_down();
    log.info(0, "Shutdown completed");
    log.flush();
    return 0;
  }
}

}  // namespace berth::daemon
