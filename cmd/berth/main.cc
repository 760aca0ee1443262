// The `berth` program: parses the command line, runs the chosen subcommand, and answers usage errors.
//
// CLI11 reports everything but success by throwing; that ends in Program::run. Exit codes are those of command.h.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/nearest_name.h"
#include "berth/text/escape.h"
#include "cmd/berth/command.h"
#include "cmd/berth/help.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

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

// Options that became commands of their own.
struct MovedOption {
  std::string_view command;
  std::string_view option;
  std::string_view now;
  std::string_view arguments;
};
constexpr MovedOption kMovedOptions[] = {
    {"berth sim", "--what-if", "berth what-if", "DUMP..."},
    {"berth sim", "--fuzz", "berth fuzz", "--runs N"},
    {"berth sim", "--import", "berth import openb", "NODES.csv PODS.csv"},
};

// Null if none of the words is one.
const MovedOption* find_moved_option(const CLI::App& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const MovedOption& moved : kMovedOptions) {
      if (full_name(command) == moved.command && word.substr(0, word.find('=')) == moved.option) return &moved;
    }
  }
  return nullptr;
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

void add_color_option(CLI::App& command, std::string& color) {
  command.add_option("--color", color, "Colours in the answer: auto is on a terminal only")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

// Output that was lost (a full disk, say) makes the run a failure although the command was content.
int flush_output(int exit_code) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return is_written || exit_code != kExitOk ? exit_code : failure("cannot write to standard output");
}

}  // namespace

std::string_view program_name() {
  return std::string_view(program_invocation_short_name).starts_with("kubectl-") ? "kubectl berth" : "berth";
}

int failure(std::string_view message) {
  text::Page page;
  page.paragraph(fmt::format("{}: {}", program_name(), message));
  fmt::print(stderr, "{}", page.render({.width = terminal_columns(stderr).value_or(0)}));
  return kExitFailure;
}

int usage_failure(std::string_view command, std::string_view message) {
  failure(message);
  if (command.starts_with("berth")) command.remove_prefix(std::string_view("berth").size());
  if (command.starts_with(program_name())) command.remove_prefix(program_name().size());
  fmt::print(stderr, "Run '{}{} --help' for usage.\n", program_name(), command);
  return kExitUsage;
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

Program::Program() : root_("Berth, a Kubernetes scheduler in C++.", std::string(program_name())) {
  root_.set_version_flag("--version", version_text(), "Print the version and exit");
  root_.set_help_flag("-h,--help", "Print this help and exit");
  add_color_option(root_, color_);         // `berth --color=never inspect ...`, as git has it
  root_.formatter(make_help_formatter());  // before there are subcommands, which inherit it
#define BERTH_ADD_COMMAND(name) add_##name(*this);
  BERTH_COMMANDS(BERTH_ADD_COMMAND)
#undef BERTH_ADD_COMMAND
  if (program_name() != "berth") rename_in_footers(root_);
}

// Examples show what to type: "berth explain ..." is "kubectl berth explain ..." to who came by way of kubectl.
void Program::rename_in_footers(CLI::App& command) {
  std::string footer = command.get_footer();
  for (const std::string& name : subcommand_names(root_)) {
    const std::string shown = "berth " + name;
    const std::string called = fmt::format("{} {}", program_name(), name);
    for (std::size_t at = footer.find(shown); at != std::string::npos; at = footer.find(shown, at + called.size())) {
      footer.replace(at, shown.size(), called);
    }
  }
  command.footer(footer);
  for (CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) rename_in_footers(*sub);
}

void Program::set_action(CLI::App& command, Action action) {
  command.callback([this, action = std::move(action)] { chosen_ = action; });
}

void Program::set_action(CLI::App& command, StyledAction action) {
  add_color_option(command, color_);
  set_action(command, Action([this, action = std::move(action)] { return action(output_style(color_)); }));
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
  if (const MovedOption* moved = is_unknown ? find_moved_option(*command, unknown) : nullptr) {
    return usage_failure(moved->now, fmt::format("'{} {}' is a command of its own: {} {}", moved->command,
                                                 moved->option, moved->now, moved->arguments));
  }
  return usage_failure(full_name(*command), is_unknown ? unknown_word(*command, unknown.front()) : error.what());
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
      std::fputs(berth::text::escaped(error.what()).c_str(), stderr);
      std::fputs("\n", stderr);
    }
    return berth::cmd::kExitFailure;
  }
}
