#include "berth/engine/metric_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "berth/base/check.h"

namespace berth::engine {
namespace {

bool comes_before(const MetricSeries* a, const MetricSeries* b) {
  return std::ranges::lexicographical_compare(a->label_values(), b->label_values(), SymbolTextLess());
}

std::string escaped(std::string_view text, bool is_label) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '\\': made += "\\\\"; break;
      case '\n': made += "\\n"; break;
      case '"': made += is_label ? "\\\"" : "\""; break;
      default: made += c;
    }
  }
  return made;
}

// `plugin="A",profile="b"`
std::string labels_text(const MetricDescriptor& descriptor, const MetricSeries& series) {
  std::string text;
  for (std::size_t i = 0; i < descriptor.labels.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}=\"{}\"", i == 0 ? "" : ",", descriptor.labels[i],
                   escaped(series.label_values()[i].text(), true));
  }
  return text;
}

std::string in_braces(const std::string& labels) {
  return labels.empty() ? labels : "{" + labels + "}";
}

void write_histogram(const MetricDescriptor& descriptor, const MetricSeries& series, const std::string& labels,
                     std::string& out) {
  const std::string separator = labels.empty() ? "" : ",";
  std::uint64_t total = 0;
  const auto write_bucket = [&](const std::string& bound) {
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", descriptor.name, labels, separator,
                   bound, total);
  };
  for (std::size_t i = 0; i < descriptor.bounds.size(); ++i) {
    total += series.buckets()[i];
    write_bucket(fmt::format("{}", descriptor.bounds[i]));
  }
  total = series.count();
  write_bucket("+Inf");
  fmt::format_to(std::back_inserter(out), "{0}_sum{1} {2}\n{0}_count{1} {3}\n", descriptor.name, in_braces(labels),
                 series.sum(), series.count());
}

void write_family(const MetricFamily& family, std::string& out) {
  const std::vector<const MetricSeries*> sorted = family.sorted();
  if (sorted.empty()) return;
  const MetricDescriptor& descriptor = family.descriptor();
  fmt::format_to(std::back_inserter(out), "# HELP {0} [{1}] {2}\n# TYPE {0} {3}\n", descriptor.name,
                 to_string(descriptor.stability), escaped(descriptor.help, false), to_string(descriptor.type));
  for (const MetricSeries* series : sorted) {
    const std::string labels = labels_text(descriptor, *series);
    if (descriptor.type == MetricType::kHistogram) {
      write_histogram(descriptor, *series, labels, out);
    } else {
      fmt::format_to(std::back_inserter(out), "{}{} {}\n", descriptor.name, in_braces(labels), series->value());
    }
  }
}

}  // namespace

std::string_view to_string(MetricType type) {
  switch (type) {
    case MetricType::kCounter: return "counter";
    case MetricType::kGauge: return "gauge";
    case MetricType::kHistogram: return "histogram";
  }
  return "";
}

std::string_view to_string(Stability stability) {
  switch (stability) {
    case Stability::kAlpha: return "ALPHA";
    case Stability::kBeta: return "BETA";
    case Stability::kStable: return "STABLE";
  }
  return "";
}

std::vector<double> exponential_bounds(double start, double factor, std::size_t count) {
  std::vector<double> bounds;
  for (double bound = start; bounds.size() < count; bound *= factor) bounds.push_back(bound);
  return bounds;
}

void MetricSeries::observe(double value) {
  const auto bucket = std::ranges::lower_bound(*bounds_, value);
  ++buckets_[static_cast<std::size_t>(bucket - bounds_->begin())];
  ++count_;
  sum_ += value;
}

MetricFamily::MetricFamily(MetricDescriptor descriptor) : descriptor_(std::move(descriptor)) {
  BERTH_CHECK(descriptor_.labels.size() <= kMaxMetricLabels && std::ranges::is_sorted(descriptor_.labels), "{}",
              descriptor_.name);
  BERTH_CHECK((descriptor_.type == MetricType::kHistogram) == !descriptor_.bounds.empty(), "{}", descriptor_.name);
  if (descriptor_.labels.empty()) at();
}

MetricSeries& MetricFamily::at(Symbol first, Symbol second, Symbol third) {
  const Key key{first, second, third};
  const auto [known, is_new] = by_values_.try_emplace(key, nullptr);
  if (is_new) {
    std::vector<Symbol> values(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(descriptor_.labels.size()));
    known->second = &series_.emplace_back(std::move(values), descriptor_.bounds);
  }
  return *known->second;
}

const MetricSeries* MetricFamily::find(Symbol first, Symbol second, Symbol third) const {
  const auto known = by_values_.find(Key{first, second, third});
  return known == by_values_.end() ? nullptr : known->second;
}

std::vector<const MetricSeries*> MetricFamily::sorted() const {
  std::vector<const MetricSeries*> all;
  for (const MetricSeries& series : series_) all.push_back(&series);
  std::ranges::sort(all, comes_before);
  return all;
}

std::string prometheus_text(std::span<const MetricFamily* const> families) {
  std::string text;
  for (const MetricFamily* family : families) write_family(*family, text);
  return text;
}

}  // namespace berth::engine
