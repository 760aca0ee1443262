#include "berth/client/curl_loop.h"

#include <utility>

#include "berth/client/credential_source.h"
#include "berth/client/curl_worker.h"
#include "berth/client/server_address.h"

namespace berth::client {

Result<std::unique_ptr<CurlLoop>> CurlLoop::make(const Endpoint& endpoint, Options options) {
  auto address = parse_server_address(endpoint);
  if (!address) return fail(std::move(address).error());
  auto credentials = CredentialSource::make(endpoint, options.warn);
  if (!credentials) return fail(std::move(credentials).error());
  auto worker =
      std::make_unique<CurlWorker>(endpoint, std::move(options), *std::move(address), *std::move(credentials));
  worker->begin();
  return std::unique_ptr<CurlLoop>(new CurlLoop(std::move(worker)));
}

CurlLoop::CurlLoop(std::unique_ptr<CurlWorker> worker) : worker_(std::move(worker)) {}

CurlLoop::~CurlLoop() {
  worker_->stop();
}

Instant CurlLoop::now() const {
  return CurlWorker::now();
}

Instant CurlLoop::wall_now() const {
  return CurlWorker::wall_now();
}

TimerId CurlLoop::after(Duration delay, std::function<void()> fn) {
  return worker_->after(delay, std::move(fn));
}

void CurlLoop::cancel_timer(TimerId timer) {
  worker_->cancel_timer(timer);
}

void CurlLoop::post(std::function<void()> fn) {
  worker_->post(std::move(fn));
}

RequestId CurlLoop::start(Request request, std::function<void(Response)> on_end) {
  return worker_->start(std::move(request), std::move(on_end));
}

RequestId CurlLoop::start_stream(Request request, StreamHandler handler) {
  return worker_->start_stream(std::move(request), std::move(handler));
}

void CurlLoop::cancel(RequestId request) {
  worker_->cancel(request);
}

}  // namespace berth::client
