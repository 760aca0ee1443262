// Decodes a configuration strictly: unknown fields, fields given twice and values of the wrong type are errors.
//
// The rules are those of kube-scheduler's decoder: Go's JSON decoder with Kubernetes' strict mode. The errors say more
// than its own (line, path, every problem, what was probably meant); what kube-scheduler itself would print is kept
// beside them.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config/document.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

struct DecodeFailure {
  std::vector<Problem> problems;
  std::string kube_scheduler_text;
};

// What the file says; defaults are not set yet. `text` is what `document` was parsed from.
std::expected<SchedulerConfig, DecodeFailure> decode(const Document& document, std::string_view text);

}  // namespace berth::config
