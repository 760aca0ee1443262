#include "berth/validation/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/api/names.h"
#include "berth/base/nearest_name.h"

namespace berth::validation {

void check_choice(Symbol value, std::initializer_list<std::string_view> supported, const Path& path, Errors& errors) {
  if (value.empty() || std::ranges::find(supported, value.text()) != supported.end()) return;
  const std::vector<std::string_view> choices(supported);
  Error error = config::not_supported(path, config::show(value.text()), choices);
  if (const std::string_view meant = nearest_name(value.text(), choices); !meant.empty()) {
    error = std::move(error).with_fix(fmt::format("did you mean {}?", meant));
  }
  errors.push_back(std::move(error));
}

void check_choice(const std::optional<Symbol>& value, std::initializer_list<std::string_view> supported,
                  const Path& path, Errors& errors) {
  if (value) check_choice(*value, supported, path, errors);
}

void check_label_key(std::string_view key, const Path& path, Errors& errors) {
  for (const std::string& what : api::qualified_name_errors(key)) {
    errors.push_back(config::invalid(path, config::show(key), what));
  }
}

void check_labels(const api::Labels& labels, const Path& path, Errors& errors) {
  for (const auto& [key, value] : labels) {
    check_label_key(key.text(), path, errors);
    for (const std::string& what : api::label_value_errors(value.text())) {
      errors.push_back(config::invalid(path, config::show(value.text()), what));
    }
  }
}

void check_dns_label(std::string_view name, const Path& path, Errors& errors) {
  for (const std::string& what : api::dns_label_errors(name)) {
    errors.push_back(config::invalid(path, config::show(name), what));
  }
}

void check_dns_subdomain(std::string_view name, const Path& path, Errors& errors) {
  for (const std::string& what : api::dns_subdomain_errors(name)) {
    errors.push_back(config::invalid(path, config::show(name), what));
  }
}

void check_at_least(std::int64_t least, std::int64_t value, const Path& path, Errors& errors) {
  if (value >= least) return;
  errors.push_back(config::invalid(
      path, config::show(value),
      least == 0 ? "must be greater than or equal to 0" : fmt::format("must be greater than {}", least - 1)));
}

void check_at_least(std::int64_t least, const std::optional<std::int32_t>& value, const Path& path, Errors& errors) {
  if (value) check_at_least(least, std::int64_t{*value}, path, errors);
}

void check_count_or_percentage(const std::optional<api::IntOrString>& value, const Path& path, Errors& errors) {
  if (!value) return;
  if (!value->text) return check_at_least(0, std::int64_t{value->number}, path, errors);
  const std::string_view text = *value->text;
  const bool is_percentage =
      text.size() > 1 && text.ends_with('%') &&
      std::ranges::all_of(text.substr(0, text.size() - 1), [](char c) { return c >= '0' && c <= '9'; });
  if (is_percentage) return;
  Error error = config::invalid(path, config::show(text),
                                "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', "
                                " or '93%', regex used for validation is '[0-9]+%')");
  const bool is_number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) error = std::move(error).with_fix("a number is written without quotes");
  errors.push_back(std::move(error));
}

}  // namespace berth::validation
