#include "berth/client/http_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "berth/base/check.h"
#include "berth/client/clock.h"
#include "berth/client/curl_library.h"
#include "berth/client/curl_wire.h"
#include "berth/client/http2_wire.h"
#include "berth/client/paths.h"
#include "berth/client/proxy.h"
#include "berth/client/signal_free_thread.h"

namespace berth::client {

namespace {

// How long the thread sleeps at most; it is woken for everything that it has to do.
constexpr Duration kMaxSleep = Duration::seconds(60);
// A plugin that waits for the user's browser takes its time, but not forever.
constexpr Duration kMaxPluginTime = Duration::minutes(5);
// How often to look whether a plugin that has closed its output has ended.
constexpr Duration kPluginEndInterval = Duration::milliseconds(5);
constexpr Duration kPluginFailureInterval = Duration::seconds(1);

}  // namespace

HttpWorker::HttpWorker(const Endpoint& endpoint, HttpLoop::Options options, ServerAddress address,
                       CredentialSource credentials)
    : endpoint_(endpoint),
      options_(std::move(options)),
      address_(std::move(address)),
      credentials_(std::move(credentials)) {}

HttpWorker::~HttpWorker() = default;

Result<void> HttpWorker::begin() {
  const bool is_direct = endpoint_.proxy_url.empty() && proxy_of_environment(address_).empty();
  if (address_.is_tls && is_direct) {
    wire_ = std::make_unique<Http2Wire>(endpoint_, address_, options_, timers_, news_, wakeup_);
  } else {
    const auto curl = curl_library();
    if (!curl) return fail(curl.error());
    wire_ = std::make_unique<CurlWire>(**curl, endpoint_, address_, options_, timers_, news_);
  }
  const std::scoped_lock lock(mutex_);  // the thread looks at thread_: see run()
  thread_ = start_signal_free_thread([this] { run(); });
  return {};
}

void HttpWorker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  wakeup_->signal();
  if (thread_.joinable()) thread_.join();
}

void HttpWorker::check_thread() const {
  BERTH_CHECK(std::this_thread::get_id() == thread_.get_id(), "only for the loop's own thread; post() is for others");
}

void HttpWorker::post(std::function<void()> fn) {
  bool is_first = false;
  {
    const std::scoped_lock lock(mutex_);
    is_first = posted_.empty();
    posted_.push_back(std::move(fn));
  }
  // Further ones are seen together with the first.
  if (is_first) wakeup_->signal();
}

TimerId HttpWorker::after(Duration delay, std::function<void()> fn) {
  check_thread();
  return timers_.add(delay > Duration() ? clock_now() + delay : clock_now(), std::move(fn));
}

void HttpWorker::cancel_timer(TimerId timer) {
  check_thread();
  timers_.remove(timer);
}

void HttpWorker::run() {
  {
    // Not before begin() has set thread_.
    const std::scoped_lock lock(mutex_);
  }
  while (run_posted()) {
    timers_.run(clock_now());
    perform();
    wait();
  }
  wire_.reset();  // here, where a farewell to a server that is gone raises no SIGPIPE
}

bool HttpWorker::run_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::scoped_lock lock(mutex_);
    if (is_stopping_) return false;
    posted.swap(posted_);
  }
  for (std::function<void()>& fn : posted) {
    fn();
    fn = nullptr;  // what it holds may have to go before the next one runs
  }
  return true;
}

void HttpWorker::perform() {
  wire_->perform();
  if (news_.needs_http1) change_to_http1();
  std::vector<RequestId> touched;
  touched.swap(news_.touched);
  for (const RequestId request : touched) deliver(request);
  std::vector<WireNews::End> ended;
  ended.swap(news_.ended);
  for (const WireNews::End& end : ended) finish(end);
}

// The server, or what stands before it, does not speak HTTP/2.
void HttpWorker::change_to_http1() {
  news_.needs_http1 = false;
  const auto curl = curl_library();
  std::vector<Transfer*> not_sent;
  for (const auto& [id, transfer] : transfers_) {
    if (!transfer->is_on_wire) continue;
    const Response::Transfer how = wire_->judge(*transfer);
    if (curl && how == Response::Transfer::kNotSent) {
      not_sent.push_back(transfer.get());
    } else {
      wire_->forget(*transfer);
      news_.end(*transfer, how, curl ? "connection lost" : curl.error().message());
    }
  }
  if (!curl) return;
  wire_ = std::make_unique<CurlWire>(**curl, endpoint_, address_, options_, timers_, news_);
  std::ranges::sort(not_sent, {}, &Transfer::id);
  for (Transfer* transfer : not_sent) wire_->send(*transfer);
}

void HttpWorker::wait() {
  Duration sleep = kMaxSleep;
  if (const Instant next = timers_.next(); next.is_set()) sleep = std::clamp(next - clock_now(), Duration(), kMaxSleep);
  if (!news_.ended.empty() || !news_.touched.empty()) sleep = Duration();
  const bool is_plugin_talking = plugin_ != nullptr && plugin_->output_fd() >= 0;
  std::array<pollfd, 2> files{
      pollfd{.fd = wakeup_->fd(), .events = POLLIN, .revents = 0},
      pollfd{.fd = is_plugin_talking ? plugin_->output_fd() : -1, .events = POLLIN, .revents = 0}};
  wire_->wait(std::span(files).first(is_plugin_talking ? 2 : 1), sleep);
  if (files[0].revents != 0) wakeup_->clear();
  if (is_plugin_talking && files[1].revents != 0) check_plugin();
}

Transfer& HttpWorker::add_transfer(Request request) {
  check_thread();
  auto owned = std::make_unique<Transfer>();
  Transfer& transfer = *owned;
  transfer.id = ++last_request_;
  transfer.request = std::move(request);
  transfer.started_at = clock_now();
  transfer.last_byte_at = transfer.started_at;
  transfers_.emplace(transfer.id, std::move(owned));
  set_timers(transfer);
  return transfer;
}

RequestId HttpWorker::start(Request request, std::function<void(Response)> on_answer) {
  Transfer& transfer = add_transfer(std::move(request));
  transfer.on_answer = std::move(on_answer);
  begin_transfer(transfer);
  return transfer.id;
}

RequestId HttpWorker::start_stream(Request request, StreamHandler handler) {
  Transfer& transfer = add_transfer(std::move(request));
  transfer.stream = std::make_shared<const StreamHandler>(std::move(handler));
  begin_transfer(transfer);
  return transfer.id;
}

void HttpWorker::cancel(RequestId request) {
  check_thread();
  (void)take(request);
}

// Null if it has ended.
std::unique_ptr<Transfer> HttpWorker::take(RequestId request) {
  auto node = transfers_.extract(request);
  if (node.empty()) return nullptr;
  Transfer& transfer = *node.mapped();
  timers_.remove(transfer.deadline_timer);
  timers_.remove(transfer.idle_timer);
  if (transfer.is_on_wire) wire_->forget(transfer);
  return std::move(node.mapped());
}

void HttpWorker::set_timers(Transfer& transfer) {
  const RequestId id = transfer.id;
  const Duration timeout = transfer.request.timeout;
  if (timeout > Duration()) {
    transfer.deadline_timer = timers_.add(transfer.started_at + timeout, [this, id, timeout] {
      time_out(id, fmt::format("request timed out after {}", timeout.str()));
    });
  }
  if (transfer.request.idle_timeout > Duration()) {
    transfer.idle_timer =
        timers_.add(transfer.started_at + transfer.request.idle_timeout, [this, id] { check_idle(id); });
  }
}

// The timer is not moved with every byte; it finds out when it runs.
void HttpWorker::check_idle(RequestId request) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  Transfer& transfer = *found->second;
  const Instant due = transfer.last_byte_at + transfer.request.idle_timeout;
  if (due <= clock_now()) {
    time_out(request, fmt::format("no data received for {}", transfer.request.idle_timeout.str()));
  } else {
    transfer.idle_timer = timers_.add(due, [this, request] { check_idle(request); });
  }
}

void HttpWorker::time_out(RequestId request, const std::string& what) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  const Transfer& transfer = *found->second;
  const Response::Transfer how = transfer.is_on_wire ? wire_->judge(transfer) : Response::Transfer::kNotSent;
  fail_transfer(request, how, what);
}

void HttpWorker::begin_transfer(Transfer& transfer) {
  if (!credentials_.needs_plugin(wall_clock_now())) {
    send(transfer);
    return;
  }
  waiting_for_plugin_.push_back(transfer.id);
  if (plugin_timer_ == 0) start_plugin();
}

void HttpWorker::add_headers(Transfer& transfer) const {
  const Request& request = transfer.request;
  std::vector<Header>& headers = transfer.headers;
  headers = request.headers;
  const bool has_authorization =
      std::ranges::any_of(headers, [](const Header& header) { return header.name == "Authorization"; });
  if (!request.accept.empty()) headers.push_back({"Accept", request.accept});
  if (!request.content_type.empty()) headers.push_back({"Content-Type", request.content_type});
  if (!has_authorization && !transfer.identity->authorization.empty()) {
    headers.push_back({"Authorization", transfer.identity->authorization});
  }
  const Impersonation& other = endpoint_.credentials.impersonation;
  if (!other.is_set()) return;
  headers.push_back({"Impersonate-User", other.user});
  if (!other.uid.empty()) headers.push_back({"Impersonate-Uid", other.uid});
  for (const std::string& group : other.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : other.extra) {
    // Keys look like "example.com/scopes", which is no name of a header; the server undoes it.
    for (const std::string& value : values) headers.push_back({"Impersonate-Extra-" + percent_encoded(key), value});
  }
}

void HttpWorker::send(Transfer& transfer) {
  transfer.identity = credentials_.identity(clock_now());
  add_headers(transfer);
  transfer.is_on_wire = true;
  wire_->send(transfer);
}

void HttpWorker::deliver(RequestId request) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  Transfer& transfer = *found->second;
  transfer.is_touched = false;
  transfer.last_byte_at = clock_now();
  if (!transfer.is_stream() || !transfer.has_headers) return;
  const auto handler = transfer.stream;
  // A first 401 is not shown: with new credentials there may be a better answer.
  if (!transfer.has_begun && transfer.response.status != 401) {
    transfer.has_begun = true;
    if (handler->on_begin) handler->on_begin(transfer.response.status);
    if (!transfers_.contains(request)) return;
  }
  if (transfer.pieces.empty()) return;
  const std::string pieces = std::exchange(transfer.pieces, {});
  if (handler->on_piece) handler->on_piece(pieces);
}

void HttpWorker::finish(const WireNews::End& end) {
  // A stream's last bytes came together with its end.
  deliver(end.request);
  const auto found = transfers_.find(end.request);
  if (found == transfers_.end()) return;
  Transfer& transfer = *found->second;
  if (end.how != Response::Transfer::kComplete) return fail_transfer(end.request, end.how, end.error);
  if (transfer.response.status == 401 && try_again_after_401(transfer)) return;
  this->end(end.request, std::move(transfer.response));
}

bool HttpWorker::try_again_after_401(Transfer& transfer) {
  if (transfer.is_retry || transfer.has_begun) return false;
  const Instant now = clock_now();
  const bool may_run_plugin = !plugin_failed_at_.is_set() || now >= plugin_failed_at_ + kPluginFailureInterval;
  const bool has_plugin = endpoint_.credentials.exec.has_value();
  // Others may have been refused before, so that there are other credentials by now, or will be.
  const bool is_outdated = credentials_.needs_plugin(wall_clock_now()) ||
                           credentials_.identity(now)->generation != transfer.identity->generation;
  if (!is_outdated) {
    if (has_plugin && !may_run_plugin) return false;
    if (!credentials_.refused(transfer.identity->generation, now)) return false;
    if (has_plugin) {
      plugin_failed_at_ = now;
      plugin_error_.clear();
    }
  }
  transfer.is_retry = true;
  transfer.rewind();
  begin_transfer(transfer);
  return true;
}

void HttpWorker::end(RequestId request, Response response) {
  const std::unique_ptr<Transfer> transfer = take(request);
  if (!transfer) return;
  if (!transfer->is_stream()) {
    transfer->on_answer(std::move(response));
    return;
  }
  if (transfer->has_headers && !transfer->has_begun && transfer->stream->on_begin) {
    transfer->stream->on_begin(response.is_complete() ? response.status : 401);
  }
  transfer->stream->on_end(response);
}

void HttpWorker::fail_transfer(RequestId request, Response::Transfer how, const std::string& what) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  Response response;
  response.transfer = how;
  response.error = fmt::format("{}: {}", address_.authority(), what);
  end(request, std::move(response));
}

void HttpWorker::start_plugin() {
  // Errors are told later, since a request must not end within start().
  if (!plugin_error_.empty() && clock_now() < plugin_failed_at_ + kPluginFailureInterval) {
    plugin_timer_ = timers_.add(clock_now(), [this] { end_wait_for_plugin(); });
    return;
  }
  auto started = PluginProcess::start(*endpoint_.credentials.exec, endpoint_, credentials_.identity(clock_now())->ca);
  if (!started) {
    plugin_timer_ = timers_.add(clock_now(), [this, error = started.error()] { finish_plugin(fail(error)); });
    return;
  }
  plugin_ = *std::move(started);
  plugin_started_at_ = clock_now();
  plugin_timer_ = timers_.add(plugin_started_at_ + kMaxPluginTime, [this] { check_plugin(); });
}

void HttpWorker::check_plugin() {
  timers_.remove(plugin_timer_);
  if (plugin_->is_done()) {
    finish_plugin(plugin_->result());
  } else if (clock_now() >= plugin_started_at_ + kMaxPluginTime) {
    finish_plugin(fail(fmt::format("exec plugin '{}' timed out", endpoint_.credentials.exec->command)));
  } else {
    const bool is_ending = plugin_->output_fd() < 0;
    plugin_timer_ = timers_.add(is_ending ? clock_now() + kPluginEndInterval : plugin_started_at_ + kMaxPluginTime,
                                [this] { check_plugin(); });
  }
}

void HttpWorker::finish_plugin(const Result<ExecCredential>& result) {
  plugin_.reset();
  const Result<void> taken = result ? credentials_.set_plugin_credential(*result) : fail(result.error());
  plugin_error_ = taken ? "" : taken.error().message();
  if (!taken) {
    plugin_failed_at_ = clock_now();
    credentials_.keep_plugin_credential();
    const bool can_go_on = !credentials_.needs_plugin(wall_clock_now());
    if (can_go_on && options_.warn) options_.warn(plugin_error_ + "; using the previous credentials");
  }
  end_wait_for_plugin();
}

void HttpWorker::end_wait_for_plugin() {
  plugin_timer_ = 0;
  const bool can_go_on = plugin_error_.empty() || !credentials_.needs_plugin(wall_clock_now());
  const std::string error = plugin_error_;  // those who are told may start requests, and those the plugin
  std::vector<RequestId> waiting;
  waiting.swap(waiting_for_plugin_);
  for (const RequestId request : waiting) {
    const auto found = transfers_.find(request);
    if (found == transfers_.end()) continue;  // cancelled, or out of time
    if (can_go_on) {
      send(*found->second);
    } else {
      fail_transfer(request, Response::Transfer::kNotSent, error);
    }
  }
}

}  // namespace berth::client
