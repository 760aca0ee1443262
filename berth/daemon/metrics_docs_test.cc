// docs/metrics.md against what is served: the same families with the same type, labels and buckets, no more and no
// less.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "berth/daemon/component_metrics.h"
#include "berth/daemon/endpoints.h"
#include "berth/daemon/rest_metrics.h"
#include "berth/engine/testing.h"

namespace berth::daemon {
namespace {

struct Family {
  std::string type;
  std::set<std::string> labels;
  std::vector<double> bounds;  // of those for which the page states them

  bool operator==(const Family&) const = default;
};
using Families = std::map<std::string, Family>;

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.type << " with labels";
  for (const std::string& label : family.labels) *out << ' ' << label;
  *out << " and bounds";
  for (const double bound : family.bounds) *out << ' ' << bound;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Splits at `separator`, but not within parentheses.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = std::string(trim(part));
  return parts;
}

// The numbers of "histogram E(0.001, 2, 15)".
std::vector<double> bounds_of(std::string_view type) {
  const std::size_t open = type.find("E(");
  if (open == std::string_view::npos) return {};
  const std::vector<std::string> numbers = split(type.substr(open + 2, type.find(')') - open - 2), ',');
  EXPECT_EQ(numbers.size(), 3U) << type;
  std::vector<double> values;
  for (const std::string& number : numbers) values.push_back(std::stod(number));
  return engine::exponential_bounds(values[0], values[1], static_cast<std::size_t>(values[2]));
}

std::vector<std::string> lines_of_page() {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/docs/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  return lines_of(text.str());
}

// The rows of the page's tables with the columns name, type, labels and meaning.
Families documented() {
  Families families;
  bool is_table = false;
  for (const std::string& line : lines_of_page()) {
    if (!line.starts_with('|')) is_table = false;
    if (line.starts_with("| name | type | labels |")) is_table = true;
    if (!is_table || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = split(std::string_view(line).substr(1), '|');
    Family family{.type = cells[1].substr(0, cells[1].find(' ')), .labels = {}, .bounds = bounds_of(cells[1])};
    for (const std::string& label : split(cells[2], ',')) {
      if (!label.empty()) family.labels.insert(label.substr(0, label.find(' ')));
    }
    for (const std::string& name : split(cells[0], ',')) families[name.substr(1, name.size() - 2)] = family;
  }
  return families;
}

// The families of a text that is served, with the labels of their samples.
void read_served(const std::string& text, Families& families) {
  constexpr std::string_view kType = "# TYPE ";
  std::string name;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(kType)) {
      const std::size_t end = line.find(' ', kType.size());
      name = line.substr(kType.size(), end - kType.size());
      families[name].type = line.substr(end + 1);
    } else if (const std::size_t open = line.find('{'); !line.starts_with('#') && open != std::string::npos) {
      for (std::size_t at = open + 1; at < line.size();) {
        const std::size_t equals = line.find("=\"", at);
        const std::string label = line.substr(at, equals - at);
        if (label != "le") families[name].labels.insert(label);
        at = line.find('"', equals + 2) + 2;
        if (line[at - 1] == '}') break;
      }
    }
  }
}

Families served() {
  engine::SchedulerMetrics metrics;
  engine::Options engine_options;
  engine_options.metrics = &metrics;
  engine::testing::World world(std::move(engine_options));
  RestCounts requests("api:6443");
  requests.count(client::Method::kGet, 200);
  requests.observe(client::Method::kGet, Duration::seconds(1), 1, 1);

  EndpointOptions options;
  options.ask = [&](const std::function<void(engine::Scheduler&)>& question) {
    question(world.scheduler());
    return true;
  };
  options.metrics = &metrics;
  options.now = [&] { return world.now(); };
  options.component_metrics = std::make_shared<ComponentMetrics>();
  ComponentMetrics& components = *options.component_metrics;
  components.add([&](MetricText& text) { requests.write(text); });
  components.add(leader_metrics("kube-scheduler", [] { return true; }, [] { return 1U; }));
  components.add(build_metrics("v1.36.3"));
  components.add(feature_metrics({}));
  components.add(process_metrics());
  const serve::Routes routes = make_endpoints(std::move(options));

  world.add(engine::testing::node("n1", "4"));
  auto pod = engine::testing::pod("a", "1");
  pod.spec().containers[0].resources.limits = pod.spec().containers[0].resources.requests;
  world.add(pod.build());
  world.answer_all();
  Families families;
  for (const std::string_view path : {"/healthz", "/metrics", "/metrics/resources", "/metrics/slis"}) {
    serve::Call call;
    call.method = "GET";
    call.path = path;
    const serve::Reply reply = routes(call);
    EXPECT_EQ(reply.status, 200) << path;
    read_served(reply.body, families);
  }
  // Families without a series are left out of the text, and appear when something is counted.
  for (const engine::MetricFamily* family : metrics.families()) {
    const engine::MetricDescriptor& descriptor = family->descriptor();
    Family& each = families[std::string(descriptor.name)];
    for (const std::string_view label : descriptor.labels) each.labels.emplace(label);
    each.type = to_string(descriptor.type);
    each.bounds = descriptor.bounds;
  }
  return families;
}

TEST(MetricsDocumentation, ListsEveryFamilyThatIsServed) {
  const Families page = documented();
  for (const auto& [name, family] : served()) {
    const auto row = page.find(name);
    if (row == page.end()) {
      ADD_FAILURE() << "docs/metrics.md does not list " << name;
    } else {
      EXPECT_EQ(row->second, family) << name;
    }
  }
}

TEST(MetricsDocumentation, ListsNoFamilyThatIsNotServed) {
  const Families real = served();
  const Families page = documented();
  EXPECT_GT(page.size(), 40U);
  for (const auto& [name, family] : page) EXPECT_TRUE(real.contains(name)) << name;
}

// Names of the table with the columns name and why; "go_*" stands for all that begin with "go_".
std::vector<std::string> documented_as_missing() {
  std::vector<std::string> names;
  bool is_table = false;
  for (const std::string& line : lines_of_page()) {
    if (!line.starts_with('|')) is_table = false;
    if (line.starts_with("| name | why |")) is_table = true;
    if (!is_table || !line.starts_with("| `")) continue;
    const std::string cell = split(std::string_view(line).substr(1), '|').front();
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
      const std::size_t end = cell.find('`', at + 1);
      names.push_back(cell.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
}

TEST(MetricsDocumentation, ListsNoFamilyAsMissingThatIsServed) {
  const std::vector<std::string> missing = documented_as_missing();
  EXPECT_GT(missing.size(), 4U);
  for (const auto& [name, family] : served()) {
    for (const std::string& pattern : missing) {
      const bool is_prefix = pattern.ends_with('*');
      const std::string_view text = std::string_view(pattern).substr(0, pattern.size() - (is_prefix ? 1 : 0));
      EXPECT_FALSE(is_prefix ? name.starts_with(text) : name == text) << name << " is served";
    }
  }
}

}  // namespace
}  // namespace berth::daemon
