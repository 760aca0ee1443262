// The flags of `berth run` as a table: a flag is a row in flag_table.cc. Reading and help are derived from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "berth/base/error.h"
#include "berth/daemon/flags.h"

namespace berth::daemon {

// What stands for the value in the help, and how a value is read.
enum class FlagKind : std::uint8_t { kBool, kText, kNumber, kDuration, kList };

enum class FlagStanding : std::uint8_t {
  kPlain,
  kDeprecated,
  kWithoutMeaning,  // accepted, so that manifests work, and then of no effect
};

struct Flag {
  std::string_view name;
  std::string_view group;
  FlagKind kind;
  std::string_view default_text;  // as the help shows it; empty: none
  std::string_view about;
  // `is_first`: the flag was not given before, so that a list's default has to go.
  Result<void> (*set)(RunFlags& flags, std::string_view value, bool is_first);
  FlagStanding standing = FlagStanding::kPlain;
};

// In the order of the help; flags of a group are neighbours.
std::span<const Flag> run_flag_table();

}  // namespace berth::daemon
