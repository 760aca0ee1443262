#include "berth/client/curl_wire.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/trimmed.h"
#include "berth/client/clock.h"
#include "berth/client/curl_error_text.h"

namespace berth::client {

namespace {

// HTTP/2 streams that one connection carries; kube-apiserver allows 250. More make a further connection.
constexpr long kMaxStreamsPerConnection = 250;
// What libcurl reads at a time; every request has such a buffer, and most answers are short.
constexpr long kStreamBufferBytes = 16 * 1024;
constexpr long kAnswerBufferBytes = 2 * 1024;
constexpr std::string_view kProbePath = "/livez";
constexpr RequestId kProbe = 0;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_http2(const CurlLibrary& curl, CURL* handle) {
  long version = 0;
  curl.easy_getinfo(handle, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_2_0;
}

int status_of(const CurlLibrary& curl, CURL* handle) {
  long status = 0;
  curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

// The connection was never there: name, socket, proxy or TLS failed.
bool is_about_connecting(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_PROXY:
    case CURLE_NO_CONNECTION_AVAILABLE: return true;
    default: return false;
  }
}

// How a transfer that libcurl gave up, or that we end ourselves (CURLE_OPERATION_TIMEDOUT), is to be judged.
Response::Transfer judge_code(const CurlLibrary& curl, CURLcode code, CURL* handle) {
  // What went out for this request, also on an earlier connection that broke and to a proxy.
  long request_bytes = 0;
  curl.easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &request_bytes);
  if (request_bytes > 0) return Response::Transfer::kBroken;
  const bool is_certain = is_about_connecting(code) || code == CURLE_OPERATION_TIMEDOUT;
  return is_certain ? Response::Transfer::kNotSent : Response::Transfer::kBroken;
}

// How long ago the last byte came over the connection.
std::optional<Duration> silence_of(curl_socket_t fd) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return Duration::milliseconds(info.tcpi_last_data_recv);
}

}  // namespace

void HeaderList::add(std::string_view name, std::string_view value) {
  // With libcurl, "Name:" takes a header away and "Name;" is one without a value.
  lines_.push_back(value.empty() ? fmt::format("{};", name) : fmt::format("{}: {}", name, value));
}

void HeaderList::suppress(std::string_view name) {
  lines_.push_back(fmt::format("{}:", name));
}

const curl_slist* HeaderList::get() {
  nodes_.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    nodes_[i] = {.data = lines_[i].data(), .next = i + 1 < lines_.size() ? &nodes_[i + 1] : nullptr};
  }
  return nodes_.empty() ? nullptr : nodes_.data();
}

CurlWire::CurlWire(const CurlLibrary& curl, const Endpoint& endpoint, const ServerAddress& address,
                   const HttpLoop::Options& options, TimerQueue& timers, WireNews& news)
    : curl_(curl),
      address_(address),
      options_(options),
      timers_(timers),
      news_(news),
      is_renamed_(address.is_tls && !endpoint.tls.server_name.empty()),
      handles_(curl, endpoint, address, options.user_agent, options.connect_timeout) {
  multi_ = curl_.multi_init();
  BERTH_CHECK(multi_ != nullptr, "libcurl has no memory");
  curl_.multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_.multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  curl_.multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(options_.max_connections));
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_connections));
}

CurlWire::~CurlWire() {
  timers_.remove(connections_timer_);
  timers_.remove(probe_timer_);
  while (!sending_.empty()) detach(sending_.begin()->first, false);
  curl_.multi_cleanup(multi_);
}

void CurlWire::send(Transfer& transfer) {
  auto owned = std::make_unique<Sending>(*this, transfer);
  Sending& sending = *owned;
  sending.handle = handles_.take(transfer.identity);
  BERTH_CHECK(sending.handle != nullptr, "libcurl has no memory");
  set_request(sending);
  const CURLMcode added = curl_.multi_add_handle(multi_, sending.handle);
  BERTH_CHECK(added == CURLM_OK, "libcurl: {}", curl_.multi_strerror(added));
  sending_.emplace(transfer.id, std::move(owned));
  check_connections();
}

// The handle is set up for the server; here is everything that depends on the request.
void CurlWire::set_request(Sending& sending) const {
  CURL* handle = sending.handle;
  const Request& request = sending.transfer.request;
  for (const Header& header : sending.transfer.headers) sending.headers.add(header.name, header.value);
  if (request.content_type.empty() && (!request.body.empty() || request.method == Method::kPost)) {
    sending.headers.suppress("Content-Type");
  }
  sending.headers.suppress("Expect");
  if (is_renamed_) sending.headers.add("Host", address_.authority());

  const std::string url = address_.url_prefix + request.path;
  curl_.easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_.easy_setopt(handle, CURLOPT_PRIVATE, &sending);
  curl_.easy_setopt(handle, CURLOPT_ERRORBUFFER, sending.error.data());
  curl_.easy_setopt(handle, CURLOPT_BUFFERSIZE, sending.transfer.is_stream() ? kStreamBufferBytes : kAnswerBufferBytes);
  curl_.easy_setopt(handle, CURLOPT_HEADERFUNCTION, &CurlWire::on_header);
  curl_.easy_setopt(handle, CURLOPT_HEADERDATA, &sending);
  curl_.easy_setopt(handle, CURLOPT_WRITEFUNCTION, &CurlWire::on_body);
  curl_.easy_setopt(handle, CURLOPT_WRITEDATA, &sending);
  curl_.easy_setopt(handle, CURLOPT_PREREQFUNCTION, &CurlWire::on_connected);
  curl_.easy_setopt(handle, CURLOPT_PREREQDATA, &sending);
  curl_.easy_setopt(handle, CURLOPT_HTTPHEADER, sending.headers.get());
  curl_.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, nullptr);
  if (request.body.empty() && request.method != Method::kPost) {
    curl_.easy_setopt(handle, CURLOPT_HTTPGET, 1L);
  } else {
    curl_.easy_setopt(handle, CURLOPT_POST, 1L);
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    // The body comes from a function that cannot go back. When a connection that has been used before dies, libcurl
    // sends the request once more on a new one; but the server may have acted on it already, and a second binding would
    // come back as a conflict with our own first one. So it must not be able to.
    curl_.easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : nullptr);
    curl_.easy_setopt(handle, CURLOPT_READFUNCTION, &CurlWire::on_send);
    curl_.easy_setopt(handle, CURLOPT_READDATA, &sending);
  }
  if (request.method != Method::kGet && request.method != Method::kPost) {
    curl_.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, std::string(to_string(request.method)).c_str());
  }
}

void CurlWire::detach(RequestId request, bool is_whole) {
  const auto node = sending_.extract(request);
  BERTH_CHECK(!node.empty(), "request {} is not with libcurl", request);
  const Sending& sending = *node.mapped();
  curl_.multi_remove_handle(multi_, sending.handle);
  handles_.give_back(sending.handle, sending.transfer.identity, is_whole);
}

void CurlWire::forget(Transfer& transfer) {
  detach(transfer.id, false);
}

Response::Transfer CurlWire::judge(const Transfer& transfer) const {
  return judge_code(curl_, CURLE_OPERATION_TIMEDOUT, sending_.at(transfer.id)->handle);
}

void CurlWire::perform() {
  int running = 0;
  const CURLMcode performed = curl_.multi_perform(multi_, &running);
  BERTH_CHECK(performed == CURLM_OK, "libcurl: {}", curl_.multi_strerror(performed));
  std::vector<std::pair<Sending*, CURLcode>> finished;
  int left = 0;
  while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Sending* sending = nullptr;
    curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &sending);
    finished.emplace_back(sending, message->data.result);
  }
  for (const auto& [sending, code] : finished) finish(*sending, code);
}

void CurlWire::finish(Sending& sending, CURLcode code) {
  const RequestId request = sending.transfer.id;
  if (request == kProbe) return end_probe();
  Transfer& transfer = sending.transfer;
  const bool is_whole = code == CURLE_OK;
  const Response::Transfer how = is_whole ? Response::Transfer::kComplete : judge_code(curl_, code, sending.handle);
  news_.end(transfer, how, is_whole ? "" : describe(sending, code));
  detach(request, is_whole);
}

std::string CurlWire::describe(const Sending& sending, CURLcode code) const {
  if (sending.is_too_long) return fmt::format("response exceeds the limit of {} bytes", kMaxBodyBytes);
  const std::string_view text = sending.error.data();
  return text.empty() ? curl_.easy_strerror(code) : repeatable_curl_error(text);
}

void CurlWire::wait(std::span<pollfd> files, Duration at_most) {
  std::vector<curl_waitfd> others(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    others[i].fd = files[i].fd;
    others[i].events = CURL_WAIT_POLLIN;
  }
  curl_.multi_poll(multi_, others.data(), static_cast<unsigned>(others.size()), poll_timeout(at_most), nullptr);
  for (std::size_t i = 0; i < files.size(); ++i) files[i].revents = others[i].revents;
}

// --- What libcurl calls ----------------------------------------------------------------------------------------------

std::size_t CurlWire::on_header(char* bytes, std::size_t size, std::size_t count, void* sending) {
  auto& self = *static_cast<Sending*>(sending);
  Transfer& transfer = self.transfer;
  const std::string_view line(bytes, size * count);
  if (line.starts_with("HTTP/")) {
    // A new answer: the one before was a "100 Continue".
    transfer.response.headers.clear();
  } else if (const std::string_view text = trimmed(line, kBlanks); !text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
      transfer.response.headers.push_back(
          {std::string(text.substr(0, colon)), std::string(trimmed(text.substr(colon + 1), kBlanks))});
    }
  } else {
    transfer.response.status = status_of(self.wire.curl_, self.handle);
    transfer.has_headers = transfer.response.status >= 200;
    // Here and not at the end: there may be nothing but streams that go on for ever.
    self.wire.speaks_http2_ = self.wire.speaks_http2_ || is_http2(self.wire.curl_, self.handle);
  }
  if (transfer.id != kProbe) self.wire.news_.touch(transfer);
  return line.size();
}

std::size_t CurlWire::on_body(char* bytes, std::size_t size, std::size_t count, void* sending) {
  auto& self = *static_cast<Sending*>(sending);
  const std::size_t length = size * count;
  std::string& target = self.transfer.body();
  if (target.size() + length > kMaxBodyBytes) {
    self.is_too_long = true;
    return 0;
  }
  target.append(bytes, length);
  if (self.transfer.id != kProbe) self.wire.news_.touch(self.transfer);
  return length;
}

std::size_t CurlWire::on_send(char* buffer, std::size_t size, std::size_t count, void* sending) {
  auto& self = *static_cast<Sending*>(sending);
  const std::string& body = self.transfer.request.body;
  const std::size_t length = body.copy(buffer, size * count, self.body_sent);
  self.body_sent += length;
  return length;
}

// Before the request is sent, on a new connection or on one that is used again.
int CurlWire::on_connected(void* sending, char* /*remote*/, char* /*local*/, int /*remote_port*/, int local_port) {
  static_cast<Sending*>(sending)->local_port = local_port;
  return CURL_PREREQFUNC_OK;
}

// --- Dead connections ------------------------------------------------------------------------------------------------

// Keeps a timer going as long as there are requests.
void CurlWire::check_connections() {
  if (connections_timer_ != 0 || options_.silence_of_answers <= Duration()) return;
  const Duration interval = Duration::nanoseconds(options_.silence_of_answers.nanoseconds() / 5);
  connections_timer_ = timers_.add(clock_now() + interval, [this] {
    connections_timer_ = 0;
    if (sending_.empty()) return;
    const bool may_probe = speaks_http2_ && !probe_ && clock_now() >= next_probe_at_;
    if (const curl_socket_t fd = may_probe ? silent_connection() : CURL_SOCKET_BAD; fd != CURL_SOCKET_BAD) {
      start_probe(fd);
    }
    check_connections();
  });
}

curl_socket_t CurlWire::silent_connection() const {
  // The silence that is too long for what goes on there, per connection.
  std::map<curl_socket_t, Duration> allowed;
  for (const auto& [id, sending] : sending_) {
    const curl_socket_t fd = handles_.connection_at(sending->local_port);
    if (fd == CURL_SOCKET_BAD) continue;
    const Transfer& transfer = sending->transfer;
    const bool is_waited_for =
        !transfer.is_stream() && clock_now() - transfer.started_at >= options_.silence_of_answers;
    Duration& limit = allowed.try_emplace(fd, options_.silence_of_streams).first->second;
    if (is_waited_for) limit = std::min(limit, options_.silence_of_answers);
  }
  for (const auto& [fd, limit] : allowed) {
    if (const auto silence = silence_of(fd); silence && *silence >= limit) return fd;
  }
  return CURL_SOCKET_BAD;
}

void CurlWire::start_probe(curl_socket_t fd) {
  probe_ = std::make_unique<Transfer>();
  probe_->request.path = kProbePath;
  probe_->identity = sending_.begin()->second->transfer.identity;  // a refusal is a sign of life as well
  send(*probe_);
  // Should it take another connection, this one stays silent: do not ask all the time.
  next_probe_at_ = clock_now() + options_.silence_of_answers;
  probe_timer_ = timers_.add(clock_now() + options_.sign_of_life_timeout, [this, fd] { give_up_connection(fd); });
}

void CurlWire::give_up_connection(curl_socket_t fd) {
  const curl_socket_t probed = handles_.connection_at(sending_.at(kProbe)->local_port);
  end_probe();
  if (probed != fd) return;  // it took another connection and says nothing about this one
  if (const auto silence = silence_of(fd); !silence || *silence < options_.sign_of_life_timeout) return;
  if (options_.warn) options_.warn(address_.authority() + ": connection timed out, reconnecting");
  ::shutdown(fd, SHUT_RDWR);
}

void CurlWire::end_probe() {
  detach(kProbe, false);
  timers_.remove(probe_timer_);
  probe_.reset();
}

}  // namespace berth::client
