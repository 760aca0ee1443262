#include "bench/decide/decider.h"

#include <string>
#include <type_traits>
#include <utility>

#include "berth/base/check.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/plugins/default_plugins.h"

namespace berth::bench {

namespace {

template <typename T>
T must(Result<T> result) {
  BERTH_CHECK(result.has_value(), "{}", result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class PlainDecider : public Decider {
 public:
  std::uint64_t full_evaluations() const override { return evaluations_; }

 protected:
  Choice choose(const framework::PodToPlace& pod) override {
    ++evaluations_;
    pre_filter_ = framework::run_pre_filter(profile(), pod, view());
    BERTH_CHECK(pre_filter_.status.is_success(), "{}", pre_filter_.status.message());
    filtered_ = framework::run_filters(profile(), pre_filter_, pod, view(), nominated());
    BERTH_CHECK(filtered_.errors.empty(), "{}", filtered_.errors.front());
    if (filtered_.feasible.none()) return {cache::kNoRow, &pre_filter_, &filtered_};
    const framework::ScoreResult scored = framework::run_scores(profile(), pod, view(), filtered_.feasible);
    BERTH_CHECK(scored.status.is_success(), "{}", scored.status.message());
    return {scored.best(filtered_.feasible).front()};
  }

 private:
  framework::PreFilterResult pre_filter_;
  framework::FilterResult filtered_;
  std::uint64_t evaluations_ = 0;
};

class RememberingDecider : public Decider {
 public:
  std::uint64_t full_evaluations() const override {
    return memory_.counts().classes_built + memory_.counts().step_by_step;
  }

 protected:
  Choice choose(const framework::PodToPlace& pod) override {
    const framework::Decision decision = memory_.decide(pod, nominated(), 0);
    BERTH_CHECK(decision.error.is_success(), "{}", decision.error.message());
    return {decision.row, decision.pre_filter, decision.filtered};
  }

 private:
  framework::EquivalenceCache memory_{profile(), view()};
};

}  // namespace

Decider::Decider() : configuration_(config::default_config()), registry_(plugins::default_registry()) {
  const config::Profile& configuration = configuration_.config.profiles.front();
  profile_ = must(framework::Profile::build(configuration, registry_, gates_, objects_));
}

void Decider::decide(const api::PodPtr& pod, OnRejection on_rejection) {
  const framework::PodToPlace to_place{pod, cache_.compile(*pod)};
  const Choice choice = choose(to_place);
  if (choice.row == cache::kNoRow) {
    if (on_rejection == OnRejection::kBeSilent) return note("none");
    const framework::ClusterView cluster = view();
    note(framework::FailedAttempt(profile(), to_place, cluster, nominated_, *choice.pre_filter, choice.filtered)
             .message());
    return;
  }
  auto assumed = std::make_shared<api::Pod>(*pod);
  assumed->spec.node_name = cache_.nodes().at(choice.row).name;
  note(assumed->spec.node_name.text());
  must(cache_.assume(assumed));
  assumed_.push_back(std::move(assumed));
}

void Decider::take_off() {
  for (const api::PodPtr& pod : assumed_) must(cache_.forget(*pod));
  assumed_.clear();
}

// FNV-1a over the bytes and a zero.
void Decider::note(std::string_view outcome) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  for (const char byte : outcome) order_ = (order_ ^ static_cast<unsigned char>(byte)) * kPrime;
  order_ *= kPrime;
}

std::unique_ptr<Decider> make_decider(Way way) {
  switch (way) {
    case Way::kPlain: return std::make_unique<PlainDecider>();
    case Way::kRemembered: return std::make_unique<RememberingDecider>();
  }
  return nullptr;
}

std::unique_ptr<Decider> make_cluster(Way way, std::size_t nodes, const PodMaker& pods) {
  std::unique_ptr<Decider> decider = make_decider(way);
  for (std::size_t number = 0; number < nodes; ++number) decider->cache().set_node(make_node(number));
  for (std::size_t number = 0; number < nodes * kPodsPerNode; ++number) must(decider->cache().add(pods.placed(number)));
  return decider;
}

}  // namespace berth::bench
