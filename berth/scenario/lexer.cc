#include <algorithm>

#include "berth/scenario/syntax.h"

namespace berth::scenario {

namespace {

// Some editors begin a file with it.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  Lexed run() {
    while (next_line()) {
      const std::size_t mistakes_before = result_.mistakes.size();
      Line line;
      while (read_words(line) && next_line()) {
      }
      if (line.words.empty()) continue;
      read_document(line);
      // What is wrong with a line that is cut short would be wrong for that reason only.
      if (result_.mistakes.size() == mistakes_before) result_.lines.push_back(std::move(line));
    }
    return std::move(result_);
  }

 private:
  // False at the end of the text.
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    current_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    at_ = 0;
    return true;
  }

  Position here() const { return {line_, static_cast<int>(at_) + 1}; }

  // True if the statement goes on in the next line.
  bool read_words(Line& line) {
    while (true) {
      while (at_ < current_.size() && is_blank(current_[at_])) ++at_;
      if (at_ == current_.size() || current_[at_] == '#') return false;
      if (current_[at_] == '\\' && trimmed(current_.substr(at_ + 1)).empty()) return true;
      line.words.push_back(read_word());
    }
  }

  Word read_word() {
    Word word;
    word.at = here();
    word.is_quoted = current_[at_] == '"';
    while (at_ < current_.size() && !is_blank(current_[at_])) {
      const char c = current_[at_];
      if (c == '"') {
        read_quoted(word.text);
        continue;
      }
      if (c == '=' && !word.is_quoted && !word.has_value()) {
        word.equals = word.text.size();
        word.value_column = here().column + 1;
      }
      word.text += c;
      ++at_;
    }
    return word;
  }

  void read_quoted(std::string& into) {
    const Position began = here();
    for (++at_; at_ < current_.size(); ++at_) {
      char c = current_[at_];
      if (c == '"') {
        ++at_;
        return;
      }
      if (c == '\\' && at_ + 1 < current_.size()) {
        ++at_;
        c = current_[at_] == 'n' ? '\n' : current_[at_];
      }
      into += c;
    }
    result_.mistakes.push_back({began, "the text that begins here has no end", "put a \" behind it"});
  }

  void read_document(Line& line) {
    const Word& last = line.words.back();
    if (last.is_quoted || !last.text.starts_with("<<")) return;
    Document document{.end = last.text.substr(2), .text = {}, .first_line = line_ + 1};
    if (document.end.empty()) {
      result_.mistakes.push_back({last.at, "expected the word that ends the document right after <<", "write <<END"});
      return;
    }
    while (next_line()) {
      if (trimmed(current_) == document.end) {
        line.document = std::move(document);
        return;
      }
      document.text.append(current_).append("\n");
    }
    result_.mistakes.push_back(
        {last.at, "the document that begins here has no end", "put a line \"" + document.end + "\" behind it"});
  }

  std::string_view rest_;
  std::string_view current_;
  std::size_t at_ = 0;  // in current_
  int line_ = 0;
  Lexed result_;
};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.front() == '#' ||
         std::ranges::any_of(text, [](char c) { return is_blank(c) || c == '"' || c == '\\' || c == '\n'; });
}

std::string word_text(const Word& word) {
  if (word.is_quoted) return quoted(word.text);
  if (!word.has_value()) return needs_quotes(word.text) ? quoted(word.text) : word.text;
  const std::string_view value = word.value();
  const bool is_plain = value.empty() || value.front() == '#' || !needs_quotes(value);
  return std::string(word.key()) + "=" + (is_plain ? std::string(value) : quoted(value));
}

}  // namespace

Lexed lex(std::string_view text) {
  return Lexer(text).run();
}

std::string to_text(const Line& line) {
  std::string text;
  for (const Word& word : line.words) {
    if (!text.empty()) text += ' ';
    text += word_text(word);
  }
  if (line.document) text += "\n" + line.document->text + line.document->end;
  return text;
}

}  // namespace berth::scenario
