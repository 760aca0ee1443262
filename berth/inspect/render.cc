#include "berth/inspect/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/text/table.h"
#include "berth/text/words.h"

namespace berth::inspect {

namespace {

using text::Align;
using text::counted;
using text::grouped;
using text::Line;
using text::Meaning;
using text::Page;
using text::Table;

// cpu in thousandths, everything else in units: what text::amount() takes. A sum that does not fit is the largest
// number.
std::int64_t value_of(Symbol resource, const api::Quantity& quantity) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool is_cpu = resource == "cpu";
  if (quantity > (is_cpu ? api::Quantity::from_milli(kLargest) : api::Quantity::from_units(kLargest))) return kLargest;
  return is_cpu ? quantity.milli_value() : quantity.value();
}

std::string share(const ResourceSummary& resource) {
  return text::share_of(resource.name, value_of(resource.name, resource.requested),
                        value_of(resource.name, resource.allocatable));
}

Line node_count(const PoolSummary& pool) {
  Line line(grouped(pool.nodes));
  std::vector<std::string> notes;
  if (pool.ready != pool.nodes) notes.push_back(fmt::format("{} not ready", grouped(pool.nodes - pool.ready)));
  if (pool.cordoned > 0) notes.push_back(fmt::format("{} cordoned", grouped(pool.cordoned)));
  if (pool.tainted > 0) notes.push_back(fmt::format("{} tainted", grouped(pool.tainted)));
  if (!notes.empty()) line.add(fmt::format(" ({})", fmt::join(notes, ", ")), Meaning::kWarning);
  return line;
}

void add_pools(const ClusterSummary& summary, Page& page) {
  page.section("Nodes by pool");
  Table table;
  for (const char* head : {"POOL", "NODES", "CPU REQUESTED", "MEMORY REQUESTED", "PODS", "OTHER"}) {
    table.add_column(head);
  }
  for (const PoolSummary& pool : summary.pools) {
    std::vector<Line> cells = {{pool.name, Meaning::kName}, node_count(pool)};
    std::string other;
    for (std::size_t i = 0; i < pool.resources.size(); ++i) {
      if (i < 3) {
        cells.emplace_back(share(pool.resources[i]));
      } else if (!pool.resources[i].name.text().starts_with("hugepages-")) {
        other +=
            fmt::format("{}{} {}", other.empty() ? "" : ", ", pool.resources[i].name.text(), share(pool.resources[i]));
      }
    }
    cells.emplace_back(other);
    table.add_row(std::move(cells));
  }
  page.table(std::move(table));
}

void add_cut(std::size_t total, std::size_t shown, std::string_view what, Page& page) {
  if (total <= shown) return;
  page.item({fmt::format("... and {} more {} (--all shows them)", grouped(total - shown), what), Meaning::kDim});
}

void add_classes(const ClusterSummary& summary, std::size_t limit, Page& page) {
  page.section("Pods by class (pods that the scheduler cannot tell apart)");
  Table table;
  table.add_column("PODS", Align::kRight);
  table.add_column("PENDING", Align::kRight);
  table.add_column("OWNER");
  table.add_column("NAMESPACE");
  table.add_column("PRIORITY", Align::kRight);
  table.add_column("REQUESTS OF ONE POD");
  for (std::size_t i = 0; i < std::min(limit, summary.classes.size()); ++i) {
    const ClassSummary& row = summary.classes[i];
    std::string requests;
    for (const auto& [resource, quantity] : row.requests) {
      requests += fmt::format("{}{}={}", requests.empty() ? "" : " ", resource.text(),
                              text::amount(resource, value_of(resource, quantity), text::Round::kUp));
    }
    table.add_row({grouped(row.pods), row.pending > 0 ? Line(grouped(row.pending), Meaning::kWarning) : Line("-"),
                   row.owner, row.name_space, std::to_string(row.priority), requests.empty() ? "none" : requests});
  }
  page.table(std::move(table));
  add_cut(summary.classes.size(), limit, "classes", page);
}

void add_pending(const ClusterSummary& summary, std::size_t limit, Page& page) {
  page.section("Pending, without a node");
  for (std::size_t i = 0; i < std::min(limit, summary.pending.size()); ++i) {
    const PendingSummary& row = summary.pending[i];
    page.item({row.pod, Meaning::kName});
    if (!row.waits_for.empty()) page.detail(row.waits_for);
  }
  add_cut(summary.pending.size(), limit, "pending pods", page);
}

void add_unreadable(const ClusterSummary& summary, const codec::Documents& documents, std::size_t limit, Page& page) {
  if (!summary.dangling.empty()) {
    page.section("On nodes that are not in what was read: " + counted(summary.dangling.size(), "pod"));
    for (std::size_t i = 0; i < std::min(limit, summary.dangling.size()); ++i) {
      page.item({summary.dangling[i], Meaning::kName});
    }
    add_cut(summary.dangling.size(), limit, "pods", page);
  }
  if (!documents.unknown_kinds.empty()) {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : documents.unknown_kinds) {
      kinds.push_back(fmt::format("{} {}", grouped(count), kind));
    }
    page.gap();
    page.paragraph(fmt::format("Of no interest to a scheduler: {}", fmt::join(kinds, ", ")));
  }
  if (!documents.errors.empty()) {
    page.section(Line("Could not be read: " + counted(documents.errors.size(), "document"), Meaning::kBad));
    for (std::size_t i = 0; i < std::min(limit, documents.errors.size()); ++i) {
      page.item(documents.errors[i].message());
    }
    add_cut(documents.errors.size(), limit, "errors", page);
  }
}

std::string headline(const ClusterSummary& summary) {
  std::vector<std::string> phases;
  for (const PhaseSummary& phase : summary.phases) {
    phases.push_back(fmt::format("{} {}", grouped(phase.pods), phase.phase));
  }
  std::vector<std::string> others;
  for (const PhaseSummary& other : summary.other) {
    others.push_back(fmt::format("{} {}", grouped(other.pods), other.phase));
  }
  std::string text = fmt::format("{} in {}, {}", counted(summary.nodes, "node"), counted(summary.pools.size(), "pool"),
                                 counted(summary.pods, "pod"));
  if (!phases.empty()) text += fmt::format(" ({})", fmt::join(phases, ", "));
  if (!others.empty()) text += fmt::format("; also {}", fmt::join(others, ", "));
  return text;
}

}  // namespace

std::string render(const ClusterSummary& summary, const codec::Documents& documents, const RenderOptions& options) {
  const std::size_t limit = options.all_rows ? std::numeric_limits<std::size_t>::max() : kShownRows;
  Page page;
  page.headline(headline(summary));
  add_pools(summary, page);
  add_classes(summary, limit, page);
  add_pending(summary, limit, page);
  add_unreadable(summary, documents, limit, page);
  return page.render(options.style);
}

}  // namespace berth::inspect
