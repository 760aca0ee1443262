// What a plugin says: how it went, and why, in kube-scheduler's codes and words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/symbol.h"
#include "berth/framework/reason.h"

namespace berth::framework {

enum class Code : std::uint8_t {
  kSuccess,
  kError,                         // something went wrong; the attempt ends
  kUnschedulable,                 // not now; evicting pods may help
  kUnschedulableAndUnresolvable,  // not now, and evicting pods does not help
  kWait,                          // of Permit
  kSkip,                          // nothing to do for this pod
  kPending,                       // another component has to do something first
};
// "UnschedulableAndUnresolvable"
std::string_view to_string(Code code);

constexpr bool is_rejection(Code code) {
  return code == Code::kUnschedulable || code == Code::kUnschedulableAndUnresolvable || code == Code::kPending;
}

class Status {
 public:
  Status() = default;
  explicit Status(Code code) : code_(code) {}
  Status(Code code, Reason reason) : code_(code), reasons_{std::move(reason)} {}
  Status(Code code, std::vector<Reason> reasons) : code_(code), reasons_(std::move(reasons)) {}

  static Status error(std::string what) { return Status(Code::kError, std::move(what)); }
  static Status unschedulable(Reason reason) { return Status(Code::kUnschedulable, std::move(reason)); }
  static Status unresolvable(Reason reason) { return Status(Code::kUnschedulableAndUnresolvable, std::move(reason)); }
  static Status skip() { return Status(Code::kSkip); }

  Code code() const { return code_; }
  bool is_success() const { return code_ == Code::kSuccess; }
  bool is_skip() const { return code_ == Code::kSkip; }
  bool is_rejected() const { return is_rejection(code_); }
  const std::vector<Reason>& reasons() const { return reasons_; }
  std::vector<std::string> reason_texts() const;
  // The reasons joined by ", ".
  std::string message() const;

  // Whose status it is; empty if nobody's.
  Symbol plugin() const { return plugin_; }
  Status with_plugin(Symbol plugin) && {
    plugin_ = plugin;
    return std::move(*this);
  }
  void add_reason(Reason reason) { reasons_.push_back(std::move(reason)); }

  bool operator==(const Status&) const = default;

 private:
  Code code_ = Code::kSuccess;
  Symbol plugin_;
  std::vector<Reason> reasons_;
};

}  // namespace berth::framework
