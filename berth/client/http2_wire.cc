#include "berth/client/http2_wire.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/base/check.h"
#include "berth/client/clock.h"

namespace berth::client {

namespace {

// A request that is refused so often ends.
constexpr int kMaxTries = 4;
// After a connection could not be made while another one is there, which is only full.
constexpr Duration kPauseOfConnecting = Duration::seconds(1);

// Without the brackets of an IPv6 address.
std::string bare(const std::string& host) {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

std::string in_lower_case(std::string name) {
  std::ranges::transform(name, name.begin(), ascii_lower);
  return name;
}

}  // namespace

Http2Wire::Http2Wire(const Endpoint& endpoint, const ServerAddress& address, const HttpLoop::Options& options,
                     TimerQueue& timers, WireNews& news, const std::shared_ptr<WakeupFd>& wakeup)
    : endpoint_(endpoint),
      address_(address),
      options_(options),
      timers_(timers),
      news_(news),
      certificate_name_(endpoint.tls.server_name.empty() ? bare(address.host) : endpoint.tls.server_name),
      resolver_(bare(address.host), address.port, wakeup) {}

Http2Wire::~Http2Wire() {
  timers_.remove(silence_timer_);
  timers_.remove(pause_timer_);
  for (const Line& line : lines_) timers_.remove(line.timer);
}

// --- Requests --------------------------------------------------------------------------------------------------------

std::vector<Header> Http2Wire::headers_of(const Transfer& transfer) const {
  const Request& request = transfer.request;
  std::vector<Header> headers{{":method", std::string(to_string(request.method))},
                              {":scheme", "https"},
                              {":authority", address_.authority()},
                              {":path", address_.base_path + request.path},
                              {"user-agent", options_.user_agent}};
  if (!endpoint_.disable_compression) headers.push_back({"accept-encoding", "gzip"});
  if (!request.body.empty() || request.method == Method::kPost) {
    headers.push_back({"content-length", std::to_string(request.body.size())});
  }
  for (const Header& header : transfer.headers) headers.push_back({in_lower_case(header.name), header.value});
  return headers;
}

void Http2Wire::send(Transfer& transfer) {
  auto stream = std::make_unique<Http2Stream>(transfer);
  waiting_.push_back(stream.get());
  streams_.emplace(transfer.id, std::move(stream));
  latest_ = transfer.identity;
  check_silence();
}

void Http2Wire::forget(Transfer& transfer) {
  const auto node = streams_.extract(transfer.id);
  BERTH_CHECK(!node.empty(), "request {} is not on its way", transfer.id);
  Http2Stream& stream = *node.mapped();
  if (stream.connection == nullptr) {
    std::erase(waiting_, &stream);
  } else {
    stream.connection->cancel(stream);
  }
}

Response::Transfer Http2Wire::judge(const Transfer& transfer) const {
  return streams_.at(transfer.id)->is_sent ? Response::Transfer::kBroken : Response::Transfer::kNotSent;
}

// --- Turns -----------------------------------------------------------------------------------------------------------

void Http2Wire::perform() {
  const Instant now = clock_now();
  for (Line& line : lines_) {
    if (line.events != 0 || line.connection->has_more()) line.connection->ready(std::exchange(line.events, 0), now);
  }
  settle();
}

void Http2Wire::wait(std::span<pollfd> files, Duration at_most) {
  settle();
  for (const Line& line : lines_) line.connection->flush();
  settle();  // a connection may have broken while it was written to
  polled_.assign(files.begin(), files.end());
  bool has_work = !news_.touched.empty() || !news_.ended.empty() || news_.needs_http1;
  for (const Line& line : lines_) {
    polled_.push_back({.fd = line.connection->fd(), .events = line.connection->wanted_events(), .revents = 0});
    has_work = has_work || line.connection->has_more();
  }
  if (::poll(polled_.data(), polled_.size(), has_work ? 0 : poll_timeout(at_most)) < 0) {
    for (pollfd& each : polled_) each.revents = 0;  // interrupted
  }
  for (std::size_t i = 0; i < files.size(); ++i) files[i].revents = polled_[i].revents;
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].events = polled_[files.size() + i].revents;
}

void Http2Wire::settle() {
  while (take_ended() || remove_closed() || place_waiting()) {
  }
}

bool Http2Wire::take_ended() {
  bool is_any = false;
  for (const Line& line : lines_) {
    for (const Http2Connection::Ended& ended : line.connection->take_ended()) {
      is_any = true;
      tell(ended);
    }
  }
  return is_any;
}

void Http2Wire::tell(const Http2Connection::Ended& ended) {
  using How = Http2Connection::Ended::How;
  Http2Stream& stream = *ended.stream;
  Transfer& transfer = stream.transfer;
  switch (ended.how) {
    case How::kComplete: news_.end(transfer, Response::Transfer::kComplete); break;
    case How::kBroken: news_.end(transfer, Response::Transfer::kBroken, ended.error); break;
    case How::kRefused:
      if (++stream.tries < kMaxTries) {
        stream.rewind();
        waiting_.push_back(&stream);
        return;
      }
      news_.end(transfer, Response::Transfer::kNotSent, ended.error);
      break;
  }
  streams_.erase(transfer.id);
}

// One that was made in a name that is not ours any more goes as soon as nobody needs it.
bool Http2Wire::is_needed(const Http2Connection& connection) const {
  if (!connection.is_idle() || !latest_ || connection.is_of(*latest_)) return true;
  return std::ranges::any_of(waiting_,
                             [&](const Http2Stream* stream) { return connection.is_of(*stream->transfer.identity); });
}

bool Http2Wire::remove_closed() {
  for (const Line& line : lines_) {
    Http2Connection& connection = *line.connection;
    if (connection.state() == Http2Connection::State::kOpen && !is_needed(connection)) {
      connection.close("connection is idle");
    }
  }
  const auto closed = std::ranges::find(lines_, Http2Connection::State::kClosed,
                                        [](const Line& line) { return line.connection->state(); });
  if (closed == lines_.end()) return false;
  const Line line = std::move(*closed);
  lines_.erase(closed);
  timers_.remove(line.timer);
  const Http2Connection& connection = *line.connection;
  for (const Http2Connection::Ended& ended : line.connection->take_ended()) tell(ended);
  // Where another connection is open, it is not the server that does not speak HTTP/2.
  if (connection.needs_http1() && !is_another_open(connection)) {
    news_.needs_http1 = true;
  } else if (!connection.was_of_use()) {
    fail_to_connect(connection);
  }
  return true;
}

bool Http2Wire::is_another_open(const Http2Connection& connection) const {
  return std::ranges::any_of(lines_, [&](const Line& other) {
    return other.connection->state() == Http2Connection::State::kOpen && other.connection->is_of(connection.identity());
  });
}

void Http2Wire::fail_to_connect(const Http2Connection& connection) {
  if (!is_another_open(connection)) {
    return fail_waiting(connection.error(), [&](const Identity& identity) { return connection.is_of(identity); });
  }
  // There will be room on the other one; meanwhile do not try all the time.
  if (pause_timer_ == 0) {
    pause_timer_ = timers_.add(clock_now() + kPauseOfConnecting, [this] { pause_timer_ = 0; });
  }
}

// --- Connections -----------------------------------------------------------------------------------------------------

// True if a connection was made or could not be made.
bool Http2Wire::place_waiting() {
  if (news_.needs_http1) return false;  // another wire takes over
  std::erase_if(waiting_, [&](Http2Stream* stream) {
    const auto line = std::ranges::find_if(lines_, [&](const Line& each) {
      return each.connection->has_room() && each.connection->is_of(*stream->transfer.identity);
    });
    if (line == lines_.end()) return false;
    line->connection->submit(*stream, headers_of(stream->transfer));
    return true;
  });
  // Also taken if nobody needs it any more: later it would be too old.
  auto answer = resolver_.take_answer();
  const bool is_full = lines_.size() >= static_cast<std::size_t>(options_.max_connections);
  if (first_without_connection() == nullptr || is_full || pause_timer_ != 0) return false;
  if (!answer) {
    if (!resolver_.is_asking()) resolver_.ask();
    answer = resolver_.take_answer();  // an address is there at once
  }
  if (!answer) return false;
  if (*answer) {
    connect(**answer);
  } else {
    fail_waiting(answer->error().message(), [](const Identity&) { return true; });
  }
  return true;
}

// The first that waits without a connection being made for it.
const Http2Stream* Http2Wire::first_without_connection() const {
  const auto found = std::ranges::find_if(waiting_, [&](const Http2Stream* stream) {
    return std::ranges::none_of(lines_, [&](const Line& line) {
      return line.connection->is_connecting() && line.connection->is_of(*stream->transfer.identity);
    });
  });
  return found == waiting_.end() ? nullptr : *found;
}

void Http2Wire::connect(const SocketAddresses& addresses) {
  const std::shared_ptr<const Identity> identity = first_without_connection()->transfer.identity;
  auto context = make_tls_context(*identity, endpoint_.tls.insecure_skip_verify);
  if (!context) {
    return fail_waiting(context.error().message(), [&](const Identity& each) { return &each == identity.get(); });
  }
  Line line;
  line.connection =
      std::make_unique<Http2Connection>(addresses, identity, *std::move(context), certificate_name_, news_);
  line.deadline = clock_now() + options_.connect_timeout;
  set_connecting_timer(line);
  lines_.push_back(std::move(line));
}

// Each address has its share of the time, and what the others left.
void Http2Wire::set_connecting_timer(Line& line) {
  const Duration left = line.deadline - clock_now();
  const auto addresses = static_cast<std::int64_t>(line.connection->addresses_left()) + 1;
  const Instant due = clock_now() + Duration::nanoseconds(left.nanoseconds() / addresses);
  line.timer = timers_.add(due, [this, connection = line.connection.get()] { check_connecting(connection); });
}

void Http2Wire::check_connecting(const Http2Connection* connection) {
  const auto line = std::ranges::find_if(lines_, [&](const Line& each) { return each.connection.get() == connection; });
  if (line == lines_.end()) return;
  line->timer = 0;
  if (!line->connection->is_connecting()) return;
  line->events = 0;  // they may be about the address that is given up
  const std::string why = fmt::format("connect timed out after {}", options_.connect_timeout.str());
  if (clock_now() >= line->deadline) {
    line->connection->close(why);
  } else if (line->connection->addresses_left() == 0 || line->connection->try_next_address(why)) {
    set_connecting_timer(*line);
  }
}

void Http2Wire::fail_waiting(const std::string& why, FunctionRef<bool(const Identity&)> applies_to) {
  std::erase_if(waiting_, [&](Http2Stream* stream) {
    Transfer& transfer = stream->transfer;
    if (!applies_to(*transfer.identity)) return false;
    news_.end(transfer, Response::Transfer::kNotSent, why);
    streams_.erase(transfer.id);
    return true;
  });
}

// --- Dead connections ------------------------------------------------------------------------------------------------

// Keeps a timer going as long as there are requests.
void Http2Wire::check_silence() {
  if (silence_timer_ != 0 || options_.silence_of_answers <= Duration()) return;
  const Duration interval = Duration::nanoseconds(options_.silence_of_answers.nanoseconds() / 5);
  silence_timer_ = timers_.add(clock_now() + interval, [this] {
    silence_timer_ = 0;
    if (streams_.empty()) return;
    for (const Line& line : lines_) {
      if (!line.connection->is_connecting() && !line.connection->is_idle()) look_at_silence(*line.connection);
    }
    check_silence();
  });
}

void Http2Wire::look_at_silence(Http2Connection& connection) {
  const Instant now = clock_now();
  if (const Instant pinged_at = connection.pinged_at(); pinged_at.is_set()) {
    if (now - pinged_at < options_.sign_of_life_timeout) return;
    if (options_.warn) options_.warn(address_.authority() + ": connection timed out, reconnecting");
    connection.close("connection timed out");
    return;
  }
  bool is_waited_for = false;
  connection.for_each_stream([&](const Http2Stream& stream) {
    is_waited_for = is_waited_for ||
                    (!stream.transfer.is_stream() && now - stream.transfer.started_at >= options_.silence_of_answers);
  });
  // The silence that is too long for what goes on there; zero: none is.
  const Duration allowed = is_waited_for ? options_.silence_of_answers : options_.silence_of_streams;
  if (allowed > Duration() && now - connection.heard_at() >= allowed) connection.ping(now);
}

}  // namespace berth::client
