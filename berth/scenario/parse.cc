#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "berth/base/utf8.h"
#include "berth/codec/input_bytes.h"
#include "berth/engine/extenders.h"
#include "berth/plugins/default_plugins.h"
#include "berth/scenario/scenario.h"
#include "berth/scenario/statements.h"
#include "berth/sim/pod_script.h"

namespace berth::scenario {

namespace {

Error error_of(const Mistake& mistake, std::string_view file) {
  Error error(mistake.what);
  if (!mistake.fix.empty()) error = std::move(error).with_fix(mistake.fix);
  return std::move(error).in_file(fmt::format("{}:{}:{}", file, mistake.at.line, mistake.at.column));
}

bool is_setting(const Statement& statement) {
  return std::holds_alternative<Setting>(statement.meaning);
}

// Settings are about the whole run, so they come before what happens in it.
void check_order(const std::vector<Statement>& statements, std::vector<Mistake>& mistakes) {
  const auto first_other = std::ranges::find_if_not(statements, is_setting);
  for (auto at = first_other; at != statements.end(); ++at) {
    if (!is_setting(*at)) continue;
    mistakes.push_back(
        {at->at(),
         fmt::format("\"{}\" has to stand before the first statement that does something", at->line.words.front().text),
         fmt::format("that is in line {}", first_other->at().line)});
  }
}

// Applies the settings. What single settings cannot know is checked here: whether they make a configuration together.
void apply_settings(Scenario& scenario, std::vector<Mistake>& mistakes) {
  Position at;
  for (const Statement& statement : scenario.statements) {
    if (const Setting* setting = std::get_if<Setting>(&statement.meaning)) {
      setting->apply(scenario.setup);
      if (statement.line.words.front().text == "config") at = statement.at();
    }
  }
  auto options = scheduler_options(scenario.setup);
  if (options) {
    scenario.scheduler = *std::move(options);
    return;
  }
  for (const Error& error : options.error()) mistakes.push_back({at, error.message(), {}});
}

// Texts that are no scenario at all, so that nobody has to read a mistake for each of their lines.
std::optional<Mistake> whole_mistake(std::string_view text, const std::vector<Line>& lines) {
  if (text.find('\0') != std::string_view::npos || !is_valid_utf8(text)) {
    return Mistake{{}, "this is not a text file, and so no scenario", {}};
  }
  if (lines.empty()) return std::nullopt;
  constexpr auto kBeginnings = std::to_array<std::string_view>(
      {"apiVersion:", "kind:", "items:", "metadata:", "---", "{", "[", "- apiVersion:"});
  const Word& first = lines.front().words.front();
  const auto begins = [&](std::string_view beginning) { return first.text.starts_with(beginning); };
  if (std::ranges::none_of(kBeginnings, begins)) return std::nullopt;
  return Mistake{first.at,
                 "this looks like YAML or JSON of Kubernetes objects, and a scenario has one statement a line",
                 "\"apply FILE\" in a scenario takes them; berth inspect and berth what-if read them alone"};
}

// The names of all plugins that there are.
Result<std::vector<std::string>> plugin_names(const AddPlugins& add_plugins) {
  framework::PluginRegistry registry = plugins::default_registry();
  if (add_plugins) {
    if (auto added = add_plugins(registry); !added) return fail(std::move(added).error());
  }
  std::vector<std::string> names = {std::string(sim::kScriptPlugin), std::string(engine::kExtenderPlugin)};
  for (const std::string_view name : registry.names()) names.emplace_back(name);
  return names;
}

// Of a file that is wrong throughout, the first mistakes tell enough.
constexpr std::size_t kMostMistakes = 20;

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return fail("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(std::strerror(errno));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return fail("it cannot be read");
  return codec::to_text(std::move(text));
}

std::expected<Scenario, std::vector<Error>> parse(std::string_view text, const ParseOptions& options) {
  Lexed lexed = lex(text);
  Scenario scenario;
  scenario.file = options.file;
  if (const auto mistake = whole_mistake(text, lexed.lines)) {
    return std::unexpected(std::vector{error_of(*mistake, options.file)});
  }
  scenario.setup.add_plugins = options.add_plugins;
  auto names = plugin_names(options.add_plugins);
  if (!names) return std::unexpected(std::vector{std::move(names).error().in_file(options.file)});
  const auto plugins = std::make_shared<const std::vector<std::string>>(*std::move(names));
  std::vector<Mistake> mistakes = std::move(lexed.mistakes);
  const Context context{options, scenario.notes};
  for (Line& line : lexed.lines) {
    line.plugins = plugins;
    Reader reader(line);
    auto meaning = compile_statement(reader, context);
    if (!meaning) {
      mistakes.push_back(std::move(meaning.error()));
      continue;
    }
    if (line.document && !reader.at_end()) {
      mistakes.push_back({line.words.back().at, "this statement takes no document", {}});
      continue;
    }
    scenario.statements.push_back({std::move(line), *std::move(meaning)});
  }
  check_order(scenario.statements, mistakes);
  if (mistakes.empty()) apply_settings(scenario, mistakes);
  if (mistakes.empty()) return scenario;
  std::ranges::sort(mistakes, [](const Mistake& a, const Mistake& b) { return a.at < b.at; });
  std::vector<Error> errors;
  for (const Mistake& mistake : mistakes) {
    if (errors.size() == kMostMistakes) {
      errors.push_back(
          Error(fmt::format("and {} more mistakes", mistakes.size() - errors.size())).in_file(options.file));
      break;
    }
    errors.push_back(error_of(mistake, options.file));
  }
  return std::unexpected(std::move(errors));
}

std::expected<Scenario, std::vector<Error>> parse_file(const std::string& path, AddPlugins add_plugins) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(std::vector{Error(text.error()).in_file(path)});
  ParseOptions options;
  options.file = path;
  options.add_plugins = std::move(add_plugins);
  return parse(*text, options);
}

Result<Statement> parse_statement(std::string_view text) {
  auto scenario = parse(text);
  if (!scenario) return fail(scenario.error().front());
  if (scenario->statements.size() != 1) return fail("expected one statement");
  return std::move(scenario->statements.front());
}

std::string to_text(const Statement& statement) {
  return to_text(statement.line);
}

std::string to_text(const Scenario& scenario) {
  std::string text;
  for (const Statement& statement : scenario.statements) text += to_text(statement) + "\n";
  return text;
}

}  // namespace berth::scenario
