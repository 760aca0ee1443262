#include "berth/daemon/forwarding_transport.h"

#include <utility>

namespace berth::daemon {

client::RequestId ForwardingTransport::start(client::Request request, std::function<void(client::Response)> on_end) {
  const client::RequestId id = ++last_id_;
  waiting_.emplace(id, std::move(on_end));
  away_.post([this, id, sent = std::move(request)]() mutable {
    started_[id] = transport_.start(std::move(sent), [this, id](client::Response response) {
      started_.erase(id);
      home_.post([this, id, answer = std::move(response)]() mutable { ended(id, std::move(answer)); });
    });
  });
  return id;
}

client::RequestId ForwardingTransport::start_stream(client::Request, client::StreamHandler handler) {
  const client::RequestId id = ++last_id_;
  waiting_.emplace(id, handler.on_end);
  client::Response response;
  response.transfer = client::Response::Transfer::kNotSent;
  response.error = "streams are not supported by this transport";
  home_.post([this, id, response] { ended(id, response); });
  return id;
}

void ForwardingTransport::cancel(client::RequestId request) {
  if (waiting_.erase(request) == 0) return;
  away_.post([this, request] {
    const auto started = started_.find(request);
    if (started == started_.end()) return;
    transport_.cancel(started->second);
    started_.erase(started);
  });
}

void ForwardingTransport::ended(client::RequestId id, client::Response response) {
  auto waiting = waiting_.extract(id);
  if (!waiting.empty()) waiting.mapped()(std::move(response));
}

}  // namespace berth::daemon
