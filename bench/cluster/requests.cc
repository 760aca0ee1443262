#include "bench/cluster/requests.h"

#include <future>
#include <optional>
#include <utility>

#include "berth/client/api_error.h"

namespace berth::bench {

namespace {

constexpr int kConflict = 409;

// On the loop's thread.
class Flood {
 public:
  Flood(client::HttpLoop& loop, std::size_t count, const std::function<client::Request(std::size_t)>& make)
      : loop_(loop), count_(count), make_(make) {}

  std::future<std::optional<Error>> done() { return done_.get_future(); }

  void begin(std::size_t at_a_time) {
    for (std::size_t i = 0; i < at_a_time; ++i) send_next();
    if (under_way_ == 0) done_.set_value(std::nullopt);
  }

 private:
  void send_next() {
    if (next_ == count_) return;
    client::Request request = make_(next_++);
    const bool may_exist = request.method == client::Method::kPost;
    ++under_way_;
    loop_.start(std::move(request), [this, may_exist](const client::Response& response) {
      if (!response.is_success() && !(may_exist && response.status == kConflict)) {
        if (!error_) error_ = client::to_error("the API server refused", client::api_error_of(response));
        next_ = count_;
      }
      --under_way_;
      send_next();
      if (under_way_ == 0) done_.set_value(error_);
    });
  }

  client::HttpLoop& loop_;
  std::size_t count_;
  const std::function<client::Request(std::size_t)>& make_;
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::optional<Error> error_;
  std::promise<std::optional<Error>> done_;
};

}  // namespace

Result<void> flood(client::HttpLoop& loop, std::size_t count, std::size_t at_a_time,
                   const std::function<client::Request(std::size_t)>& make) {
  Flood flood(loop, count, make);
  auto done = flood.done();
  loop.post([&flood, at_a_time] { flood.begin(at_a_time); });
  if (auto error = done.get()) return fail(*std::move(error));
  return {};
}

}  // namespace berth::bench
