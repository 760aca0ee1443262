// Questions to the API server, asked from the server's threads: who has this token, may this user do that.
//
// The transport lives on the thread of its loop. ApiReviews hands a question over, waits for the answer and gives up
// after a while; a server that fails is asked again meanwhile. It must not be called on the loop's thread, which would
// wait for itself. Loop and transport outlive it.
#pragma once

#include <cstddef>
#include <semaphore>
#include <string>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::serve {

class Reviews {
 public:
  virtual ~Reviews() = default;
  // The body of the answer. The error: no answer, or one other than 2xx.
  virtual Result<std::string> post(std::string path, std::string body) = 0;
};

class ApiReviews final : public Reviews {
 public:
  static constexpr Duration kTimeout = Duration::seconds(10);
  // Questions at the same time; further ones fail. Those about tokens and those about rights together are fewer than
  // ServerLimits::connections.
  static constexpr std::ptrdiff_t kAtATime = 24;

  ApiReviews(client::Loop& loop, client::Transport& transport, Duration timeout = kTimeout)
      : loop_(loop), transport_(transport), timeout_(timeout) {}

  Result<std::string> post(std::string path, std::string body) override;

 private:
  Result<std::string> ask(const std::string& path, std::string body);

  client::Loop& loop_;
  client::Transport& transport_;
  const Duration timeout_;
  std::counting_semaphore<kAtATime> places_{kAtATime};
};

}  // namespace berth::serve
