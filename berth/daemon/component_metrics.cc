#include "berth/daemon/component_metrics.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

namespace berth::daemon {

namespace {

void append_escaped(std::string& out, std::string_view text, bool is_label) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && is_label) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

// As Go prints a float in this format: "3", "0.25", "1.5e+09".
void append_number(std::string& out, double value) {
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else if (std::isnan(value)) {
    out += "NaN";
  } else {
    fmt::format_to(
        std::back_inserter(out), "{}",
        value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{}", value));
  }
}

// The values of /proc/self/stat behind the name of the program, which may contain anything.
std::vector<std::string> process_stat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  std::vector<std::string> values;
  if (name_end == std::string::npos) return values;
  std::istringstream rest(line.substr(name_end + 1));
  std::copy(std::istream_iterator<std::string>(rest), {}, std::back_inserter(values));
  return values;
}

// Field numbers of proc(5); the state, field 3, comes first in `stat`.
double stat_value(const std::vector<std::string>& stat, std::size_t field) {
  const std::size_t index = field - 3;
  return index < stat.size() ? std::strtod(stat[index].c_str(), nullptr) : 0;
}

double boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  double seconds = 0;
  while (file >> word) {
    if (word == "btime") {
      file >> seconds;
      break;
    }
    file.ignore(1 << 20, '\n');
  }
  return seconds;
}

double open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (folder == nullptr) return 0;
  double count = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;  // the folder itself was open
}

void gauge(MetricText& text, std::string_view name, std::string_view help, double value) {
  text.family(name, engine::MetricType::kGauge, help);
  text.sample({}, value);
}

constexpr std::string_view kStartTimeHelp = "Start time of the process since unix epoch in seconds.";

double start_time(const std::vector<std::string>& stat) {
  return boot_time() + stat_value(stat, 22) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// As Go names systems and processors.
constexpr std::string_view kPlatform =
#if defined(__x86_64__)
    "linux/amd64";
#elif defined(__aarch64__)
    "linux/arm64";
#else
    "linux";
#endif

std::string_view stage_label(config::Stage stage) {
  return stage == config::Stage::kGa ? "" : config::stage_name(stage);
}

}  // namespace

void MetricText::family(std::string_view name, engine::MetricType type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} ", name);
  append_escaped(text_, help, false);
  text_ += fmt::format("\n# TYPE {} {}\n", name, to_string(type));
}

void MetricText::family(std::string_view name, engine::MetricType type, engine::Stability stability,
                        std::string_view help) {
  family(name, type, fmt::format("[{}] {}", to_string(stability), help));
}

void MetricText::sample(Labels labels, double value, std::string_view suffix) {
  text_ += name_;
  text_ += suffix;
  char separator = '{';
  for (const auto& [name, label] : labels) {
    text_ += separator;
    text_ += name;
    text_ += "=\"";
    append_escaped(text_, label, true);
    text_ += '"';
    separator = ',';
  }
  if (separator == ',') text_ += '}';
  text_ += ' ';
  append_number(text_, value);
  text_ += '\n';
}

std::string ComponentMetrics::to_text() const {
  MetricText text;
  for (const MetricSource& source : sources_) source(text);
  return text.text();
}

std::string sorted_families(std::string_view text, const std::vector<std::string>& disabled) {
  constexpr std::string_view kHelp = "# HELP ";
  struct Family {
    std::string_view name;
    std::string_view text;
  };
  std::vector<Family> families;
  while (!text.empty()) {
    const std::size_t next = text.find("\n# HELP ");
    const std::string_view family = text.substr(0, next == std::string_view::npos ? next : next + 1);
    text.remove_prefix(family.size());
    const std::string_view name =
        family.starts_with(kHelp) ? family.substr(kHelp.size(), family.find(' ', kHelp.size()) - kHelp.size()) : "";
    if (std::ranges::find(disabled, name) == disabled.end()) families.push_back({name, family});
  }
  std::ranges::sort(families, {}, &Family::name);
  std::string result;
  for (const Family& family : families) result += family.text;
  return result;
}

MetricSource leader_metrics(std::string lease_name, std::function<bool()> is_leader,
                            std::function<std::uint64_t()> slow_renewals) {
  return [lease_name = std::move(lease_name), is_leader = std::move(is_leader),
          slow_renewals = std::move(slow_renewals)](MetricText& text) {
    text.family("leader_election_master_status", engine::MetricType::kGauge, engine::Stability::kAlpha,
                "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates "
                "master. 'name' is the string used to identify the lease. Please make sure to group by name.");
    text.sample({{"name", lease_name}}, is_leader() ? 1 : 0);
    const std::uint64_t slow = slow_renewals();
    if (slow == 0) return;
    text.family("leader_election_slowpath_total", engine::MetricType::kCounter, engine::Stability::kAlpha,
                "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify "
                "the lease. Please make sure to group by name.");
    text.sample({{"name", lease_name}}, static_cast<double>(slow));
  };
}

MetricSource build_metrics(std::string git_version) {
  return [git_version = std::move(git_version)](MetricText& text) {
    std::string_view rest = git_version;
    if (rest.starts_with('v')) rest.remove_prefix(1);
    const std::string_view major = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(major.size() + 1, rest.size()));
    const std::string_view minor = rest.substr(0, rest.find('.'));
    text.family("kubernetes_build_info", engine::MetricType::kGauge, engine::Stability::kBeta,
                "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, "
                "build date, Go version, and compiler from which Kubernetes was built, and platform on which it is "
                "running.");
    text.sample({{"build_date", ""},
                 {"compiler", __VERSION__},
                 {"git_commit", ""},
                 {"git_tree_state", ""},
                 {"git_version", git_version},
                 {"go_version", ""},
                 {"major", major},
                 {"minor", minor},
                 {"platform", kPlatform}},
                1);
  };
}

MetricSource feature_metrics(config::FeatureGates gates) {
  return [gates](MetricText& text) {
    text.family("kubernetes_feature_enabled", engine::MetricType::kGauge, engine::Stability::kBeta,
                "This metric records the data about the stage and enablement of a k8s feature.");
    for (const config::FeatureSpec& feature : config::all_features()) {
      text.sample({{"name", feature.name}, {"stage", stage_label(feature.stage)}},
                  gates.enabled(feature.feature) ? 1 : 0);
    }
  };
}

MetricSource process_metrics() {
  return [](MetricText& text) {
    const std::vector<std::string> stat = process_stat();
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    rlimit files{};
    (void)::getrlimit(RLIMIT_NOFILE, &files);
    text.family("process_cpu_seconds_total", engine::MetricType::kCounter,
                "Total user and system CPU time spent in seconds.");
    text.sample({}, (stat_value(stat, 14) + stat_value(stat, 15)) / ticks);
    gauge(text, "process_max_fds", "Maximum number of open file descriptors.", static_cast<double>(files.rlim_cur));
    gauge(text, "process_open_fds", "Number of open file descriptors.", open_files());
    gauge(text, "process_resident_memory_bytes", "Resident memory size in bytes.",
          stat_value(stat, 24) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    gauge(text, "process_start_time_seconds", kStartTimeHelp, start_time(stat));
    gauge(text, "process_threads", "Number of threads of the process.", stat_value(stat, 20));
    gauge(text, "process_virtual_memory_bytes", "Virtual memory size in bytes.", stat_value(stat, 23));
    rlimit memory{};
    (void)::getrlimit(RLIMIT_AS, &memory);
    gauge(text, "process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.",
          static_cast<double>(memory.rlim_cur));
  };
}

MetricSource start_time_metrics() {
  return [](MetricText& text) {
    // Where Kubernetes registers it itself it has a stability; under /metrics it is the process' own.
    text.family("process_start_time_seconds", engine::MetricType::kGauge, engine::Stability::kAlpha, kStartTimeHelp);
    text.sample({}, start_time(process_stat()));
  };
}

}  // namespace berth::daemon
