// `berth completion bash|zsh|fish`: a completion script for the shell, generated from the CLI11 tree of this very
// program, so that it never goes stale.
//
// The scripts work alike. They walk the words before the cursor to find the command that the cursor is in (`at`), step
// over the values of options, and offer what the tables hold for that command: the values of the option just typed, the
// options if the word begins with '-', else the subcommands or the values of a positional. Where a value can be
// anything, the shell's own file completion takes over. Values are known where an option is checked with CLI::IsMember.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

// Something that can be typed, and what it means.
struct Choice {
  std::string word;
  std::string description;
};

struct ValueOption {
  std::vector<std::string> names;   // "-o", "--output"
  std::vector<std::string> values;  // empty: anything, completed as a file name
};

struct Command {
  std::string path;  // "berth config check"
  std::vector<Choice> options;
  std::vector<ValueOption> value_options;
  std::vector<Choice> words;  // subcommands, or the values of positionals
  bool takes_files = false;   // has a positional whose values are not a closed set
};

// The values of an option checked with CLI::IsMember. CLI11 shows them only in the type's name: "TEXT:{text,json}".
std::vector<std::string> closed_set(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    return {};
  }
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

void describe_positional(const CLI::Option& option, Command& command) {
  const std::vector<std::string> values = closed_set(option);
  command.takes_files |= values.empty();
  for (const std::string& value : values) {
    command.words.push_back({value, option.get_description()});
  }
}

void describe_option(const CLI::Option& option, Command& command) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  for (const std::string& name : names) {
    command.options.push_back({name, option.get_description()});
  }
  if (option.get_items_expected_max() > 0) {
    command.value_options.push_back({names, closed_set(option)});
  }
}

// Appends `app` and everything below it. Hidden options and subcommands have no group and are left out.
void describe(const CLI::App& app, const std::string& path, std::vector<Command>& commands) {
  Command command{.path = path, .options = {}, .value_options = {}, .words = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) {
      continue;
    }
    if (option->nonpositional()) {
      describe_option(*option, command);
    } else {
      describe_positional(*option, command);
    }
  }
  const auto subcommands = app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
  for (const CLI::App* sub : subcommands) {
    command.words.push_back({sub->get_name(), sub->get_description()});
  }
  commands.push_back(std::move(command));
  for (const CLI::App* sub : subcommands) {
    describe(*sub, path + " " + sub->get_name(), commands);
  }
}

// As one word of a shell, whatever is in it.
std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// "word" for bash, "word:description" for zsh, each quoted, separated by spaces.
std::string bash_words(const std::vector<Choice>& choices) {
  std::vector<std::string> words;
  for (const Choice& choice : choices) {
    words.push_back(shell_word(choice.word));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string zsh_words(const std::vector<Choice>& choices) {
  std::vector<std::string> words;
  for (const Choice& choice : choices) {
    std::string word;
    for (const char c : choice.word) {
      word.append(c == ':' ? "\\:" : std::string(1, c));
    }
    words.push_back(shell_word(choice.description.empty() ? word : word + ":" + choice.description));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// The rows of `case "$at $word"` that step into a subcommand.
std::string descend_cases(const std::vector<Command>& commands) {
  std::string rows;
  for (const Command& command : commands) {
    if (command.path.find(' ') != std::string::npos) {
      rows += fmt::format("      {}) at={} ;;\n", shell_word(command.path), shell_word(command.path));
    }
  }
  return rows;
}

// Rows of `case "$at $word"` for the options that take a value, each running `statement`; "{}" in it is the values.
std::string value_cases(const std::vector<Command>& commands, std::string_view indent, std::string_view statement) {
  std::string rows;
  for (const Command& command : commands) {
    for (const ValueOption& option : command.value_options) {
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(shell_word(command.path + " " + name));
      }
      std::vector<std::string> values;
      std::ranges::transform(option.values, std::back_inserter(values), shell_word);
      rows += fmt::format("{}{}) {} ;;\n", indent, fmt::join(patterns, "|"),
                          fmt::format(fmt::runtime(statement), fmt::join(values, " ")));
    }
  }
  return rows;
}

std::string bash_script(const std::vector<Command>& commands) {
  constexpr std::string_view kSkipValue = "[[ ${{COMP_WORDS[i+1]}} == '=' ]] || ((i++))";
  constexpr std::string_view kOfferValues = "values=({}); [[ ${{#values[@]}} -gt 0 ]] || return 0";
  std::string tables;
  for (const Command& command : commands) {
    tables += fmt::format("    {}) words=({}) options=({}) files={} ;;\n", shell_word(command.path),
                          bash_words(command.words), bash_words(command.options), command.takes_files ? 1 : 0);
  }
  return fmt::format(R"(# bash completion for berth. Load it with: source <(berth completion bash)
_berth() {{
  local at=berth cur="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" files=0 i
  local -a words=() options=() values=()
  # bash splits --option=value into three words.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $previous == '=' ]] && ((COMP_CWORD >= 2)); then
    previous="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${{COMP_WORDS[i]}}" in
{descend}{skip}      *) ;;
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
{values}    *) ;;
  esac
  case "$at" in
{tables}  esac
  if ((${{#values[@]}} > 0)); then
    words=("${{values[@]}}")
  elif [[ $cur == -* ]]; then
    words=("${{options[@]}}")
  fi
  mapfile -t COMPREPLY < <(compgen -W "${{words[*]}}" -- "$cur")
  # No file names where the command takes none. (compopt works only while bash completes.)
  if ((files == 0)); then
    compopt +o default 2>/dev/null
  fi
  return 0
}}
complete -o default -F _berth berth
)",
                     fmt::arg("descend", descend_cases(commands)),
                     fmt::arg("skip", value_cases(commands, "      ", kSkipValue)),
                     fmt::arg("values", value_cases(commands, "    ", kOfferValues)), fmt::arg("tables", tables));
}

std::string zsh_script(const std::vector<Command>& commands) {
  constexpr std::string_view kSkipValue = "((++i))";
  constexpr std::string_view kOfferValues = "values=({}); (($#values > 0)) || {{ _files; return; }}";
  std::string tables;
  for (const Command& command : commands) {
    tables += fmt::format("    {}) choices=({}) options=({}) files={} ;;\n", shell_word(command.path),
                          zsh_words(command.words), zsh_words(command.options), command.takes_files ? 1 : 0);
  }
  return fmt::format(R"(#compdef berth
# zsh completion for berth. Load it with: source <(berth completion zsh), or save it as _berth in a folder of $fpath.
_berth() {{
  local at=berth files=0 i
  local -a choices options values
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
{descend}{skip}      *) ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
{values}    *) ;;
  esac
  case "$at" in
{tables}  esac
  if (($#values > 0)); then
    compadd -a values
  elif [[ $words[CURRENT] == -* ]]; then
    _describe -o 'option' options
  elif (($#choices > 0)); then
    _describe 'command' choices
  elif ((files == 1)); then
    _files
  fi
}}
if [[ $funcstack[1] == _berth ]]; then
  _berth "$@"
else
  compdef _berth berth
fi
)",
                     fmt::arg("descend", descend_cases(commands)),
                     fmt::arg("skip", value_cases(commands, "      ", kSkipValue)),
                     fmt::arg("values", value_cases(commands, "    ", kOfferValues)), fmt::arg("tables", tables));
}

// As one word of fish, which knows escapes in single quotes.
std::string fish_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// What follows `complete -c berth`, one line for each word that can be typed.
std::string fish_lines(const Command& command) {
  const std::string when = fish_word("__berth_at " + fish_word(command.path));
  std::string lines;
  for (const Choice& word : command.words) {
    lines += fmt::format("complete -c berth -n {} -f -a {} -d {}\n", when, fish_word(word.word),
                         fish_word(word.description));
  }
  for (const Choice& option : command.options) {
    const bool is_long = option.word.starts_with("--");
    const auto takes_value = std::ranges::find_if(command.value_options, [&](const ValueOption& each) {
      return std::ranges::find(each.names, option.word) != each.names.end();
    });
    std::string value;
    if (takes_value != command.value_options.end()) {
      value = takes_value->values.empty()
                  ? " -r -F"
                  : fmt::format(" -x -a {}", fish_word(fmt::format("{}", fmt::join(takes_value->values, " "))));
    }
    lines += fmt::format("complete -c berth -n {} -{} {}{} -d {}\n", when, is_long ? 'l' : 's',
                         fish_word(option.word.substr(is_long ? 2 : 1)), value, fish_word(option.description));
  }
  if (command.takes_files) lines += fmt::format("complete -c berth -n {} -F\n", when);
  return lines;
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string descend, skip, lines;
  for (const Command& command : commands) {
    if (command.path.find(' ') != std::string::npos) {
      descend += fmt::format("            case {0}\n                set at {0}\n", fish_word(command.path));
    }
    for (const ValueOption& option : command.value_options) {
      for (const std::string& name : option.names) {
        skip += fmt::format("            case {}\n                set skip 1\n", fish_word(command.path + " " + name));
      }
    }
    lines += fish_lines(command);
  }
  return fmt::format(R"(# fish completion for berth. Load it with: berth completion fish | source
# Whether the cursor is in the command that is asked for.
function __berth_at
    set -l at berth
    set -l skip 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at $word"
{}{}        end
    end
    test "$at" = "$argv[1]"
end
complete -c berth -f
{})",
                     descend, skip, lines);
}

}  // namespace

void add_completion(Program& program) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = *program.root().add_subcommand("completion", "Print a completion script for a shell");
  command.add_option("shell", *shell, "Which shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  program.set_action(command, [shell, &program] {
    std::vector<Command> commands;
    // Of `berth`, whatever name it was called by now.
    describe(program.root(), "berth", commands);
    fmt::print("{}", *shell == "bash"  ? bash_script(commands)
                     : *shell == "zsh" ? zsh_script(commands)
                                       : fish_script(commands));
    return kExitOk;
  });
}

}  // namespace berth::cmd
