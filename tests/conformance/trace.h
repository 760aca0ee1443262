// Traces as the oracle programs write them: one JSON object a line, the first of them a header.
//
// Everything here throws std::runtime_error on input that is not such a trace: a broken trace ends the program.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/interned.h"

namespace berth::conformance {

using Json = simdjson::dom::element;

class TraceReader {
 public:
  explicit TraceReader(const std::string& file);

  // The next line, valid until the one after it is read; false at the end of the file.
  bool next(Json& line);
  int line_number() const { return line_number_; }

 private:
  std::ifstream in_;
  std::string file_;
  std::string text_;
  simdjson::dom::parser parser_;
  int line_number_ = 0;
};

// Members that may be absent.
bool has(Json object, std::string_view key);
std::string text_of(Json object, std::string_view key, std::string_view absent = "");
std::int64_t integer_of(Json object, std::string_view key, std::int64_t absent = 0);
double number_of(Json object, std::string_view key, double absent = 0);
bool flag_of(Json object, std::string_view key);
// Requires: there.
simdjson::dom::array array_of(Json object, std::string_view key);
std::vector<std::string> texts_of(Json object, std::string_view key);

// A Kubernetes object with apiVersion and kind. Empty if the member is absent.
api::AnyObject object_of(Json object, std::string_view key, InternPool& pool);
api::PodPtr pod_of(Json object, std::string_view key, InternPool& pool);
api::AnyObject decode_object(Json object, InternPool& pool);

// A flat view of a JSON value, for comparisons that name what differs: path -> scalar as text. "null" values, empty
// lists and empty objects are left out.
using Flat = std::map<std::string, std::string>;
void flatten(Json value, const std::string& path, Flat& into);

// "path: expected X, got Y" for the first path in which the two differ; empty if they are equal.
std::string first_difference(const Flat& expected, const Flat& actual);

}  // namespace berth::conformance
