#include "bench/queue/pods.h"

#include <fmt/format.h>

#include <string>

#include "berth/base/check.h"

namespace berth::bench {

namespace {

// SplitMix64: a bijection of 64-bit numbers that Go computes alike.
std::uint64_t mix(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15ull;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

std::string make_uid(std::size_t number) {
  const std::uint64_t high = mix(2 * number);
  const std::uint64_t low = mix(2 * number + 1);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
                     low >> 48 & 0xFFF, low & 0xFFFFFFFFFFFF);
}

std::string template_hash(std::size_t pod_class) {
  return fmt::format("{:09x}", mix(1'000'000 + pod_class) >> 28);
}

// A bijection of 24-bit numbers stands in for the random end of a pod's name.
std::string make_name(std::size_t number, std::size_t pod_class) {
  BERTH_CHECK(number < 1 << 24);
  return fmt::format("service-{}-{}-{:06x}", pod_class, template_hash(pod_class),
                     (number * 0x9E3779B1 + 12345) & 0xFFFFFF);
}

api::Labels make_labels(std::size_t pod_class) {
  return {{"app.kubernetes.io/name", Symbol(fmt::format("service-{}", pod_class))},
          {"app.kubernetes.io/instance", Symbol(fmt::format("service-{}-prod", pod_class))},
          {"bench/class", Symbol(class_name(pod_class))},
          {"pod-template-hash", Symbol(template_hash(pod_class))}};
}

api::PodTemplate make_template(std::size_t pod_class) {
  static constexpr std::int32_t kPriorities[] = {0, 0, 0, 1000, 1'000'000};
  api::PodTemplate shared;
  api::Container& container = shared.containers.emplace_back();
  container.name = Symbol("server");
  container.image = Symbol(fmt::format("example.com/service-{}:v1", pod_class));
  container.resources.requests[Symbol("cpu")] =
      api::Quantity::from_milli(static_cast<std::int64_t>(100 + 10 * pod_class));
  container.resources.requests[Symbol("memory")] = api::Quantity::from_units(std::int64_t{1} << 28);
  shared.restart_policy = Symbol("Always");
  shared.scheduler_name = kProfile;
  shared.service_account_name = Symbol(fmt::format("service-{}", pod_class));
  shared.priority = kPriorities[pod_class % 5];
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    shared.tolerations.push_back({Symbol(key), Symbol("Exists"), Symbol(), Symbol("NoExecute"), 300});
  }
  return shared;
}

queue::HintAnswer wakes_class(const api::Labels& labels, const api::Pod& pod) {
  static const Symbol wakes("bench/wakes");
  static const Symbol class_label("bench/class");
  static const Symbol everybody("*");
  const Symbol* who = labels.find(wakes);
  if (who == nullptr) return queue::HintAnswer::kSkip;
  const Symbol* own = pod.metadata.labels->find(class_label);
  const bool is_meant = *who == everybody || (own != nullptr && *own == *who);
  return is_meant ? queue::HintAnswer::kQueue : queue::HintAnswer::kSkip;
}

queue::HintAnswer hint(const api::Pod& pod, const queue::EventObjects& objects) {
  if (!objects.new_object) return queue::HintAnswer::kQueue;
  return wakes_class(*objects.new_object.metadata().labels, pod);
}

}  // namespace

std::string class_name(std::size_t pod_class) {
  return fmt::format("class-{:03}", pod_class);
}

std::size_t class_of(std::size_t number, Sizes sizes) {
  if (sizes == Sizes::kEven) return number % kClasses;
  return number < 10 ? 0 : 1 + number % (kClasses - 1);
}

void make_pods(Workload& workload, std::size_t count, Templates templates, Sizes sizes) {
  workload.pods.reserve(count);
  for (std::size_t number = workload.pods.size(); number < count; ++number) {
    const std::size_t pod_class = class_of(number, sizes);
    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = make_name(number, pod_class);
    pod->metadata.uid = make_uid(number);
    pod->metadata.resource_version = std::to_string(1'000'000 + number);
    pod->metadata.name_space = Symbol(fmt::format("team-{}", pod_class % 10));
    pod->metadata.creation_timestamp = Instant::from_unix_seconds(1'700'000'000);
    pod->status.phase = Symbol("Pending");
    if (templates == Templates::kShared) {
      pod->metadata.labels = workload.pool.intern(make_labels(pod_class), pod_class);
      pod->spec.shared = workload.pool.intern(make_template(pod_class), pod_class);
    } else {
      pod->metadata.labels = make_labels(pod_class);
      pod->spec.shared = make_template(pod_class);
    }
    workload.pods.push_back(std::move(pod));
  }
}

api::NodePtr make_node(std::string_view wakes) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{}", wakes);
  node->metadata.labels = api::Labels{{"bench/wakes", Symbol(wakes)}, {"kubernetes.io/os", Symbol("linux")}};
  return node;
}

queue::QueueOptions queue_options(queue::QueueMetrics* metrics) {
  using queue::ClusterEvent;
  queue::QueueOptions options;
  options.profiles = {kProfile};
  options.hints = {
      {kProfile, kFit, ClusterEvent(queue::resource::kNode, queue::action::kAdd), hint},
      {kProfile, kAffinity, ClusterEvent(queue::resource::kPod, queue::action::kAdd), hint},
      {kProfile, kVolumeBinding, ClusterEvent(queue::resource::kPersistentVolumeClaim, queue::action::kAdd), hint},
  };
  options.metrics = metrics;
  return options;
}

Counters::Row& Counters::row(Symbol symbol) {
  if (symbol.id() >= rows_.size()) rows_.resize(symbol.id() + 1);
  return rows_[symbol.id()];
}

void Counters::count_incoming(queue::QueueName queue, Symbol event_label, const queue::QueuedPod&) {
  row(event_label).incoming[static_cast<std::size_t>(queue)] += 1;
}
void Counters::add_pending(queue::QueueName queue, int delta) {
  pending_[static_cast<std::size_t>(queue)] += delta;
}
void Counters::add_unschedulable(Symbol plugin, Symbol, int delta) {
  row(plugin).unschedulable += delta;
}
void Counters::add_in_flight_events(Symbol event_label, std::int64_t delta) {
  row(event_label).in_flight += delta;
}
void Counters::hint_ends(Symbol plugin, Symbol, queue::HintAnswer answer) {
  row(plugin).answers[static_cast<std::size_t>(answer)] += 1;
}

}  // namespace berth::bench
