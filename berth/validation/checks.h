// Checks that several kinds of field have in common. Internal to this folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "berth/api/meta.h"
#include "berth/base/error.h"
#include "berth/config/field_error.h"

namespace berth::validation {

using config::Path;
using Errors = std::vector<Error>;

// One of the values, or empty where the API server has a default.
void check_choice(Symbol value, std::initializer_list<std::string_view> supported, const Path& path, Errors& errors);
void check_choice(const std::optional<Symbol>& value, std::initializer_list<std::string_view> supported,
                  const Path& path, Errors& errors);

// A label's key.
void check_label_key(std::string_view key, const Path& path, Errors& errors);
void check_labels(const api::Labels& labels, const Path& path, Errors& errors);

void check_dns_label(std::string_view name, const Path& path, Errors& errors);
void check_dns_subdomain(std::string_view name, const Path& path, Errors& errors);

void check_at_least(std::int64_t least, std::int64_t value, const Path& path, Errors& errors);
void check_at_least(std::int64_t least, const std::optional<std::int32_t>& value, const Path& path, Errors& errors);
// A number that is not negative, or a percentage.
void check_count_or_percentage(const std::optional<api::IntOrString>& value, const Path& path, Errors& errors);

}  // namespace berth::validation
