// `berth config check FILE` and `berth config print [FILE]`: is a KubeSchedulerConfiguration well, and what does it
// mean once defaults are set. "-" is standard input.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstring>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config/load.h"
#include "berth/config/warnings.h"
#include "berth/config/write.h"
#include "berth/text/escape.h"
#include "berth/text/words.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"

namespace berth::cmd {
namespace {

struct Options {
  std::string file;
  std::string feature_gates;
};

// Nothing was looked at: the command line is wrong, or the file cannot be read.
int usage_error(std::string_view message) {
  failure(message);
  return kExitUsage;
}

// Runs `use` with the configuration in the file. What is wrong with it goes to `report`, one problem a line.
template <typename Use>
int with_config(const Options& options, std::FILE* report, Use use) {
  const auto gates = config::FeatureGates::parse(options.feature_gates);
  if (!gates) {
    for (const Error& error : gates.error()) usage_error("--feature-gates: " + error.message());
    return kExitUsage;
  }
  if (options.file.empty()) return use(config::default_config({.gates = *gates}));
  const auto text = read_whole(options.file);
  if (!text) return usage_error("cannot read " + text.error().message());
  const auto loaded = config::load_config(*text, {.gates = *gates});
  if (loaded) return use(*loaded);
  for (const Error& error : loaded.error().errors(options.file == "-" ? "standard input" : options.file)) {
    fmt::print(report, "{}\n", text::escaped(error.message()));
  }
  return kExitFailure;
}

int check(const Options& options) {
  return with_config(options, stdout, [&](const config::LoadedConfig& loaded) {
    for (const Error& warning : config::warnings_about(loaded)) {
      fmt::print("{}\n", text::escaped(fmt::format("warning: {}: {}", options.file, warning.message())));
    }
    std::vector<std::string_view> names;
    for (const config::Profile& profile : loaded.config.profiles) names.push_back(profile.name());
    fmt::print("{}\n", text::escaped(fmt::format("OK: {}: {} ({}), {}", options.file,
                                                 text::counted(names.size(), "profile"), fmt::join(names, ", "),
                                                 text::counted(loaded.config.extenders.size(), "extender"))));
    return kExitOk;
  });
}

int print(const Options& options) {
  return with_config(options, stderr, [](const config::LoadedConfig& loaded) {
    fmt::print("{}", config::to_yaml(loaded.config));
    return kExitOk;
  });
}

CLI::App& add_action(CLI::App& parent, const char* name, const char* description,
                     const std::shared_ptr<Options>& options) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.add_option("--feature-gates", options->feature_gates, "As for kube-scheduler: A=true,B=false");
  return command;
}

}  // namespace

void add_config(Program& program) {
  CLI::App& parent = *program.root().add_subcommand("config", "Check or complete a KubeSchedulerConfiguration");
  auto checked = std::make_shared<Options>();
  CLI::App& check_command = add_action(parent, "check", "Say what is wrong with a configuration", checked);
  check_command.add_option("file", checked->file, "The configuration, - for standard input")->required();
  program.set_action(check_command, [checked] { return check(*checked); });

  auto printed = std::make_shared<Options>();
  CLI::App& print_command = add_action(
      parent, "print", "Print a configuration with all defaults, as kube-scheduler's --write-config-to does", printed);
  print_command.add_option("file", printed->file, "The configuration, - for standard input; the defaults without one");
  program.set_action(print_command, [printed] { return print(*printed); });
}

}  // namespace berth::cmd
