#include "berth/fuzz/shrink.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace berth::fuzz {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < line.size()) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) words.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

// A whole number in a word: "12" of "cpu=12Gi". Names such as "p12" have none.
struct Number {
  std::size_t begin = 0;
  std::size_t end = 0;
  long value = 0;
};
std::optional<Number> number_in(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::size_t begin = equals == std::string_view::npos ? 0 : equals + 1;
  Number number{.begin = begin, .end = begin, .value = 0};
  const auto [end, error] = std::from_chars(word.data() + begin, word.data() + word.size(), number.value);
  if (error != std::errc()) return std::nullopt;
  number.end = static_cast<std::size_t>(end - word.data());
  return number;
}

class Shrinker {
 public:
  Shrinker(std::vector<std::string> lines, const StillFails& still_fails, std::size_t max_tries)
      : lines_(std::move(lines)), still_fails_(still_fails), max_tries_(max_tries) {}

  Shrunk shrink() {
    bool is_smaller = true;
    while (is_smaller && has_tries()) {
      is_smaller = drop_lines();
      is_smaller = drop_words() || is_smaller;
      is_smaller = lower_numbers() || is_smaller;
    }
    return {std::move(lines_), tries_};
  }

 private:
  bool has_tries() const { return tries_ < max_tries_; }

  // Takes the candidate if it still fails.
  bool accept(std::vector<std::string> candidate) {
    if (!has_tries()) return false;
    ++tries_;
    if (!still_fails_(candidate)) return false;
    lines_ = std::move(candidate);
    return true;
  }

  bool drop_lines() {
    bool is_smaller = false;
    for (std::size_t size = std::max<std::size_t>(lines_.size() / 2, 1);; size /= 2) {
      for (std::size_t begin = 0; begin < lines_.size() && has_tries();) {
        const std::size_t end = std::min(begin + size, lines_.size());
        std::vector<std::string> candidate(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(begin));
        candidate.insert(candidate.end(), lines_.begin() + static_cast<std::ptrdiff_t>(end), lines_.end());
        if (accept(std::move(candidate))) {
          is_smaller = true;
        } else {
          begin = end;
        }
      }
      if (size <= 1) return is_smaller;
    }
  }

  bool drop_words() {
    bool is_smaller = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t at = 0; has_tries();) {
        std::vector<std::string> words = words_of(lines_[i]);
        if (at >= words.size()) break;
        // "after 5s" of a statement that may as well come at once.
        const bool is_time = at == 0 && words.size() > 2 && (words[0] == "after" || words[0] == "at");
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(at + (is_time ? 2 : 1)));
        if (accept(with_line(i, words))) {
          is_smaller = true;
        } else {
          ++at;
        }
      }
    }
    return is_smaller;
  }

  bool lower_numbers() {
    bool is_smaller = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t at = 0; at < words_of(lines_[i]).size(); ++at) {
        while (has_tries() && lower_number(i, at)) is_smaller = true;
      }
    }
    return is_smaller;
  }

  bool lower_number(std::size_t line, std::size_t at) {
    const std::vector<std::string> words = words_of(lines_[line]);
    const auto number = number_in(words[at]);
    if (!number || number->value <= 1) return false;
    for (const long smaller : {1L, number->value / 2, number->value - 1}) {
      if (smaller >= number->value || smaller < 1) continue;
      std::vector<std::string> changed = words;
      changed[at].replace(number->begin, number->end - number->begin, std::to_string(smaller));
      if (accept(with_line(line, changed))) return true;
    }
    return false;
  }

  std::vector<std::string> with_line(std::size_t index, const std::vector<std::string>& words) const {
    std::vector<std::string> changed = lines_;
    changed[index] = line_of(words);
    return changed;
  }

  std::vector<std::string> lines_;
  const StillFails& still_fails_;
  const std::size_t max_tries_;
  std::size_t tries_ = 0;
};

}  // namespace

Shrunk shrink(std::vector<std::string> lines, const StillFails& still_fails, std::size_t max_tries) {
  return Shrinker(std::move(lines), still_fails, max_tries).shrink();
}

}  // namespace berth::fuzz
