// The report for people: what happened, where the pods are, how full the nodes, how long pods waited, what woke them,
// and every pod that is still pending with its sentence. Sections with nothing to say are left out.
#pragma once

#include <string>

#include "berth/report/summary.h"
#include "berth/text/page.h"

namespace berth::report {

text::Page page_of(const Summary& summary);
std::string to_text(const Summary& summary, const text::Style& style = {});

}  // namespace berth::report
