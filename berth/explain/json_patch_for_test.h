// Makes the changes of a suggestion to the objects of a dump, as an API server would: a JSON patch (RFC 6902) applied
// to the JSON form of each object. Written for tests from the RFC alone, so that it does not share mistakes with
// field_changes.cc.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/codec/json.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

struct JsonValue {
  enum class Kind { kText, kList, kMap };
  Kind kind = Kind::kText;
  std::string text;               // JSON of anything but lists and maps
  std::vector<std::string> keys;  // of a map
  std::vector<JsonValue> list;    // its values, or the elements of a list

  static JsonValue of(simdjson::dom::element element) {
    JsonValue value;
    if (element.is_array()) {
      value.kind = Kind::kList;
      for (const auto each : element.get_array().value_unsafe()) value.list.push_back(of(each));
    } else if (element.is_object()) {
      value.kind = Kind::kMap;
      for (const auto [key, each] : element.get_object().value_unsafe()) {
        value.keys.emplace_back(key);
        value.list.push_back(of(each));
      }
    } else {
      value.text = simdjson::minify(element);
    }
    return value;
  }
  static JsonValue parse(const std::string& json) {
    simdjson::dom::parser parser;
    return of(parser.parse(json).value());
  }
  std::string json() const {
    if (kind == Kind::kText) return text;
    std::string result(1, kind == Kind::kList ? '[' : '{');
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) result += ",";
      if (kind == Kind::kMap) result += codec::to_json(keys[i]) + ":";
      result += list[i].json();
    }
    return result + (kind == Kind::kList ? ']' : '}');
  }
  JsonValue* member(const std::string& key) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == key) return &list[i];
    }
    return nullptr;
  }
};

inline Result<void> apply_operation(JsonValue& root, const FieldChange& change) {
  std::vector<std::string> steps;
  for (std::size_t from = 1; from <= change.path.size();) {
    const std::size_t to = std::min(change.path.find('/', from), change.path.size());
    std::string step = change.path.substr(from, to - from);
    for (std::size_t at = 0; (at = step.find("~1", at)) != std::string::npos;) step.replace(at, 2, "/");
    for (std::size_t at = 0; (at = step.find("~0", at)) != std::string::npos; ++at) step.replace(at, 2, "~");
    steps.push_back(std::move(step));
    from = to + 1;
  }
  const auto missing = [&] { return fail(fmt::format("{} {}: there is no such path", change.op.text(), change.path)); };
  JsonValue* at = &root;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (at->kind == JsonValue::Kind::kList) {
      const auto index = static_cast<std::size_t>(std::atoi(steps[i].c_str()));
      if (index >= at->list.size()) return missing();
      at = &at->list[index];
    } else {
      at = at->member(steps[i]);
      if (at == nullptr) return missing();
    }
  }
  const std::string& last = steps.back();
  if (at->kind == JsonValue::Kind::kList) {
    const std::size_t index = last == "-" ? at->list.size() : static_cast<std::size_t>(std::atoi(last.c_str()));
    if (index > at->list.size() || (change.op != "add" && index >= at->list.size())) return missing();
    const auto place = at->list.begin() + static_cast<std::ptrdiff_t>(index);
    if (change.op == "add") at->list.insert(place, JsonValue::parse(change.to->text));
    if (change.op == "replace") *place = JsonValue::parse(change.to->text);
    if (change.op == "remove") at->list.erase(place);
    return {};
  }
  JsonValue* there = at->member(last);
  if (change.op != "add" && there == nullptr) return missing();
  if (change.op == "remove") {
    const auto index = there - at->list.data();
    at->list.erase(at->list.begin() + index);
    at->keys.erase(at->keys.begin() + index);
  } else if (there != nullptr) {
    *there = JsonValue::parse(change.to->text);
  } else if (at->kind == JsonValue::Kind::kMap) {
    at->keys.push_back(last);
    at->list.push_back(JsonValue::parse(change.to->text));
  } else {
    return missing();
  }
  return {};
}

// The pod of that name gets the changed template of its Deployment, as if it were made anew.
inline Result<std::vector<api::AnyObject>> with_changes(std::vector<api::AnyObject> objects,
                                                        const std::vector<FieldChange>& changes,
                                                        std::string_view pod_name) {
  for (const FieldChange& change : changes) {
    if (change.op == "create") {
      if (change.kind == "Node") {
        auto node = codec::from_json<api::Node>(change.to->text);
        if (!node) return fail(node.error());
        objects.emplace_back(std::make_shared<const api::Node>(std::move(*node)));
      } else if (change.kind == "Pod") {
        auto pod = codec::from_json<api::Pod>(change.to->text);
        if (!pod) return fail(pod.error());
        objects.emplace_back(std::make_shared<const api::Pod>(std::move(*pod)));
      }
      continue;
    }
    const auto is_it = [&](const api::AnyObject& object) {
      return change.kind == object.kind().kind && object.metadata().name == change.name &&
             object.metadata().name_space == change.name_space;
    };
    if (change.op == "delete") {
      std::erase_if(objects, is_it);
      continue;
    }
    const auto found = std::ranges::find_if(objects, is_it);
    if (found == objects.end()) return fail(fmt::format("there is no {} {}", change.kind.text(), change.name));
    JsonValue value = JsonValue::parse(codec::object_to_json(*found));
    if (auto applied = apply_operation(value, change); !applied) return fail(applied.error());
    auto changed = codec::object_from_json(value.json());
    if (!changed) return fail(changed.error());
    *found = *changed;
    const auto deployment = found->as<api::Deployment>();
    if (deployment == nullptr) continue;
    for (api::AnyObject& object : objects) {
      const api::PodPtr pod = object.as<api::Pod>();
      if (pod == nullptr || api::full_name(pod->metadata) != pod_name) continue;
      api::Pod made = *pod;
      made.spec.shared = deployment->spec.pod_template.spec.shared;
      object = api::AnyObject(std::make_shared<const api::Pod>(std::move(made)));
    }
  }
  return objects;
}

}  // namespace berth::explain
