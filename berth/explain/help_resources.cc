#include <fmt/format.h>

#include <algorithm>

#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/help_search.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// A request is not lowered to less than this part of it.
constexpr std::int64_t kLeastPart = 10;

// A little less than what is free, in units that people write: 10m of cpu, 1Mi of bytes.
std::int64_t rounded_down(Symbol resource, std::int64_t free) {
  const std::int64_t unit = resource == "cpu"                                         ? 10
                            : resource == "memory" || resource == "ephemeral-storage" ? 1024 * 1024
                                                                                      : 1;
  return free >= unit ? free / unit * unit : free;
}

}  // namespace

std::optional<Step> request_step(HelpSearch& search, cache::RowId row, const FailingFilter& failing) {
  const std::vector<Shortage> found = shortages(search.evaluation, search.node(row), failing);
  std::vector<std::string> instead, less;
  std::vector<std::pair<Symbol, std::int64_t>> targets;
  for (const Shortage& each : found) {
    const std::int64_t target = rounded_down(each.resource, each.free);
    // A program that is given next to nothing of what it asks for does not work.
    if (each.resource == "pods" || target <= 0 || target < each.needed / kLeastPart) return std::nullopt;
    targets.emplace_back(each.resource, target);
    instead.push_back(fmt::format("{} instead of {}", amount_of(each.resource, target, Round::kDown),
                                  amount(each.resource, each.needed, Round::kUp)));
    less.push_back(found.size() == 1 ? amount(each.resource, each.needed - target, Round::kUp)
                                     : amount_of(each.resource, each.needed - target, Round::kUp));
  }
  if (targets.empty()) return std::nullopt;
  Step step{.kind = "request", .text = fmt::format("ask for {} ({} less)", listed(instead), listed(less))};
  step.pod = lower_requests_to(*search.pod().spec, targets);
  return step;
}

void lower_requests(HelpSearch& search) {
  struct Guess {
    double share;  // of the request that has to go
    const NodeFinding* finding;
  };
  std::vector<Guess> guesses;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kNodeResourcesFit)) continue;
    const auto found = shortages(search.evaluation, search.node(finding.row), finding.failing[0]);
    if (!found.empty()) guesses.push_back({distance_of(found), &finding});
  }
  sort_stably(guesses, {}, &Guess::share);
  for (std::size_t i = 0; i < std::min(kMaxGuesses, guesses.size()); ++i) {
    const auto step = request_step(search, guesses[i].finding->row, guesses[i].finding->failing[0]);
    if (!step) continue;
    if (const auto where = search.best_node(*step)) return search.say_on(*step, *where);
  }
}

}  // namespace berth::explain
