#include "berth/explain/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/api/kinds.h"
#include "berth/explain/stable_order.h"

namespace berth::explain {

namespace {

std::string key_of(std::string_view kind, std::string_view name_space, std::string_view name) {
  return fmt::format("{} {}/{}", kind, name_space, name);
}

// "a" of "spec.containers{a}"; empty if the path is not a container's.
std::string container_of(std::string_view field_path) {
  const std::size_t open = field_path.find('{');
  if (open == std::string_view::npos || !field_path.ends_with('}')) return "";
  return std::string(field_path.substr(open + 1, field_path.size() - open - 2));
}

// The latest of those that are set.
Instant latest(Instant a, Instant b) {
  return std::max(a, b);
}

}  // namespace

bool ObjectEvents::add(const api::AnyObject& object) {
  ObjectEvent event;
  const api::ObjectReference* about = nullptr;
  const auto core = object.as<api::CoreEvent>();
  const auto other = core == nullptr ? object.as<api::Event>() : nullptr;
  if (core != nullptr) {
    about = &core->involved_object;
    event.reason = core->reason;
    event.message = core->message;
    event.is_warning = core->type == "Warning";
    event.component = core->source.component;
    event.first = core->first_timestamp.is_set() ? core->first_timestamp : core->event_time.at;
    event.last = latest(core->last_timestamp, core->event_time.at);
    event.count = core->count;
    if (core->series) {
      event.last = latest(event.last, core->series->last_observed_time.at);
      event.count = core->series->count;
    }
  } else if (other != nullptr) {
    about = &other->regarding;
    event.reason = other->reason;
    event.message = other->note;
    event.is_warning = other->type == "Warning";
    event.component =
        other->reporting_controller.empty() ? other->deprecated_source.component : other->reporting_controller;
    event.first = other->event_time.at.is_set() ? other->event_time.at : other->deprecated_first_timestamp;
    event.last = latest(other->deprecated_last_timestamp, other->event_time.at);
    event.count = other->deprecated_count;
    if (other->series) {
      event.last = latest(event.last, other->series->last_observed_time.at);
      event.count = other->series->count;
    }
  } else {
    return false;
  }
  event.last = latest(event.last, event.first);
  event.uid = about->uid;
  event.container = container_of(about->field_path);
  newest_ = latest(newest_, event.last);
  const std::string_view name_space = about->name_space.empty() ? "default" : about->name_space.text();
  by_object_[key_of(about->kind.text(), name_space, about->name)].push_back(std::move(event));
  return true;
}

std::vector<const ObjectEvent*> ObjectEvents::about(std::string_view kind, Symbol name_space, std::string_view name,
                                                    std::string_view uid) const {
  std::vector<const ObjectEvent*> result;
  const auto it = by_object_.find(key_of(kind, name_space.empty() ? "default" : name_space.text(), name));
  if (it == by_object_.end()) return result;
  for (const ObjectEvent& event : it->second) {
    if (uid.empty() || event.uid.empty() || event.uid == uid) result.push_back(&event);
  }
  sort_stably(result, {}, [](const ObjectEvent* event) { return event->last; });
  return result;
}

}  // namespace berth::explain
