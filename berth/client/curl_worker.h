// The thread behind CurlLoop (curl_loop.h): takes turns between posted work, timers, libcurl and an exec plugin.
// Internal to the real transport.
//
// Everything but post() and stop() happens on the one thread. libcurl's callbacks only store what came (see
// curl_transfer.h); users are called when libcurl has returned, so they may start and cancel requests at will.
#pragma once

#include <curl/curl.h>

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
#include "berth/client/curl_handles.h"
#include "berth/client/curl_loop.h"
#include "berth/client/curl_transfer.h"
#include "berth/client/endpoint.h"
#include "berth/client/exec_plugin.h"
#include "berth/client/server_address.h"
#include "berth/client/timer_queue.h"
#include "berth/client/transport.h"

namespace berth::client {

class CurlWorker {
 public:
  CurlWorker(const Endpoint& endpoint, CurlLoop::Options options, ServerAddress address, CredentialSource credentials);
  // Requires: stopped, or never begun.
  ~CurlWorker();
  CurlWorker(const CurlWorker&) = delete;
  CurlWorker& operator=(const CurlWorker&) = delete;

  // Starts the thread.
  void begin();
  // Ends it; no callback runs after this.
  void stop();

  void post(std::function<void()> fn);

  // On the thread.
  TimerId after(Duration delay, std::function<void()> fn);
  void cancel_timer(TimerId timer);
  RequestId start(Request request, std::function<void(Response)> on_answer);
  RequestId start_stream(Request request, StreamHandler handler);
  void cancel(RequestId request);

  static Instant now();
  static Instant wall_now();

 private:
  using Transfers = std::unordered_map<RequestId, std::unique_ptr<CurlTransfer>>;

  void check_thread() const;
  void run();
  // False when it is time to stop.
  bool run_posted();
  void perform();
  void wait();

  CurlTransfer& add_transfer(Request request);
  // One request's way: begin, or wait for the plugin, send, deliver, finish, or another round after a 401.
  void begin_transfer(CurlTransfer& transfer);
  void send(CurlTransfer& transfer);
  void add_headers(CurlTransfer& transfer) const;
  void detach(CurlTransfer& transfer);
  void deliver(RequestId request);
  void finish(RequestId request, CURLcode code);
  bool try_again_after_401(CurlTransfer& transfer);
  // Ends the request with a response; not from within start().
  void end(RequestId request, Response response);
  void fail_transfer(RequestId request, Response::Transfer how, const std::string& what);
  void set_timers(CurlTransfer& transfer);
  void check_idle(RequestId request);
  void time_out(RequestId request, const std::string& what);
  std::string describe(const CurlTransfer& transfer, CURLcode code) const;

  // The exec plugin, which all requests wait for when its credential is missing or expired.
  void start_plugin();
  void check_plugin();
  void finish_plugin(const Result<ExecCredential>& result);

  // Connections that may be dead although nobody has said so: see curl_connections.cc.
  void check_connections();
  curl_socket_t silent_connection() const;
  void start_probe(curl_socket_t fd);
  void give_up_connection(curl_socket_t fd);

  const Endpoint endpoint_;
  const CurlLoop::Options options_;
  const ServerAddress address_;
  const std::string url_prefix_;
  CredentialSource credentials_;
  CurlHandles handles_;
  CURLM* multi_ = nullptr;

  TimerQueue timers_;
  Transfers transfers_;
  RequestId last_request_ = 0;
  std::vector<RequestId> touched_;

  std::unique_ptr<PluginProcess> plugin_;
  std::vector<RequestId> waiting_for_plugin_;
  TimerId plugin_timer_ = 0;
  Instant plugin_started_at_;
  // A plugin that fails, or whose answer the server refuses, is not run again at once for every request.
  Instant plugin_failed_at_;
  std::string plugin_error_;

  TimerId connections_timer_ = 0;
  RequestId probe_ = 0;
  TimerId probe_timer_ = 0;
  Instant next_probe_at_;
  bool speaks_http2_ = false;

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
  bool is_stopping_ = false;                   // guarded by mutex_
  std::thread thread_;
};

}  // namespace berth::client
