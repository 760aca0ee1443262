#include "berth/serve/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <exception>
#include <utility>

namespace berth::serve {

namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
// How long and for how many bytes of a refused request the server keeps listening.
constexpr auto kLinger = std::chrono::milliseconds(500);
constexpr std::size_t kLingerBytes = 256 * 1024;

Deadline in(Duration duration) {
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(duration.nanoseconds());
}

}  // namespace

Connection::Connection(SSL_CTX& context, int fd, std::string remote_address, const ConnectionOptions& options,
                       const Handler& handler, Enter enter)
    : stream_(context, fd),
      fd_(fd),
      remote_address_(std::move(remote_address)),
      limits_(options.limits),
      now_(options.now),
      handler_(handler),
      enter_(std::move(enter)) {}

void Connection::serve() {
  if (!enter_(Phase::kHandshake) || !stream_.handshake(in(limits_.handshake))) return;
  certificate_ = stream_.peer_certificate();
  while (serve_one()) {
  }
  stream_.close();
}

bool Connection::serve_one() {
  std::string head_text;
  if (!read_head(head_text)) return false;
  auto head = parse_head(head_text, limits_.body_bytes);
  if (!head) {
    refuse(head.error());
    return false;
  }
  if (!read_body(*head, head->call.body)) return false;
  head->call.remote_address = remote_address_;
  head->call.certificate = certificate_;
  if (!enter_(Phase::kHandling)) return false;
  const Reply reply = call(head->call);
  const bool may_go_on = enter_(Phase::kWriting);
  const bool keeps_alive = head->keeps_alive && may_go_on;
  return send(reply, head->call.method == "HEAD", keeps_alive) && keeps_alive;
}

bool Connection::read_head(std::string& head) {
  if (received_.empty()) {
    if (!enter_(Phase::kIdle) || !read_more(in(limits_.idle))) return false;
  }
  if (!enter_(Phase::kReading)) return false;
  const Deadline deadline = in(limits_.head);
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = received_.find(kEndOfHead, searched);
    const std::size_t size = end == std::string::npos ? received_.size() : end;
    if (size > limits_.head_bytes) {
      refuse({.status = 431, .text = "431 Request Header Fields Too Large"});
      return false;
    }
    if (end != std::string::npos) {
      head = received_.substr(0, end);
      received_.erase(0, end + kEndOfHead.size());
      return true;
    }
    searched = received_.size() < kEndOfHead.size() ? 0 : received_.size() - kEndOfHead.size() + 1;
    if (!read_more(deadline)) return false;
  }
}

bool Connection::read_body(const RequestHead& head, std::string& body) {
  const Deadline deadline = in(limits_.body);
  if (head.expects_continue && received_.size() < head.body_bytes &&
      !stream_.write("HTTP/1.1 100 Continue\r\n\r\n", deadline)) {
    return false;
  }
  while (received_.size() < head.body_bytes) {
    if (!read_more(deadline)) return false;
  }
  body = received_.substr(0, head.body_bytes);
  received_.erase(0, head.body_bytes);
  return true;
}

bool Connection::read_more(Deadline deadline) {
  std::array<char, 4096> buffer{};
  const std::size_t size = stream_.read(buffer.data(), buffer.size(), deadline);
  received_.append(buffer.data(), size);
  return size > 0;
}

Reply Connection::call(const Call& call) const {
  // A library may throw where memory runs out; one bad call must not end the scheduler.
  try {
    return handler_(call);
  } catch (const std::exception& error) {
    return Reply::error(500, fmt::format("internal server error: {}", error.what()));
  }
}

bool Connection::send(const Reply& reply, bool is_head_request, bool keeps_alive) {
  const Deadline deadline = in(limits_.write);
  std::string head = head_of(reply, keeps_alive, now_ ? now_() : Instant());
  if (is_head_request) return stream_.write(head, deadline);
  // Small answers leave in one record.
  constexpr std::size_t kOneRecord = 16 * 1024;
  if (head.size() + reply.body.size() <= kOneRecord) return stream_.write(head += reply.body, deadline);
  return stream_.write(head, deadline) && stream_.write(reply.body, deadline);
}

void Connection::refuse(const HeadProblem& problem) {
  if (!enter_(Phase::kWriting) || !send(Reply::error(problem.status, problem.text), false, false)) return;
  stream_.close();
  (void)::shutdown(fd_, SHUT_WR);
  const Deadline deadline = std::chrono::steady_clock::now() + kLinger;
  std::array<char, 4096> buffer{};
  for (std::size_t size = 0; size < kLingerBytes;) {
    const std::size_t more = stream_.read(buffer.data(), buffer.size(), deadline);
    if (more == 0) return;
    size += more;
  }
}

}  // namespace berth::serve
