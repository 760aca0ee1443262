#include "berth/framework/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::framework {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kSuccess: return "Success";
    case Code::kError: return "Error";
    case Code::kUnschedulable: return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable: return "UnschedulableAndUnresolvable";
    case Code::kWait: return "Wait";
    case Code::kSkip: return "Skip";
    case Code::kPending: return "Pending";
  }
  return "";
}

std::vector<std::string> Status::reason_texts() const {
  std::vector<std::string> texts;
  for (const Reason& reason : reasons_) texts.push_back(reason.text());
  return texts;
}

std::string Status::message() const {
  return fmt::format("{}", fmt::join(reason_texts(), ", "));
}

}  // namespace berth::framework
