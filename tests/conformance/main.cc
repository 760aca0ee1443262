// berth-conformance WHAT FILE...: compares Berth with recorded traces of kube-scheduler's own code, and says in what
// they differ. Exits with 0 if in nothing, 1 if in something, 2 if it could not compare.

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/codec_conformance.h"
#include "tests/conformance/config_conformance.h"
#include "tests/conformance/plugins_conformance.h"
#include "tests/conformance/quantity_conformance.h"
#include "tests/conformance/queue_conformance.h"

namespace berth::conformance {
namespace {

// Each compares all files, prints what differs and a summary, and returns whether nothing does.
bool compare_queue(std::span<const std::string> files) {
  int operations = 0, differing = 0;
  for (const std::string& file : files) {
    const TraceResult result = compare_queue_trace(file, std::cout);
    operations += result.compared;
    differing += result.differences > 0 ? 1 : 0;
  }
  std::cout << fmt::format("queue: {} traces, {} operations compared, {} traces differ\n", files.size(), operations,
                           differing);
  return differing == 0;
}

bool compare_plugins(std::span<const std::string> files) {
  PluginsResult all;
  int differing = 0;
  for (const std::string& file : files) {
    const PluginsResult result = compare_plugins_trace(file, std::cout);
    all.pods += result.pods;
    all.comparisons += result.comparisons;
    all.differences += result.differences;
    differing += result.differences > 0 ? 1 : 0;
  }
  std::cout << fmt::format("plugins: {} traces, {} pods, {} comparisons, {} differences in {} traces\n", files.size(),
                           all.pods, all.comparisons, all.differences, differing);
  return differing == 0;
}

// `--rewrite FILE` in front of the traces writes Berth's own encodings to FILE, for the oracle's `codec -check` to
// read.
bool compare_codec(std::span<const std::string> files) {
  std::ofstream rewritten;
  if (files.size() > 2 && files.front() == "--rewrite") {
    rewritten.open(files[1]);
    if (!rewritten) throw std::runtime_error(files[1] + ": cannot be written");
    files = files.subspan(2);
  }
  int compared = 0, differing = 0;
  for (const std::string& file : files) {
    const CodecResult result = compare_codec_trace(file, std::cout, rewritten.is_open() ? &rewritten : nullptr);
    compared += result.compared;
    differing += result.differences;
  }
  std::cout << fmt::format("codec: {} traces, {} objects compared, {} differ\n", files.size(), compared, differing);
  return differing == 0;
}

template <int (*Compare)(const std::string&, std::ostream&)>
bool compare_each(std::span<const std::string> files) {
  int differing = 0;
  for (const std::string& file : files) differing += Compare(file, std::cout);
  std::cout << fmt::format("{} traces, {} differences\n", files.size(), differing);
  return differing == 0;
}

struct Subcommand {
  std::string_view name;
  bool (*compare)(std::span<const std::string> files);
};

constexpr Subcommand kSubcommands[] = {
    {"quantity", compare_each<compare_quantity_trace>},
    {"codec", compare_codec},
    {"config", compare_each<compare_config_trace>},
    {"queue", compare_queue},
    {"plugins", compare_plugins},
};

int run(std::span<const std::string> arguments) {
  for (const Subcommand& subcommand : kSubcommands) {
    if (arguments.size() < 2 || arguments.front() != subcommand.name) continue;
    return subcommand.compare(arguments.subspan(1)) ? 0 : 1;
  }
  std::cerr << "usage: berth-conformance WHAT FILE...\nWHAT is one of:";
  for (const Subcommand& subcommand : kSubcommands) std::cerr << ' ' << subcommand.name;
  std::cerr << '\n';
  return 2;
}

}  // namespace
}  // namespace berth::conformance

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return berth::conformance::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "berth-conformance: " << error.what() << '\n';
    return 2;
  }
}
