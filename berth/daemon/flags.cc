#include "berth/daemon/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/config/suggest.h"
#include "berth/daemon/flag_table.h"

namespace berth::daemon {

namespace {

const Flag* find_flag(std::string_view name) {
  const auto table = run_flag_table();
  const auto found = std::ranges::find(table, name, &Flag::name);
  return found == table.end() ? nullptr : &*found;
}

Error unknown_flag(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Flag& flag : run_flag_table()) known.push_back(flag.name);
  const std::string_view meant = config::nearest_name(name, known);
  Error error(fmt::format("unknown flag: --{}", name));
  return meant.empty() ? error : std::move(error).with_fix(fmt::format("did you mean --{}?", meant));
}

// The flags that have one letter, as pflag has them.
std::string_view name_of_letter(char letter) {
  if (letter == 'h') return "help";
  return letter == 'v' ? "v" : "";
}

// Reads the words one after another.
class Reading {
 public:
  explicit Reading(std::span<const std::string> words) : words_(words) {}

  Result<RunFlags> run() {
    while (next_ < words_.size()) {
      if (auto done = read(words_[next_++]); !done) return std::unexpected(done.error());
    }
    // What kube-scheduler says, with its brackets; to those who ask for help it says nothing.
    if (!arguments_.empty() && !flags_.help) {
      return fail(
          fmt::format("\"berth run\" does not take any arguments, got [\"{}\"]", fmt::join(arguments_, "\" \"")));
    }
    return std::move(flags_);
  }

 private:
  Result<void> read(std::string_view word) {
    if (word == "--") {
      while (next_ < words_.size()) arguments_.push_back(words_[next_++]);
      return {};
    }
    if (word.starts_with("--")) return read_long(word.substr(2));
    if (word.size() > 1 && word.starts_with('-')) return read_letters(word.substr(1));
    arguments_.emplace_back(word);
    return {};
  }

  Result<void> read_long(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string name = normalized(word.substr(0, equals));
    if (name.empty() || name.starts_with('-')) return fail(fmt::format("bad flag syntax: --{}", word));
    const Flag* flag = find_flag(name);
    if (flag == nullptr) return fail(unknown_flag(name));
    if (equals != std::string_view::npos) return set(*flag, word.substr(equals + 1));
    if (flag->kind == FlagKind::kBool) return set(*flag, "true");
    if (next_ == words_.size()) return fail(fmt::format("flag needs an argument: --{}", name));
    return set(*flag, words_[next_++]);
  }

  // -v2, -v=2, -v 2, -h.
  Result<void> read_letters(std::string_view word) {
    const Flag* flag = find_flag(name_of_letter(word[0]));
    if (flag == nullptr) return fail(unknown_letter(word));
    if (flag->kind == FlagKind::kBool) return set(*flag, "true");
    std::string_view value = word.substr(1);
    if (value.starts_with('=')) return set(*flag, value.substr(1));
    if (!value.empty()) return set(*flag, value);
    if (next_ == words_.size()) return fail(fmt::format("flag needs an argument: '{}' in -{}", word[0], word));
    return set(*flag, words_[next_++]);
  }

  static Error unknown_letter(std::string_view word) {
    Error error(fmt::format("unknown shorthand flag: '{}' in -{}", word[0], word));
    const std::string_view name = word.substr(0, word.find('='));
    return find_flag(name) == nullptr ? error : std::move(error).with_fix(fmt::format("did you mean --{}?", name));
  }

  // kube-scheduler takes _ for -.
  static std::string normalized(std::string_view name) {
    std::string result(name);
    std::ranges::replace(result, '_', '-');
    return result;
  }

  Result<void> set(const Flag& flag, std::string_view value) {
    const bool is_first = flags_.given.insert_or_assign(std::string(flag.name), std::string(value)).second;
    if (auto done = flag.set(flags_, value, is_first); !done) {
      return fail(fmt::format("invalid argument \"{}\" for \"--{}\" flag: {}", value, flag.name, done.error().what()));
    }
    if (is_first) warn(flag);
    return {};
  }

  void warn(const Flag& flag) {
    switch (flag.standing) {
      case FlagStanding::kPlain: return;
      case FlagStanding::kDeprecated:
        flags_.warnings.push_back(fmt::format("Flag --{} is deprecated, but still supported", flag.name));
        return;
      case FlagStanding::kWithoutMeaning:
        flags_.warnings.push_back(fmt::format("Flag --{} has no effect: {}", flag.name, flag.about));
        return;
    }
  }

  std::span<const std::string> words_;
  std::size_t next_ = 0;
  std::vector<std::string> arguments_;
  RunFlags flags_;
};

// --- Help ------------------------------------------------------------------------------------------------------------

std::string_view value_name(FlagKind kind) {
  switch (kind) {
    case FlagKind::kBool: return "";
    case FlagKind::kText: return " string";
    case FlagKind::kNumber: return " number";
    case FlagKind::kDuration: return " duration";
    case FlagKind::kList: return " list";
  }
  return "";
}

// Adds `text` in lines of at most `columns`, each behind `indent` spaces.
void add_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t columns) {
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += fmt::format("{:{}}{}\n", "", indent, line);
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) end_line();
    line += (line.empty() ? "" : " ") + std::string(word);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  end_line();
}

std::string about(const Flag& flag) {
  std::string text(flag.about);
  if (flag.standing == FlagStanding::kWithoutMeaning) text = "No effect: " + text;
  if (!flag.default_text.empty()) text += fmt::format(" (default {})", flag.default_text);
  return text;
}

}  // namespace

Result<RunFlags> parse_run_flags(std::span<const std::string> words) {
  return Reading(words).run();
}

std::string run_help(std::size_t columns) {
  constexpr std::size_t kIndent = 10;
  std::string out;
  add_wrapped(out,
              "Schedules the pods of a Kubernetes cluster, with the flags and the configuration of kube-scheduler.", 0,
              columns);
  out += "\nUsage: berth run [flags]\n";
  std::string_view group;
  for (const Flag& flag : run_flag_table()) {
    if (flag.group != group) out += fmt::format("\n{} flags:\n", flag.group);
    group = flag.group;
    const std::string_view letter = flag.name == "v" ? "-v, " : flag.name == "help" ? "-h, " : "    ";
    out += fmt::format("  {}--{}{}\n", letter, flag.name, value_name(flag.kind));
    add_wrapped(out, about(flag), kIndent, columns);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> run_flag_values(const RunFlags& flags) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Flag& flag : run_flag_table()) {
    const auto given = flags.given.find(flag.name);
    std::string value = given == flags.given.end() ? std::string(flag.default_text) : given->second;
    if (flag.kind == FlagKind::kList) value = fmt::format("[{}]", value);
    if (flag.kind == FlagKind::kBool && value.empty()) value = "false";
    values.emplace_back(flag.name, std::move(value));
  }
  return values;
}

std::vector<std::pair<std::string_view, std::string_view>> run_flag_names() {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const Flag& flag : run_flag_table()) names.emplace_back(flag.name, flag.about);
  return names;
}

}  // namespace berth::daemon
