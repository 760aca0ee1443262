#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/explain/stable_order.h"
#include "berth/whatif/csv.h"
#include "berth/whatif/openb.h"

namespace berth::whatif {

namespace {

using Row = CsvTable::Row;

// Reads the numbers of a row one after the other and remembers the first that is none.
class Numbers {
 public:
  Numbers(const CsvTable& table, const Row& row) : table_(table), row_(row) {}

  std::int64_t operator()(std::string_view column) {
    const auto number = table_.number(row_, column);
    if (number) return *number;
    if (!error) error = number.error();
    return 0;
  }
  std::optional<Duration> time(std::string_view column) {
    if (table_.at(row_, column).empty()) return std::nullopt;
    return Duration::seconds((*this)(column));
  }

  std::optional<Error> error;

 private:
  const CsvTable& table_;
  const Row& row_;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Result<OpenbNode> node_of(const CsvTable& table, const Row& row) {
  Numbers number(table, row);
  OpenbNode node;
  node.name = table.at(row, "sn");
  node.milli_cpu = number("cpu_milli");
  node.memory_mib = number("memory_mib");
  node.gpus = number("gpu");
  node.model = table.at(row, "model");
  if (number.error) return fail(*number.error);
  if (node.name.empty()) return fail(table.error(row, "sn: the node has no name"));
  return node;
}

Result<OpenbPod> pod_of(const CsvTable& table, const Row& row) {
  Numbers number(table, row);
  OpenbPod pod;
  pod.name = table.at(row, "name");
  pod.milli_cpu = number("cpu_milli");
  pod.memory_mib = number("memory_mib");
  // A pod without GPUs may have nothing there.
  const std::int64_t gpus = table.at(row, "num_gpu").empty() ? 0 : number("num_gpu");
  pod.gpu_milli = gpus == 0 ? 0 : gpus * number("gpu_milli");
  pod.models = split(table.at(row, "gpu_spec"), '|');
  pod.qos = table.at(row, "qos");
  pod.created_at = Duration::seconds(number("creation_time"));
  pod.deleted_at = number.time("deletion_time");
  pod.scheduled_at = number.time("scheduled_time");
  if (number.error) return fail(*number.error);
  if (pod.name.empty()) return fail(table.error(row, "name: the pod has no name"));
  if (pod.deleted_at && *pod.deleted_at < pod.created_at) {
    return fail(table.error(row, "deletion_time: the pod is deleted before it is created"));
  }
  if (pod.scheduled_at && *pod.scheduled_at < pod.created_at) {
    return fail(table.error(row, "scheduled_time: the pod is scheduled before it is created"));
  }
  return pod;
}

// Names are unique: two nodes or pods of one name would be one.
template <typename Thing, typename Read>
Result<std::vector<Thing>> read_rows(const CsvTable& table, Read read) {
  std::vector<Thing> things;
  std::set<std::string> names;
  for (const Row& row : table.rows()) {
    auto thing = read(table, row);
    if (!thing) return fail(thing.error());
    if (!names.insert(thing->name).second) {
      return fail(table.error(row, fmt::format("there are two of the name {}", thing->name)));
    }
    things.push_back(*std::move(thing));
  }
  return things;
}

}  // namespace

Duration OpenbTrace::end() const {
  Duration end;
  for (const OpenbPod& pod : pods) end = std::max({end, pod.created_at, pod.deleted_at.value_or(Duration())});
  return end;
}

Result<OpenbTrace> read_openb(const NamedText& nodes, const NamedText& pods, std::size_t max_pods) {
  const auto node_table = CsvTable::read(nodes.text, nodes.name, {"sn", "cpu_milli", "memory_mib", "gpu", "model"});
  if (!node_table) return fail(node_table.error());
  const auto pod_table = CsvTable::read(pods.text, pods.name,
                                        {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos",
                                         "creation_time", "deletion_time", "scheduled_time"});
  if (!pod_table) return fail(pod_table.error());
  OpenbTrace trace;
  auto read_nodes = read_rows<OpenbNode>(*node_table, node_of);
  if (!read_nodes) return fail(read_nodes.error());
  auto read_pods = read_rows<OpenbPod>(*pod_table, pod_of);
  if (!read_pods) return fail(read_pods.error());
  trace.nodes = *std::move(read_nodes);
  trace.pods = *std::move(read_pods);
  explain::sort_stably(trace.pods, {}, [](const OpenbPod& pod) { return pod.created_at; });
  if (max_pods > 0 && trace.pods.size() > max_pods) trace.pods.resize(max_pods);
  return trace;
}

}  // namespace berth::whatif
