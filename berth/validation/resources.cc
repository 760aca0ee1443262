#include "berth/validation/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/api/names.h"
#include "berth/base/nearest_name.h"
#include "berth/validation/amounts.h"

namespace berth::validation {

namespace {

constexpr std::array<std::string_view, 3> kContainerResources = {"cpu", "memory", "ephemeral-storage"};
// Names without a domain that a quota or a node has, but that no container asks for.
constexpr std::array<std::string_view, 9> kOtherStandardResources = {"pods",
                                                                     "services",
                                                                     "replicationcontrollers",
                                                                     "resourcequotas",
                                                                     "secrets",
                                                                     "configmaps",
                                                                     "persistentvolumeclaims",
                                                                     "storage",
                                                                     "services.nodeports"};

bool is_huge_page(std::string_view name) {
  return name.starts_with("hugepages-");
}

bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.substr(0, name.find('/')).ends_with("kubernetes.io");
}

bool is_extended(std::string_view name) {
  return !is_native(name) && !name.starts_with("requests.") && api::is_qualified_name(name);
}

// Whether limits may be above requests: what a container asks for is then no promise.
bool may_be_overcommitted(std::string_view name) {
  return is_native(name) && !is_huge_page(name);
}

void check_container_resource_name(std::string_view name, const Path& path, Errors& errors) {
  const std::size_t before = errors.size();
  check_label_key(name, path, errors);
  if (errors.size() != before) return;
  const std::string shown = config::show(name);
  if (name.find('/') == std::string_view::npos) {
    if (std::ranges::find(kContainerResources, name) != kContainerResources.end() || is_huge_page(name)) return;
    const bool is_standard = std::ranges::find(kOtherStandardResources, name) != kOtherStandardResources.end() ||
                             name.starts_with("requests.") || name.starts_with("limits.");
    Error error = config::invalid(path, shown,
                                  is_standard ? "must be a standard resource for containers"
                                              : "must be a standard resource type or fully qualified");
    if (const std::string_view meant = nearest_name(name, kContainerResources); !meant.empty()) {
      error = std::move(error).with_fix(fmt::format("did you mean {}?", meant));
    }
    errors.push_back(std::move(error));
  } else if (!is_native(name) && !is_extended(name)) {
    errors.push_back(config::invalid(path, shown, "doesn't follow extended resource name standard"));
  }
}

}  // namespace

void check_amount(Symbol resource, const api::Quantity& amount, const Path& list, Errors& errors) {
  const auto wrong = [&](std::string_view what) {
    errors.push_back(config::invalid(list.key(resource.text()), config::show(amount.str()), what));
  };
  if (amount.sign() < 0) return wrong("must be greater than or equal to 0");
  if (amount > largest_amount(resource)) {
    return wrong(fmt::format("is more than {}, which is as much as can be counted", largest_amount(resource).str()));
  }
  if (is_extended(resource.text()) && amount.milli_value() % 1000 != 0) wrong("must be an integer");
}

void check_container_resources(const api::ResourceRequirements& resources, const Path& path, Errors& errors) {
  const Path limits = path.child("limits"), requests = path.child("requests");
  for (const auto& [name, amount] : resources.limits) {
    check_container_resource_name(name.text(), limits, errors);
    check_amount(name, amount, limits, errors);
  }
  for (const auto& [name, amount] : resources.requests) {
    check_container_resource_name(name.text(), requests, errors);
    check_amount(name, amount, requests, errors);
    const api::Quantity* limit = resources.limits.find(name);
    const std::string shown = config::show(amount.str());
    if (limit == nullptr) {
      if (is_extended(name.text()) || is_huge_page(name.text())) {
        errors.push_back(config::required(limits, "Limit must be set for non overcommitable resources")
                             .with_fix(fmt::format("give {} in limits; requests follow", name.text())));
      }
    } else if (!may_be_overcommitted(name.text()) && amount != *limit) {
      errors.push_back(
          config::invalid(requests, shown, fmt::format("must be equal to {} limit of {}", name.text(), limit->str())));
    } else if (amount > *limit) {
      errors.push_back(config::invalid(
          requests, shown, fmt::format("must be less than or equal to {} limit of {}", name.text(), limit->str())));
    }
  }
}

}  // namespace berth::validation
