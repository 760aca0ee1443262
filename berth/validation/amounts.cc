#include "berth/validation/amounts.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "berth/api/kinds.h"

namespace berth::validation {

namespace {

constexpr std::int64_t kLargestAmount = std::int64_t{1} << 50;

bool is_fine(Symbol resource, const api::Quantity& amount) {
  return amount.sign() >= 0 && amount <= largest_amount(resource);
}

bool all_fine(const api::ResourceList& amounts) {
  for (const auto& [resource, amount] : amounts) {
    if (!is_fine(resource, amount)) return false;
  }
  return true;
}

// Brings the amounts of one object within bounds and collects what was said about it.
class Limiter {
 public:
  void limit(api::ResourceList& amounts, std::string_view what) {
    for (const auto& [resource, amount] : amounts) {
      if (is_fine(resource, amount)) continue;
      const bool is_negative = amount.sign() < 0;
      const api::Quantity counted = is_negative ? api::Quantity() : largest_amount(resource);
      if (!words_.empty()) words_ += ", and ";
      words_ += fmt::format("{} {} {} is {} and is counted as {}", what, resource.text(), amount.str(),
                            is_negative ? "negative" : "absurdly large", counted.str());
      amounts[resource] = counted;
    }
  }

  std::string note(const api::AnyObject& object) const {
    return fmt::format("{} {}: {}.", object.kind().kind, api::full_name(object.metadata()), words_);
  }

 private:
  std::string words_;
};

bool is_fine(const api::PodTemplate& spec) {
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const api::Container& container : *containers) {
      if (!all_fine(container.resources.requests) || !all_fine(container.resources.limits)) return false;
    }
  }
  return all_fine(spec.overhead) &&
         (!spec.resources || (all_fine(spec.resources->requests) && all_fine(spec.resources->limits)));
}

bool all_fine(const std::vector<api::ContainerStatus>& statuses) {
  for (const api::ContainerStatus& status : statuses) {
    if (!all_fine(status.allocated_resources)) return false;
    if (status.resources && (!all_fine(status.resources->requests) || !all_fine(status.resources->limits)))
      return false;
  }
  return true;
}

bool is_fine(const api::PodStatus& status) {
  return all_fine(*status.container_statuses) && all_fine(*status.init_container_statuses) &&
         all_fine(*status.allocated_resources);
}

void limit_statuses(Interned<std::vector<api::ContainerStatus>>& shared, Limiter& limiter) {
  if (all_fine(*shared)) return;
  std::vector<api::ContainerStatus> statuses = *shared;
  for (api::ContainerStatus& status : statuses) {
    limiter.limit(status.allocated_resources, "allocated");
    if (!status.resources) continue;
    limiter.limit(status.resources->requests, "requested");
    limiter.limit(status.resources->limits, "the limit of");
  }
  shared = std::move(statuses);
}

api::AnyObject limited(const api::Pod& pod, Limiter& limiter) {
  auto copy = std::make_shared<api::Pod>(pod);
  api::PodTemplate spec = *pod.spec.shared;
  for (auto* containers : {&spec.init_containers, &spec.containers}) {
    for (api::Container& container : *containers) {
      limiter.limit(container.resources.requests, "requested");
      limiter.limit(container.resources.limits, "the limit of");
    }
  }
  limiter.limit(spec.overhead, "the overhead of");
  if (spec.resources) {
    limiter.limit(spec.resources->requests, "requested");
    limiter.limit(spec.resources->limits, "the limit of");
  }
  copy->spec.shared = Interned<api::PodTemplate>(std::move(spec));
  limit_statuses(copy->status.container_statuses, limiter);
  limit_statuses(copy->status.init_container_statuses, limiter);
  api::ResourceList allocated = *copy->status.allocated_resources;
  limiter.limit(allocated, "allocated");
  copy->status.allocated_resources = Interned<api::ResourceList>(std::move(allocated));
  return api::AnyObject(api::PodPtr(std::move(copy)));
}

}  // namespace

const api::Quantity& largest_amount(Symbol resource) {
  static const api::Quantity cores = api::Quantity::from_milli(kLargestAmount);
  static const api::Quantity units = api::Quantity::from_units(kLargestAmount, api::Quantity::Format::kBinarySI);
  static const api::Quantity bytes_of_storage = api::Quantity::from_units(std::numeric_limits<std::int64_t>::max());
  static const Symbol cpu("cpu"), storage("storage");
  return resource == cpu ? cores : resource == storage ? bytes_of_storage : units;
}

std::vector<std::string> limit_amounts(std::vector<api::AnyObject>& objects) {
  std::vector<std::string> notes;
  for (api::AnyObject& object : objects) {
    Limiter limiter;
    if (const auto pod = object.as<api::Pod>()) {
      if (is_fine(*pod->spec.shared) && is_fine(pod->status)) continue;
      object = limited(*pod, limiter);
    } else if (const auto node = object.as<api::Node>()) {
      if (all_fine(node->status.allocatable) && all_fine(node->status.capacity)) continue;
      auto copy = std::make_shared<api::Node>(*node);
      limiter.limit(copy->status.allocatable, "allocatable");
      limiter.limit(copy->status.capacity, "the capacity of");
      object = api::AnyObject(api::NodePtr(std::move(copy)));
    } else if (const auto claim = object.as<api::PersistentVolumeClaim>()) {
      if (all_fine(claim->spec.resources.requests) && all_fine(claim->status.capacity)) continue;
      auto copy = std::make_shared<api::PersistentVolumeClaim>(*claim);
      limiter.limit(copy->spec.resources.requests, "requested");
      limiter.limit(copy->status.capacity, "the capacity of");
      object = api::AnyObject(std::shared_ptr<const api::PersistentVolumeClaim>(std::move(copy)));
    } else if (const auto volume = object.as<api::PersistentVolume>()) {
      if (all_fine(volume->spec.capacity)) continue;
      auto copy = std::make_shared<api::PersistentVolume>(*volume);
      limiter.limit(copy->spec.capacity, "the capacity of");
      object = api::AnyObject(std::shared_ptr<const api::PersistentVolume>(std::move(copy)));
    } else {
      continue;
    }
    notes.push_back(limiter.note(object));
  }
  return notes;
}

}  // namespace berth::validation
