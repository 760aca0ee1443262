// What tests of the HTTP/2 wire share: certificates, and a place where a server puts what comes until the test looks.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "berth/client/endpoint.h"
#include "berth/client/http_loop.h"
#include "berth/client/test_certificates.h"
#include "berth/client/test_http2_server.h"
#include "berth/client/test_requests.h"

namespace berth::client {

// Thread safe.
template <typename T>
class Inbox {
 public:
  void put(T value) {
    const std::scoped_lock lock(mutex_);
    values_.push_back(std::move(value));
    came_.notify_all();
  }
  // Waits until there is one.
  T take() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return !values_.empty(); });
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<T> values_;
};

class Http2Test : public testing::Test {
 protected:
  using Received = TestHttp2Server::Received;
  using Exchange = TestHttp2Server::Exchange;
  using Listeners = TestHttp2Server::Listeners;
  using How = Response::Transfer;

  // A request that waits for what the test does with it.
  struct Pending {
    Received request;
    Exchange exchange;
  };

  Listeners to_inbox() {
    return {.on_request = [this](const Received& request, const Exchange& exchange) {
      requests_.put({.request = request, .exchange = exchange});
    }};
  }

  Endpoint endpoint(const std::string& url) const {
    Endpoint result;
    result.server = url;
    result.tls.ca.text = authority_.certificate();
    return result;
  }
  std::unique_ptr<HttpLoop> loop_to_server(const TestHttp2Server& server, HttpLoop::Options options = {}) const {
    return loop_to(endpoint(server.url()), std::move(options));
  }

  TestAuthority authority_;
  TestCertificate certificate_ = authority_.issue("server", "IP:127.0.0.1,IP:::1");
  Inbox<Pending> requests_;
};

}  // namespace berth::client
