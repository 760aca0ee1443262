#include "berth/serve/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "berth/base/check.h"
#include "berth/serve/connection.h"
#include "berth/serve/tls.h"

namespace berth::serve {

namespace {

constexpr int kBacklog = 128;

class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

Result<Address> parse_address(const std::string& text, std::uint16_t port) {
  Address address{};
  if (::inet_pton(AF_INET, text.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    return address;
  }
  if (::inet_pton(AF_INET6, text.c_str(), &address.v6.sin6_addr) == 1) {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
    return address;
  }
  return fail(fmt::format("\"{}\" is not an IP address", text));
}

socklen_t size_of(const Address& address) {
  return address.any.sa_family == AF_INET ? sizeof(address.v4) : sizeof(address.v6);
}

std::string text_of(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = &address.v6.sin6_addr;
  if (address.any.sa_family == AF_INET) bytes = &address.v4.sin_addr;
  if (::inet_ntop(address.any.sa_family, bytes, text.data(), text.size()) == nullptr) return "";
  constexpr std::string_view kMapped = "::ffff:";  // an IPv4 client of a socket for both families
  const std::string_view result = text.data();
  const bool is_mapped = result.starts_with(kMapped) && result.find('.') != std::string_view::npos;
  return std::string(is_mapped ? result.substr(kMapped.size()) : result);
}

Result<Socket> listen_on(const ServerOptions& options) {
  const auto address = parse_address(options.bind_address, options.port);
  if (!address) return fail(address.error());
  const auto failed = [&](const char* what) {
    return fail(fmt::format("failed to create listener: {} {}:{}: {}", what, options.bind_address, options.port,
                            std::strerror(errno)));
  };
  Socket socket(::socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return failed("socket");
  const int on = 1;
  // A restarted scheduler takes the port over from connections that have not died yet; two that run at once do not.
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (options.share_port) (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  if (address->any.sa_family == AF_INET6) {
    const int off = 0;
    (void)::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (::bind(socket.get(), &address->any, size_of(*address)) != 0) return failed("listen tcp");
  if (::listen(socket.get(), kBacklog) != 0) return failed("listen tcp");
  return socket;
}

std::uint16_t port_of(int fd) {
  Address address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, &address.any, &size) != 0) return 0;
  return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

// A client that is gone must cost a failed write and not the process.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  (void)::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool waits_for_client(Phase phase) {
  return phase != Phase::kHandling;
}

}  // namespace

// One thread accepts; as many as there are connections serve. Threads are made when they are needed and stay.
class HttpsServer::Machine {
 public:
  Machine(const ServerOptions& options, std::shared_ptr<CertificateSource> certificate, Handler handler)
      : options_{.limits = options.limits, .now = options.now},
        certificates_(std::move(certificate), options.named_certificates),
        handler_(std::move(handler)) {}

  Result<void> start(const ServerOptions& options) {
    auto context = make_tls_context(options.tls, certificates_);
    if (!context) return fail(std::move(context).error());
    context_ = *std::move(context);
    auto listener = listen_on(options);
    if (!listener) return fail(std::move(listener).error());
    listener_ = *std::move(listener);
    port_ = port_of(listener_.get());
    wake_ = Socket(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (wake_.get() < 0) return fail(fmt::format("cannot create eventfd: {}", std::strerror(errno)));
    acceptor_ = std::thread([this] { accept_all(); });
    return {};
  }

  std::uint16_t port() const { return port_; }

  void stop(Duration grace) {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      waiting_.clear();
      for (Served& each : served_) {
        if (each.phase != Phase::kHandling && each.phase != Phase::kWriting) end(each);
      }
      something_changed_.notify_all();
    }
    stop_accepting();
    std::unique_lock lock(mutex_);
    (void)something_changed_.wait_for(lock, std::chrono::nanoseconds(grace.nanoseconds()),
                                      [this] { return served_.empty(); });
    for (Served& each : served_) end(each);
    lock.unlock();
    for (std::thread& worker : workers_) {
      if (worker.joinable()) worker.join();
    }
  }

 private:
  struct Waiting {
    Socket socket;
    std::string remote_address;
  };
  struct Served {
    int fd = -1;
    Phase phase = Phase::kHandshake;
    std::chrono::steady_clock::time_point since;  // in this phase
    bool is_ended = false;
  };

  void stop_accepting() {
    if (!acceptor_.joinable()) return;
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof(one));
    acceptor_.join();
    listener_ = Socket();
  }

  void accept_all() {
    block_broken_pipes();
    std::array<pollfd, 2> waits = {
        {{.fd = listener_.get(), .events = POLLIN, .revents = 0}, {.fd = wake_.get(), .events = POLLIN, .revents = 0}}};
    for (;;) {
      (void)::poll(waits.data(), waits.size(), -1);
      if (waits[1].revents != 0) return;
      accept_one();
    }
  }

  void accept_one() {
    Address address{};
    socklen_t size = sizeof(address);
    Socket socket(::accept4(listener_.get(), &address.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      // Out of file descriptors: the client stays in the backlog. Without a pause this would be asked again at once.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        pollfd wake{.fd = wake_.get(), .events = POLLIN, .revents = 0};
        (void)::poll(&wake, 1, 100);
      }
      return;
    }
    const int on = 1;
    (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    take_in({std::move(socket), text_of(address)});
  }

  void take_in(Waiting client) {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || waiting_.size() >= options_.limits.waiting_connections) return;
    waiting_.push_back(std::move(client));
    find_places();
    something_changed_.notify_all();
  }

  // Ensures that every accepted connection is served soon: by an idle thread, by a new one, or by closing the
  // connection that has been idle longest.
  void find_places() {
    const auto ending = static_cast<std::size_t>(std::ranges::count(served_, true, &Served::is_ended));
    for (std::size_t places = idle_workers_ + starting_workers_ + ending; places < waiting_.size(); ++places) {
      if (!add_worker() && !make_room()) return;
    }
  }

  bool add_worker() {
    if (workers_.size() >= options_.limits.connections) return false;
    try {
      workers_.emplace_back([this] { work(); });
      ++starting_workers_;
    } catch (const std::system_error&) {
      return false;  // no more threads to be had: as if the limit were reached
    }
    return true;
  }

  // Ends the connection that has kept the server waiting longest, one between two requests before others. False if all
  // are at work.
  bool make_room() {
    Served* longest = nullptr;
    const auto comes_first = [](const Served& a, const Served& b) {
      if ((a.phase == Phase::kIdle) != (b.phase == Phase::kIdle)) return a.phase == Phase::kIdle;
      return a.since < b.since;
    };
    for (Served& each : served_) {
      if (each.is_ended || !waits_for_client(each.phase)) continue;
      if (longest == nullptr || comes_first(each, *longest)) longest = &each;
    }
    if (longest == nullptr) return false;
    end(*longest);
    return true;
  }

  // Its thread wakes up and sees that nothing comes any more. The descriptor is open: it is closed by that thread, once
  // it is not in the list.
  static void end(Served& served) {
    served.is_ended = true;
    (void)::shutdown(served.fd, SHUT_RDWR);
  }

  void work() {
    block_broken_pipes();
    std::unique_lock lock(mutex_);
    --starting_workers_;
    for (;;) {
      ++idle_workers_;
      something_changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      --idle_workers_;
      if (waiting_.empty()) return;
      const Waiting client = std::move(waiting_.front());
      waiting_.pop_front();
      const auto served =
          served_.insert(served_.end(), {client.socket.get(), Phase::kHandshake, std::chrono::steady_clock::now()});
      find_places();
      lock.unlock();
      serve(client, *served);
      lock.lock();
      served_.erase(served);
      something_changed_.notify_all();
    }
  }

  void serve(const Waiting& client, Served& served) {
    const auto enter = [this, &served](Phase phase) {
      const std::lock_guard lock(mutex_);
      served.phase = phase;
      served.since = std::chrono::steady_clock::now();
      return !served.is_ended && !is_stopping_;
    };
    Connection(*context_, client.socket.get(), client.remote_address, options_, handler_, enter).serve();
  }

  const ConnectionOptions options_;
  const CertificateChoice certificates_;
  const Handler handler_;
  SslContextPtr context_;
  Socket listener_;
  Socket wake_;  // ends the acceptor
  std::uint16_t port_ = 0;
  std::thread acceptor_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable something_changed_;
  std::deque<Waiting> waiting_;
  std::list<Served> served_;
  std::vector<std::thread> workers_;
  std::size_t starting_workers_ = 0;  // made, and not yet idle
  std::size_t idle_workers_ = 0;
  bool is_stopping_ = false;
};

HttpsServer::HttpsServer(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}

HttpsServer::~HttpsServer() {
  stop(Duration());
}

Result<std::unique_ptr<HttpsServer>> HttpsServer::start(const ServerOptions& options,
                                                        std::shared_ptr<CertificateSource> certificate,
                                                        Handler handler) {
  BERTH_CHECK(certificate != nullptr && handler);
  auto machine = std::make_unique<Machine>(options, std::move(certificate), std::move(handler));
  if (auto started = machine->start(options); !started) return fail(std::move(started).error());
  return std::unique_ptr<HttpsServer>(new HttpsServer(std::move(machine)));
}

std::uint16_t HttpsServer::port() const {
  return machine_->port();
}

void HttpsServer::stop(Duration grace) {
  machine_->stop(grace);
}

}  // namespace berth::serve
