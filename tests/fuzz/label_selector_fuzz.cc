// Any text as a label selector of the command line, and labels to match it with behind a line break ("a=b c=d").
#include <algorithm>

#include "berth/api/label_selector_text.h"
#include "berth/base/check.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto selector = api::parse_label_selector(text.substr(0, line));
  if (!selector) {
    BERTH_CHECK(!selector.error().what().empty(), "no text");
    return 0;
  }
  api::Labels labels;
  std::string_view rest = text.substr(std::min(line + 1, text.size()));
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(label.size() + 1, rest.size()));
    const std::size_t equals = std::min(label.find('='), label.size());
    labels[Symbol(label.substr(0, equals))] = Symbol(label.substr(std::min(equals + 1, label.size())));
  }
  // A conjunction: what matches matches every requirement.
  const bool every =
      std::ranges::all_of(selector->requirements(), [&](const auto& each) { return each.matches(labels); });
  BERTH_CHECK(selector->matches(labels) == every && !selector->is_nothing(), "{}", text);
  return 0;
}
