// Any text as a scenario. What parses is printed as a text that parses to the same; what does not has mistakes in that
// file. Nothing is run: berth/fuzz makes scenarios that mean something and runs those.
#include <string>

#include "berth/base/check.h"
#include "berth/scenario/scenario.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  scenario::ParseOptions options;
  options.file = "file";
  options.read = [](const std::string&) -> Result<std::string> { return fail("there are no files here"); };
  const auto parsed = scenario::parse(fuzz::as_text(data, size), options);
  if (!parsed) {
    BERTH_CHECK(!parsed.error().empty(), "no mistake");
    for (const Error& error : parsed.error()) {
      BERTH_CHECK(!error.what().empty() && error.where().starts_with("file"), "{}", error.message());
    }
    return 0;
  }
  const std::string text = scenario::to_text(*parsed);
  const auto again = scenario::parse(text, options);
  BERTH_CHECK(again.has_value(), "{}\n{}", text, again.error().front().message());
  BERTH_CHECK(scenario::to_text(*again) == text, "{}\nbecame\n{}", text, scenario::to_text(*again));
  return 0;
}
