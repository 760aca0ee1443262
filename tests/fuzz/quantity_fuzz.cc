// Any text as a quantity. What parses prints a text that parses to an equal quantity, and arithmetic on it ends.
//
// Amounts of 1e21 and more are left out of the first: beyond "E" there is no suffix, so upstream prints "10" for 1e25,
// and with an exponent the printed text may have more digits than kMaxQuantityDigits.
#include <cmath>

#include "berth/api/quantity.h"
#include "berth/base/check.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t half = text.find(' ');
  const auto first = api::Quantity::parse(text.substr(0, half));
  if (!first) return 0;
  const std::string printed = first->str();
  if (std::fabs(first->as_approximate_double()) < 1e21) {
    const auto again = api::Quantity::parse(printed);
    BERTH_CHECK(again.has_value(), "{} from {}", printed, text);
    BERTH_CHECK(*again == *first && again->hash() == first->hash(), "{} from {}", printed, text);
    BERTH_CHECK(again->str() == printed, "{} from {}", again->str(), printed);
  }
  first->value();
  first->milli_value();
  if (half == std::string_view::npos) return 0;
  const auto second = api::Quantity::parse(text.substr(half + 1));
  if (!second) return 0;
  BERTH_CHECK(((*first <=> *second) == 0) == (*first == *second), "{}", text);
  BERTH_CHECK((*first < *second) == (*second > *first), "{}", text);
  (*first + *second).str();
  (*first - *second).str();
  return 0;
}
