// What a subcommand of `berth` is, and the list of them.
//
// A subcommand is one file of this folder. It defines `void add_<name>(Program&)`, which declares the subcommand on the
// CLI11 tree and says what it does; the name goes into BERTH_COMMANDS below, and that is all. The build takes every
// *.cc here. Help, shell completion and the "did you mean" of a usage error are derived from the CLI11 tree, so they
// need nothing from the subcommand.
//
//   void add_inspect(Program& program) {
//     auto options = std::make_shared<Options>();
//     CLI::App& command = *program.root().add_subcommand("inspect", "Describe a cluster");
//     command.add_option("file", options->file, "What to read")->required();
//     program.set_action(command, [options](const text::Style& style) { return inspect(*options, style); });
//   }
//
// An option whose values form a closed set says so with CLI::IsMember, and completion offers them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/text/page.h"

namespace berth::cmd {

// Every subcommand, in the order in which --help lists them.
#define BERTH_COMMANDS(X) \
  X(run)                  \
  X(inspect)              \
  X(explain)              \
  X(capacity)             \
  X(what_if)              \
  X(sim)                  \
  X(fuzz)                 \
  X(import)               \
  X(config)               \
  X(version)              \
  X(completion)           \
  X(complete)             \
  X(help) /* last: it knows the others */

// Exit codes of the program. Scripts rely on them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // the work was tried and failed
inline constexpr int kExitUsage = 2;    // the command line makes no sense; nothing was tried
// There is an answer, and it is a bad one: a pod stays pending, a drain is blocked, a node cannot be lost.
inline constexpr int kExitBadVerdict = 3;

// The command line: a tree of commands of which at most one is chosen and run. Not thread safe.
class Program {
 public:
  // Does a subcommand's work and returns the exit code.
  using Action = std::function<int()>;

  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CLI::App& root() { return root_; }

  // Makes `action` what `command` does. It runs after the whole command line has been accepted, so a mistake in a later
  // argument never leaves work half done.
  void set_action(CLI::App& command, Action action);
  // The same for a command that prints text for people: it gets `--color`, and is told how to put its answer.
  using StyledAction = std::function<int(const text::Style& style)>;
  void set_action(CLI::App& command, StyledAction action);

  // For a command of the root that reads its words itself: what follows its name comes as it stands, and CLI11 knows
  // the options only for completion.
  using WordsAction = std::function<int(const std::vector<std::string>& words)>;
  void set_words_action(CLI::App& command, WordsAction action);

  // Parses the command line, runs what it asks for and returns the exit code.
  int run(int argc, const char* const* argv);

 private:
  int explain_usage_error(const CLI::ParseError& error);
  void rename_in_footers(CLI::App& command);

  CLI::App root_;
  std::string color_ = "auto";
  Action chosen_;
  std::map<std::string, WordsAction, std::less<>> words_actions_;  // by name of the command
};

// "berth", or "kubectl berth" if the program was called as kubectl's plugin: under the name kubectl-berth.
std::string_view program_name();

// Prints "berth: <message>" on standard error, escaped (berth/text/escape.h), and returns kExitFailure, for
// `return failure(error.message());`.
int failure(std::string_view message);

// Prints "berth: <message>" and how to get help on `command` ("berth sim"). Returns kExitUsage.
int usage_failure(std::string_view command, std::string_view message);

// For options that take a seed: a whole number from 0 on. CLI11 would take -1 for a large one.
CLI::Validator seed_check();

// "0.1.0".
std::string version_number();
// "berth 0.1.0 (3f2c1ab)\nbehaves as kube-scheduler v1.36.3", what --version prints.
std::string version_text();

// How the program names itself to API servers: "berth/0.1.0 (linux/amd64) kubernetes/v1.36.3".
std::string client_user_agent();

#define BERTH_DECLARE_COMMAND(name) void add_##name(Program& program);
BERTH_COMMANDS(BERTH_DECLARE_COMMAND)
#undef BERTH_DECLARE_COMMAND

}  // namespace berth::cmd
