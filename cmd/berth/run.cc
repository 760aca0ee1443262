// `berth run`: the scheduler itself, against a cluster. Its flags are kube-scheduler's and are read as kube-scheduler
// reads them (berth/daemon/flags.h), not by CLI11, which knows them for shell completion only.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "berth/config/write.h"
#include "berth/daemon/clock.h"
#include "berth/daemon/daemon.h"
#include "berth/daemon/flags.h"
#include "berth/daemon/log.h"
#include "berth/daemon/settings.h"
#include "berth/text/escape.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

int usage_error(const Error& error) {
  return usage_failure("berth run", error.message());
}

int write_config(const daemon::Settings& settings) {
  const std::string& file = settings.flags.write_config_to;
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return failure("cannot write " + file);
  const std::string text = config::to_yaml(settings.config.config);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool is_closed = std::fclose(out) == 0;
  if (!is_written || !is_closed) return failure("cannot write " + file);
  fmt::print(stderr, "Wrote configuration to {}\n", text::escaped(file));
  return kExitOk;
}

daemon::LogOptions log_options(const daemon::LogFlags& flags) {
  daemon::LogOptions options;
  options.verbosity = flags.verbosity;
  options.process_id = static_cast<int>(::getpid());
  // Both were checked with the settings.
  if (auto format = daemon::parse_log_format(flags.format)) options.format = *format;
  if (auto modules = daemon::parse_log_modules(flags.modules)) options.modules = *std::move(modules);
  return options;
}

int run_daemon(const daemon::Settings& settings) {
  const daemon::LogOptions options = log_options(settings.flags.log);
  const bool splits = options.format == daemon::LogFormat::kJson ? settings.flags.log.splits_json_stream
                                                                 : settings.flags.log.splits_text_stream;
  daemon::FdLogSink errors(STDERR_FILENO);
  daemon::FdLogSink rest(splits ? STDOUT_FILENO : STDERR_FILENO);
  const daemon::MachineClock clock;
  daemon::Log log(options, [&] { return clock.wall_now(); }, rest, splits ? &errors : nullptr);
  for (const std::string& warning : settings.flags.warnings) log.warning(warning);
  for (const std::string& warning : settings.warnings) log.warning(warning);
  return daemon::run(settings, {.version = version_number(), .user_agent = client_user_agent() + "/scheduler"}, log);
}

int run(const std::vector<std::string>& words) {
  auto flags = daemon::parse_run_flags(words);
  if (!flags) return usage_error(flags.error());
  if (flags->help) return fmt::print("{}", daemon::run_help(help_columns())), kExitOk;
  if (flags->version) return fmt::print("{}\n", version_text()), kExitOk;
  auto settings = daemon::make_settings(*std::move(flags), read_whole);
  if (!settings) {
    for (const Error& error : settings.error()) failure(error.message());
    return kExitFailure;
  }
  return settings->flags.write_config_to.empty() ? run_daemon(*settings) : write_config(*settings);
}

}  // namespace

void add_run(Program& program) {
  CLI::App& command = *program.root().add_subcommand("run", "Schedule the pods of a cluster, as kube-scheduler does");
  for (const auto& [name, about] : daemon::run_flag_names()) {
    const std::string description(about);
    if (name != "help") command.add_option("--" + std::string(name), description);
  }
  program.set_words_action(command, run);
}

}  // namespace berth::cmd
