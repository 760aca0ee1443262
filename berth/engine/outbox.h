// The commands that the engine has given, and who waits for their results.
//
// A command without anybody waiting (a patch that may fail) is given all the same; its result is dropped.
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "berth/engine/command.h"

namespace berth::engine {

class Outbox {
 public:
  using OnResult = std::function<void(const Outcome&)>;

  CommandId send(decltype(Command::what) what, OnResult on_result = {}) {
    const CommandId id = ++last_id_;
    if (on_result) waiting_[id] = std::move(on_result);
    commands_.push_back({id, std::move(what)});
    return id;
  }

  // False if nobody waits for it (any more).
  bool complete(CommandId id, const Outcome& outcome) {
    const auto it = waiting_.find(id);
    if (it == waiting_.end()) return false;
    const OnResult on_result = std::move(it->second);
    waiting_.erase(it);
    on_result(outcome);
    return true;
  }

  std::vector<Command> take() { return std::exchange(commands_, {}); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  CommandId last_id_ = 0;
  std::vector<Command> commands_;
  absl::flat_hash_map<CommandId, OnResult> waiting_;
};

}  // namespace berth::engine
