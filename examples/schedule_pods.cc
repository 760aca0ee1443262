// A tiny scheduler on Berth's queue. Two threads take pods and look for a node with enough free cpu. A pod that fits
// nowhere is given back as rejected by "Fit", which registered for deleted pods: so the queue wakes it, and a thread
// that waits for it, as soon as another pod has finished. Nobody polls, and no pod is forgotten.
//
// To build it with the installed library (docs/library.md has more ways):
//   g++ -std=c++23 schedule_pods.cc -o schedule_pods $(pkg-config --cflags --libs berth-queue)
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <latch>
#include <map>
#include <mutex>
#include <semaphore>
#include <thread>
#include <tuple>

#include "berth/queue/blocking_queue.h"

using namespace berth;
constexpr int kPods = 8;

api::PodPtr make_pod(int number, int cpu) {
  api::PodTemplate spec;
  spec.scheduler_name = Symbol("tiny");
  spec.containers.emplace_back().resources.requests[Symbol("cpu")] = api::Quantity::from_units(cpu);
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = pod->metadata.uid = fmt::format("pod-{}", number);
  pod->spec.shared = std::move(spec);
  return pod;
}

int main() {
  const queue::ClusterEvent pod_deleted("Pod", queue::action::kDelete);
  queue::QueueOptions options;
  options.hints.push_back({.profile = Symbol("tiny"), .plugin = Symbol("Fit"), .event = pod_deleted, .hint = {}});
  queue::BlockingQueue queue(std::move(options));
  const Symbol fit_name[] = {Symbol("Fit")};
  const queue::PluginSet fit = queue.with_queue([&](auto& inner, Instant) { return inner.plugin_set(fit_name); });

  std::mutex cluster;  // guards the next two; taken before the queue's own, never after
  std::map<std::string, std::int64_t> free_cpu = {{"east", 4}, {"west", 4}};
  std::deque<std::tuple<api::PodPtr, std::string, std::int64_t>> running;  // pod, node, cpu
  std::latch all_tried(kPods);
  std::counting_semaphore placed(0);

  const auto work = [&] {
    while (queue::BlockingQueue::Popped popped = queue.pop()) {
      const api::PodPtr pod = popped->pod;
      const auto cpu = pod->spec->containers[0].resources.requests.find(Symbol("cpu"))->value();
      if (popped->attempts == 1) all_tried.count_down();
      const std::lock_guard lock(cluster);
      const auto node = std::ranges::find_if(free_cpu, [cpu](const auto& n) { return n.second >= cpu; });
      if (node != free_cpu.end()) {
        fmt::print("{} ({} cpu) goes to {}, try {}\n", pod->metadata.name, cpu, node->first, popped->attempts);
        node->second -= cpu;
        running.emplace_back(pod, node->first, cpu);
        (void)queue.done(pod->metadata.uid);
        placed.release();
      } else {
        fmt::print("{} ({} cpu) fits nowhere and waits\n", pod->metadata.name, cpu);
        popped->unschedulable_plugins = fit;
        (void)queue.add_unschedulable_if_not_present(std::move(popped));
      }
    }
  };
  std::jthread first(work), second(work);
  for (int i = 0; i < kPods; ++i) (void)queue.add(make_pod(i, 1 + i % 3));

  all_tried.wait();
  for (int finished = 0; finished < kPods; ++finished) {
    placed.acquire();
    const std::lock_guard lock(cluster);
    const auto [pod, node, cpu] = running.front();
    running.pop_front();
    free_cpu[node] += cpu;
    fmt::print("{} finishes on {}\n", pod->metadata.name, node);
    (void)queue.move_all(pod_deleted, {.old_object = api::AnyObject(pod), .new_object = {}});
  }
  fmt::print("all {} pods have run\n", kPods);
  queue.close();
}
