#include "berth/inspect/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace berth::inspect {

namespace {

// Rows of cells, padded to columns of equal width.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string str() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
    }
    std::string text;
    for (const auto& cells : rows_) {
      std::string line = " ";
      for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format(" {:<{}} ", cells[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string plural(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// As people write it: cpu in cores with at most one digit, bytes in the largest binary unit that keeps a digit.
std::string amount(Symbol resource, const api::Quantity& quantity) {
  if (resource == "cpu") {
    const std::int64_t tenths = (quantity.milli_value() + 50) / 100;
    return tenths % 10 == 0 ? fmt::format("{}", tenths / 10) : fmt::format("{}.{}", tenths / 10, tenths % 10);
  }
  if (resource == "memory" || resource == "ephemeral-storage") {
    constexpr std::string_view kUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    double value = static_cast<double>(quantity.value());
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(kUnits)) {
      value /= 1024;
      ++unit;
    }
    return value == static_cast<std::int64_t>(value) ? fmt::format("{:.0f}{}", value, kUnits[unit])
                                                     : fmt::format("{:.1f}{}", value, kUnits[unit]);
  }
  return quantity.str();
}

std::string share(const ResourceSummary& resource) {
  const double offered = resource.allocatable.as_approximate_double();
  const std::string both =
      fmt::format("{} of {}", amount(resource.name, resource.requested), amount(resource.name, resource.allocatable));
  if (offered <= 0) return both;
  return fmt::format("{} ({:.0f}%)", both, 100 * resource.requested.as_approximate_double() / offered);
}

std::string node_count(const PoolSummary& pool) {
  std::string text = std::to_string(pool.nodes);
  std::vector<std::string> notes;
  if (pool.ready != pool.nodes) notes.push_back(fmt::format("{} not ready", pool.nodes - pool.ready));
  if (pool.cordoned > 0) notes.push_back(fmt::format("{} cordoned", pool.cordoned));
  if (pool.tainted > 0) notes.push_back(fmt::format("{} tainted", pool.tainted));
  return notes.empty() ? text : fmt::format("{} ({})", text, fmt::join(notes, ", "));
}

std::string pools(const ClusterSummary& summary) {
  if (summary.pools.empty()) return "";
  Table table;
  table.row({"POOL", "NODES", "CPU REQUESTED", "MEMORY REQUESTED", "PODS", "OTHER"});
  for (const PoolSummary& pool : summary.pools) {
    std::vector<std::string> cells = {pool.name, node_count(pool)};
    std::string other;
    for (std::size_t i = 0; i < pool.resources.size(); ++i) {
      if (i < 3) {
        cells.push_back(share(pool.resources[i]));
      } else if (!pool.resources[i].name.text().starts_with("hugepages-")) {
        other +=
            fmt::format("{}{} {}", other.empty() ? "" : ", ", pool.resources[i].name.text(), share(pool.resources[i]));
      }
    }
    cells.push_back(other);
    table.row(std::move(cells));
  }
  return "\nNodes by pool\n" + table.str();
}

std::string cut(std::size_t total, std::size_t shown, std::string_view what) {
  return total > shown ? fmt::format("  ... and {} more {} (--all shows them)\n", total - shown, what) : "";
}

std::string classes(const ClusterSummary& summary, std::size_t limit) {
  if (summary.classes.empty()) return "";
  Table table;
  table.row({"PODS", "PENDING", "NAMESPACE", "OWNER", "PRIORITY", "REQUESTS OF ONE POD"});
  for (std::size_t i = 0; i < std::min(limit, summary.classes.size()); ++i) {
    const ClassSummary& row = summary.classes[i];
    std::string requests;
    for (const auto& [resource, quantity] : row.requests) {
      requests += fmt::format("{}{}={}", requests.empty() ? "" : " ", resource.text(), quantity.str());
    }
    table.row({std::to_string(row.pods), row.pending > 0 ? std::to_string(row.pending) : "-", row.name_space, row.owner,
               std::to_string(row.priority), requests.empty() ? "none" : requests});
  }
  return "\nPods by class (pods that the scheduler cannot tell apart)\n" + table.str() +
         cut(summary.classes.size(), limit, "classes");
}

std::string pending(const ClusterSummary& summary, std::size_t limit) {
  if (summary.pending.empty()) return "";
  std::string text = "\nPending, without a node\n";
  for (std::size_t i = 0; i < std::min(limit, summary.pending.size()); ++i) {
    const PendingSummary& row = summary.pending[i];
    text += fmt::format("  {}\n", row.pod);
    if (!row.waits_for.empty()) text += fmt::format("      {}\n", row.waits_for);
  }
  return text + cut(summary.pending.size(), limit, "pending pods");
}

std::string unreadable(const ClusterSummary& summary, const codec::Documents& documents, std::size_t limit) {
  std::string text;
  if (!summary.dangling.empty()) {
    text += fmt::format("\nOn nodes that are not in what was read: {}\n", plural(std::ssize(summary.dangling), "pod"));
    for (std::size_t i = 0; i < std::min(limit, summary.dangling.size()); ++i) {
      text += fmt::format("  {}\n", summary.dangling[i]);
    }
    text += cut(summary.dangling.size(), limit, "pods");
  }
  if (!documents.unknown_kinds.empty()) {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : documents.unknown_kinds) kinds.push_back(fmt::format("{} {}", count, kind));
    text += fmt::format("\nOf no interest to a scheduler: {}\n", fmt::join(kinds, ", "));
  }
  if (!documents.errors.empty()) {
    text += fmt::format("\nCould not be read: {}\n", plural(std::ssize(documents.errors), "document"));
    for (std::size_t i = 0; i < std::min(limit, documents.errors.size()); ++i) {
      text += fmt::format("  {}\n", documents.errors[i].message());
    }
    text += cut(documents.errors.size(), limit, "errors");
  }
  return text;
}

}  // namespace

std::string render(const ClusterSummary& summary, const codec::Documents& documents, const RenderOptions& options) {
  const std::size_t limit = options.all_rows ? std::numeric_limits<std::size_t>::max() : kShownRows;
  std::vector<std::string> phases;
  for (const PhaseSummary& phase : summary.phases) phases.push_back(fmt::format("{} {}", phase.pods, phase.phase));
  std::vector<std::string> others;
  for (const PhaseSummary& other : summary.other) others.push_back(fmt::format("{} {}", other.pods, other.phase));

  std::string text = fmt::format("{} in {}, {}", plural(summary.nodes, "node"),
                                 plural(std::ssize(summary.pools), "pool"), plural(summary.pods, "pod"));
  if (!phases.empty()) text += fmt::format(" ({})", fmt::join(phases, ", "));
  if (!others.empty()) text += fmt::format("; also {}", fmt::join(others, ", "));
  return text + "\n" + pools(summary) + classes(summary, limit) + pending(summary, limit) +
         unreadable(summary, documents, limit);
}

}  // namespace berth::inspect
