// A list of pending pods for people: on a terminal, in a pipe, and as Markdown for a ticket.
#pragma once

#include <cstddef>
#include <string>

#include "berth/explain/pending.h"
#include "berth/text/page.h"

namespace berth::explain {

// How many workloads of a cause are shown unless all are asked for.
inline constexpr std::size_t kShownRows = 5;

struct PendingRenderOptions {
  bool all = false;
  text::Style style = {};
};
text::Page page_of(const PendingReport& report, const PendingRenderOptions& options = {});
std::string render(const PendingReport& report, const PendingRenderOptions& options = {});

}  // namespace berth::explain
