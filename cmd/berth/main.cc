// The `berth` program: parses the command line, runs the chosen subcommand, and answers usage errors.
//
// CLI11 reports everything but success by throwing; that ends in Program::run. Exit codes are those of command.h.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

// How many single-letter edits (insert, delete, replace, swap of neighbours) turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// The candidate that the user most likely meant by `word`, or nothing. A word of n letters may be wrong in about a
// third of them; the beginning of a candidate always counts.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    const bool is_beginning = word.size() >= 2 && candidate.starts_with(word);
    const std::size_t distance = is_beginning ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// "berth config check"
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

// Says that `word` is not known to `command`, and what was probably meant.
std::string unknown_word(const CLI::App& command, const std::string& word) {
  const bool is_option = word.starts_with('-');
  const std::vector<std::string> subcommands = subcommand_names(command);
  const std::string kind = is_option ? "option" : subcommands.empty() ? "argument" : "subcommand";
  // "--ouptut=json" is about "--ouptut".
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  const std::string suggestion = nearest(name, is_option ? option_names(command) : subcommands);
  const std::string question = suggestion.empty() ? "" : fmt::format("; did you mean '{}'?", suggestion);
  return fmt::format("unknown {} '{}'{}", kind, name, question);
}

// Output that was lost (a full disk, say) makes the run a failure although the command was content.
int flush_output(int exit_code) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return is_written || exit_code != kExitOk ? exit_code : failure("cannot write to standard output");
}

}  // namespace

int failure(std::string_view message) {
  fmt::print(stderr, "berth: {}\n", message);
  return kExitFailure;
}

CLI::Validator seed_check() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool is_seed =
            !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
        return is_seed ? std::string() : fmt::format("expected a whole number from 0 to 10^18, found {}", text);
      },
      "");
}

Program::Program() : root_("Berth, a Kubernetes scheduler in C++.", "berth") {
  root_.set_version_flag("--version", version_text(), "Print the version and exit");
  root_.set_help_flag("-h,--help", "Print this help and exit");
#define BERTH_ADD_COMMAND(name) add_##name(*this);
  BERTH_COMMANDS(BERTH_ADD_COMMAND)
#undef BERTH_ADD_COMMAND
}

void Program::set_action(CLI::App& command, Action action) {
  command.callback([this, action = std::move(action)] { chosen_ = action; });
}

void Program::set_words_action(CLI::App& command, WordsAction action) {
  words_actions_.emplace(command.get_name(), std::move(action));
}

int Program::run(int argc, const char* const* argv) {
  if (const auto found = argc > 1 ? words_actions_.find(argv[1]) : words_actions_.end();
      found != words_actions_.end()) {
    return flush_output(found->second(std::vector<std::string>(argv + 2, argv + argc)));
  }
  try {
    root_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", root_.help());
    return flush_output(kExitOk);
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return flush_output(kExitOk);
  } catch (const CLI::ParseError& error) {
    return explain_usage_error(error);
  }
  if (!chosen_) {
    // `berth` or `berth config` alone: show what there is.
    fmt::print(stderr, "{}", root_.help());
    return kExitUsage;
  }
  return flush_output(chosen_());
}

int Program::explain_usage_error(const CLI::ParseError& error) {
  const CLI::App* command = &root_;
  while (!command->get_subcommands().empty() && command->remaining().empty()) {
    command = command->get_subcommands().front();
  }
  const std::vector<std::string> unknown = command->remaining();
  const bool is_unknown = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !unknown.empty();
  const std::string message = is_unknown ? unknown_word(*command, unknown.front()) : error.what();
  fmt::print(stderr, "berth: {}\nRun '{} --help' for usage.\n", message, full_name(*command));
  return kExitUsage;
}

}  // namespace berth::cmd

int main(int argc, char** argv) {
  try {
    return berth::cmd::Program().run(argc, argv);
  } catch (const std::exception& error) {
    // fmt throws if what it prints cannot be written.
    if (std::ferror(stdout) != 0) {
      std::fputs("berth: cannot write to standard output\n", stderr);
    } else {
      std::fputs("berth: internal error: ", stderr);
      std::fputs(error.what(), stderr);
      std::fputs("\n", stderr);
    }
    return berth::cmd::kExitFailure;
  }
}
