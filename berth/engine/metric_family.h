// Metrics as values: a family has a name, a type and labels, and one series per combination of label values. A writer
// turns families into the Prometheus text format.
//
// Label values are symbols, so finding a series compares integers and builds no text. A series, once made, stays where
// it is: whoever counts often keeps a reference.
//
// Not thread safe. What is printed is sorted by text, never by the order of counting.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/hash.h"
#include "berth/base/symbol.h"

namespace berth::engine {

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram };
std::string_view to_string(MetricType type);  // "counter"

// Kubernetes' promise about a metric.
enum class Stability : std::uint8_t { kAlpha, kBeta, kStable };
std::string_view to_string(Stability stability);  // "ALPHA"

// No metric of kube-scheduler has more.
inline constexpr std::size_t kMaxMetricLabels = 3;

struct MetricDescriptor {
  std::string_view name;  // with the prefix: "scheduler_pending_pods"
  MetricType type = MetricType::kCounter;
  Stability stability = Stability::kAlpha;
  std::vector<std::string_view> labels;  // names, sorted
  std::vector<double> bounds;            // of a histogram: the upper ends of its buckets, rising, without infinity
  std::string_view help;                 // one sentence, without the stability
};

// start, start*factor, start*factor*factor, ...
std::vector<double> exponential_bounds(double start, double factor, std::size_t count);

class MetricSeries {
 public:
  MetricSeries(std::vector<Symbol> label_values, const std::vector<double>& bounds)
      : label_values_(std::move(label_values)), bounds_(&bounds), buckets_(bounds.empty() ? 0 : bounds.size() + 1) {}

  void add(std::int64_t delta) { value_ += delta; }
  void set(std::int64_t value) { value_ = value; }
  // Only of histograms.
  void observe(double value);

  const std::vector<Symbol>& label_values() const { return label_values_; }
  // Of a counter or gauge. All that Berth counts is whole.
  std::int64_t value() const { return value_; }
  // Of a histogram: per bucket alone (Prometheus prints running totals), the last one being what is above all bounds.
  const std::vector<std::uint64_t>& buckets() const { return buckets_; }
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::vector<Symbol> label_values_;
  const std::vector<double>* bounds_;  // the family's
  std::int64_t value_ = 0;
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

class MetricFamily {
 public:
  // A family without labels has its one series at once.
  explicit MetricFamily(MetricDescriptor descriptor);
  MetricFamily(const MetricFamily&) = delete;
  MetricFamily& operator=(const MetricFamily&) = delete;

  const MetricDescriptor& descriptor() const { return descriptor_; }

  // Made if it is new. As many values as there are labels, in their order (by name).
  MetricSeries& at(Symbol first = {}, Symbol second = {}, Symbol third = {});
  // Null if nothing was counted with these values.
  const MetricSeries* find(Symbol first = {}, Symbol second = {}, Symbol third = {}) const;
  // By text of the label values.
  std::vector<const MetricSeries*> sorted() const;

 private:
  using Key = std::array<Symbol, kMaxMetricLabels>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return hash_combine((static_cast<std::uint64_t>(key[0].id()) << 32) | key[1].id(), key[2].id());
    }
  };

  MetricDescriptor descriptor_;
  std::deque<MetricSeries> series_;
  absl::flat_hash_map<Key, MetricSeries*, KeyHash> by_values_;
};

// The Prometheus text exposition format, version 0.0.4, in the order given. Families without series are left out.
std::string prometheus_text(std::span<const MetricFamily* const> families);

}  // namespace berth::engine
