// A line of text with what its parts mean to the reader. Colours follow from the meaning, in page.h and nowhere else.
//
// A line is built from sentences and values as they are: whatever came from an object or a file is made harmless when
// the page is rendered (escape.h), so nobody who builds a line has to think of it. A std::string is a line too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::text {

enum class Meaning : std::uint8_t {
  kPlain,
  kStrong,   // the answer, a heading
  kGood,     // it fits, it holds
  kWarning,  // it waits, it was rejected
  kBad,      // it failed
  kDim,      // of less interest than what is around it
  kName,     // of an object, or a command to copy
};

struct Span {
  std::string text;
  Meaning meaning = Meaning::kPlain;
};

class Line {
 public:
  Line() = default;
  // Implicit, so that a sentence is a line.
  Line(std::string text, Meaning meaning = Meaning::kPlain) { add(std::move(text), meaning); }
  Line(std::string_view text, Meaning meaning = Meaning::kPlain) { add(std::string(text), meaning); }
  Line(const char* text, Meaning meaning = Meaning::kPlain) { add(std::string(text), meaning); }

  Line& add(std::string text, Meaning meaning = Meaning::kPlain) {
    if (!text.empty()) spans_.push_back({std::move(text), meaning});
    return *this;
  }
  Line& append(const Line& other) {
    spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
    return *this;
  }

  bool empty() const { return spans_.empty(); }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;  // none is empty
};

}  // namespace berth::text
