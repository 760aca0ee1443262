#include "berth/daemon/flag_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/quantity.h"
#include "berth/base/time.h"
#include "berth/base/trimmed.h"
#include "berth/config/document.h"
#include "berth/daemon/flags.h"

namespace berth::daemon {

namespace {

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// --- Versions --------------------------------------------------------------------------------------------------------

constexpr unsigned kMajor = 1;
constexpr unsigned kOldestMinor = 33;  // what kube-scheduler can emulate
constexpr unsigned kMinor = 36;

// "1.35", "v1.35" or "1.35.0".
Result<void> check_minor_version(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text.starts_with('v') ? text.substr(1) : text, '.');
  std::array<unsigned, 3> numbers{};
  bool is_version = parts.size() == 2 || parts.size() == 3;
  for (std::size_t i = 0; is_version && i < parts.size(); ++i) {
    const auto number = number_of<unsigned>(parts[i]);
    is_version = number.has_value();
    if (is_version) numbers[i] = *number;
  }
  if (!is_version) {
    return fail(fmt::format("could not parse \"{}\" as version, expected {}.{} to {}.{}", text, kMajor, kOldestMinor,
                            kMajor, kMinor));
  }
  if (numbers[2] != 0) return fail(fmt::format("patch version not allowed, got: {}", text));
  if (numbers[0] != kMajor || numbers[1] < kOldestMinor || numbers[1] > kMinor) {
    return fail(fmt::format("version {} is not between [{}.{}, {}.{}]", text, kMajor, kOldestMinor, kMajor, kMinor));
  }
  return {};
}

// --- Metrics ---------------------------------------------------------------------------------------------------------

bool is_label_name(std::string_view text, bool may_have_colons = false) {
  const auto is_letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (may_have_colons && c == ':');
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_metric_name(std::string_view text) {
  return is_label_name(text, true);
}

Result<void> check_metric_and_label(std::string_view key) {
  const std::vector<std::string_view> parts = parts_of(key, ',');
  if (parts.size() == 2 && is_metric_name(parts[0]) && is_label_name(parts[1])) return {};
  return fail(fmt::format("\"{}\" must have the form METRIC,LABEL", key));
}

// One line of comma-separated values, of which some are in quotes.
Result<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    std::string& field = fields.emplace_back();
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      for (;;) {
        const std::size_t quote = line.find('"');
        if (quote == std::string_view::npos) return fail("unterminated quote");
        field += line.substr(0, quote);
        line.remove_prefix(quote + 1);
        if (!line.starts_with('"')) break;
        field += '"';
        line.remove_prefix(1);
      }
      if (!line.empty() && line[0] != ',') return fail("a comma must follow a quoted value");
    } else {
      field = line.substr(0, line.find(','));
      line.remove_prefix(field.size());
      if (field.find('"') != std::string::npos) return fail("a quote must be the first character of a value");
    }
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

}  // namespace

Result<void> check_component_versions(std::string_view text) {
  if (text.empty()) return {};
  const std::vector<std::string_view> versions = parts_of(text, ',');
  for (std::string_view version : versions) {
    if (const std::size_t equals = version.find('='); equals != std::string_view::npos) {
      const std::string_view component = trimmed(version.substr(0, equals), " ");
      if (component != "kube")
        return fail(fmt::format("component not registered: {}, only kube is supported", component));
      version = trimmed(version.substr(equals + 1), " ");
    }
    if (auto checked = check_minor_version(version); !checked) return checked;
  }
  if (versions.size() > 1) return fail("more than one version");
  return {};
}

Result<void> check_hidden_metrics_version(std::string_view text) {
  const std::string previous = fmt::format("{}.{}", kMajor, kMinor - 1);
  if (text.empty() || text == previous) return {};
  return fail(
      fmt::format("must be omitted or have the value '{}'; only the previous minor version is allowed", previous));
}

Result<void> check_metric_labels(std::string_view text) {
  std::vector<std::string> pairs = {std::string(trimmed(text, "\""))};
  if (std::ranges::count(text, '=') > 1) {
    auto fields = fields_of(text);
    if (!fields) return std::unexpected(fields.error());
    pairs = *std::move(fields);
  }
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return fail(fmt::format("{} must be formatted as key=value: METRIC,LABEL=VALUE,...", pair));
    }
    if (auto checked = check_metric_and_label(std::string_view(pair).substr(0, equals)); !checked) return checked;
  }
  return {};
}

Result<void> check_metric_labels_manifest(std::string_view yaml) {
  using Kind = config::Value::Kind;
  const auto document = config::parse_document(yaml);
  if (!document) return fail(document.error().problem.error);
  if (document->root.kind == Kind::kNull) return {};
  if (document->root.kind != Kind::kMap) return fail("must be a map from \"METRIC,LABEL\" to \"VALUE,...\"");
  for (const auto& [key, value] : document->root.members) {
    if (auto checked = check_metric_and_label(key); !checked) return checked;
    if (value.kind == Kind::kList || value.kind == Kind::kMap) {
      return fail(fmt::format("the values of \"{}\" must be a string: \"VALUE,...\"", key));
    }
  }
  return {};
}

Result<void> check_metric_name(std::string_view name) {
  if (is_metric_name(name)) return {};
  return fail(fmt::format("\"{}\" is not the full name of a metric", name));
}

Result<void> check_curves(std::string_view text) {
  // P-256, P-384, P-521, X25519, and the hybrids with ML-KEM.
  constexpr std::array<std::int32_t, 7> kKnown = {23, 24, 25, 29, 4587, 4588, 4589};
  std::vector<std::int32_t> seen;
  for (const std::string_view part : parts_of(text, ',')) {
    const auto curve = number_of<std::int32_t>(part);
    if (!curve) return fail(fmt::format("\"{}\" is not a number, expected one of {}", part, fmt::join(kKnown, ", ")));
    if (std::ranges::find(kKnown, *curve) == kKnown.end()) {
      return fail(
          fmt::format("curve preference {} is not supported, expected one of {}", *curve, fmt::join(kKnown, ", ")));
    }
    if (std::ranges::find(seen, *curve) != seen.end())
      return fail(fmt::format("duplicate curve preference {}", *curve));
    seen.push_back(*curve);
  }
  return {};
}

Result<void> check_buffer_size(std::string_view text) {
  auto quantity = api::Quantity::parse(text);
  if (!quantity) return std::unexpected(quantity.error());
  return {};
}

Result<void> check_flush_frequency(std::string_view text) {
  const auto frequency = Duration::parse(text);
  if (!frequency) return std::unexpected(frequency.error());
  if (*frequency <= Duration()) return fail("must be greater than zero");
  return {};
}

Result<void> check_reported_version(std::string_view text) {
  if (!text.starts_with(kUpstreamVersion)) {
    return fail(
        fmt::format("version \"{}\" must match major/minor/patch of default version \"{}\"", text, kUpstreamVersion));
  }
  const std::string_view rest = text.substr(kUpstreamVersion.size());
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '+';
  };
  const bool is_parted = rest.empty() || rest[0] == '-' || rest[0] == '+';
  if (is_parted && rest.size() != 1 && std::ranges::all_of(rest, is_allowed) && std::ranges::count(rest, '+') <= 1) {
    return {};
  }
  return fail(fmt::format("could not parse pre-release/metadata ({}) in version \"{}\"", rest, text));
}

}  // namespace berth::daemon
