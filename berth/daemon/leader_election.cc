#include "berth/daemon/leader_election.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/base/flat_map.h"
#include "berth/client/jitter.h"
#include "berth/client/paths.h"
#include "berth/codec/json.h"

namespace berth::daemon {
namespace {

// Objects whose fields are known by name only.
using Fields = FlatMap<api::RawJson>;

constexpr std::string_view kJson = "application/json";

std::string holder_of(const api::LeaseSpec& spec) {
  return spec.holder_identity.value_or("");
}

}  // namespace

Result<LeaseDocument> LeaseDocument::parse(std::string json) {
  auto lease = codec::from_json<api::Lease>(json);
  if (!lease) return fail(std::move(lease).error());
  if (lease->metadata.resource_version.empty()) return fail("a Lease without a resourceVersion");
  return LeaseDocument{.lease = *std::move(lease), .json = std::move(json)};
}

Result<std::string> LeaseDocument::with_spec(const api::LeaseSpec& spec) const {
  auto whole = codec::from_json<Fields>(json);
  if (!whole) return fail(std::move(whole).error());
  api::RawJson& spec_text = (*whole)[Symbol("spec")];
  Fields merged;
  if (!spec_text.text.empty() && spec_text.text != "null") {
    auto before = codec::from_json<Fields>(spec_text.text);
    if (!before) return fail(std::move(before).error());
    merged = *std::move(before);
  }
  const auto changes = codec::from_json<Fields>(codec::to_json(spec));
  if (!changes) return fail(changes.error());
  for (const auto& [name, value] : *changes) merged[name] = value;
  spec_text.text = codec::to_json(merged);
  return codec::to_json(*whole);
}

LeaderElector::LeaderElector(client::Loop& loop, client::Transport& transport, Log& log, const Rng& rng,
                             LeaderElectionOptions options, LeaderElectionCallbacks callbacks)
    : loop_(loop),
      transport_(transport),
      log_(log),
      rng_(rng),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {
  BERTH_CHECK(!options_.identity.empty(), "an elector needs an identity");
  BERTH_CHECK(options_.lease_duration > options_.renew_deadline && options_.renew_deadline > options_.retry_period,
              "lease duration {}, renew deadline {}, retry period {}", options_.lease_duration.str(),
              options_.renew_deadline.str(), options_.retry_period.str());
}

LeaderElector::~LeaderElector() {
  cancel_request();
  loop_.cancel_timer(attempt_timer_);
  loop_.cancel_timer(deadline_timer_);
}

void LeaderElector::start() {
  BERTH_CHECK(phase_ == Phase::kIdle, "started twice");
  phase_ = Phase::kAcquiring;
  log_.info(0, "Attempting to acquire leader lease...", {{"lock", described()}});
  try_again_after(Duration());
}

bool LeaderElector::is_leading() const {
  return phase_ == Phase::kLeading && loop_.now() < leading_until_;
}

// --- One attempt ---

void LeaderElector::attempt() {
  attempt_began_at_ = loop_.now();
  if (is_held_by_this() && document_ && is_observed_valid()) {
    update(true);
  } else {
    read();
  }
}

void LeaderElector::read() {
  send(Step::kRead, request_for(client::Method::kGet),
       [this](const client::Response& response) { was_read(response); });
}

void LeaderElector::was_read(const client::Response& response) {
  if (!response.is_success()) {
    const client::ApiError error = client::api_error_of(response);
    if (error.is_not_found()) return create();
    log_.error("Error retrieving lease lock", {{"err", error.text()}, {"lock", described()}});
    return failed(error.text());
  }
  if (!take_document(response.body)) return failed("cannot decode Lease");
  decide();
}

// What to do about the Lease that has just been read.
void LeaderElector::decide() {
  const bool is_held_by_other = !observed_holder_.empty() && !is_held_by_this();
  if (is_held_by_other && phase_ == Phase::kLeading) return lost("lease is held by another instance");
  if (is_held_by_other && is_observed_valid()) {
    return failed(fmt::format("lease is held by {} and has not yet expired", observed_holder_));
  }
  if (is_held_by_this()) ++slowpath_total_;
  update(false);
}

void LeaderElector::create() {
  // Nobody has it: it begins with this one.
  document_.reset();
  observed_ = {};
  observed_holder_.clear();
  api::Lease lease;
  lease.metadata.name = options_.name;
  lease.metadata.name_space = Symbol(options_.name_space);
  lease.spec = wanted_spec();
  lease.spec.lease_transitions = 0;
  client::Request request = request_for(client::Method::kPost);
  request.body = codec::object_to_json(api::AnyObject(std::make_shared<const api::Lease>(std::move(lease))));
  write_sent_at_ = loop_.now();
  send(Step::kWrite, std::move(request), [this](const client::Response& response) { was_written(response, false); });
}

// Optimistic: nobody else has changed the Lease since it was last seen.
void LeaderElector::update(bool is_optimistic) {
  auto body = document_->with_spec(wanted_spec());
  if (!body) return failed(body.error().message());
  client::Request request = request_for(client::Method::kPut);
  request.body = *std::move(body);
  write_sent_at_ = loop_.now();
  send(Step::kWrite, std::move(request),
       [this, is_optimistic](const client::Response& response) { was_written(response, is_optimistic); });
}

void LeaderElector::was_written(const client::Response& response, bool is_optimistic) {
  if (response.is_success()) {
    // An answer that cannot be read still says that it was done; the next attempt begins with a read.
    if (!take_document(response.body)) observe(wanted_spec());
    return succeeded();
  }
  const client::ApiError error = client::api_error_of(response);
  if (phase_ == Phase::kReleasing) return was_released(response);
  if (is_optimistic) {
    log_.info(2, "Failed to update lease optimistically, falling back to slow path",
              {{"err", error.text()}, {"lock", described()}});
    return read();
  }
  // Two that try at the same time are nothing to worry about.
  if (!error.is_conflict() && !error.is_already_exists()) {
    log_.error("Failed to update lease", {{"err", error.text()}, {"lock", described()}});
  }
  failed(error.text());
}

void LeaderElector::succeeded() {
  if (phase_ == Phase::kReleasing) return release();
  const Instant now = loop_.now();
  const Instant safe_until = write_sent_at_ + safe_time();
  if (now >= safe_until) return failed("response arrived after the renew deadline");
  report_leader();
  leading_until_ = std::min(safe_until, now + options_.retry_period + options_.renew_deadline);
  loop_.cancel_timer(deadline_timer_);
  deadline_timer_ = loop_.after(leading_until_ - now, [this] { lost("renew deadline exceeded"); });
  try_again_after(options_.retry_period);
  if (phase_ == Phase::kAcquiring) {
    started_leading();
  } else {
    log_.info(5, "Successfully renewed lease", {{"lock", described()}});
  }
}

void LeaderElector::failed(std::string_view why) {
  report_leader();
  if (phase_ == Phase::kReleasing) return finish_stop();
  if (phase_ == Phase::kLeading) {
    log_.info(2, "Failed to renew lease, retrying", {{"err", why}, {"lock", described()}});
    const Duration since_begun = loop_.now() - attempt_began_at_;
    return try_again_after(options_.retry_period - since_begun);
  }
  log_.info(4, "Failed to acquire lease", {{"err", why}, {"lock", described()}});
  try_again_after(client::jittered(options_.retry_period, kJitterFactor, rng_));
}

void LeaderElector::started_leading() {
  phase_ = Phase::kLeading;
  is_master_ = true;
  log_.info(0, "Successfully acquired lease", {{"lock", described()}});
  publish("became leader");
  if (callbacks_.on_started_leading) callbacks_.on_started_leading();
}

void LeaderElector::lost(std::string_view why) {
  phase_ = Phase::kOver;
  is_master_ = false;
  cancel_request();
  loop_.cancel_timer(attempt_timer_);
  loop_.cancel_timer(deadline_timer_);
  report_leader();
  log_.error("Leader election lost", {{"err", why}, {"lock", described()}});
  publish("stopped leading");
  if (callbacks_.on_stopped_leading) callbacks_.on_stopped_leading();
}

// --- The end ---

void LeaderElector::stop(Duration at_most, std::function<void()> on_done) {
  on_stop_done_ = std::move(on_done);
  loop_.cancel_timer(attempt_timer_);
  loop_.cancel_timer(deadline_timer_);
  const Phase before = std::exchange(phase_, Phase::kReleasing);
  is_master_ = false;
  const bool is_acquisition_under_way = before == Phase::kAcquiring && step_ == Step::kWrite;
  if (before != Phase::kLeading && !is_acquisition_under_way) {
    cancel_request();
    deadline_timer_ = loop_.after(Duration(), [this] { finish_stop(); });
    return;
  }
  deadline_timer_ = loop_.after(at_most, [this] { finish_stop(); });
  // Whoever has just asked for the lease may get it: what comes of it is awaited, and given back.
  if (is_acquisition_under_way) return;
  publish("stopped leading");
  // A renewal may have been done or not. If it was, the release finds the Lease changed and reads it again.
  cancel_request();
  release();
}

void LeaderElector::release() {
  if (!document_) {
    return send(Step::kRead, request_for(client::Method::kGet), [this](const client::Response& response) {
      if (!response.is_success()) return was_released(response);
      if (!take_document(response.body)) return finish_stop();
      release();
    });
  }
  if (!is_held_by_this()) return finish_stop();
  api::LeaseSpec spec;
  spec.holder_identity = "";
  spec.lease_duration_seconds = 1;
  spec.renew_time.at = loop_.wall_now();
  spec.acquire_time = spec.renew_time;
  spec.lease_transitions = observed_.lease_transitions.value_or(0);
  auto body = document_->with_spec(spec);
  if (!body) return finish_stop();
  client::Request request = request_for(client::Method::kPut);
  request.body = *std::move(body);
  send(Step::kWrite, std::move(request), [this](const client::Response& response) { was_released(response); });
}

void LeaderElector::was_released(const client::Response& response) {
  if (response.is_success()) {
    log_.info(2, "Released lease", {{"lock", described()}});
    return finish_stop();
  }
  // Until the time is over, see stop().
  const client::ApiError error = client::api_error_of(response);
  log_.info(2, "Failed to release lease", {{"err", error.text()}, {"lock", described()}});
  if (!error.is_conflict() && !error.is_transient()) return finish_stop();
  document_.reset();
  attempt_timer_ = loop_.after(error.is_conflict() ? Duration() : options_.retry_period, [this] { release(); });
}

void LeaderElector::finish_stop() {
  phase_ = Phase::kOver;
  cancel_request();
  loop_.cancel_timer(attempt_timer_);
  loop_.cancel_timer(deadline_timer_);
  // A copy: whoever hears it may end this.
  const std::function<void()> on_done = std::exchange(on_stop_done_, nullptr);
  if (on_done) on_done();
}

// --- Parts ---

client::Request LeaderElector::request_for(client::Method method) const {
  const std::string_view name = method == client::Method::kPost ? std::string_view() : options_.name;
  client::Request request;
  request.method = method;
  request.path = client::path_of(api::kind_of<api::Lease>(), options_.name_space, name);
  request.accept = kJson;
  if (method != client::Method::kGet) request.content_type = kJson;
  // As upstream: a request that hangs leaves time for another one.
  request.timeout = Duration::nanoseconds(options_.renew_deadline.nanoseconds() / 2);
  return request;
}

void LeaderElector::send(Step step, client::Request request, std::function<void(const client::Response&)> on_end) {
  step_ = step;
  request_ = transport_.start(std::move(request), [this, on_end = std::move(on_end)](const client::Response& response) {
    request_ = 0;
    step_ = Step::kNone;
    on_end(response);
  });
}

void LeaderElector::cancel_request() {
  if (request_ != 0) transport_.cancel(request_);
  request_ = 0;
  step_ = Step::kNone;
}

void LeaderElector::try_again_after(Duration delay) {
  loop_.cancel_timer(attempt_timer_);
  attempt_timer_ = loop_.after(delay, [this] { attempt(); });
}

bool LeaderElector::take_document(std::string body) {
  auto parsed = LeaseDocument::parse(std::move(body));
  if (!parsed) {
    document_.reset();
    log_.error("Error retrieving lease lock", {{"err", parsed.error()}, {"lock", described()}});
    return false;
  }
  document_ = *std::move(parsed);
  observe(document_->lease.spec);
  return true;
}

void LeaderElector::observe(const api::LeaseSpec& spec) {
  if (observed_at_.is_set() && spec == observed_) return;
  observed_ = spec;
  observed_holder_ = holder_of(spec);
  observed_at_ = loop_.now();
}

void LeaderElector::report_leader() {
  if (observed_holder_.empty() || observed_holder_ == reported_leader_) return;
  reported_leader_ = observed_holder_;
  if (callbacks_.on_new_leader) callbacks_.on_new_leader(reported_leader_);
}

bool LeaderElector::is_observed_valid() const {
  return observed_at_.is_set() &&
         loop_.now() < observed_at_ + Duration::seconds(observed_.lease_duration_seconds.value_or(0));
}

api::LeaseSpec LeaderElector::wanted_spec() const {
  const std::int32_t transitions = observed_.lease_transitions.value_or(0);
  api::LeaseSpec spec;
  spec.holder_identity = options_.identity;
  spec.lease_duration_seconds = static_cast<std::int32_t>(lease_seconds().nanoseconds() / 1'000'000'000);
  spec.renew_time.at = loop_.wall_now();
  const bool is_renewal = is_held_by_this() && observed_.acquire_time.at.is_set();
  spec.acquire_time = is_renewal ? observed_.acquire_time : spec.renew_time;
  spec.lease_transitions = is_held_by_this() ? transitions : transitions + 1;
  return spec;
}

// As it stands in the Lease: whole seconds, at least one.
Duration LeaderElector::lease_seconds() const {
  return std::max(Duration::seconds(1), Duration::seconds(options_.lease_duration.nanoseconds() / 1'000'000'000));
}

// For how long after it was sent a renewal keeps all others away. A quarter of what the lease lasts longer than the
// deadline is left for clocks that do not run alike, and for what this process still does when it hears that it is
// over.
Duration LeaderElector::safe_time() const {
  const Duration spare = lease_seconds() - options_.renew_deadline;
  return lease_seconds() - Duration::nanoseconds(std::max<std::int64_t>(spare.nanoseconds(), 0) / 4);
}

void LeaderElector::publish(std::string_view what) const {
  if (!callbacks_.publish) return;
  api::Event event;
  event.reporting_controller = Symbol(options_.component);
  event.type = Symbol("Normal");
  event.reason = Symbol("LeaderElection");
  event.action = Symbol("LeaderElection");
  event.note = fmt::format("{} {}", options_.identity, what);
  event.regarding.kind = Symbol("Lease");
  event.regarding.api_version = Symbol("coordination.k8s.io/v1");
  event.regarding.name_space = Symbol(options_.name_space);
  event.regarding.name = options_.name;
  if (document_) {
    event.regarding.uid = document_->lease.metadata.uid;
    event.regarding.resource_version = document_->lease.metadata.resource_version;
  }
  callbacks_.publish(std::move(event));
}

}  // namespace berth::daemon
