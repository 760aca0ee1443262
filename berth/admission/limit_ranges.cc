#include "berth/admission/limit_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/admission/pod_defaults.h"

namespace berth::admission {

namespace {

constexpr std::string_view kContainer = "Container";
constexpr std::string_view kPod = "Pod";
constexpr std::string_view kClaim = "PersistentVolumeClaim";

void set_missing(api::ResourceList& list, const api::ResourceList& defaults) {
  for (const auto& [resource, amount] : defaults) {
    if (!list.contains(resource)) list[resource] = amount;
  }
}

// What an API server adds to a LimitRange that is created: the maximum is the default limit, which is the default
// request; without either, the minimum is.
void complete(api::LimitRangeItem& item) {
  if (item.type != kContainer) return;
  set_missing(item.default_limit, item.max);
  set_missing(item.default_request, item.default_limit);
  set_missing(item.default_request, item.min);
}

// Each complaint once.
class Complaints {
 public:
  void add(std::string text) {
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
  }
  // As the API server joins several.
  Result<void> result() const {
    if (texts_.empty()) return {};
    if (texts_.size() == 1) return fail(texts_.front());
    return fail(fmt::format("[{}]", fmt::join(texts_, ", ")));
  }

 private:
  std::vector<std::string> texts_;
};

// What is compared with the bounds: a container, a pod, or a claim.
struct Amounts {
  const api::ResourceList& requests;
  const api::ResourceList& limits;
};

void check_least(std::string_view type, Symbol resource, const api::Quantity& least, const Amounts& has,
                 Complaints& complaints) {
  const api::Quantity* request = has.requests.find(resource);
  const api::Quantity* limit = has.limits.find(resource);
  const std::string rule = fmt::format("minimum {} usage per {} is {}", resource.text(), type, least.str());
  if (request == nullptr) {
    complaints.add(rule + ".  No request is specified");
  } else if (*request < least) {
    complaints.add(fmt::format("{}, but request is {}", rule, request->str()));
  } else if (limit != nullptr && *limit < least) {
    complaints.add(fmt::format("{}, but limit is {}", rule, limit->str()));
  }
}

void check_most(std::string_view type, Symbol resource, const api::Quantity& most, const Amounts& has,
                Complaints& complaints) {
  const api::Quantity* request = has.requests.find(resource);
  const api::Quantity* limit = has.limits.find(resource);
  const std::string rule = fmt::format("maximum {} usage per {} is {}", resource.text(), type, most.str());
  if (limit == nullptr) {
    complaints.add(rule + ".  No limit is specified");
  } else if (*limit > most) {
    complaints.add(fmt::format("{}, but limit is {}", rule, limit->str()));
  } else if (request != nullptr && *request > most) {
    complaints.add(fmt::format("{}, but request is {}", rule, request->str()));
  }
}

// Claims have no limits.
void check_most_requested(std::string_view type, Symbol resource, const api::Quantity& most, const Amounts& has,
                          Complaints& complaints) {
  const api::Quantity* request = has.requests.find(resource);
  const std::string rule = fmt::format("maximum {} usage per {} is {}", resource.text(), type, most.str());
  if (request == nullptr) {
    complaints.add(rule + ".  No request is specified");
  } else if (*request > most) {
    complaints.add(fmt::format("{}, but request is {}", rule, request->str()));
  }
}

void check_ratio(std::string_view type, Symbol resource, const api::Quantity& most, const Amounts& has,
                 Complaints& complaints) {
  const api::Quantity* request = has.requests.find(resource);
  const api::Quantity* limit = has.limits.find(resource);
  const std::string rule =
      fmt::format("{} max limit to request ratio per {} is {}, but", resource.text(), type, most.str());
  if (request == nullptr || request->is_zero()) {
    complaints.add(rule + " no request is specified or request is 0");
  } else if (limit == nullptr || limit->is_zero()) {
    complaints.add(rule + " no limit is specified or limit is 0");
  } else if (const double ratio = limit->as_approximate_double() / request->as_approximate_double();
             ratio > most.as_approximate_double()) {
    complaints.add(fmt::format("{} provided ratio is {:f}", rule, ratio));
  }
}

void check_item(const api::LimitRangeItem& item, const Amounts& has, Complaints& complaints) {
  const std::string_view type = item.type.text();
  for (const auto& [resource, least] : item.min) check_least(type, resource, least, has, complaints);
  for (const auto& [resource, most] : item.max) check_most(type, resource, most, has, complaints);
  for (const auto& [resource, most] : item.max_limit_request_ratio) check_ratio(type, resource, most, has, complaints);
}

void check_pod(const api::LimitRangeItem& item, const api::PodTemplate& spec, Complaints& complaints) {
  if (item.type == kContainer) {
    for (const auto* containers : {&spec.containers, &spec.init_containers}) {
      for (const api::Container& container : *containers) {
        check_item(item, {container.resources.requests, container.resources.limits}, complaints);
      }
    }
  } else if (item.type == kPod) {
    const api::ResourceList requests = sum_of_requests(spec), limits = sum_of_limits(spec);
    check_item(item, {requests, limits}, complaints);
  }
}

}  // namespace

void LimitRanges::set(const api::LimitRange& range) {
  api::LimitRangeSpec spec = range.spec;
  for (api::LimitRangeItem& item : spec.limits) complete(item);
  ranges_[range.metadata.name_space].insert_or_assign(range.metadata.name, std::move(spec));
}

void LimitRanges::remove(Symbol name_space, std::string_view name) {
  const auto found = ranges_.find(name_space);
  if (found == ranges_.end()) return;
  if (const auto range = found->second.find(name); range != found->second.end()) found->second.erase(range);
  if (found->second.empty()) ranges_.erase(found);
}

void LimitRanges::set_defaults(Symbol name_space, api::PodTemplate& spec) const {
  const auto found = ranges_.find(name_space);
  if (found == ranges_.end()) return;
  for (const auto& [name, range] : found->second) {
    // Of several items for containers, the last that names a resource counts.
    api::ResourceList requests, limits;
    for (const api::LimitRangeItem& item : range.limits) {
      if (item.type != kContainer) continue;
      for (const auto& [resource, amount] : item.default_request) requests[resource] = amount;
      for (const auto& [resource, amount] : item.default_limit) limits[resource] = amount;
    }
    for (auto* containers : {&spec.containers, &spec.init_containers}) {
      for (api::Container& container : *containers) {
        set_missing(container.resources.limits, limits);
        set_missing(container.resources.requests, requests);
      }
    }
  }
}

Result<void> LimitRanges::check(Symbol name_space, const api::PodTemplate& spec) const {
  const auto found = ranges_.find(name_space);
  if (found == ranges_.end()) return {};
  for (const auto& [name, range] : found->second) {
    Complaints complaints;
    for (const api::LimitRangeItem& item : range.limits) check_pod(item, spec, complaints);
    if (auto result = complaints.result(); !result) return result;
  }
  return {};
}

Result<void> LimitRanges::check(const api::PersistentVolumeClaim& claim) const {
  const auto found = ranges_.find(claim.metadata.name_space);
  if (found == ranges_.end()) return {};
  const api::ResourceList no_limits;
  const Amounts has{claim.spec.resources.requests, no_limits};
  for (const auto& [name, range] : found->second) {
    Complaints complaints;
    for (const api::LimitRangeItem& item : range.limits) {
      if (item.type != kClaim) continue;
      for (const auto& [resource, least] : item.min) check_least(kClaim, resource, least, has, complaints);
      for (const auto& [resource, most] : item.max) check_most_requested(kClaim, resource, most, has, complaints);
    }
    if (auto result = complaints.result(); !result) return result;
  }
  return {};
}

}  // namespace berth::admission
