#include "berth/fuzz/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/rng.h"
#include "berth/fuzz/things.h"

namespace berth::fuzz {

namespace {

class Story {
 public:
  explicit Story(std::uint64_t seed)
      : rng_(seed), themes_(Themes::draw(rng_)), things_(rng_, themes_, result_.features) {}

  GeneratedScenario tell(std::uint64_t seed) {
    settings(seed);
    cluster();
    const bool comes_to_rest = things_.one_in(2) && things_.restless_workloads().empty();
    add(comes_to_rest ? "run until idle within 10m" : fmt::format("run {}s", things_.between(0, 5)));
    if (themes_.latencies) latencies();
    if (themes_.faults) faults();
    events();
    ending();
    return std::move(result_);
  }

 private:
  struct Event {
    std::int64_t at_ms;
    std::string statement;
  };

  void add(std::string line) {
    if (!line.empty()) result_.lines.push_back(std::move(line));
  }
  std::string use(std::string_view feature, std::string text) { return things_.use(feature, std::move(text)); }

  // --- The beginning -------------------------------------------------------------------------------------------------

  void settings(std::uint64_t seed) {
    // A timeout that never comes does not hide that nobody was woken.
    has_timeout_ = things_.one_in(8);
    std::string config = fmt::format("config unschedulable-timeout={}", has_timeout_ ? "1m" : "24h");
    if (things_.one_in(3)) config += fmt::format(" backoff=1s..{}s", things_.between(1, 5));
    add(std::move(config));
    add(fmt::format("seed {}", seed % 1'000'000 + 1));
  }

  void cluster() {
    const std::int64_t nodes = things_.one_in(3) ? things_.between(1, 3) : things_.between(2, 12);
    for (std::int64_t n = 0; n < nodes; ++n) add(things_.node());
    for (std::string& line : things_.background()) add(std::move(line));
    // About as many as there is room for, and often more.
    const std::int64_t pods = things_.between(nodes, std::min<std::int64_t>(nodes * 6, 45));
    for (std::int64_t n = 0; n < pods; ++n) {
      const bool comes_later = things_.one_in(3);
      add_maybe_later(themes_.workloads && things_.one_in(8) ? things_.workload() : things_.pod(), comes_later);
    }
  }

  void add_maybe_later(std::string statement, bool comes_later) {
    if (comes_later) {
      events_.push_back({things_.between(0, kEnd_ms), std::move(statement)});
    } else {
      add(std::move(statement));
    }
  }

  // --- What goes wrong -----------------------------------------------------------------------------------------------

  void latencies() {
    result_.features.insert("latencies");
    static constexpr auto kLatencies = std::to_array<std::string_view>(
        {"bind 5ms..50ms", "bind ~20ms..2s", "write 1ms..30ms", "watch 1ms..40ms", "watch ~5ms..500ms",
         "attempt 1ms..10ms", "controller 1ms..100ms", "start 10ms..1s", "provision 100ms..5s", "termination 0s..3s"});
    for (std::int64_t n = things_.between(1, 3); n > 0; --n) add(fmt::format("latency {}", things_.pick(kLatencies)));
  }

  void faults() {
    result_.features.insert("faults");
    static constexpr auto kFaults =
        std::to_array<std::string_view>({"errors", "conflicts", "lost-answers", "lost-requests", "doubled-answers",
                                         "lost-watches", "reordered-watches"});
    std::string text = "faults";
    for (std::int64_t n = things_.between(1, 3); n > 0; --n) {
      const std::string_view fault = things_.pick(kFaults);
      if (text.find(fault) != std::string::npos) continue;
      text += use(fault, fmt::format(" {}={}%", fault, things_.between(1, fault == "lost-watches" ? 3 : 25)));
    }
    if (things_.one_in(3)) text += fmt::format(" relist-after={}ms", things_.between(0, 3000));
    add(std::move(text));
  }

  // --- What happens --------------------------------------------------------------------------------------------------

  void events() {
    for (std::int64_t n = things_.between(4, 30); n > 0; --n) {
      for (std::string& statement : history_event()) {
        if (!statement.empty()) events_.push_back({things_.between(0, kEnd_ms), std::move(statement)});
      }
    }
    if (const std::string statement = binding_by_others(); !statement.empty()) {
      events_.push_back({things_.between(0, kEnd_ms), statement});
    }
    std::ranges::sort(events_, [](const Event& a, const Event& b) {
      return a.at_ms != b.at_ms ? a.at_ms < b.at_ms : a.statement < b.statement;
    });
    for (const Event& event : events_) {
      add(fmt::format("after {}.{:03}s {}", event.at_ms / 1000, event.at_ms % 1000, event.statement));
    }
  }

  // Now and then, and not more often: whoever does this has no regard for anything. Not pods with claims: see
  // Things::pod().
  std::string binding_by_others() {
    if (!things_.one_in(6)) return {};
    const std::string pod = things_.some_pod_without_claims();
    const std::string node = things_.some_node();
    if (pod.empty() || node.empty()) return {};
    return use("bound by somebody else", fmt::format("bind pod {} to {}", pod, node));
  }

  // One thing, or several that belong together, whatever their order.
  std::vector<std::string> history_event() {
    switch (things_.between(0, 9)) {
      case 0:
      case 1:
      case 2: return {to_node()};
      case 3:
      case 4:
      case 5: return {to_pod()};
      case 6: return themes_.volumes ? std::vector{to_volume()} : std::vector{to_pod()};
      case 7: return themes_.script ? script() : std::vector{to_node()};
      case 8: return {to_scheduler()};
      default: return themes_.workloads ? std::vector{to_workload()} : std::vector{things_.pod()};
    }
  }

  std::string to_node() {
    const std::string node = things_.some_node();
    if (node.empty()) return {};
    switch (things_.between(0, 11)) {
      case 0: return use("node added", things_.node());
      case 1: return use("node removed", fmt::format("delete node {}", node));
      case 2: return things_.node_again(node);
      case 3: return use("node labelled", fmt::format("label node {} {}", node, things_.node_label()));
      case 4: return use("node unlabelled", fmt::format("unlabel node {} disk", node));
      case 5: return themes_.taints ? fmt::format("taint node {} {}", node, things_.taint()) : things_.node();
      case 6:
        return themes_.taints ? fmt::format("untaint node {} {}", node, things_.one_in(2) ? "dedicated" : "maintenance")
                              : fmt::format("uncordon {}", node);
      case 7: return use("cordon", fmt::format("cordon {}", node));
      case 8: return fmt::format("uncordon {}", node);
      case 9: return use("resized node", fmt::format("set node {} cpu={}", node, things_.between(1, 8)));
      case 10:
        return things_.one_in(2) ? use("drain", fmt::format("drain {}", node))
                                 : fmt::format("set node {} pods={}", node, things_.between(1, 10));
      default:
        return things_.one_in(2) ? use("node failure", fmt::format("fail-node {}", node))
                                 : fmt::format("recover-node {}", node);
    }
  }

  std::string to_pod() {
    const std::string pod = things_.some_pod();
    if (pod.empty()) return {};
    switch (things_.between(0, 9)) {
      case 0:
      case 1:
      case 2: return use("pod deleted", fmt::format("delete pod {}", pod));
      case 3: return use("pod finished", fmt::format("finish pod {}{}", pod, things_.one_in(4) ? " failed" : ""));
      case 4: return use("pod relabelled", fmt::format("label pod {} {}", pod, things_.label()));
      case 5: return use("pod recreated", fmt::format("recreate pod {}", pod));
      case 6:
        if (const std::string gated = things_.some_gated_pod(); !gated.empty()) {
          return use("ungated", fmt::format("ungate {}", gated));
        }
        return things_.pod();
      case 7: return use("pod resized", fmt::format("set pod {} cpu={}", pod, things_.cpu()));
      case 8:
        if (themes_.namespaces) {
          const std::string_view team = things_.one_in(2) ? "a" : "b";
          return use("namespace relabelled",
                     fmt::format("label namespace team-{} env={}", team, things_.one_in(2) ? "prod" : "dev"));
        }
        return things_.pod();
      default: return themes_.priorities && things_.one_in(2) ? things_.budget() : things_.pod();
    }
  }

  std::string to_volume() {
    switch (things_.between(0, 4)) {
      case 0: return use("late volume", things_.volume());
      case 1:
      case 2: return use("late claim", things_.claim());
      case 3: {
        if (things_.one_in(2)) return use("late storage class", "storageclass fast wait");
        const std::string node = things_.some_node();
        return fmt::format("csinode {} driver=csi.berth.dev:{}", node, things_.between(1, 3));
      }
      default: {
        const std::string claim = things_.some_claim();
        return claim.empty() ? things_.claim() : use("claim deleted", fmt::format("delete pvc {}", claim));
      }
    }
  }

  std::string to_workload() {
    const std::string workload = things_.some_workload();
    const bool can_scale = !workload.empty() && !workload.starts_with("daemonset") && !workload.starts_with("job");
    if (can_scale && !things_.one_in(3)) {
      return use("scaled", fmt::format("scale {} {}", workload, things_.between(0, 6)));
    }
    if (!workload.empty() && things_.one_in(3)) return use("workload deleted", fmt::format("delete {}", workload));
    return things_.workload();
  }

  std::string to_scheduler() {
    if (themes_.crashes && things_.one_in(2)) {
      result_.features.insert("crash");
      if (things_.one_in(2)) return "restart scheduler";
      return things_.one_in(2) ? "crash scheduler" : "start scheduler";
    }
    if (themes_.clock && things_.one_in(2)) {
      return use("clock jump", fmt::format("clock jump {}s", things_.between(1, 600)));
    }
    if (themes_.faults && things_.one_in(2)) {
      static constexpr auto kKinds = std::to_array<std::string_view>({"pod", "node", "pvc", "all"});
      return use("broken watches", fmt::format("break watch {}", things_.pick(kKinds)));
    }
    return things_.one_in(2) ? to_pod() : to_node();
  }

  std::vector<std::string> script() {
    const std::string pod = things_.some_pod();
    if (pod.empty()) return {};
    result_.features.insert("script");
    static constexpr auto kPoints =
        std::to_array<std::string_view>({"pre-enqueue", "filter", "reserve", "permit", "pre-bind"});
    scripted_.insert(pod);
    const std::string_view point = things_.pick(kPoints);
    switch (things_.between(0, 4)) {
      case 0:
        return {fmt::format("hold {} at permit for {}s", pod, things_.between(1, 40)), fmt::format("allow {}", pod)};
      case 1: return {fmt::format("delay {} at pre-bind {}s", pod, things_.between(1, 20))};
      case 2: return {fmt::format("reject {} at {} times {}", pod, point, things_.between(1, 3))};
      case 3: return {fmt::format("fail {} at {} times {}", pod, point, things_.between(1, 3))};
      default:
        return {fmt::format("reject {} at filter on {}", pod, things_.some_node()), fmt::format("release {}", pod)};
    }
  }

  // --- The end -------------------------------------------------------------------------------------------------------

  void ending() {
    add(fmt::format("run {}s", kEnd_ms / 1000));
    add("faults none");
    if (result_.features.contains("crash")) add("start scheduler");
    for (const std::string& pod : scripted_) add(fmt::format("release {}", pod));
    for (const std::string& workload : things_.restless_workloads()) add(fmt::format("delete {}", workload));
    // One that comes when perhaps no other is left.
    if (result_.features.contains("node removed") && things_.one_in(2)) add("node last cpu=1 memory=1Gi");
    add("run until idle within 2h");
    add("expect invariants");
    add("expect lost-wake-ups = 0");
    // Only what moves without an event may need the timeout.
    if (!has_timeout_ && scripted_.empty()) add("expect flushes = 0");
  }

  static constexpr std::int64_t kEnd_ms = 60'000;

  GeneratedScenario result_;
  Rng rng_;
  Themes themes_;
  Things things_;
  std::vector<Event> events_;
  std::set<std::string> scripted_;
  bool has_timeout_ = false;
};

}  // namespace

GeneratedScenario generate(std::uint64_t seed) {
  return Story(seed).tell(seed);
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace berth::fuzz
