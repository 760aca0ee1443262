// Label selectors as kubectl's -l takes them: "app=web,tier in (a, b),!canary,zone notin (x),env!=prod".
#pragma once

#include <string_view>

#include "berth/api/label_selector.h"
#include "berth/base/error.h"

namespace berth::api {

// An empty text matches everything. Keys and values are checked as the API server checks them.
Result<LabelMatcher> parse_label_selector(std::string_view text);

}  // namespace berth::api
