#include "berth/client/http_loop.h"

#include <utility>

#include "berth/client/clock.h"
#include "berth/client/credential_source.h"
#include "berth/client/http_worker.h"
#include "berth/client/server_address.h"

namespace berth::client {

Result<std::unique_ptr<HttpLoop>> HttpLoop::make(const Endpoint& endpoint, Options options) {
  auto address = parse_server_address(endpoint);
  if (!address) return fail(std::move(address).error());
  auto credentials = CredentialSource::make(endpoint, options.warn);
  if (!credentials) return fail(std::move(credentials).error());
  auto worker =
      std::make_unique<HttpWorker>(endpoint, std::move(options), *std::move(address), *std::move(credentials));
  if (const auto begun = worker->begin(); !begun) return fail(begun.error());
  return std::unique_ptr<HttpLoop>(new HttpLoop(std::move(worker)));
}

HttpLoop::HttpLoop(std::unique_ptr<HttpWorker> worker) : worker_(std::move(worker)) {}

HttpLoop::~HttpLoop() {
  worker_->stop();
}

Instant HttpLoop::now() const {
  return clock_now();
}

Instant HttpLoop::wall_now() const {
  return wall_clock_now();
}

TimerId HttpLoop::after(Duration delay, std::function<void()> fn) {
  return worker_->after(delay, std::move(fn));
}

void HttpLoop::cancel_timer(TimerId timer) {
  worker_->cancel_timer(timer);
}

void HttpLoop::post(std::function<void()> fn) {
  worker_->post(std::move(fn));
}

RequestId HttpLoop::start(Request request, std::function<void(Response)> on_end) {
  return worker_->start(std::move(request), std::move(on_end));
}

RequestId HttpLoop::start_stream(Request request, StreamHandler handler) {
  return worker_->start_stream(std::move(request), std::move(handler));
}

void HttpLoop::cancel(RequestId request) {
  worker_->cancel(request);
}

}  // namespace berth::client
