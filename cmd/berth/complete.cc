// `berth __complete WORD...`: what may stand in place of the last word, in the form that kubectl's completion reads
// from a plugin (cobra's): a line "word<TAB>description" for each, and ":4" at the end, or ":0" if file names fit as
// well.
//
// For shells that complete `kubectl berth`, by way of deploy/kubectl/kubectl_complete-berth; `berth completion` is for
// the program itself. Both go by the CLI11 tree. Hidden: nobody types it.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

struct Candidate {
  std::string word;
  std::string description;
};
struct Candidates {
  std::vector<Candidate> words;
  bool are_files_offered = false;
};

// The values of an option checked with CLI::IsMember, which CLI11 shows in the type's name: "TEXT:{text,json}". Files
// where anything goes.
void add_values(const CLI::Option& option, Candidates& candidates) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    candidates.are_files_offered = true;
    return;
  }
  for (const std::string& value : CLI::detail::split(type.substr(open + 1, close - open - 1), ',')) {
    candidates.words.push_back({value, option.get_description()});
  }
}

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

Candidates candidates_for(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* command = &root;
  const CLI::Option* open_option = nullptr;  // whose value is next
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (takes_value(open_option)) {
      open_option = nullptr;
    } else if (words[i].starts_with('-')) {
      const bool has_value = words[i].find('=') != std::string::npos;
      open_option = has_value ? nullptr : command->get_option_no_throw(words[i]);
    } else if (const auto subs =
                   command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == words[i]; });
               !subs.empty()) {
      command = subs.front();
    }
  }
  const std::string last = words.empty() ? "" : words.back();
  Candidates candidates;
  if (takes_value(open_option)) {
    add_values(*open_option, candidates);
    return candidates;
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    const std::string name = last.substr(0, equals);
    if (const CLI::Option* option = command->get_option_no_throw(name); takes_value(option)) {
      add_values(*option, candidates);
      for (Candidate& each : candidates.words) each.word.insert(0, name + "=");
    }
    return candidates;
  }
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_group().empty()) continue;
    if (!option->nonpositional()) {
      if (!last.starts_with('-')) add_values(*option, candidates);
      continue;
    }
    if (!last.starts_with('-')) continue;
    for (const std::string& name : option->get_lnames()) {
      candidates.words.push_back({"--" + name, option->get_description()});
    }
    for (const std::string& name : option->get_snames()) {
      candidates.words.push_back({"-" + name, option->get_description()});
    }
  }
  if (last.starts_with('-')) return candidates;
  for (const CLI::App* sub :
       command->get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    candidates.words.push_back({sub->get_name(), sub->get_description()});
  }
  return candidates;
}

}  // namespace

void add_complete(Program& program) {
  CLI::App& command = *program.root().add_subcommand("__complete", "Complete a command line for kubectl");
  command.group("");
  program.set_words_action(command, [&program](const std::vector<std::string>& words) {
    const Candidates candidates = candidates_for(program.root(), words);
    const std::string last = words.empty() ? "" : words.back();
    for (const Candidate& each : candidates.words) {
      if (each.word.starts_with(last)) fmt::print("{}\t{}\n", each.word, each.description);
    }
    fmt::print("{}\n", candidates.are_files_offered ? ":0" : ":4");
    return kExitOk;
  });
}

}  // namespace berth::cmd
