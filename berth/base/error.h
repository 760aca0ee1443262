// Errors are values. An Error says what went wrong, where, and, if there is one, what to do about it.
//
// Functions that can fail return Result<T>. Context is added on the way up: the reader of a field knows its name, the
// reader of an object the path, the reader of a file the file's name. Exceptions are not used for control flow; those
// of libraries are caught where the library is called.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

class Error {
 public:
  explicit Error(std::string what) : what_(std::move(what)) {}

  // What went wrong, without the place: "unknown field", "quantities must match the regular expression ...".
  const std::string& what() const { return what_; }

  // Where: "pods.yaml:12", "spec.containers[0].resources.requests.cpu", or both joined by ": ". Empty if unknown.
  const std::string& where() const { return where_; }

  // What the user can do: "quote the value". Empty if there is nothing to say.
  const std::string& fix() const { return fix_; }

  // Puts `place` in front of the place known so far: Error("bad").in("cpu").in("requests") is at "requests.cpu", and
  // an index such as "[0]" is joined without a dot.
  Error in(std::string_view place) &&;

  // Puts a file (or file and line) in front, joined by ": ".
  Error in_file(std::string_view file) &&;

  Error with_fix(std::string fix) &&;

  // "where: what (fix)" with the parts that are there.
  std::string message() const;

  bool operator==(const Error&) const = default;

 private:
  std::string what_;
  std::string where_;
  std::string fix_;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string what) {
  return std::unexpected(Error(std::move(what)));
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

}  // namespace berth
