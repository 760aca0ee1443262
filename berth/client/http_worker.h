// The thread behind HttpLoop (http_loop.h): takes turns between posted work, timers, the wire that moves the bytes
// (wire.h) and an exec plugin. Internal to the real transport.
//
// Everything but post() and stop() happens on the one thread. The wire only stores what came; users are called when it
// has returned, so they may start and cancel requests at will.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/endpoint.h"
#include "berth/client/exec_plugin.h"
#include "berth/client/http_loop.h"
#include "berth/client/server_address.h"
#include "berth/client/timer_queue.h"
#include "berth/client/transfer.h"
#include "berth/client/transport.h"
#include "berth/client/wakeup_fd.h"
#include "berth/client/wire.h"

namespace berth::client {

class HttpWorker {
 public:
  HttpWorker(const Endpoint& endpoint, HttpLoop::Options options, ServerAddress address, CredentialSource credentials);
  // Requires: stopped, or never begun.
  ~HttpWorker();
  HttpWorker(const HttpWorker&) = delete;
  HttpWorker& operator=(const HttpWorker&) = delete;

  // Starts the thread. The error: what the server needs is not there.
  Result<void> begin();
  // Ends it; no callback runs after this.
  void stop();

  void post(std::function<void()> fn);

  // On the thread.
  TimerId after(Duration delay, std::function<void()> fn);
  void cancel_timer(TimerId timer);
  RequestId start(Request request, std::function<void(Response)> on_answer);
  RequestId start_stream(Request request, StreamHandler handler);
  void cancel(RequestId request);

 private:
  using Transfers = std::unordered_map<RequestId, std::unique_ptr<Transfer>>;

  void check_thread() const;
  void run();
  // False when it is time to stop.
  bool run_posted();
  void perform();
  void wait();
  void change_to_http1();

  Transfer& add_transfer(Request request);
  // One request's way: begin, or wait for the plugin, send, deliver, finish, or another round after a 401.
  void begin_transfer(Transfer& transfer);
  void send(Transfer& transfer);
  void add_headers(Transfer& transfer) const;
  std::unique_ptr<Transfer> take(RequestId request);
  void deliver(RequestId request);
  void finish(const WireNews::End& end);
  bool try_again_after_401(Transfer& transfer);
  // Ends the request with a response; not from within start().
  void end(RequestId request, Response response);
  void fail_transfer(RequestId request, Response::Transfer how, const std::string& what);
  void set_timers(Transfer& transfer);
  void check_idle(RequestId request);
  void time_out(RequestId request, const std::string& what);

  // The exec plugin, which all requests wait for when its credential is missing or expired.
  void start_plugin();
  void check_plugin();
  void finish_plugin(const Result<ExecCredential>& result);
  // Those who wait go on with what there is, or are told what is wrong with the plugin.
  void end_wait_for_plugin();

  const Endpoint endpoint_;
  const HttpLoop::Options options_;
  const ServerAddress address_;
  CredentialSource credentials_;

  TimerQueue timers_;
  Transfers transfers_;
  RequestId last_request_ = 0;
  const std::shared_ptr<WakeupFd> wakeup_ = std::make_shared<WakeupFd>();
  WireNews news_;
  std::unique_ptr<Wire> wire_;

  std::unique_ptr<PluginProcess> plugin_;
  std::vector<RequestId> waiting_for_plugin_;
  TimerId plugin_timer_ = 0;  // set: those who wait will hear of it
  Instant plugin_started_at_;
  // A plugin that fails, or whose answer the server refuses, is not run again at once for every request.
  Instant plugin_failed_at_;
  std::string plugin_error_;  // of its last run; empty: it went well, or another is due

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
  bool is_stopping_ = false;                   // guarded by mutex_
  std::thread thread_;
};

}  // namespace berth::client
