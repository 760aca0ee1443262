// A scenario: what a *.berth file says, as a value. docs/scenarios.md describes the language.
//
// From text to effect in four steps, each with files of its own:
//   lexer     (syntax.h)      text into lines of words
//   grammar   (statements.h)  tables of statements, fields and conditions; documentation is checked against them
//   meaning   (meaning.h)     what a statement does, as a function on a sim::World
//   runner    (runner.h)      carries a scenario out, and collects the expectations that do not hold
//
// Everything that can be wrong in a text is found before anything runs: files are read and objects are built while
// parsing. A Scenario is made by parse() only; statements may be left out of it or put in another order (as a shrinker
// does), and to_text() prints what is left.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/framework/registry.h"
#include "berth/scenario/meaning.h"
#include "berth/scenario/syntax.h"

namespace berth::scenario {

struct Statement {
  Line line;
  Meaning meaning;

  Position at() const { return line.words.front().at; }
};

// Adds plugins beyond kube-scheduler's own to a registry. The configuration of a scenario enables them, and conditions
// may name them: so a plugin of one's own is tested by a *.berth file; see examples/plugin_scenario.cc.
using AddPlugins = std::function<Result<void>(framework::PluginRegistry&)>;

struct Scenario {
  std::string file;  // as it stands in messages
  // What its settings come to, and the scheduler that they describe.
  Setup setup;
  engine::Options scheduler;
  std::vector<Statement> statements;
  // What was read and left out: kinds of objects that a scheduler does not look at.
  std::vector<std::string> notes;
};

// The contents of a file that a scenario names. The error says what is wrong, without the file's name.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;
// From the disk.
Result<std::string> read_file(const std::string& path);

struct ParseOptions {
  std::string file = "scenario";  // stands in messages; files that the scenario names are looked for beside it
  ReadFile read = read_file;
  AddPlugins add_plugins = {};
};

// All mistakes, in their order, each with "FILE:LINE:COLUMN" as its place.
std::expected<Scenario, std::vector<Error>> parse(std::string_view text, const ParseOptions& options = {});
std::expected<Scenario, std::vector<Error>> parse_file(const std::string& path, AddPlugins add_plugins = {});

// One statement, for those who build scenarios piece by piece.
Result<Statement> parse_statement(std::string_view text);

// Parses to an equal scenario. Comments and alignment are gone.
std::string to_text(const Scenario& scenario);
std::string to_text(const Statement& statement);

}  // namespace berth::scenario
