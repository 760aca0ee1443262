#include "berth/daemon/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "berth/api/label_selector_text.h"
#include "berth/base/known_symbol.h"
#include "berth/codec/json.h"
#include "berth/config/write.h"
#include "berth/daemon/endpoints_resources.h"
#include "berth/daemon/endpoints_view.h"
#include "berth/daemon/endpoints_zpages.h"
#include "berth/explain/cluster.h"
#include "berth/explain/pending.h"
#include "berth/serve/compression.h"

namespace berth::daemon {

namespace {

using serve::Call;
using serve::Reply;

constexpr std::string_view kPodsPath = "/berth/v1/pods/";
constexpr std::string_view kNodesPath = "/berth/v1/nodes/";
constexpr std::size_t kDefaultQueueLimit = 20;
// More would keep the engine for long.
constexpr std::size_t kMaxQueueLimit = 1000;
// Of classes of pods at nodes: 60 classes on 5,000 nodes. An answer has to be there within the server's 30 seconds.
constexpr std::size_t kMaxPendingLooks = 300'000;
constexpr int kIndent = 2;
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

Reply metrics_reply(std::string text) {
  return {.status = 200, .content_type = kMetricsType, .body = std::move(text), .headers = {}};
}

Reply engine_stopped() {
  return Reply::error(503, "the scheduler is shutting down");
}

Reply problem(int status, std::string_view text) {
  return Reply::json(fmt::format("{{\"error\":{}}}\n", codec::to_json(std::string(text))), status);
}

template <typename T>
Reply answer(const T& value) {
  return Reply::json(codec::to_json(value, kIndent) + "\n");
}

// Nothing if it is no whole number from 1 on.
std::optional<std::size_t> parse_limit(std::string_view text) {
  std::size_t limit = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (code != std::errc() || end != text.data() + text.size() || limit == 0) return std::nullopt;
  return std::min(limit, kMaxQueueLimit);
}

bool is_true(std::optional<std::string_view> value, bool otherwise) {
  return value ? *value != "false" && *value != "0" : otherwise;
}

void write_health(const std::vector<serve::HealthCounts::Counts>& counts, MetricText& text) {
  text.family("kubernetes_healthcheck", engine::MetricType::kGauge, engine::Stability::kStable,
              "This metric records the result of a single healthcheck.");
  for (const auto& each : counts) text.sample({{"name", each.name}, {"type", each.type}}, each.is_well ? 1 : 0);
  text.family("kubernetes_healthchecks_total", engine::MetricType::kCounter, engine::Stability::kStable,
              "This metric records the results of all healthcheck.");
  for (const auto& each : counts) {
    if (each.errors > 0) {
      text.sample({{"name", each.name}, {"status", "error"}, {"type", each.type}}, static_cast<double>(each.errors));
    }
    if (each.successes > 0) {
      text.sample({{"name", each.name}, {"status", "success"}, {"type", each.type}},
                  static_cast<double>(each.successes));
    }
  }
}

std::string sli_metrics(const std::vector<serve::HealthCounts::Counts>& counts) {
  MetricText text;
  if (!counts.empty()) write_health(counts, text);
  start_time_metrics()(text);
  return text.text();
}

// As kube-scheduler answers at /debug/flags/v, in Go's words about numbers.
Reply verbosity_reply(int status, std::string text) {
  Reply reply = Reply::error(status, std::move(text));
  reply.content_type = "text/plain";
  return reply;
}

// The handlers and what they share.
class Endpoints {
 public:
  explicit Endpoints(EndpointOptions options) : options_(std::move(options)) {}

  const EndpointOptions& options() const { return options_; }

  Reply metrics() const {
    std::string text;
    if (options_.metrics != nullptr) {
      (void)options_.ask([&](engine::Scheduler&) { text = options_.metrics->to_text(); });
    }
    if (options_.component_metrics != nullptr) text += options_.component_metrics->to_text();
    return metrics_reply(sorted_families(text, options_.disabled_metrics));
  }

  Reply resources() const {
    if (options_.is_leader && !options_.is_leader()) return Reply::text("");
    std::vector<api::PodPtr> pods;
    const bool is_answered = options_.ask([&](engine::Scheduler& scheduler) { pods = scheduler.pods(); });
    return is_answered ? metrics_reply(pod_resource_metrics(pods)) : engine_stopped();
  }

  Reply configz() const {
    return Reply::json(fmt::format("{{\"componentconfig\":{}}}", config::to_json(options_.config.config)));
  }

  Reply pod(const Call& call) {
    const std::string_view rest = std::string_view(call.path).substr(kPodsPath.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == rest.size()) {
      return problem(400, "invalid path, expected /berth/v1/pods/NAMESPACE/NAME");
    }
    const std::optional<Symbol> name_space = known_symbol(rest.substr(0, slash));
    const std::string_view name = rest.substr(slash + 1);
    std::optional<PodAnswer> found;
    api::PodPtr object;
    std::vector<api::AnyObject> cluster;
    // One at a time: an explanation copies the cluster.
    const std::lock_guard lock(explaining_);
    const bool is_answered = options_.ask([&](engine::Scheduler& scheduler) {
      if (name_space) found = pod_answer(scheduler, *name_space, name);
      if (!found) return;
      object = scheduler.find_pod(*name_space, name);
      // Of a pod that has its node there is nothing to work out.
      if (found->node.empty() && is_true(call.query_value("explain"), true)) cluster = cluster_copy(scheduler);
    });
    if (!is_answered) return engine_stopped();
    if (!found) return problem(404, fmt::format("pod {} not found, or it has terminated", rest));
    explain_pod(*found, object, cluster, options_.config, options_.gates, options_.now());
    return answer(*found);
  }

  Reply pending(const Call& call) {
    auto labels = api::parse_label_selector(call.query_value("labelSelector").value_or(""));
    if (!labels) return problem(400, labels.error().message());
    const explain::PendingQuery query{.name_space = std::string(call.query_value("namespace").value_or("")),
                                      .labels = *std::move(labels)};
    const std::lock_guard lock(explaining_);
    std::vector<api::AnyObject> objects;
    if (!options_.ask([&](engine::Scheduler& scheduler) { objects = cluster_copy(scheduler); })) {
      return engine_stopped();
    }
    explain::Cluster cluster(objects);
    const auto report = explain::explain_pending(cluster, query, options_.config, options_.gates, kMaxPendingLooks);
    return report ? answer(*report) : problem(500, report.error().message());
  }

  Reply queue(const Call& call) const {
    const auto text = call.query_value("limit");
    const std::optional<std::size_t> limit = text ? parse_limit(*text) : kDefaultQueueLimit;
    if (!limit) return problem(400, "limit must be a positive integer");
    QueueAnswer result;
    const bool is_answered =
        options_.ask([&](engine::Scheduler& scheduler) { result = queue_answer(scheduler, *limit); });
    return is_answered ? answer(result) : engine_stopped();
  }

  Reply node(const Call& call) const {
    const std::string_view name = std::string_view(call.path).substr(kNodesPath.size());
    const std::optional<Symbol> known = known_symbol(name);
    std::optional<NodeCopy> copy;
    const bool is_answered = options_.ask([&](engine::Scheduler& scheduler) {
      if (known) copy = node_copy(scheduler, *known);
    });
    if (!is_answered) return engine_stopped();
    return copy ? answer(node_answer(*copy)) : problem(404, fmt::format("node {} not found", name));
  }

  Reply verbosity(const Call& call) const {
    if (call.method != "PUT") return verbosity_reply(406, "unsupported http method");
    std::uint32_t level = 0;
    const std::string_view text = call.body;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (code == std::errc::invalid_argument || end != text.data() + text.size()) {
      return verbosity_reply(400,
                             fmt::format("strconv.ParseUint: parsing {}: invalid syntax", codec::to_json(call.body)));
    }
    if (code != std::errc() || level > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) {
      return verbosity_reply(
          400, fmt::format("strconv.ParseUint: parsing {}: value out of range", codec::to_json(call.body)));
    }
    options_.set_verbosity(static_cast<int>(level));
    return verbosity_reply(200, fmt::format("successfully set klog.logging.verbosity to {}", text));
  }

 private:
  const EndpointOptions options_;
  std::mutex explaining_;
};

void add_pages(serve::Routes& routes, const std::shared_ptr<Endpoints>& endpoints) {
  const EndpointOptions& options = endpoints->options();
  const bool has_cbor = options.gates.enabled(config::Feature::kCBORServingAndStorage);
  if (options.gates.enabled(config::Feature::kComponentFlagz)) {
    routes.add("/flagz", serve::read_only([endpoints, has_cbor](const Call& call) {
                 return flagz(call, endpoints->options().flags, has_cbor);
               }));
  }
  if (!options.gates.enabled(config::Feature::kComponentStatusz)) return;
  // As kube-scheduler lists them: not its own path, none below /debug, and none of Berth's own.
  std::vector<std::string> paths = routes.paths();
  std::erase_if(paths,
                [](const std::string& path) { return path.starts_with("/debug/") || path.starts_with("/berth/"); });
  routes.add("/statusz", serve::read_only([endpoints, paths, has_cbor](const Call& call) {
               const EndpointOptions& given = endpoints->options();
               return statusz(call,
                              {.started_at = given.started_at,
                               .now = given.now(),
                               .binary_version = given.binary_version,
                               .emulation_version = given.emulation_version,
                               .paths = paths},
                              has_cbor);
             }));
}

}  // namespace

serve::Routes make_endpoints(EndpointOptions given) {
  const auto endpoints = std::make_shared<Endpoints>(std::move(given));
  const EndpointOptions& options = endpoints->options();
  const auto counts = std::make_shared<serve::HealthCounts>();
  serve::Routes routes;
  serve::add_health(routes, "/healthz", options.healthz, counts);
  serve::add_health(routes, "/livez", options.livez, counts);
  serve::add_health(routes, "/readyz", options.readyz, counts);

  const auto add = [&routes](std::string path, serve::Handler handler) {
    routes.add(std::move(path), serve::read_only(std::move(handler)));
  };
  const auto add_metrics = [&add](std::string path, serve::Handler handler) {
    add(std::move(path), serve::compressed(std::move(handler)));
  };
  add_metrics("/metrics", [endpoints](const Call&) { return endpoints->metrics(); });
  add_metrics("/metrics/resources", [endpoints](const Call&) { return endpoints->resources(); });
  add_metrics("/metrics/slis", [counts](const Call&) { return metrics_reply(sli_metrics(counts->all())); });
  add("/configz", [endpoints](const Call&) { return endpoints->configz(); });
  add("/berth/v1/pending", [endpoints](const Call& call) { return endpoints->pending(call); });
  add("/berth/v1/queue", [endpoints](const Call& call) { return endpoints->queue(call); });
  routes.add_prefix(std::string(kPodsPath),
                    serve::read_only([endpoints](const Call& call) { return endpoints->pod(call); }));
  routes.add_prefix(std::string(kNodesPath),
                    serve::read_only([endpoints](const Call& call) { return endpoints->node(call); }));
  if (options.set_verbosity && options.config.config.enable_profiling) {
    routes.add("/debug/flags/v", [endpoints](const Call& call) { return endpoints->verbosity(call); });
  }
  add_pages(routes, endpoints);
  return routes;
}

}  // namespace berth::daemon
