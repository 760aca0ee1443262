// A cluster without a scheduler, for the tests of the controllers: the API server, the controllers, an agenda in
// virtual time, and something very simple that binds pods.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/node_selector.h"
#include "berth/codec/yaml.h"
#include "berth/sim/controllers.h"
#include "berth/sim/owned_pods.h"

namespace berth::sim::testing {

class TestAgenda final : public Agenda {
 public:
  Instant now() const override { return now_; }
  void after(Duration delay, Urgency urgency, std::move_only_function<void()> what) override {
    if (urgency == Urgency::kWork) ++work_;
    things_.emplace(std::pair(now_ + delay, ++number_), Thing{urgency, std::move(what)});
  }
  Duration elapsed() const { return now_ - kStart; }

  void run_until(Duration when) {
    const Instant end = kStart + when;
    while (!things_.empty() && things_.begin()->first.first <= end) step();
    now_ = end;
  }
  // Until there is no work any more. What is only going to happen in time is left, if it comes after that.
  void run_until_idle() {
    while (work_ > 0) step();
  }

 private:
  struct Thing {
    Urgency urgency;
    std::move_only_function<void()> what;
  };
  static constexpr Instant kStart = Instant::from_unix_seconds(1'767'225'600);

  void step() {
    auto first = things_.extract(things_.begin());
    now_ = first.key().first;
    if (first.mapped().urgency == Urgency::kWork) --work_;
    first.mapped().what();
  }

  Instant now_ = kStart;
  std::uint64_t number_ = 0;
  std::size_t work_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, Thing> things_;
};

class Cluster {
 public:
  explicit Cluster(std::uint64_t seed = 1) : controllers(api, agenda, faults, history, Rng(seed)) {
    api.listen([this](const Change& change) {
      const auto pod = change.object.as<api::Pod>();
      if (pod == nullptr || change.kind != Change::Kind::kAdded || !binds || !pod->spec.node_name.empty()) return;
      agenda.after(Duration::milliseconds(1), Agenda::Urgency::kWork, [this, pod] { bind(*pod); });
    });
  }

  void apply(std::string_view yaml) {
    auto object = codec::object_from_yaml(yaml);
    ASSERT_TRUE(object.has_value()) << object.error().message();
    const auto made = api.create(*object, agenda.now());
    ASSERT_TRUE(made.has_value()) << made.error().message;
  }
  void add_node(std::string_view name, std::string_view zone = "a") {
    apply("{apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) +
          ", labels: {topology.kubernetes.io/zone: " + std::string(zone) + "}}, status: {allocatable: {cpu: 64}}}");
  }
  template <typename T>
  std::shared_ptr<const T> get(std::string_view name) const {
    const bool is_namespaced = api::kind_of<T>().namespaced;
    return api.get<T>(is_namespaced ? Symbol("default") : Symbol(), name);
  }
  template <typename T, typename Edit>
  void edit(std::string_view name, Edit&& change) {
    auto changed = std::make_shared<T>(*get<T>(name));
    change(*changed);
    const auto done = api.update(api::AnyObject(std::shared_ptr<const T>(std::move(changed))));
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  template <typename T>
  void remove(std::string_view name) {
    const bool is_namespaced = api::kind_of<T>().namespaced;
    const auto done = api.remove(api::kind_of<T>(), is_namespaced ? Symbol("default") : Symbol(), name, agenda.now());
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }

  std::vector<api::PodPtr> pods() const {
    std::vector<api::PodPtr> all;
    api.for_each<api::Pod>([&](const api::PodPtr& pod) { all.push_back(pod); });
    return all;
  }
  std::vector<std::string> pod_names() const {
    std::vector<std::string> names;
    for (const api::PodPtr& pod : pods()) names.push_back(pod->metadata.name);
    return names;
  }
  std::int64_t count(PodState state) const {
    const std::vector<api::PodPtr> all = pods();
    return std::ranges::count_if(all, [state](const api::PodPtr& pod) { return state_of(*pod) == state; });
  }

  // Binds to the first node by name that the pod's required affinity allows.
  void bind(const api::Pod& pod) {
    const api::RequiredNodeAffinity affinity(*pod.spec);
    std::string target;
    api.for_each<api::Node>([&](const api::NodePtr& node) {
      if (!target.empty() || !affinity.matches(node->metadata.name, *node->metadata.labels)) return;
      if (controllers_see_down(*node)) return;
      target = node->metadata.name;
    });
    if (target.empty()) return;
    api::Binding binding;
    binding.metadata.name = pod.metadata.name;
    binding.metadata.name_space = pod.metadata.name_space;
    binding.metadata.uid = pod.metadata.uid;
    binding.target.name = target;
    static_cast<void>(api.bind(binding, agenda.now()));
  }

  ApiServer api;
  TestAgenda agenda;
  Faults faults;
  History history;
  bool binds = true;
  Controllers controllers;

 private:
  static bool controllers_see_down(const api::Node& node) {
    return std::ranges::any_of(node.spec.taints,
                               [](const api::Taint& taint) { return taint.effect != "PreferNoSchedule"; });
  }
};

}  // namespace berth::sim::testing
