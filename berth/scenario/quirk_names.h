// The bugs of kube-scheduler by their names in scenarios and on the command line: the members of engine::Quirks, with
// hyphens. docs/upstream-reports.md says what each does.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/engine/quirks.h"
#include "berth/queue/release.h"

namespace berth::scenario {

// In the order of the structs.
std::span<const std::string_view> quirk_names();

// The error names the nearest one.
Result<void> set_quirk(engine::Quirks& quirks, std::string_view name);

// "upstream" (all of the release), "none", or names with commas between them.
Result<engine::Quirks> parse_quirks(std::string_view list, queue::Release release = queue::Release::kV1_36);

}  // namespace berth::scenario
