#include "bench/decide/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include "bench/stopwatch.h"

namespace berth::bench {

namespace {

class Measurement {
 public:
  Measurement(std::size_t nodes, PodKind kind, const Effort& effort)
      : nodes_(nodes), kind_(kind), effort_(effort), maker_(kind), decider_(make_cluster(effort.way, nodes, maker_)) {}

  PodMaker& maker() { return maker_; }

  // Times rounds of decisions about the pods that make_pod(position) makes. A first round is not timed: what is seen
  // before is seen there.
  template <typename MakePod>
  void run(std::string_view item, Decider::OnRejection on_rejection, MakePod&& make_pod) {
    const std::vector<std::uint64_t> orders = round(on_rejection, make_pod).orders;
    double best = std::numeric_limits<double>::infinity();
    std::uint64_t evaluations = decider_->full_evaluations();
    for (std::size_t i = 0; i < effort_.rounds; ++i) {
      const Round result = round(on_rejection, make_pod);
      best = std::min(best, result.nanoseconds);
      BERTH_CHECK(result.orders == orders, "{}: two rounds had different outcomes", item);
    }
    evaluations = decider_->full_evaluations() - evaluations;
    std::string texts;
    for (const std::uint64_t order : orders) texts += fmt::format("{}\"{:016x}\"", texts.empty() ? "" : ",", order);
    fmt::print(
        "{{\"item\":\"{}\",\"kind\":\"{}\",\"nodes\":{},\"decisions\":{},\"ns\":{:.0f},"
        "\"full_evaluations_per_decision\":{:.3f},\"orders\":[{}]}}\n",
        item, to_string(kind_), nodes_, effort_.decisions, best,
        static_cast<double>(evaluations) / static_cast<double>(effort_.decisions * effort_.rounds), texts);
    std::fflush(stdout);
  }

 private:
  struct Round {
    double nanoseconds = 0;
    std::vector<std::uint64_t> orders;  // after each decision
  };

  template <typename MakePod>
  Round round(Decider::OnRejection on_rejection, MakePod&& make_pod) {
    std::vector<api::PodPtr> pods;
    for (std::size_t position = 0; position < effort_.decisions; ++position) pods.push_back(make_pod(position));
    Round result;
    result.orders.reserve(pods.size());
    decider_->begin_order();
    const Stopwatch watch;
    for (const api::PodPtr& pod : pods) {
      decider_->decide(pod, on_rejection);
      result.orders.push_back(decider_->order());
    }
    result.nanoseconds = watch.nanoseconds();
    decider_->take_off();
    return result;
  }

  std::size_t nodes_;
  PodKind kind_;
  Effort effort_;
  PodMaker maker_;
  std::unique_ptr<Decider> decider_;
};

}  // namespace

void measure_speed(std::size_t nodes, PodKind kind, const Effort& effort) {
  using enum Decider::OnRejection;
  Measurement measurement(nodes, kind, effort);
  PodMaker& maker = measurement.maker();
  measurement.run("seen", kBeSilent, [&](std::size_t position) { return maker.seen(position); });
  std::size_t apps = 0;
  measurement.run("new", kBeSilent, [&](std::size_t position) { return maker.unseen(apps++, position); });
  measurement.run("rejected", kBeSilent, [&](std::size_t position) { return maker.rejected(position); });
  measurement.run("rejected and told", kTellWhy, [&](std::size_t position) { return maker.rejected(position); });
}

}  // namespace berth::bench
