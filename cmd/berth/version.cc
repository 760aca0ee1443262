// `berth version`: which Berth this is, and which kube-scheduler it behaves as.
//
// The build passes BERTH_VERSION (CMake's project version) and BERTH_COMMIT (`git describe` when CMake was configured,
// empty outside a git checkout) to this file alone, so that a commit recompiles one file.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kVersion = BERTH_VERSION;
constexpr std::string_view kCommit = BERTH_COMMIT;
constexpr std::string_view kBehavesAs = "kube-scheduler v1.36.3";

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

// None of the values needs JSON escaping: they come from the build, not from a user.
std::string version_json() {
  return fmt::format(R"({{"version": "{}", "commit": "{}", "behavesAs": "{}", "compiler": "{}"}})", kVersion, kCommit,
                     kBehavesAs, kCompiler);
}

}  // namespace

std::string version_number() {
  return std::string(kVersion);
}

std::string version_text() {
  const std::string commit = kCommit.empty() ? "" : fmt::format(" ({})", kCommit);
  return fmt::format("berth {}{}\nbehaves as {}", kVersion, commit, kBehavesAs);
}

std::string client_user_agent() {
#if defined(__aarch64__)
  constexpr std::string_view kArchitecture = "arm64";
#else
  constexpr std::string_view kArchitecture = "amd64";
#endif
  return fmt::format("berth/{} (linux/{}) kubernetes/{}", kVersion, kArchitecture,
                     kBehavesAs.substr(kBehavesAs.rfind(' ') + 1));
}

void add_version(Program& program) {
  auto output = std::make_shared<std::string>("text");
  CLI::App& command = *program.root().add_subcommand("version", "Print the version");
  command.add_option("-o,--output", *output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  program.set_action(command, [output] {
    fmt::print("{}\n", *output == "json" ? version_json() : version_text());
    return kExitOk;
  });
}

}  // namespace berth::cmd
