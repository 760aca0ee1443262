// Fills an object of any type with a schema from a JSON or YAML document. Internal to this folder; see value_node.h for
// what a node is.
//
// The rules are those of Go's JSON decoder on Kubernetes' types: null leaves a field as it is, names are matched
// exactly, unknown ones are skipped, integers take integers only. Two things differ on purpose: errors name the path
// instead of a Go type, and a list given twice is an error (Go mixes the two in a way that nobody can want).
//
// A failed read leaves the target half filled; the callers throw it away. Not thread safe.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/schema.h"
#include "berth/base/check.h"
#include "berth/codec/decode.h"
#include "berth/codec/json_text.h"
#include "berth/codec/value_node.h"

namespace berth::codec {

// As upstream: further strict errors of one document are dropped.
inline constexpr std::size_t kMaxStrictErrors = 100;

template <ValueNode Node>
class ObjectReader {
 public:
  explicit ObjectReader(const DecodeOptions& options) : options_(options) {}

  // Whether the value was read. If not, see problem(). Strict errors do not end the reading; they are collected.
  // `is_whole_object` allows the fields apiVersion and kind.
  bool read(const Node& node, const api::Type& type, void* target, const PathStep* path, bool is_whole_object) {
    is_whole_object_ = is_whole_object && type.kind == api::Kind::kObject;
    return read_value(node, type, target, path);
  }

  // Valid until the next read.
  const Problem& problem() const { return problem_; }
  Problem take_problem() { return std::move(problem_); }

  // Unknown and duplicate fields, in the order of the document. Empty unless options.strict.
  const std::vector<Problem>& strict_problems() const { return strict_problems_; }

  // What was found instead of the expected: `"high"`, `8080`, `a list`.
  static std::string describe(const Node& node) {
    constexpr std::size_t kShown = 60;
    switch (node.kind()) {
      case NodeKind::kNull: return "null";
      case NodeKind::kBool: return node.boolean() ? "true" : "false";
      case NodeKind::kList: return "a list";
      case NodeKind::kMap: return "an object";
      case NodeKind::kString: {
        std::string_view text = node.string();
        const bool is_cut = text.size() > kShown;
        if (is_cut) {
          std::size_t end = kShown;
          while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
          text = text.substr(0, end);
        }
        std::string quoted;
        append_json_string(quoted, text);
        if (is_cut) quoted += "...";
        return quoted;
      }
      case NodeKind::kInteger:
      case NodeKind::kBigInteger:
      case NodeKind::kReal: break;
    }
    std::string text;
    node.append_json(text);
    return text;
  }

  bool fail_at(const Node& node, const PathStep* path, Error error) {
    problem_.error = std::move(error).in(PathStep::text(path));
    problem_.line = node.line();
    return false;
  }

 private:
  bool fail_expected(const Node& node, const PathStep* path, std::string_view expected) {
    return fail_at(node, path, Error(fmt::format("expected {}, got {}", expected, describe(node))));
  }

  bool read_value(const Node& node, const api::Type& type, void* target, const PathStep* path) {
    if (node.kind() == NodeKind::kNull) return true;
    switch (type.kind) {
      case api::Kind::kBool:
        if (node.kind() != NodeKind::kBool) return fail_expected(node, path, "true or false");
        *static_cast<bool*>(target) = node.boolean();
        return true;
      case api::Kind::kInt32: return read_int32(node, *static_cast<std::int32_t*>(target), path);
      case api::Kind::kInt64:
        if (node.kind() == NodeKind::kBigInteger) {
          return fail_at(node, path, Error(describe(node) + " does not fit a 64-bit integer"));
        }
        if (node.kind() != NodeKind::kInteger) return fail_expected(node, path, "an integer");
        *static_cast<std::int64_t*>(target) = node.integer();
        return true;
      case api::Kind::kDouble: return read_double(node, *static_cast<double*>(target), path);
      case api::Kind::kString:
        if (node.kind() != NodeKind::kString) return fail_not_a_string(node, path);
        *static_cast<std::string*>(target) = node.string();
        return true;
      case api::Kind::kSymbol:
        if (node.kind() != NodeKind::kString) return fail_not_a_string(node, path);
        *static_cast<Symbol*>(target) = Symbol(node.string());
        return true;
      case api::Kind::kQuantity: return read_quantity(node, *static_cast<api::Quantity*>(target), path);
      case api::Kind::kTime:
        return read_parsed(node, *static_cast<Instant*>(target), path, "a time such as \"2026-01-02T03:04:05Z\"");
      case api::Kind::kMicroTime:
        return read_parsed(node, static_cast<api::MicroTime*>(target)->at, path,
                           "a time such as \"2026-01-02T03:04:05.000006Z\"");
      case api::Kind::kDuration:
        return read_parsed(node, *static_cast<Duration*>(target), path, "a duration such as \"1m30s\"");
      case api::Kind::kIntOrString: {
        auto& either = *static_cast<api::IntOrString*>(target);
        if (node.kind() == NodeKind::kString) {
          either.number = 0;
          either.text = node.string();
          return true;
        }
        either.text.reset();
        return read_int32(node, either.number, path, "an integer or a string");
      }
      case api::Kind::kRawJson: {
        std::string& text = static_cast<api::RawJson*>(target)->text;
        text.clear();
        node.append_json(text);
        return true;
      }
      case api::Kind::kObject: return read_object(node, type, target, path);
      case api::Kind::kList: return read_list(node, type, target, path);
      case api::Kind::kMap: return read_map(node, type, target, path);
      case api::Kind::kOptional: return read_value(node, *type.element, type.emplace(target), path);
      case api::Kind::kInterned: {
        Fresh fresh(type);
        if (!read_value(node, *type.element, fresh.get(), path)) return false;
        fresh.seal(target, options_.pool);
        return true;
      }
    }
    return false;
  }

  bool fail_not_a_string(const Node& node, const PathStep* path) {
    Error error(fmt::format("expected a string, got {}", describe(node)));
    if (node.kind() != NodeKind::kList && node.kind() != NodeKind::kMap) {
      error = std::move(error).with_fix("quote the value");
    }
    return fail_at(node, path, std::move(error));
  }

  bool read_int32(const Node& node, std::int32_t& target, const PathStep* path,
                  std::string_view expected = "an integer") {
    if (node.kind() != NodeKind::kInteger && node.kind() != NodeKind::kBigInteger) {
      return fail_expected(node, path, expected);
    }
    using Limits = std::numeric_limits<std::int32_t>;
    const bool fits =
        node.kind() == NodeKind::kInteger && node.integer() >= Limits::min() && node.integer() <= Limits::max();
    if (!fits) return fail_at(node, path, Error(describe(node) + " does not fit a 32-bit integer"));
    target = static_cast<std::int32_t>(node.integer());
    return true;
  }

  bool read_double(const Node& node, double& target, const PathStep* path) {
    switch (node.kind()) {
      case NodeKind::kInteger: target = static_cast<double>(node.integer()); return true;
      case NodeKind::kBigInteger: target = static_cast<double>(node.big_integer()); return true;
      case NodeKind::kReal: target = node.real(); return true;
      default: return fail_expected(node, path, "a number");
    }
  }

  bool read_quantity(const Node& node, api::Quantity& target, const PathStep* path) {
    std::string number;
    std::string_view text;
    switch (node.kind()) {
      case NodeKind::kString: text = trimmed(node.string()); break;
      case NodeKind::kInteger:
      case NodeKind::kBigInteger:
      case NodeKind::kReal:
        node.append_json(number);
        text = number;
        break;
      default: return fail_expected(node, path, "a quantity such as \"250m\"");
    }
    auto quantity = api::Quantity::parse(text);
    if (!quantity) return fail_at(node, path, std::move(quantity).error());
    target = *std::move(quantity);
    return true;
  }
  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  }

  // Instant and Duration, which know how to parse themselves.
  template <typename T>
  bool read_parsed(const Node& node, T& target, const PathStep* path, std::string_view expected) {
    if (node.kind() != NodeKind::kString) return fail_expected(node, path, expected);
    auto parsed = T::parse(node.string());
    if (!parsed) return fail_at(node, path, std::move(parsed).error());
    target = *parsed;
    return true;
  }

  bool read_list(const Node& node, const api::Type& type, void* target, const PathStep* path) {
    if (node.kind() != NodeKind::kList) return fail_expected(node, path, "a list");
    if (type.size(target) != 0) return fail_at(node, path, Error("the list is given twice"));
    PathStep step{.parent = path};
    return node.each_element([&](const Node& element) {
      const bool is_read = read_value(element, *type.element, type.append(target), &step);
      ++step.index;
      return is_read;
    });
  }

  bool read_map(const Node& node, const api::Type& type, void* target, const PathStep* path) {
    if (node.kind() != NodeKind::kMap) return fail_expected(node, path, "an object");
    return node.each_member([&](std::string_view key, const Node& value) {
      const PathStep step{.parent = path, .name = key};
      const std::size_t size = type.size(target);
      void* slot = type.insert(target, Symbol(key));
      if (options_.strict && type.size(target) == size) {
        report_strict(value, "duplicate field", &step);
        return true;
      }
      return read_value(value, *type.element, slot, &step);
    });
  }

  bool read_object(const Node& node, const api::Type& type, void* target, const PathStep* path) {
    if (node.kind() != NodeKind::kMap) return fail_expected(node, path, "an object");
    const bool is_whole_object = std::exchange(is_whole_object_, false);
    const api::Schema& schema = type.schema();
    std::optional<Fresh> shared;
    std::size_t hint = 0;
    Seen seen;
    const bool is_read = node.each_member([&](std::string_view name, const Node& value) {
      const PathStep step{.parent = path, .name = name};
      const api::Slot* slot = schema.by_json_name(name, hint);
      if (slot == nullptr) {
        if (options_.strict && !(is_whole_object && (name == "apiVersion" || name == "kind"))) {
          report_strict(value, "unknown field", &step);
        }
        return true;
      }
      if (options_.strict && !seen.insert(slot)) {
        report_strict(value, "duplicate field", &step);
        return true;
      }
      void* holder = target;
      if (slot->through == schema.shared_part() && slot->through != nullptr) {
        if (!shared) shared.emplace(*slot->through->type);
        holder = shared->get();
      } else if (slot->through != nullptr) {
        holder = slot->through->in(target);
      }
      return read_value(value, *slot->field->type, slot->field->in(holder), &step);
    });
    if (!is_read) return false;
    if (shared) {
      normalize(shared->schema(), shared->get());
      shared->seal(schema.shared_part()->in(target), options_.pool);
    }
    for (const api::Field& field : schema.fields()) {
      const bool is_inline_struct = field.json_name.empty() && field.type->kind == api::Kind::kObject;
      if (is_inline_struct) normalize(field.type->schema(), field.in(target));
    }
    normalize(schema, target);
    return true;
  }

  static void normalize(const api::Schema& schema, void* object) {
    if (schema.normalize() != nullptr) schema.normalize()(object);
  }

  void report_strict(const Node& node, std::string_view what, const PathStep* path) {
    if (strict_problems_.size() >= kMaxStrictErrors) return;
    Problem problem{Error(fmt::format("{} \"{}\"", what, PathStep::text(path))), node.line()};
    for (const Problem& earlier : strict_problems_) {
      if (earlier.error.what() == problem.error.what()) return;
    }
    strict_problems_.push_back(std::move(problem));
  }

  // The content of an Interned while it is being filled; thrown away unless it is sealed.
  class Fresh {
   public:
    explicit Fresh(const api::Type& type) : type_(type), content_(type.make()) {}
    Fresh(const Fresh&) = delete;
    Fresh& operator=(const Fresh&) = delete;
    ~Fresh() {
      if (content_ != nullptr) type_.discard(content_);
    }
    void* get() const { return content_; }
    const api::Schema& schema() const { return type_.element->schema(); }
    void seal(void* slot, InternPool* pool) {
      const std::uint64_t hash = pool != nullptr ? api::hash_value(*type_.element, content_) : 0;
      type_.seal(slot, std::exchange(content_, nullptr), pool, hash);
    }

   private:
    const api::Type& type_;
    void* content_;
  };

  // The fields that an object has brought, for strict mode.
  class Seen {
   public:
    bool insert(const api::Slot* slot) {
      for (const api::Slot* earlier : slots_) {
        if (earlier == slot) return false;
      }
      slots_.push_back(slot);
      return true;
    }

   private:
    std::vector<const api::Slot*> slots_;
  };

  const DecodeOptions& options_;
  bool is_whole_object_ = false;
  Problem problem_;
  std::vector<Problem> strict_problems_;
};

}  // namespace berth::codec
