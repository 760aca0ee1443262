#include "berth/config/decode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/base/base64.h"
#include "berth/codec/json.h"
#include "berth/config/field_error.h"
#include "berth/config/go_types.h"
#include "berth/config/suggest.h"

namespace berth::config {

namespace {

// As Kubernetes: further strict errors of one object are dropped.
constexpr std::size_t kMaxStrictErrors = 100;
// How kube-scheduler calls its table of kinds.
constexpr std::string_view kSchemeName = "pkg/scheduler/apis/config/scheme/scheme.go:29";

// How Go's decoder calls a value.
std::string_view go_kind(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull: return "null";
    case Value::Kind::kBool: return "bool";
    case Value::Kind::kNumber: return "number";
    case Value::Kind::kString: return "string";
    case Value::Kind::kList: return "array";
    case Value::Kind::kMap: return "object";
  }
  return "";
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kList: return "a list";
    case Value::Kind::kMap: return "an object";
    case Value::Kind::kString: return go_quote(value.text);
    default: return value.text.empty() ? "null" : value.text;
  }
}

template <typename Integer>
bool fits(const std::string& literal) {
  Integer number = 0;
  const char* end = literal.data() + literal.size();
  const auto [stop, error] = std::from_chars(literal.data(), end, number);
  return error == std::errc() && stop == end;
}

bool fits_float(const std::string& literal) {
  return std::isfinite(static_cast<float>(std::strtod(literal.c_str(), nullptr)));
}

// Goes through a tree beside the schema of a type, and notes what a decoder would stumble over.
class Checker {
 public:
  void check(const Value& root, const api::Type& type) {
    check_object(root, type, "", std::string("v1.") + std::string(type.schema().name()), Context{});
  }

  bool is_well() const { return problems_.empty(); }
  // Whether only the strict mode has something to say.
  bool is_strict_only() const { return !fatal_ && !first_type_error_; }
  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<std::string>& strict_texts() const { return strict_texts_; }
  // The error of Go's decoder. Requires: !is_strict_only().
  const std::string& go_text() const { return fatal_ ? *fatal_ : *first_type_error_; }

 private:
  // Where Go's decoder is: the innermost struct and the fields on the way, without indices.
  struct Context {
    std::string struct_name;
    std::vector<std::string> fields;
  };

  static std::string go_type_error(std::string_view value, std::string_view type, const Context& context) {
    if (context.fields.empty()) return fmt::format("json: cannot unmarshal {} into Go value of type {}", value, type);
    return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", value, context.struct_name,
                       fmt::join(context.fields, "."), type);
  }

  void add(const Value& value, const std::string& path, std::string what, std::string fix = {}) {
    Error error = Error(std::move(what)).in(path);
    if (!fix.empty()) error = std::move(error).with_fix(std::move(fix));
    problems_.push_back({std::move(error), value.line});
  }

  // A value that Go's decoder skips, to report the first of them at the end.
  void wrong_type(const Value& value, const std::string& path, std::string_view expected, std::string_view go_value,
                  std::string_view go_type, const Context& context) {
    if (!first_type_error_) first_type_error_ = go_type_error(go_value, go_type, context);
    const bool wants_quotes =
        expected == "a string" && value.kind != Value::Kind::kList && value.kind != Value::Kind::kMap;
    add(value, path, fmt::format("expected {}, got {}", expected, describe(value)),
        wants_quotes ? "quote the value" : "");
  }

  // An error at which Go's decoder gives up.
  void fatal(const Value& value, const std::string& path, std::string go_text, std::string what) {
    if (!fatal_) fatal_ = std::move(go_text);
    add(value, path, std::move(what));
  }

  void strict(const Value& value, std::string_view what, const std::string& path, std::string fix = {}) {
    std::string text = fmt::format("{} {}", what, go_quote(path));
    const bool is_known = std::ranges::find(strict_texts_, text) != strict_texts_.end();
    if (is_known || strict_texts_.size() >= kMaxStrictErrors) return;
    strict_texts_.push_back(text);
    add(value, "", std::move(text), std::move(fix));
  }

  void check_value(const Value& value, const api::Type& type, const std::string& path, std::string_view go_type,
                   const Context& context) {
    if (type.kind == api::Kind::kDuration) return check_duration(value, path, context);
    if (value.kind == Value::Kind::kNull) return;
    switch (type.kind) {
      case api::Kind::kOptional:
      case api::Kind::kInterned: return check_value(value, *type.element, path, go_type, context);
      case api::Kind::kBool:
        if (value.kind == Value::Kind::kBool) return;
        return wrong_type(value, path, "true or false", go_kind(value), go_type, context);
      case api::Kind::kInt32:
      case api::Kind::kInt64: {
        if (value.kind != Value::Kind::kNumber) {
          return wrong_type(value, path, "an integer", go_kind(value), go_type, context);
        }
        const bool is_well =
            type.kind == api::Kind::kInt32 ? fits<std::int32_t>(value.text) : fits<std::int64_t>(value.text);
        if (is_well) return;
        const std::string_view expected = type.kind == api::Kind::kInt32 ? "a 32-bit integer" : "a 64-bit integer";
        return wrong_type(value, path, expected, "number " + value.text, go_type, context);
      }
      case api::Kind::kDouble:
        if (value.kind != Value::Kind::kNumber)
          return wrong_type(value, path, "a number", go_kind(value), go_type, context);
        if (fits_float(value.text)) return;
        return wrong_type(value, path, "a 32-bit number", "number " + value.text, go_type, context);
      case api::Kind::kString:
      case api::Kind::kSymbol:
        if (value.kind != Value::Kind::kString)
          return wrong_type(value, path, "a string", go_kind(value), go_type, context);
        if (is_go_bytes(go_type)) check_bytes(value, path);
        return;
      case api::Kind::kList: {
        if (value.kind != Value::Kind::kList)
          return wrong_type(value, path, "a list", go_kind(value), go_type, context);
        for (std::size_t i = 0; i < value.elements.size(); ++i) {
          check_value(value.elements[i], *type.element, fmt::format("{}[{}]", path, i), go_element(go_type), context);
        }
        return;
      }
      case api::Kind::kMap: {
        if (value.kind != Value::Kind::kMap)
          return wrong_type(value, path, "an object", go_kind(value), go_type, context);
        std::set<std::string_view> seen;
        for (const auto& [key, member] : value.members) {
          const std::string at = fmt::format("{}.{}", path, key);
          if (!seen.insert(key).second) strict(member, "duplicate field", at);
          check_value(member, *type.element, at, go_element(go_type), context);
        }
        return;
      }
      case api::Kind::kObject: return check_object(value, type, path, go_type, context);
      default: return;  // raw JSON; the types of the configuration have no times, quantities or the like
    }
  }

  void check_object(const Value& value, const api::Type& type, const std::string& path, std::string_view go_type,
                    const Context& context) {
    if (value.kind == Value::Kind::kNull) return;
    if (value.kind != Value::Kind::kMap) return wrong_type(value, path, "an object", go_kind(value), go_type, context);
    const api::Schema& schema = type.schema();
    const bool is_whole_object = context.fields.empty();
    std::set<std::string_view> seen;
    std::size_t hint = 0;
    for (const auto& [key, member] : value.members) {
      const std::string at = path.empty() ? key : fmt::format("{}.{}", path, key);
      const api::Slot* slot = schema.by_json_name(key, hint);
      const bool is_type_meta = is_whole_object && (key == "apiVersion" || key == "kind");
      if (slot == nullptr && !is_type_meta) {
        strict(member, "unknown field", at, did_you_mean(key, schema));
        continue;
      }
      if (!seen.insert(key).second) strict(member, "duplicate field", at);
      if (is_type_meta) continue;  // looked at before
      Context inner{.struct_name = std::string(schema.name()), .fields = context.fields};
      if (const std::string_view embedded = go_embedded_in(schema, key); !embedded.empty()) {
        inner.fields.emplace_back(embedded);
      }
      inner.fields.push_back(key);
      check_value(member, *slot->field->type, at, go_type_of(schema, *slot->field), inner);
    }
  }

  // A duration decodes itself in Go, so every error ends the decoding; it takes null for the empty text.
  void check_duration(const Value& value, const std::string& path, const Context& context) {
    if (value.kind == Value::Kind::kString || value.kind == Value::Kind::kNull) {
      const auto parsed = Duration::parse(value.kind == Value::Kind::kNull ? "" : value.text);
      if (!parsed) fatal(value, path, parsed.error().what(), parsed.error().what());
      return;
    }
    fatal(value, path, go_type_error(go_kind(value), "string", context),
          fmt::format("expected a duration such as \"15s\", got {}", describe(value)));
  }

  void check_bytes(const Value& value, const std::string& path) {
    const auto offset = first_invalid_base64(value.text);
    if (!offset) return;
    std::string text = fmt::format("illegal base64 data at input byte {}", *offset);
    if (!first_type_error_) first_type_error_ = text;
    add(value, path, std::move(text));
  }

  static std::string did_you_mean(std::string_view key, const api::Schema& schema) {
    std::vector<std::string_view> names;
    for (const api::Field& field : schema.fields()) names.push_back(field.json_name);
    const std::string_view meant = nearest_name(key, names);
    return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
  }

  std::vector<Problem> problems_;
  std::vector<std::string> strict_texts_;
  std::optional<std::string> first_type_error_;
  std::optional<std::string> fatal_;
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};

// Reads apiVersion and kind. The error is kube-scheduler's text.
std::expected<GroupVersionKind, std::string> read_kind(const Value& root) {
  constexpr std::string_view kPrefix = "couldn't get version/kind; json parse error: ";
  if (root.kind == Value::Kind::kNull) return GroupVersionKind{};
  if (root.kind != Value::Kind::kMap) {
    return std::unexpected(
        fmt::format("{}json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
                    "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                    kPrefix, go_kind(root)));
  }
  std::string api_version;
  std::string kind;
  // Here Go's own decoder is at work, which does not mind upper and lower case.
  for (const auto& [key, member] : root.members) {
    const bool is_version = same_ignoring_case(key, "apiVersion");
    if (!is_version && !same_ignoring_case(key, "kind")) continue;
    if (member.kind == Value::Kind::kNull) continue;
    if (member.kind != Value::Kind::kString) {
      return std::unexpected(fmt::format("{}json: cannot unmarshal {} into Go struct field .{} of type string", kPrefix,
                                         go_kind(member), is_version ? "apiVersion" : "kind"));
    }
    (is_version ? api_version : kind) = member.text;
  }
  GroupVersionKind result{.group = "", .version = "", .kind = kind};
  if (api_version.empty() || api_version == "/") return result;
  const std::size_t slash = api_version.find('/');
  if (slash == std::string::npos) {
    result.version = api_version;
  } else if (api_version.find('/', slash + 1) == std::string::npos) {
    result.group = api_version.substr(0, slash);
    result.version = api_version.substr(slash + 1);
  } else {
    return std::unexpected("unexpected GroupVersion string: " + api_version);
  }
  return result;
}

std::string not_registered(const GroupVersionKind& kind) {
  return fmt::format("no kind {} is registered for version {} in scheme {}", go_quote(kind.kind),
                     go_quote(kind.api_version()), go_quote(kSchemeName));
}

// The type of a kind of the group's v1. Null if there is none.
const api::Type* type_of_kind(std::string_view kind) {
  if (kind == kKind) return &api::type_of<SchedulerConfig>();
  const ArgsKind* args = args_kind_named(kind);
  return args == nullptr ? nullptr : args->type;
}

std::string strict_text(const std::vector<std::string>& texts) {
  return fmt::format("strict decoding error: {}", fmt::join(texts, ", "));
}

// A problem with what kind of object the file holds: one error, with a way out.
DecodeFailure wrong_kind(std::string go_text, std::string what) {
  const std::string fix =
      fmt::format("a scheduler configuration begins with \"apiVersion: {}\" and \"kind: {}\"", kApiVersion, kKind);
  return {{{Error(std::move(what)).with_fix(fix), 0}}, std::move(go_text)};
}

// The kind of the group's v1 that the file says it holds: one of those that kube-scheduler knows.
std::expected<std::string, DecodeFailure> known_kind(const Value& root, std::string_view text) {
  const auto kind = read_kind(root);
  if (!kind) return std::unexpected(wrong_kind(kind.error(), kind.error()));
  if (kind->kind.empty()) {
    return std::unexpected(
        wrong_kind(fmt::format("Object 'Kind' is missing in '{}'", text), "the field kind is missing"));
  }
  if (kind->version.empty()) {
    return std::unexpected(
        wrong_kind(fmt::format("Object 'apiVersion' is missing in '{}'", text), "the field apiVersion is missing"));
  }
  if (kind->api_version() != kApiVersion || type_of_kind(kind->kind) == nullptr) {
    return std::unexpected(wrong_kind(not_registered(*kind), not_registered(*kind)));
  }
  return kind->kind;
}

// Decoding a whole file, which goes on after a problem as long as kube-scheduler would.
class Decoder {
 public:
  Decoder(const Document& document, std::string_view text) : document_(document), text_(text) {}

  std::expected<SchedulerConfig, DecodeFailure> run() {
    const auto kind = known_kind(document_.root, text_);
    if (!kind) return std::unexpected(kind.error());
    Checker checker;
    checker.check(document_.root, *type_of_kind(*kind));
    add_duplicates();
    std::ranges::copy(checker.problems(), std::back_inserter(problems_));
    if (!checker.is_strict_only()) return std::unexpected(DecodeFailure{std::move(problems_), checker.go_text()});
    std::ranges::copy(checker.strict_texts(), std::back_inserter(strict_texts_));
    if (*kind != kKind) return std::unexpected(not_a_configuration(*kind));

    SchedulerConfig config;
    const auto filled = codec::read_json(to_json(document_.root), api::type_of<SchedulerConfig>(), &config);
    if (!filled && problems_.empty()) {
      return std::unexpected(DecodeFailure{{{filled.error(), 0}}, filled.error().message()});
    }
    decode_all_args(config);
    if (!problems_.empty()) {
      return std::unexpected(
          DecodeFailure{std::move(problems_), fatal_text_.empty() ? strict_text(strict_texts_) : fatal_text_});
    }
    normalize(config);
    return config;
  }

 private:
  void add_duplicates() {
    if (document_.duplicates.empty()) return;
    std::string text = "yaml: unmarshal errors:";
    for (const Problem& duplicate : document_.duplicates) {
      text += fmt::format("\n  line {}: {}", duplicate.line, duplicate.error.what());
      problems_.push_back(duplicate);
    }
    strict_texts_.push_back(std::move(text));
  }

  // A file that holds the arguments of a plugin. kube-scheduler decodes them before it finds that they are not enough.
  DecodeFailure not_a_configuration(std::string_view kind) {
    if (!problems_.empty()) return {std::move(problems_), strict_text(strict_texts_)};
    return wrong_kind(
        fmt::format("couldn't decode as KubeSchedulerConfiguration, got {}, Kind={}: ", kApiVersion, kind),
        fmt::format("expected a {}, got a {}", kKind, kind));
  }

  void decode_all_args(SchedulerConfig& config) {
    const Value* profiles = document_.root.find("profiles");
    for (std::size_t i = 0; i < config.profiles.size(); ++i) {
      const Value* plugins = profiles->elements[i].find("pluginConfig");
      for (std::size_t j = 0; j < config.profiles[i].plugin_config.size(); ++j) {
        const std::string path = fmt::format("profiles[{}].pluginConfig[{}]", i, j);
        decode_args(path, plugins->elements[j].find("args"), config.profiles[i].plugin_config[j]);
      }
    }
  }

  // Adds a problem that ends kube-scheduler's decoding.
  void fatal(const std::string& path, std::string text, Problem problem) {
    if (fatal_text_.empty()) fatal_text_ = fmt::format("decoding .{}: {}", path, text);
    problem.error = std::move(problem.error).in(path + ".args");
    problems_.push_back(std::move(problem));
  }

  void decode_args(const std::string& path, const Value* given, PluginConfig& plugin) {
    const bool is_given = given != nullptr && given->kind != Value::Kind::kNull;
    const ArgsKind* kind = args_kind_of(plugin.name);
    if (kind == nullptr) {
      if (is_given) plugin.args = plugin.raw;
      return;
    }
    void* args = kind->emplace(plugin.args);
    if (!is_given) return;

    const std::string prefix = fmt::format("decoding args for plugin {}: ", plugin.name);
    auto actual = read_kind(*given);
    if (!actual) {
      const bool is_object = given->kind == Value::Kind::kMap;
      const std::string what = is_object ? actual.error() : fmt::format("expected an object, got {}", describe(*given));
      return fatal(path, prefix + actual.error(), {Error(what), given->line});
    }
    if (actual->kind.empty()) actual->kind = kind->kind;
    if (actual->version.empty() && (actual->group.empty() || actual->group == kGroup)) {
      actual->group = kGroup;
      actual->version = "v1";
    }
    const api::Type* actual_type = actual->api_version() == kApiVersion ? type_of_kind(actual->kind) : nullptr;
    if (actual_type == nullptr) {
      return fatal(path, prefix + not_registered(*actual), {Error(not_registered(*actual)), given->line});
    }
    Checker checker;
    checker.check(*given, *actual_type);
    if (!checker.is_strict_only()) {
      for (const Problem& problem : checker.problems()) fatal(path, prefix + checker.go_text(), problem);
      return;
    }
    if (actual_type != kind->type) {
      const std::string what = fmt::format("args for plugin {} were not of type {}.{}, got {}.{}", plugin.name,
                                           kind->kind, kGroup, actual->kind, kGroup);
      return fatal(path, what, {Error(what), given->line});
    }
    if (!checker.is_well()) {
      strict_texts_.push_back(
          fmt::format("decoding .{}: strict decoding error: {}{}", path, prefix, strict_text(checker.strict_texts())));
      for (Problem problem : checker.problems()) {
        problem.error = std::move(problem.error).in(path + ".args");
        problems_.push_back(std::move(problem));
      }
      return;
    }
    const auto filled = codec::read_json(to_json(*given), *kind->type, args);
    if (!filled) fatal(path, prefix + filled.error().message(), {filled.error(), given->line});
  }

  static void normalize(SchedulerConfig& config) {
    // The rate is a float32 in Go: what is left of it are the shortest digits that a float32 needs.
    double& qps = config.client_connection.qps;
    qps = std::strtod(fmt::format("{}", static_cast<float>(qps)).c_str(), nullptr);
    for (Extender& extender : config.extenders) {
      if (!extender.tls_config) continue;
      ExtenderTls& tls = *extender.tls_config;
      for (std::string* bytes : {&tls.cert_data, &tls.key_data, &tls.ca_data}) {
        std::erase_if(*bytes, [](char c) { return c == '\n' || c == '\r'; });
      }
    }
  }

  const Document& document_;
  std::string_view text_;
  std::vector<Problem> problems_;
  std::vector<std::string> strict_texts_;
  std::string fatal_text_;
};

}  // namespace

std::expected<SchedulerConfig, DecodeFailure> decode(const Document& document, std::string_view text) {
  return Decoder(document, text).run();
}

}  // namespace berth::config
