#include "berth/client/curl_worker.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <utility>

#include "berth/base/check.h"

namespace berth::client {

namespace {

// HTTP/2 streams that one connection carries; kube-apiserver allows 250. More make a further connection.
constexpr long kMaxStreamsPerConnection = 250;
// How long the thread sleeps at most; it is woken for everything that it has to do.
constexpr Duration kMaxSleep = Duration::seconds(60);
// A plugin that waits for the user's browser takes its time, but not forever.
constexpr Duration kMaxPluginTime = Duration::minutes(5);
// How often to look whether a plugin that has closed its output has ended.
constexpr Duration kPluginEndInterval = Duration::milliseconds(5);
constexpr Duration kPluginFailureInterval = Duration::seconds(1);

void ensure_curl_is_ready() {
  // libcurl counts the calls and is thread safe here (CURL_VERSION_THREADSAFE); it is never cleaned up, because others
  // in the process may use it.
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  BERTH_CHECK(code == CURLE_OK, "libcurl cannot be initialised: {}", curl_easy_strerror(code));
}

int to_milliseconds(Duration duration) {
  // Rounded up: waking a moment too early means turning in circles.
  return static_cast<int>((duration.nanoseconds() + 999'999) / 1'000'000);
}

bool is_http2(CURL* handle) {
  long version = 0;
  curl_easy_getinfo(handle, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_2_0;
}

}  // namespace

CurlWorker::CurlWorker(const Endpoint& endpoint, CurlLoop::Options options, ServerAddress address,
                       CredentialSource credentials)
    : endpoint_(endpoint),
      options_(std::move(options)),
      address_(std::move(address)),
      url_prefix_(address_.url_prefix),
      credentials_(std::move(credentials)),
      handles_(endpoint_, address_, options_.user_agent, options_.connect_timeout) {
  ensure_curl_is_ready();
  multi_ = curl_multi_init();
  BERTH_CHECK(multi_ != nullptr, "libcurl has no memory");
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(options_.max_connections));
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_connections));
}

CurlWorker::~CurlWorker() {
  for (auto& [id, transfer] : transfers_) detach(*transfer);
  transfers_.clear();
  curl_multi_cleanup(multi_);
}

void CurlWorker::begin() {
  // Signals are for the main thread, and one that writes to a closed connection must not end the process.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  {
    const std::scoped_lock lock(mutex_);  // the thread looks at thread_: see run()
    thread_ = std::thread([this] { run(); });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void CurlWorker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  if (thread_.joinable()) thread_.join();
}

Instant CurlWorker::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

Instant CurlWorker::wall_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

void CurlWorker::check_thread() const {
  BERTH_CHECK(std::this_thread::get_id() == thread_.get_id(), "only for the loop's own thread; post() is for others");
}

void CurlWorker::post(std::function<void()> fn) {
  bool is_first = false;
  {
    const std::scoped_lock lock(mutex_);
    is_first = posted_.empty();
    posted_.push_back(std::move(fn));
  }
  // Further ones are seen together with the first.
  if (is_first) curl_multi_wakeup(multi_);
}

TimerId CurlWorker::after(Duration delay, std::function<void()> fn) {
  check_thread();
  return timers_.add(delay > Duration() ? now() + delay : now(), std::move(fn));
}

void CurlWorker::cancel_timer(TimerId timer) {
  check_thread();
  timers_.remove(timer);
}

void CurlWorker::run() {
  {
    // Not before begin() has set thread_.
    const std::scoped_lock lock(mutex_);
  }
  while (run_posted()) {
    timers_.run(now());
    perform();
    wait();
  }
}

bool CurlWorker::run_posted() {
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

void CurlWorker::perform() {
  int running = 0;
  const CURLMcode performed = curl_multi_perform(multi_, &running);
  BERTH_CHECK(performed == CURLM_OK, "libcurl: {}", curl_multi_strerror(performed));
  std::vector<RequestId> touched;
  touched.swap(touched_);
  for (const RequestId request : touched) deliver(request);

  std::vector<std::pair<RequestId, CURLcode>> finished;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CurlTransfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finished.emplace_back(transfer->id, message->data.result);
  }
  for (const auto& [request, code] : finished) finish(request, code);
}

void CurlWorker::wait() {
  Duration sleep = kMaxSleep;
  if (const Instant next = timers_.next(); next.is_set()) sleep = std::clamp(next - now(), Duration(), kMaxSleep);
  const bool is_plugin_talking = plugin_ != nullptr && plugin_->output_fd() >= 0;
  curl_waitfd plugin_fd{};
  plugin_fd.fd = is_plugin_talking ? plugin_->output_fd() : 0;
  plugin_fd.events = CURL_WAIT_POLLIN;
  curl_multi_poll(multi_, is_plugin_talking ? &plugin_fd : nullptr, is_plugin_talking ? 1 : 0, to_milliseconds(sleep),
                  nullptr);
  if (is_plugin_talking && plugin_fd.revents != 0) check_plugin();
}

CurlTransfer& CurlWorker::add_transfer(Request request) {
  check_thread();
  auto owned = std::make_unique<CurlTransfer>();
  CurlTransfer& transfer = *owned;
  transfer.id = ++last_request_;
  transfer.request = std::move(request);
  transfer.touched = &touched_;
  transfer.started_at = now();
  transfer.last_byte_at = transfer.started_at;
  transfers_.emplace(transfer.id, std::move(owned));
  set_timers(transfer);
  return transfer;
}

RequestId CurlWorker::start(Request request, std::function<void(Response)> on_answer) {
  CurlTransfer& transfer = add_transfer(std::move(request));
  transfer.on_answer = std::move(on_answer);
  begin_transfer(transfer);
  return transfer.id;
}

RequestId CurlWorker::start_stream(Request request, StreamHandler handler) {
  CurlTransfer& transfer = add_transfer(std::move(request));
  transfer.stream = std::make_shared<const StreamHandler>(std::move(handler));
  begin_transfer(transfer);
  return transfer.id;
}

void CurlWorker::cancel(RequestId request) {
  check_thread();
  auto node = transfers_.extract(request);
  if (node.empty()) return;
  CurlTransfer& transfer = *node.mapped();
  timers_.remove(transfer.deadline_timer);
  timers_.remove(transfer.idle_timer);
  detach(transfer);
}

void CurlWorker::set_timers(CurlTransfer& transfer) {
  const RequestId id = transfer.id;
  const Duration timeout = transfer.request.timeout;
  if (timeout > Duration()) {
    transfer.deadline_timer = timers_.add(transfer.started_at + timeout, [this, id, timeout] {
      time_out(id, fmt::format("no answer within {}", timeout.str()));
    });
  }
  if (transfer.request.idle_timeout > Duration()) {
    transfer.idle_timer =
        timers_.add(transfer.started_at + transfer.request.idle_timeout, [this, id] { check_idle(id); });
  }
}

// The timer is not moved with every byte; it finds out when it runs.
void CurlWorker::check_idle(RequestId request) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  CurlTransfer& transfer = *found->second;
  const Instant due = transfer.last_byte_at + transfer.request.idle_timeout;
  if (due <= now()) {
    time_out(request, fmt::format("nothing came for {}", transfer.request.idle_timeout.str()));
  } else {
    transfer.idle_timer = timers_.add(due, [this, request] { check_idle(request); });
  }
}

void CurlWorker::time_out(RequestId request, const std::string& what) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  CURL* handle = found->second->handle;
  const Response::Transfer how =
      handle == nullptr ? Response::Transfer::kNotSent : judge(CURLE_OPERATION_TIMEDOUT, handle);
  fail_transfer(request, how, what);
}

void CurlWorker::begin_transfer(CurlTransfer& transfer) {
  if (!credentials_.needs_plugin(wall_now())) {
    send(transfer);
    return;
  }
  waiting_for_plugin_.push_back(transfer.id);
  if (plugin_ == nullptr) start_plugin();
}

void CurlWorker::add_headers(CurlTransfer& transfer) const {
  const Request& request = transfer.request;
  HeaderList& headers = transfer.headers;
  bool has_authorization = false;
  for (const Header& header : request.headers) {
    headers.add(header.name, header.value);
    has_authorization = has_authorization || header.name == "Authorization";
  }
  if (!request.accept.empty()) headers.add("Accept", request.accept);
  if (!request.content_type.empty()) {
    headers.add("Content-Type", request.content_type);
  } else if (!request.body.empty() || request.method == Method::kPost) {
    headers.suppress("Content-Type");
  }
  headers.suppress("Expect");
  if (!has_authorization && !transfer.identity->authorization.empty()) {
    headers.add("Authorization", transfer.identity->authorization);
  }
  if (address_.is_tls && !endpoint_.tls.server_name.empty()) headers.add("Host", address_.authority());
  const Impersonation& other = endpoint_.credentials.impersonation;
  if (!other.is_set()) return;
  headers.add("Impersonate-User", other.user);
  if (!other.uid.empty()) headers.add("Impersonate-Uid", other.uid);
  for (const std::string& group : other.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : other.extra) {
    for (const std::string& value : values) headers.add("Impersonate-Extra-" + key, value);
  }
}

void CurlWorker::send(CurlTransfer& transfer) {
  transfer.identity = credentials_.identity(now());
  add_headers(transfer);
  CURL* handle = handles_.take(transfer.identity);
  BERTH_CHECK(handle != nullptr, "libcurl has no memory");
  transfer.attach(handle, url_prefix_);
  const CURLMcode added = curl_multi_add_handle(multi_, handle);
  BERTH_CHECK(added == CURLM_OK, "libcurl: {}", curl_multi_strerror(added));
  check_connections();
}

void CurlWorker::detach(CurlTransfer& transfer) {
  if (transfer.handle == nullptr) return;
  curl_multi_remove_handle(multi_, transfer.handle);
  handles_.give_back(transfer.handle, transfer.identity, transfer.is_whole);
  transfer.handle = nullptr;
}

void CurlWorker::deliver(RequestId request) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  CurlTransfer& transfer = *found->second;
  transfer.is_touched = false;
  transfer.last_byte_at = now();
  // Here and not at the end: a loop may have nothing but streams that go on for ever.
  if (transfer.has_headers) speaks_http2_ = speaks_http2_ || is_http2(transfer.handle);
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

std::string CurlWorker::describe(const CurlTransfer& transfer, CURLcode code) const {
  if (transfer.is_too_long) return fmt::format("the answer is longer than {} bytes", kMaxBodyBytes);
  const std::string_view text = transfer.curl_error.data();
  return text.empty() ? curl_easy_strerror(code) : std::string(text);
}

void CurlWorker::finish(RequestId request, CURLcode code) {
  // A stream's last bytes came together with its end.
  deliver(request);
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  CurlTransfer& transfer = *found->second;
  if (code != CURLE_OK) {
    fail_transfer(request, judge(code, transfer.handle), describe(transfer, code));
    return;
  }
  transfer.is_whole = true;
  if (transfer.response.status == 401 && try_again_after_401(transfer)) return;
  end(request, std::move(transfer.response));
}

bool CurlWorker::try_again_after_401(CurlTransfer& transfer) {
  if (transfer.is_retry || transfer.has_begun) return false;
  const bool may_run_plugin = !plugin_failed_at_.is_set() || now() >= plugin_failed_at_ + kPluginFailureInterval;
  if (endpoint_.credentials.exec && !may_run_plugin) return false;
  if (!credentials_.refused(transfer.identity->generation, now())) return false;
  if (endpoint_.credentials.exec) plugin_failed_at_ = now();
  transfer.is_retry = true;
  detach(transfer);
  transfer.rewind();
  begin_transfer(transfer);
  return true;
}

void CurlWorker::end(RequestId request, Response response) {
  auto node = transfers_.extract(request);
  if (node.empty()) return;
  CurlTransfer& transfer = *node.mapped();
  timers_.remove(transfer.deadline_timer);
  timers_.remove(transfer.idle_timer);
  detach(transfer);
  if (!transfer.is_stream()) {
    transfer.on_answer(std::move(response));
    return;
  }
  if (transfer.has_headers && !transfer.has_begun && transfer.stream->on_begin) {
    transfer.stream->on_begin(response.is_complete() ? response.status : 401);
  }
  transfer.stream->on_end(response);
}

void CurlWorker::fail_transfer(RequestId request, Response::Transfer how, const std::string& what) {
  const auto found = transfers_.find(request);
  if (found == transfers_.end()) return;
  Response response;
  response.transfer = how;
  response.error = fmt::format("{}: {}", address_.authority(), what);
  end(request, std::move(response));
}

void CurlWorker::start_plugin() {
  // Errors are told later, since a request must not end within start().
  if (plugin_failed_at_.is_set() && !plugin_error_.empty() && now() < plugin_failed_at_ + kPluginFailureInterval) {
    plugin_timer_ = timers_.add(now(), [this] { finish_plugin(fail(plugin_error_)); });
    return;
  }
  auto started = PluginProcess::start(*endpoint_.credentials.exec, endpoint_, credentials_.identity(now())->ca);
  if (!started) {
    plugin_timer_ = timers_.add(now(), [this, error = started.error()] { finish_plugin(fail(error)); });
    return;
  }
  plugin_ = *std::move(started);
  plugin_started_at_ = now();
  plugin_timer_ = timers_.add(plugin_started_at_ + kMaxPluginTime, [this] { check_plugin(); });
}

void CurlWorker::check_plugin() {
  timers_.remove(plugin_timer_);
  if (plugin_->is_done()) {
    finish_plugin(plugin_->result());
  } else if (now() >= plugin_started_at_ + kMaxPluginTime) {
    finish_plugin(fail(fmt::format("exec plugin '{}' takes too long", endpoint_.credentials.exec->command)));
  } else {
    const bool is_ending = plugin_->output_fd() < 0;
    plugin_timer_ = timers_.add(is_ending ? now() + kPluginEndInterval : plugin_started_at_ + kMaxPluginTime,
                                [this] { check_plugin(); });
  }
}

void CurlWorker::finish_plugin(const Result<ExecCredential>& result) {
  plugin_.reset();
  plugin_error_ = result ? "" : result.error().message();
  if (result) {
    credentials_.set_plugin_credential(*result);
  } else {
    plugin_failed_at_ = now();
  }
  std::vector<RequestId> waiting;
  waiting.swap(waiting_for_plugin_);
  for (const RequestId request : waiting) {
    const auto found = transfers_.find(request);
    if (found == transfers_.end()) continue;  // cancelled, or out of time
    if (result) {
      send(*found->second);
    } else {
      fail_transfer(request, Response::Transfer::kNotSent, plugin_error_);
    }
  }
}

}  // namespace berth::client
