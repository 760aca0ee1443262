// Bugs of kube-scheduler v1.36.3 around the queue and the plugins, by name; see docs/upstream-reports.md. All are off
// by default: Berth then does what was meant.
#pragma once

#include "berth/plugins/plugin_quirks.h"
#include "berth/queue/quirks.h"

namespace berth::engine {

struct Quirks {
  // U-10, U-11 (issues 140082, 141694): when a preemption has ended the preemptor is not looked at again; an event that
  // came while it was held back is lost.
  bool preemption_end_wakes_nobody = false;
  // U-25 (issue 129948): a preemptor takes the nominations of all lower pods on its node away, not only of those that
  // no longer fit, and nobody wakes these.
  bool preemptor_strips_all_nominations = false;
  // U-30 (issue 91492): disruption budgets are counted without the evictions that their status does not show yet.
  bool budgets_ignore_own_evictions = false;

  queue::Quirks queue;
  plugins::PluginQuirks plugins;

  static constexpr Quirks upstream(queue::Release release = queue::Release::kV1_36) {
    return {.preemption_end_wakes_nobody = true,
            .preemptor_strips_all_nominations = true,
            .budgets_ignore_own_evictions = true,
            .queue = queue::Quirks::upstream(release),
            .plugins = plugins::PluginQuirks::all()};
  }
};

}  // namespace berth::engine
