// A cluster summary for people: tables that fit a terminal, the most important first, long lists cut with a count.
#pragma once

#include <cstddef>
#include <string>

#include "berth/codec/documents.h"
#include "berth/inspect/cluster_summary.h"
#include "berth/text/page.h"

namespace berth::inspect {

// How many rows of classes, pending pods and errors are shown unless all are asked for.
inline constexpr std::size_t kShownRows = 15;

struct RenderOptions {
  bool all_rows = false;
  text::Style style = {};
};

std::string render(const ClusterSummary& summary, const codec::Documents& documents, const RenderOptions& options = {});

}  // namespace berth::inspect
