// Runs a random scenario with every check on: all invariants whenever the scheduler is quiet, lost wake-ups after every
// event, the scenario's own expectations. And measures how much the scheduler tried for what it placed, next to what
// kube-scheduler's rules do with the same scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/scenario/runner.h"

namespace berth::fuzz {

// What scheduling has cost, over one run or many.
struct Precision {
  std::uint64_t placed = 0;  // pods
  std::uint64_t attempts = 0;
  std::uint64_t wake_ups = 0;
  std::uint64_t wasted = 0;  // wake-ups after which the pod was rejected again
  std::uint64_t flushed = 0;
  std::uint64_t lost = 0;  // wake-ups

  Precision& operator+=(const Precision& other);
  double tries_per_placed_pod() const;
};

// What is wrong. Two failures of one kind are taken for the same bug when a scenario is shrunk.
struct Problem {
  std::string kind;  // "lost wake-up", "invariant", "expect flushes = 0", "never idle", "two runs differ"
  std::string text;  // for people
};

struct SeedResult {
  std::optional<Problem> problem;  // the first
  // It does not come to rest for a reason that is known and no problem by itself, see livelock.h: which one.
  std::optional<std::string> livelock;
  Precision precision;
  std::optional<Precision> upstream;  // by kube-scheduler's rules, if asked for
  std::uint64_t digest = 0;           // of everything that happened
};

struct CheckOptions {
  bool runs_twice = false;         // and compares
  bool compares_upstream = false;  // also runs with kube-scheduler's bugs, whose failures do not count
};

// The scenario has to parse: what does not is a problem of the kind "parse".
SeedResult check(const std::vector<std::string>& lines, const CheckOptions& options = {});
// The first problem only.
std::optional<Problem> find_problem(const std::vector<std::string>& lines);

// Stands for everything that a history holds.
std::uint64_t digest_of(const sim::History& history);

}  // namespace berth::fuzz
