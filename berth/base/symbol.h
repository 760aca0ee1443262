// A Symbol is an interned string: two symbols are equal exactly when their texts are, and comparing them compares two
// integers. Namespaces, label keys and values, node, resource and plugin names are symbols; what is unique to one
// object (pod names, UIDs, messages) is not, because a symbol's text is kept until the process ends.
//
// The table behind symbols is the one process-wide table in Berth. It only grows, is thread safe, and cannot be
// observed: ids depend on the order of interning, so nothing prints them, hashes them into visible order or sorts by
// them. Sort by text (`SymbolTextLess`).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace berth {

class Symbol {
 public:
  // The empty text.
  constexpr Symbol() = default;

  // Interns `text`. Costs a hash and a table look-up; keep the result instead of interning in a loop.
  explicit Symbol(std::string_view text);

  // Lives as long as the process.
  std::string_view text() const;
  std::string str() const { return std::string(text()); }

  bool empty() const { return id_ == 0; }
  std::uint32_t id() const { return id_; }

  friend bool operator==(Symbol, Symbol) = default;
  friend bool operator==(Symbol symbol, std::string_view text) { return symbol.text() == text; }

 private:
  std::uint32_t id_ = 0;
};

// Orders by text, byte by byte, as Go sorts strings.
struct SymbolTextLess {
  bool operator()(Symbol a, Symbol b) const { return a != b && a.text() < b.text(); }
};

}  // namespace berth

template <>
struct std::hash<berth::Symbol> {
  std::size_t operator()(berth::Symbol symbol) const noexcept {
    return static_cast<std::size_t>(symbol.id()) * 0x9E3779B97F4A7C15ull;
  }
};
