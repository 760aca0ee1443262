// One Lease on a server, and candidates for it behind networks and clocks of their own: for tests of leader election in
// virtual time.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/cluster.h"
#include "berth/base/flat_map.h"
#include "berth/base/rng.h"
#include "berth/client/testing.h"
#include "berth/codec/json.h"
#include "berth/daemon/leader_election.h"

namespace berth::daemon {

// Objects whose fields are known by name only.
using JsonFields = FlatMap<api::RawJson>;

class NoLogSink final : public LogSink {
 public:
  void write(std::string_view) override {}
};

struct QuietLog {
  NoLogSink sink;
  Log log{{}, [] { return Instant::from_unix_seconds(0); }, sink};
};

// An API server that has room for one Lease and keeps it as it came, but for the resourceVersion.
class LeaseServer {
 public:
  client::Response handle(const client::Request& request) {
    client::Response response;
    if (request.method == client::Method::kPost) {
      if (stored_) return refuse(409, "AlreadyExists");
      return store(request.body, 201);
    }
    if (!stored_) return refuse(404, "NotFound");
    if (request.method == client::Method::kPut) {
      const auto sent = codec::from_json<api::Lease>(request.body);
      EXPECT_TRUE(sent.has_value()) << request.body;
      if (sent->metadata.resource_version != std::to_string(version_)) return refuse(409, "Conflict");
      return store(request.body, 200);
    }
    response.status = 200;
    response.body = *stored_;
    return response;
  }

  api::Lease lease() const { return *codec::from_json<api::Lease>(stored_.value_or("{}")); }
  api::LeaseSpec spec() const { return lease().spec; }
  std::string holder() const { return spec().holder_identity.value_or(""); }
  const std::string& json() const { return *stored_; }
  // As kubectl edit would.
  void put(std::string_view json) { store(json, 200); }
  void remove() { stored_.reset(); }

 private:
  client::Response refuse(int status, std::string_view reason) {
    client::Response response;
    response.status = status;
    response.body = fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"{}","code":{}}})",
                                reason, status);
    return response;
  }
  client::Response store(std::string_view json, int status) {
    auto whole = codec::from_json<JsonFields>(json);
    auto metadata = codec::from_json<JsonFields>((*whole)[Symbol("metadata")].text);
    (*metadata)[Symbol("resourceVersion")].text = fmt::format("\"{}\"", ++version_);
    (*whole)[Symbol("metadata")].text = codec::to_json(*metadata);
    stored_ = codec::to_json(*whole);
    client::Response response;
    response.status = status;
    response.body = *stored_;
    return response;
  }

  int version_ = 0;
  std::optional<std::string> stored_;
};

// Carries requests to the server and answers back, as slowly and as badly as it is told to. A request that timed out at
// this end may still reach the server.
class Network final : public client::Transport {
 public:
  Network(client::Loop& loop, LeaseServer& server, Rng rng) : loop_(loop), server_(server), rng_(rng) {}

  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override {
    const client::RequestId id = ++last_;
    log.push_back(std::string(to_string(request.method)));
    if (request.timeout > Duration()) {
      loop_.after(request.timeout, [this, id] {
        client::Response response;
        response.transfer = client::Response::Transfer::kBroken;
        response.error = "timed out";
        end(id, response);
      });
    }
    open_[id] = std::move(on_end);
    if (is_cut || rng_.chance(loss_per_mille, 1000)) return id;
    loop_.after(delay(max_delay_there), [this, id, request = std::move(request)] {
      client::Response response = server_.handle(request);
      if (is_cut || rng_.chance(loss_per_mille, 1000)) return;
      loop_.after(delay(max_delay_back), [this, id, response = std::move(response)] { end(id, response); });
    });
    return id;
  }
  client::RequestId start_stream(client::Request, client::StreamHandler) override { return 0; }
  void cancel(client::RequestId id) override { open_.erase(id); }

  bool is_cut = false;
  std::uint64_t loss_per_mille = 0;
  Duration max_delay_there;
  Duration max_delay_back;
  std::vector<std::string> log;

 private:
  Duration delay(Duration at_most) { return Duration::nanoseconds(rng_.in_range(0, at_most.nanoseconds())); }
  void end(client::RequestId id, const client::Response& response) {
    auto node = open_.extract(id);
    if (!node.empty()) node.mapped()(response);
  }

  client::Loop& loop_;
  LeaseServer& server_;
  Rng rng_;
  client::RequestId last_ = 0;
  std::map<client::RequestId, std::function<void(client::Response)>> open_;
};

// The loop of one machine: its clock on the wall is its own.
class Machine final : public client::Loop {
 public:
  explicit Machine(client::FakeLoop& loop) : loop_(loop) {}
  Instant now() const override { return loop_.now(); }
  Instant wall_now() const override { return loop_.wall_now() + wall_offset; }
  client::TimerId after(Duration delay, std::function<void()> fn) override { return loop_.after(delay, std::move(fn)); }
  void cancel_timer(client::TimerId timer) override { loop_.cancel_timer(timer); }
  void post(std::function<void()> fn) override { loop_.post(std::move(fn)); }

  Duration wall_offset;

 private:
  client::FakeLoop& loop_;
};

// One candidate, with what it was told.
struct Candidate {
  Candidate(client::FakeLoop& loop, LeaseServer& server, std::string name, std::uint64_t seed = 1,
            LeaderElectionOptions options = {})
      : machine(loop), network(machine, server, Rng(seed).fork(1)) {
    options.identity = std::move(name);
    identity = options.identity;
    elector = std::make_unique<LeaderElector>(
        machine, network, quiet.log, Rng(seed).fork(2), options,
        LeaderElectionCallbacks{
            .on_started_leading = [this] { started = true; },
            .on_stopped_leading = [this] { lost = true; },
            .on_new_leader = [this](const std::string& leader) { leaders.push_back(leader); },
            .publish = [this](api::Event event) { events.push_back(std::move(event)); },
        });
    elector->start();
  }

  QuietLog quiet;
  Machine machine;
  Network network;
  std::string identity;
  bool started = false;
  bool lost = false;
  std::vector<std::string> leaders;
  std::vector<api::Event> events;
  std::unique_ptr<LeaderElector> elector;
};

}  // namespace berth::daemon
