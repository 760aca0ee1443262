// A transport that lives on another loop, made usable from this one: requests are handed over, answers handed back. The
// dispatcher calls extenders through it, each of which has a loop of its own because its certificates are its own.
//
// All calls on the thread of `home`. It outlives everything posted to both loops.
#pragma once

#include <functional>
#include <unordered_map>

#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::daemon {

class ForwardingTransport final : public client::Transport {
 public:
  // All outlive it.
  ForwardingTransport(client::Loop& home, client::Loop& away, client::Transport& transport)
      : home_(home), away_(away), transport_(transport) {}

  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override;
  // Streams are not forwarded, because no caller needs them. Such a request fails at once, unsent.
  client::RequestId start_stream(client::Request request, client::StreamHandler handler) override;
  void cancel(client::RequestId request) override;

 private:
  void ended(client::RequestId id, client::Response response);

  client::Loop& home_;
  client::Loop& away_;
  client::Transport& transport_;
  // On the home thread.
  client::RequestId last_id_ = 0;
  std::unordered_map<client::RequestId, std::function<void(client::Response)>> waiting_;
  // On the away thread.
  std::unordered_map<client::RequestId, client::RequestId> started_;
};

}  // namespace berth::daemon
