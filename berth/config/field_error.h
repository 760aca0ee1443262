// Errors about a field of the configuration, in the words of Kubernetes' field errors: "path: Invalid value: 0: must be
// greater than 0". The path is the error's where(), the rest its what(), so message() is the whole line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::config {

// "profiles[0].plugins". The empty path is the object itself.
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view text) : text_(text) {}

  Path child(std::string_view name) const;
  Path index(std::size_t i) const;
  Path key(std::string_view key) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// As Go's strconv.Quote.
std::string go_quote(std::string_view text);
// As Go's encoding/json writes a string, with <, > and & escaped.
std::string json_quote(std::string_view text);

// Values as they are printed in an error. What is not a scalar is printed as JSON.
inline std::string show(std::int64_t value) {
  return std::to_string(value);
}
inline std::string show(std::string_view value) {
  return go_quote(value);
}
inline std::string show(const std::string& value) {
  return go_quote(value);
}
inline std::string show(const char* value) {
  return go_quote(value);
}
inline std::string show(Duration value) {
  return json_quote(value.str());
}
// A named string type of Go is not a string to its printer: it comes out as JSON.
inline std::string show(Symbol value) {
  return json_quote(value.text());
}
std::string show(std::span<const Symbol> values);

// `shown` is the value as show() gives it.
Error invalid(const Path& path, std::string_view shown, std::string_view detail);
Error duplicate(const Path& path, std::string_view shown);
Error not_supported(const Path& path, std::string_view shown, std::span<const std::string_view> supported);
Error required(const Path& path, std::string_view detail = {});
Error forbidden(const Path& path, std::string_view detail);

// Errors of which each text is kept once, in order.
class ErrorList {
 public:
  void add(Error error);
  void add(std::vector<Error> errors);
  std::vector<Error> take() { return std::move(errors_); }

 private:
  std::vector<Error> errors_;
};

// Several errors as Kubernetes prints them: "e1", or "[e1, e2]" with each distinct text once.
std::string aggregate(std::span<const Error> errors);

}  // namespace berth::config
