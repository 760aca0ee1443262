#include "tests/conformance/quantity_conformance.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "berth/api/quantity.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {
namespace {

using api::Quantity;

// Lines that differ and are printed; the rest is only counted.
constexpr int kMaxPrinted = 20;

constexpr std::int64_t kFormatOfTrace = 1;

std::string_view notation_of(const Quantity& quantity) {
  switch (quantity.format()) {
    case Quantity::Format::kDecimalSI: return "DecimalSI";
    case Quantity::Format::kBinarySI: return "BinarySI";
    case Quantity::Format::kDecimalExponent: return "DecimalExponent";
  }
  return "";
}

double double_of(const std::string& text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw std::runtime_error("not a number: " + text);
  return value;
}

bool same_double(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// "what: expected X, got Y; " for each result of a line that is not the recorded one.
class Differences {
 public:
  explicit Differences(Json line) : line_(line) {}

  void compare(std::string_view what, std::string_view expected, std::string_view actual) {
    if (expected == actual) return;
    if (!text_.empty()) text_ += "; ";
    text_ += fmt::format("{}: expected {}, got {}", what, expected, actual);
  }

  void compare_member(std::string_view key, std::string_view actual) { compare(key, text_of(line_, key), actual); }

  void compare_integer_member(std::string_view key, std::int64_t actual) {
    compare(key, std::to_string(line_[key].get_int64().value()), std::to_string(actual));
  }

  // What both kinds of line tell about a quantity.
  void compare_value(const Quantity& quantity) {
    compare_member("canonical", quantity.str());
    compare_member("value", std::to_string(quantity.value()));
    compare_member("milliValue", std::to_string(quantity.milli_value()));
    if (has(line_, "notation")) compare_member("notation", notation_of(quantity));
    // Without "ok", the number next to it is left over from a calculation and means nothing.
    const Json recorded = line_["asInt64"].value();
    const auto actual = quantity.as_int64();
    compare("asInt64", flag_of(recorded, "ok") ? text_of(recorded, "value") : "none",
            actual ? std::to_string(*actual) : "none");
  }

  const std::string& text() const { return text_; }

 private:
  Json line_;
  std::string text_;
};

std::string describe(Json line) {
  if (has(line, "op")) {
    return fmt::format("{} a={:?} b={:?}", text_of(line, "op"), text_of(line, "a"), text_of(line, "b"));
  }
  return has(line, "json") ? "json " + text_of(line, "json") : "text \"" + text_of(line, "text") + "\"";
}

Result<Quantity> read_input(Json line) {
  if (has(line, "json")) return Quantity::parse_json(text_of(line, "json"));
  const std::string text = text_of(line, "text");
  return flag_of(line, "jsonNumber") ? Quantity::parse_json(text) : Quantity::parse(text);
}

void compare_text_line(Json line, Differences& differences) {
  auto quantity = read_input(line);
  differences.compare("error", has(line, "error") ? text_of(line, "error") : "none",
                      quantity ? "none" : quantity.error().what());
  if (!quantity || has(line, "error")) return;
  differences.compare_value(*quantity);
  differences.compare_integer_member("sign", quantity->sign());
  const std::string recorded_double = text_of(line, "asApproximateFloat64");
  const double actual_double = quantity->as_approximate_double();
  if (!same_double(double_of(recorded_double), actual_double)) {
    differences.compare("asApproximateFloat64", recorded_double, fmt::format("{:.17g}", actual_double));
  }
  // Arithmetic makes a quantity forget the text that it was parsed from, even if it changes nothing.
  *quantity += Quantity::from_units(0, quantity->format());
  differences.compare("recomputed", text_of(line, "recomputed", text_of(line, "canonical")), quantity->str());
}

Quantity operand(Json line, std::string_view key) {
  auto quantity = Quantity::parse(text_of(line, key));
  if (!quantity) throw std::runtime_error(fmt::format("operand {}: {}", key, quantity.error().message()));
  return *quantity;
}

void compare_arithmetic_line(Json line, Differences& differences) {
  const std::string op = text_of(line, "op");
  Quantity a = operand(line, "a");
  if (op == "cmp") {
    const auto order = a <=> operand(line, "b");
    differences.compare_integer_member("result", order < 0 ? -1 : order > 0 ? 1 : 0);
    return;
  }
  if (op == "add") {
    a += operand(line, "b");
  } else if (op == "sub") {
    a -= operand(line, "b");
  } else if (op == "neg") {
    a.negate();
  } else if (op == "roundUp") {
    const bool exact = a.round_up(static_cast<std::int32_t>(line["scale"].get_int64().value()));
    differences.compare("exact", flag_of(line, "exact") ? "true" : "false", exact ? "true" : "false");
  } else {
    throw std::runtime_error("unknown operation " + op);
  }
  differences.compare_value(a);
}

}  // namespace

int compare_quantity_trace(const std::string& file, std::ostream& out) {
  TraceReader reader(file);
  Json line;
  if (!reader.next(line) || text_of(line, "kind") != "quantity" || integer_of(line, "format") != kFormatOfTrace) {
    throw std::runtime_error(file + ": not a quantity trace of format " + std::to_string(kFormatOfTrace));
  }
  int compared = 0;
  int different = 0;
  while (reader.next(line)) {
    Differences differences(line);
    if (has(line, "op")) {
      compare_arithmetic_line(line, differences);
    } else {
      compare_text_line(line, differences);
    }
    ++compared;
    if (differences.text().empty()) continue;
    if (++different <= kMaxPrinted) {
      out << file << ':' << reader.line_number() << ": " << describe(line) << ": " << differences.text() << '\n';
    }
  }
  if (compared == 0) throw std::runtime_error(file + ": no lines to compare");
  out << file << ": " << compared << " quantities compared, " << different << " differ\n";
  return different;
}

}  // namespace berth::conformance
