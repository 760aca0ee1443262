// One end of bench/cluster/run: makes the load and watches what becomes of it. The schedulers are other processes.
//
//   bench-cluster --kubeconfig FILE nodes N | pods N | floor N | measure N | steady RATE SECONDS | clear
//
// What is measured goes to standard output as one line of JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/cluster/objects.h"
#include "bench/cluster/requests.h"
#include "bench/cluster/watch.h"
#include "berth/client/http_loop.h"
#include "berth/client/kubeconfig.h"

namespace {

using berth::Duration;
using berth::Instant;
using berth::Result;
namespace bench = berth::bench;
namespace client = berth::client;

constexpr std::size_t kAtATime = 32;
constexpr std::size_t kBindsAtATime = 64;  // what the floor in docs/benchmarks.md is measured with
constexpr Duration kPatience = Duration::minutes(10);
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kEvents = "/apis/events.k8s.io/v1/namespaces/default/events";

struct Work {
  std::string kubeconfig;
  std::string shape = "plain";
  std::string scheduler = "default-scheduler";
  std::size_t count = 0;
  std::size_t first = 0;
  std::size_t on_nodes = 0;  // pods are on this many nodes from the start
  std::size_t nodes = 1;
  double per_second = 0;
  double seconds = 0;

  bench::Shape pod_shape() const { return shape == "mixed" ? bench::Shape::kMixed : bench::Shape::kPlain; }
};

client::Request post(std::string path, std::string body) {
  client::Request request;
  request.method = client::Method::kPost;
  request.path = std::move(path);
  request.body = std::move(body);
  request.content_type = "application/json";
  request.accept = kProtobuf;
  return request;
}

Result<void> make_nodes(client::HttpLoop& loop, const Work& work) {
  return bench::flood(loop, work.count, kAtATime, [](std::size_t i) { return post(kNodes, bench::node_json(i)); });
}

Result<void> make_pods(client::HttpLoop& loop, const Work& work) {
  return bench::flood(loop, work.count, kAtATime, [&](std::size_t i) {
    const std::string node = work.on_nodes > 0 ? bench::node_name(i % work.on_nodes) : std::string();
    return post(kPods, bench::pod_json(work.first + i, work.pod_shape(), work.scheduler, node));
  });
}

void print(const bench::Rate& rate) {
  fmt::print(R"({{"pods":{},"per_second":{:.1f},"seconds":{:.3f}}})"
             "\n",
             rate.pods, rate.per_second, rate.seconds);
}

// Binds without deciding: the most that this API server does on this machine.
Result<void> bind_without_deciding(client::HttpLoop& loop, const Work& work) {
  auto watch = bench::BindWatch::start(loop);
  if (!watch) return berth::fail(watch.error());
  const auto bound = bench::flood(loop, work.count, kBindsAtATime, [&](std::size_t i) {
    const std::string pod = bench::pod_name(i);
    client::Request request =
        post(fmt::format("{}/{}/binding", kPods, pod), bench::binding_protobuf(pod, bench::node_name(i % work.nodes)));
    request.content_type = kProtobuf;
    return request;
  });
  if (!bound) return bound;
  (*watch)->wait(work.count, kPatience);
  print(bench::rate_of((*watch)->bound()));
  return {};
}

Result<void> measure(client::HttpLoop& loop, const Work& work) {
  auto watch = bench::BindWatch::start(loop);
  if (!watch) return berth::fail(watch.error());
  fmt::print(stderr, "watching\n");  // bench/cluster/run starts the scheduler when it reads this
  (*watch)->wait(work.count, kPatience);
  print(bench::rate_of((*watch)->bound()));
  return {};
}

// Pods at a steady rate, each timed from the moment its creation was asked for.
class SteadyLoad {
 public:
  SteadyLoad(client::HttpLoop& loop, const Work& work) : loop_(loop), work_(work), left_(work.count) {}

  std::map<std::string, Instant> run() {
    loop_.post([this] {
      next_at_ = loop_.now();
      send();
    });
    all_sent_.get_future().get();
    return began_;
  }

 private:
  void send() {
    const std::size_t i = work_.first + sent_++;
    began_[bench::pod_name(i)] = loop_.now();
    loop_.start(post(kPods, bench::pod_json(i, work_.pod_shape(), work_.scheduler)), [this](const client::Response&) {
      if (++answered_ == left_) all_sent_.set_value();
    });
    if (sent_ == left_) return;
    next_at_ = next_at_ + Duration::nanoseconds(static_cast<std::int64_t>(1e9 / work_.per_second));
    loop_.after(next_at_ - loop_.now(), [this] { send(); });
  }

  client::HttpLoop& loop_;
  const Work& work_;
  std::size_t left_;
  std::size_t sent_ = 0;
  std::size_t answered_ = 0;
  Instant next_at_;
  std::map<std::string, Instant> began_;
  std::promise<void> all_sent_;
};

Result<void> steady(client::HttpLoop& loop, Work work) {
  work.count = std::max<std::size_t>(1, static_cast<std::size_t>(work.per_second * work.seconds));
  auto watch = bench::BindWatch::start(loop);
  if (!watch) return berth::fail(watch.error());
  const auto began = SteadyLoad(loop, work).run();
  (*watch)->wait(work.count, Duration::seconds(60));
  std::vector<double> milliseconds;
  for (const auto& [name, at] : (*watch)->bound()) {
    if (const auto start = began.find(name); start != began.end()) {
      milliseconds.push_back((at - start->second).in_seconds() * 1e3);
    }
  }
  std::ranges::sort(milliseconds);
  fmt::print(R"({{"pods":{},"created":{},"p50_ms":{:.1f},"p99_ms":{:.1f},"max_ms":{:.1f}}})"
             "\n",
             milliseconds.size(), began.size(), bench::quantile(milliseconds, 0.5), bench::quantile(milliseconds, 0.99),
             bench::quantile(milliseconds, 1));
  return {};
}

Result<void> clear(client::HttpLoop& loop, const Work& work) {
  const std::vector<std::string> collections =
      work.nodes > 0 ? std::vector<std::string>{kPods, kEvents, kNodes} : std::vector<std::string>{kPods, kEvents};
  return bench::flood(loop, collections.size(), 1, [&](std::size_t i) {
    client::Request request;
    request.method = client::Method::kDelete;
    request.path = collections[i];
    request.timeout = kPatience;
    return request;
  });
}

int run(const Work& work, const std::function<Result<void>(client::HttpLoop&, const Work&)>& what) {
  const auto endpoint = client::read_kubeconfig({work.kubeconfig});
  if (!endpoint) {
    fmt::print(stderr, "bench-cluster: {}\n", endpoint.error().message());
    return 1;
  }
  auto loop = client::HttpLoop::make(*endpoint, {});
  if (!loop) {
    fmt::print(stderr, "bench-cluster: {}\n", loop.error().message());
    return 1;
  }
  if (const auto done = what(**loop, work); !done) {
    fmt::print(stderr, "bench-cluster: {}\n", done.error().message());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes the load for bench/cluster/run and measures what becomes of it.");
  Work work;
  app.add_option("--kubeconfig", work.kubeconfig)->required();
  app.add_option("--shape", work.shape)->check(CLI::IsMember({"plain", "mixed"}));
  app.add_option("--scheduler", work.scheduler);
  app.add_option("--first", work.first, "number of the first pod");
  app.require_subcommand(1);
  int status = 0;
  const auto add = [&](const char* name, std::function<Result<void>(client::HttpLoop&, const Work&)> what) {
    CLI::App* command = app.add_subcommand(name);
    command->fallthrough();
    command->callback([&work, &status, what = std::move(what)] { status = run(work, what); });
    return command;
  };
  add("nodes", make_nodes)->add_option("count", work.count)->required();
  CLI::App* pods = add("pods", make_pods);
  pods->add_option("count", work.count)->required();
  pods->add_option("--on-nodes", work.on_nodes, "they are on this many nodes already");
  CLI::App* floor_command = add("floor", bind_without_deciding);
  floor_command->add_option("count", work.count)->required();
  floor_command->add_option("--nodes", work.nodes);
  add("measure", measure)->add_option("count", work.count)->required();
  CLI::App* steady_command = add("steady", steady);
  steady_command->add_option("rate", work.per_second)->required();
  steady_command->add_option("seconds", work.seconds)->required();
  add("clear", clear)->add_option("--nodes", work.nodes, "0: keep the nodes");
  CLI11_PARSE(app, argc, argv);
  return status;
}
