// Metrics of the process rather than of scheduling: leadership, requests to the API server, feature gates, the build,
// CPU and memory. Each part adds a source, which writes its families at each scrape.
//
// Sources are called on the server's threads, several at a time; they are added before the server starts.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/config/feature_gates.h"
#include "berth/engine/metric_family.h"

namespace berth::daemon {

// Writes the Prometheus text format, family by family.
class MetricText {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  // Without a stability the help stands alone, as for metrics that are not Kubernetes' (process_*).
  void family(std::string_view name, engine::MetricType type, std::string_view help);
  void family(std::string_view name, engine::MetricType type, engine::Stability stability, std::string_view help);
  // Of the family begun last. `suffix` is "_bucket" and the like.
  void sample(Labels labels, double value, std::string_view suffix = {});

  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

using MetricSource = std::function<void(MetricText&)>;

class ComponentMetrics {
 public:
  void add(MetricSource source) { sources_.push_back(std::move(source)); }
  std::string to_text() const;

 private:
  std::vector<MetricSource> sources_;
};

// The families of a text in the order of their names, as kube-scheduler writes them, without those that are disabled. A
// family begins with its help.
std::string sorted_families(std::string_view text, const std::vector<std::string>& disabled = {});

// leader_election_master_status{name}: 1 while leading.
// `slow_renewals` are those for which the lease had to be read first; as in kube-scheduler there is no series for none.
MetricSource leader_metrics(std::string lease_name, std::function<bool()> is_leader,
                            std::function<std::uint64_t()> slow_renewals);
// kubernetes_build_info; the platform is the one Berth was built for: "linux/amd64".
MetricSource build_metrics(std::string git_version);
// kubernetes_feature_enabled{name,stage}
MetricSource feature_metrics(config::FeatureGates gates);
// process_cpu_seconds_total, process_resident_memory_bytes, process_open_fds, ... of this process, from /proc.
MetricSource process_metrics();
// process_start_time_seconds alone, for /metrics/slis.
MetricSource start_time_metrics();

}  // namespace berth::daemon
