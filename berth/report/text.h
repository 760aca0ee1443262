// The report for people: what happened, where the pods are, how full the nodes, how long pods waited, what woke them,
// and every pod that is still pending with its sentence. At most 100 columns; sections with nothing to say are left
// out.
#pragma once

#include <cstddef>
#include <string>

#include "berth/report/summary.h"

namespace berth::report {

struct TextOptions {
  bool colours = false;  // ANSI, for a terminal
  std::size_t width = 100;
};
std::string to_text(const Summary& summary, const TextOptions& options = {});

}  // namespace berth::report
