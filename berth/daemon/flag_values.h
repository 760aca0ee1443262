// Validation of flag values that are more than a number or a word, as kube-scheduler does it. Most are of flags that
// have no effect here. They are checked all the same: whoever gives one that kube-scheduler refuses made a mistake, and
// would find out only on the way back.
#pragma once

#include <string_view>

#include "berth/base/error.h"

namespace berth::daemon {

// --emulated-version, --min-compatibility-version: "1.35" or "kube=1.35".
Result<void> check_component_versions(std::string_view text);

// --show-hidden-metrics-for-version.
Result<void> check_hidden_metrics_version(std::string_view text);

// --allow-metric-labels: one "metric,label=value,value", or several as CSV, each in quotes.
Result<void> check_metric_labels(std::string_view text);

// The content of --allow-metric-labels-manifest: YAML, "metric,label" to values.
Result<void> check_metric_labels_manifest(std::string_view yaml);

// --disabled-metrics: one of them.
Result<void> check_metric_name(std::string_view name);

// --tls-curve-preferences: numbers of TLS groups that Go knows.
Result<void> check_curves(std::string_view text);

// --log-text-info-buffer-size, --log-json-info-buffer-size.
Result<void> check_buffer_size(std::string_view text);

// --log-flush-frequency.
Result<void> check_flush_frequency(std::string_view text);

// --version=vX.Y.Z...: kube-scheduler's own version, perhaps with a pre-release or a build behind it.
Result<void> check_reported_version(std::string_view text);

}  // namespace berth::daemon
