#include "berth/api/wide_decimal.h"

#include <algorithm>
#include <cstdlib>

#include "berth/base/check.h"

namespace berth::api {
namespace {

constexpr std::uint32_t kLimbBase = 1'000'000'000;
constexpr int kLimbDigits = 9;

constexpr std::uint32_t kPowersOf10[kLimbDigits] = {1,       10,        100,        1'000,      10'000,
                                                    100'000, 1'000'000, 10'000'000, 100'000'000};

int digits_of_limb(std::uint32_t limb) {
  int digits = 1;
  while (digits < kLimbDigits && limb >= kPowersOf10[digits]) ++digits;
  return digits;
}

}  // namespace

WideDecimal::WideDecimal(std::uint64_t value) {
  for (; value != 0; value /= kLimbBase) limbs_.push_back(static_cast<std::uint32_t>(value % kLimbBase));
}

WideDecimal WideDecimal::from_digits(std::string_view leading, std::string_view trailing) {
  const std::size_t count = leading.size() + trailing.size();
  const auto digit_value = [&](std::size_t index) {
    const char digit = index < leading.size() ? leading[index] : trailing[index - leading.size()];
    return static_cast<std::uint32_t>(digit - '0');
  };
  WideDecimal number;
  number.limbs_.reserve(count / kLimbDigits + 1);
  for (std::size_t end = count; end > 0;) {
    const std::size_t begin = end > kLimbDigits ? end - kLimbDigits : 0;
    std::uint32_t limb = 0;
    for (std::size_t i = begin; i < end; ++i) limb = limb * 10 + digit_value(i);
    number.limbs_.push_back(limb);
    end = begin;
  }
  number.trim();
  return number;
}

std::int64_t WideDecimal::digits() const {
  if (limbs_.empty()) return 0;
  return static_cast<std::int64_t>(limbs_.size() - 1) * kLimbDigits + digits_of_limb(limbs_.back());
}

std::optional<std::uint64_t> WideDecimal::as_uint64() const {
  std::uint64_t value = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    if (__builtin_mul_overflow(value, std::uint64_t{kLimbBase}, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, std::uint64_t{*limb}, &value)) return std::nullopt;
  }
  return value;
}

std::uint64_t WideDecimal::low_64_bits() const {
  std::uint64_t value = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) value = value * kLimbBase + *limb;
  return value;
}

double WideDecimal::nearest_double() const {
  if (limbs_.empty()) return 0;
  std::string text;
  append_to(text);
  return std::strtod(text.c_str(), nullptr);  // digits only: no locale has a say in them
}

void WideDecimal::append_to(std::string& out) const {
  if (limbs_.empty()) {
    out += '0';
    return;
  }
  out += std::to_string(limbs_.back());
  for (auto limb = limbs_.rbegin() + 1; limb != limbs_.rend(); ++limb) {
    char digits[kLimbDigits];
    std::uint32_t rest = *limb;
    for (int i = kLimbDigits - 1; i >= 0; --i, rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
    out.append(digits, kLimbDigits);
  }
}

void WideDecimal::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kLimbBase);
    carry /= kLimbBase;
  }
  for (; carry != 0; carry /= kLimbBase) limbs_.push_back(static_cast<std::uint32_t>(carry % kLimbBase));
  trim();
}

void WideDecimal::multiply_by_power_of_10(std::int64_t power) {
  BERTH_CHECK(power >= 0, "power {}", power);
  if (limbs_.empty()) return;
  multiply(kPowersOf10[power % kLimbDigits]);
  limbs_.insert(limbs_.begin(), static_cast<std::size_t>(power / kLimbDigits), 0);
}

std::uint32_t WideDecimal::divide(std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    remainder = remainder * kLimbBase + *limb;
    *limb = static_cast<std::uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  trim();
  return static_cast<std::uint32_t>(remainder);
}

bool WideDecimal::divide_by_power_of_10(std::int64_t power) {
  BERTH_CHECK(power >= 0, "power {}", power);
  const std::size_t whole_limbs = static_cast<std::size_t>(power / kLimbDigits);
  if (whole_limbs >= limbs_.size()) {
    const bool was_zero = limbs_.empty();
    limbs_.clear();
    return was_zero;
  }
  const auto cut = limbs_.begin() + static_cast<std::ptrdiff_t>(whole_limbs);
  const bool exact = std::all_of(limbs_.begin(), cut, [](std::uint32_t limb) { return limb == 0; });
  limbs_.erase(limbs_.begin(), cut);
  return divide(kPowersOf10[power % kLimbDigits]) == 0 && exact;
}

std::int64_t WideDecimal::strip_trailing_zeros() {
  BERTH_CHECK(!limbs_.empty(), "zero has no last digit to stop at");
  const auto first = std::find_if(limbs_.begin(), limbs_.end(), [](std::uint32_t limb) { return limb != 0; });
  std::int64_t zeros = (first - limbs_.begin()) * kLimbDigits;
  for (std::uint32_t limb = *first; limb % 10 == 0; limb /= 10) ++zeros;
  divide_by_power_of_10(zeros);
  return zeros;
}

WideDecimal& WideDecimal::operator+=(const WideDecimal& other) {
  if (limbs_.size() < other.limbs_.size()) limbs_.resize(other.limbs_.size());
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (carry == 0 && i >= other.limbs_.size()) return *this;
    const std::uint32_t sum = limbs_[i] + (i < other.limbs_.size() ? other.limbs_[i] : 0) + carry;
    carry = sum >= kLimbBase ? 1 : 0;
    limbs_[i] = sum - carry * kLimbBase;
  }
  if (carry != 0) limbs_.push_back(carry);
  return *this;
}

WideDecimal& WideDecimal::operator-=(const WideDecimal& other) {
  BERTH_CHECK(*this >= other, "{} limbs less {} limbs", limbs_.size(), other.limbs_.size());
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t less = (i < other.limbs_.size() ? other.limbs_[i] : 0) + borrow;
    borrow = limbs_[i] < less ? 1 : 0;
    limbs_[i] = limbs_[i] + borrow * kLimbBase - less;
  }
  trim();
  return *this;
}

std::strong_ordering operator<=>(const WideDecimal& a, const WideDecimal& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
  return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(), b.limbs_.rend());
}

void WideDecimal::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

}  // namespace berth::api
