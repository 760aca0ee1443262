// `berth help COMMAND...` is `berth COMMAND... --help`.
#include "cmd/berth/help.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/nearest_name.h"
#include "berth/text/unicode.h"
#include "berth/text/wrap.h"
#include "cmd/berth/command.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

// Where descriptions begin.
constexpr std::size_t kDescriptionColumn = 26;

// `text` in lines of at most `width` columns, the first behind `first`, the others indented. Every line but the last
// ends with `mark`.
std::string hanging(std::string_view text, std::size_t width, const std::string& first, std::size_t indent,
                    std::string_view mark = "") {
  const std::size_t before = std::max(text::columns(first), indent) + mark.size();
  const std::vector<text::Painted> lines = text::wrapped(text::paint(text), width > before ? width - before : 1);
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += (i == 0 ? first : std::string(indent, ' ')) + lines[i].text;
    if (i + 1 < lines.size()) result += mark;
    result += "\n";
  }
  return result;
}

// A name, and what it means beside it or, where the name is long, below it.
std::string described(const std::string& name, const std::string& description) {
  std::string first = "  " + name;
  std::string above;
  if (first.size() + 2 > kDescriptionColumn) {
    if (description.empty()) return first + "\n";
    above = first + "\n";
    first.clear();
  }
  first.resize(kDescriptionColumn, ' ');
  return above + hanging(description, help_columns(), first, kDescriptionColumn);
}

bool is_command(std::string_view line) {
  return line.starts_with(' ') || line.starts_with("Example");
}

std::string footer_text(std::string_view footer) {
  std::string result, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += hanging(paragraph, help_columns(), "", 0);
    paragraph.clear();
  };
  while (!footer.empty()) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    const std::string_view line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    if (!is_command(line)) {
      paragraph += fmt::format("{}{}", paragraph.empty() ? "" : " ", line);
      continue;
    }
    end_paragraph();
    // "Example: " and blanks come before the command itself.
    const std::size_t label = line.starts_with("Example") ? std::min(line.find(':') + 1, line.size()) : 0;
    const std::size_t begin = std::min(line.find_first_not_of(' ', label), line.size());
    result += hanging(line.substr(begin), help_columns(), std::string(line.substr(0, begin)), begin + 2, " \\");
  }
  end_paragraph();
  return result;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return described(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }

  // "FORMAT ..." only: what it may be and is without being given goes to the description.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string type = option->get_type_name();
    const std::string name = type.substr(0, type.find(':'));
    const bool is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    // The name of a positional says what it is.
    if (option->get_positional() && (name == "TEXT" || name == option->get_name())) return is_list ? " ..." : "";
    return name.empty() ? "" : " " + name + (is_list && !name.ends_with("...") ? "..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::vector<std::string> facts;
    const std::string type = option->get_type_name();
    if (const std::size_t open = type.find('{'); open != std::string::npos) {
      const std::vector<std::string> values =
          CLI::detail::split(type.substr(open + 1, type.find('}', open) - open - 1), ',');
      facts.push_back(fmt::format("{}", fmt::join(values, ", ")));
    }
    if (const std::string given = option->get_default_str(); !given.empty()) facts.push_back("default " + given);
    if (option->get_required()) facts.emplace_back("required");
    return option->get_description() + (facts.empty() ? "" : fmt::format(" ({})", fmt::join(facts, "; ")));
  }

  std::string make_subcommand(const CLI::App* sub) const override {
    return described(sub->get_name(), sub->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return hanging(app->get_description(), help_columns(), "", 0);
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    while (usage.ends_with('\n')) usage.pop_back();
    return hanging(usage, help_columns(), "", 4);
  }
  std::string make_footer(const CLI::App* app) const override { return footer_text(app->get_footer()); }
};

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

// Null if there is none of that name.
const CLI::App* find_subcommand(const CLI::App& command, std::string_view name) {
  for (const CLI::App* each : subcommands_of(command)) {
    if (each->get_name() == name) return each;
  }
  return nullptr;
}

std::string unknown_command(const CLI::App& command, std::string_view path, std::string_view name) {
  std::vector<std::string> names;
  for (const CLI::App* each : subcommands_of(command)) names.push_back(each->get_name());
  const std::string_view nearest = nearest_name(name, std::vector<std::string_view>(names.begin(), names.end()));
  return fmt::format("there is no command '{} {}'{}", path, name,
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

int print_help(Program& program, const CLI::App& own, const std::vector<std::string>& words) {
  const CLI::App* at = &program.root();
  std::string path = at->get_name();
  std::vector<const char*> arguments = {"berth"};
  for (const std::string& word : words) {
    if (word == "-h" || word == "--help") continue;  // `berth help sim --help`
    const CLI::App* next = find_subcommand(*at, word);
    if (next == nullptr) return usage_failure(path, unknown_command(*at, path, word));
    at = next;
    path += " " + word;
    arguments.push_back(word.c_str());
  }
  if (words.size() == 1 && arguments.size() == 1) {  // `berth help --help`, and so `berth help help`
    fmt::print("{}", own.help(std::string(program_name())));
    return kExitOk;
  }
  arguments.push_back("--help");
  return program.run(static_cast<int>(arguments.size()), arguments.data());
}

// The tree of commands once more below `help`, for completion.
void mirror(const CLI::App& from, CLI::App& to) {
  for (const CLI::App* sub : subcommands_of(from)) {
    if (sub == &to) continue;
    mirror(*sub, *to.add_subcommand(sub->get_name(), sub->get_description()));
  }
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() {
  return std::make_shared<HelpFormatter>();
}

void add_help(Program& program) {
  CLI::App& command = *program.root().add_subcommand("help", "Print the help of a command: berth help sim");
  mirror(program.root(), command);
  program.set_words_action(command, [&program, &command](const std::vector<std::string>& words) {
    return print_help(program, command, words);
  });
}

}  // namespace berth::cmd
