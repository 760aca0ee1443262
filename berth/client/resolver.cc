#include "berth/client/resolver.h"

#include <fmt/format.h>
#include <netdb.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "berth/client/signal_free_thread.h"

namespace berth::client {

namespace {

Result<SocketAddresses> look_up(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (code != 0) return fail(fmt::format("cannot resolve host {}: {}", host, ::gai_strerror(code)));
  SocketAddresses addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
  }
  ::freeaddrinfo(found);
  return addresses;
}

}  // namespace

struct Resolver::Question {
  std::mutex mutex;
  std::optional<Result<SocketAddresses>> answer;  // guarded by mutex
};

Resolver::Resolver(std::string host, std::string port, std::shared_ptr<WakeupFd> wakeup)
    : host_(std::move(host)), port_(std::move(port)), wakeup_(std::move(wakeup)) {}

void Resolver::ask() {
  question_ = std::make_shared<Question>();
  // An address needs nobody to ask.
  if (auto numeric = look_up(host_, port_, AI_NUMERICHOST | AI_NUMERICSERV)) {
    question_->answer = std::move(numeric);
    return;
  }
  start_signal_free_thread([question = question_, host = host_, port = port_, wakeup = wakeup_] {
    Result<SocketAddresses> answer = look_up(host, port, AI_ADDRCONFIG);
    {
      const std::scoped_lock lock(question->mutex);
      question->answer = std::move(answer);
    }
    wakeup->signal();
  }).detach();
}

std::optional<Result<SocketAddresses>> Resolver::take_answer() {
  if (!question_) return std::nullopt;
  std::optional<Result<SocketAddresses>> answer;
  {
    const std::scoped_lock lock(question_->mutex);
    answer.swap(question_->answer);
  }
  if (answer) question_.reset();
  return answer;
}

}  // namespace berth::client
