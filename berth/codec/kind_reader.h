// Reads whole objects and lists, of the kind that their apiVersion and kind say, from a JSON or YAML document. Internal
// to this folder.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/api/object.h"
#include "berth/codec/decode.h"
#include "berth/codec/object_reader.h"
#include "berth/codec/value_node.h"

namespace berth::codec {

struct Identity {
  std::string_view api_version;
  std::string_view kind;

  bool is_any_list() const { return api_version == "v1" && kind == "List"; }
};

template <ValueNode Node>
class KindReader {
 public:
  explicit KindReader(const DecodeOptions& options) : options_(options), reader_(options) {}

  // After one of the functions below has returned false.
  Problem take_problem() { return reader_.take_problem(); }
  ObjectReader<Node>& reader() { return reader_; }

  // What the object says it is; `implied` stands in for what it does not say.
  bool read_identity(const Node& node, const PathStep* path, const Identity& implied, Identity& into) {
    if (node.kind() != NodeKind::kMap) {
      return reader_.fail_at(node, path,
                             Error(fmt::format("expected a Kubernetes object, got {}", reader_.describe(node))));
    }
    into = implied;
    const bool is_read = node.each_member([&](std::string_view name, const Node& value) {
      std::string_view* target = name == "apiVersion" ? &into.api_version : name == "kind" ? &into.kind : nullptr;
      if (target == nullptr || value.kind() == NodeKind::kNull) return true;
      const PathStep step{.parent = path, .name = name};
      if (value.kind() != NodeKind::kString) {
        return reader_.fail_at(value, &step, Error("expected a string, got " + reader_.describe(value)));
      }
      *target = value.string();
      return true;
    });
    if (!is_read) return false;
    if (into.kind.empty()) return reader_.fail_at(node, path, Error("no kind: is this a Kubernetes object?"));
    if (into.api_version.empty()) {
      return reader_.fail_at(node, path, Error("no apiVersion: is this a Kubernetes object?"));
    }
    return true;
  }

  bool read_object(const Node& node, const PathStep* path, const api::ObjectKind& kind, api::AnyObject& into) {
    std::shared_ptr<void> object = kind.make();
    if (!reader_.read(node, *kind.type, object.get(), path, true)) return false;
    into = api::AnyObject(kind, std::move(object));
    return true;
  }

  // An object that is not a list.
  bool read_any_object(const Node& node, const PathStep* path, const Identity& implied, api::AnyObject& into) {
    Identity identity;
    if (!read_identity(node, path, implied, identity)) return false;
    if (const api::ObjectKind* kind = api::find_kind(identity.api_version, identity.kind)) {
      return read_object(node, path, *kind, into);
    }
    const bool is_list = identity.is_any_list() || api::list_item_kind(identity.api_version, identity.kind) != nullptr;
    const std::string_view form = is_list ? "expected one object, got {} {}" : "unknown kind {} {}";
    return reader_.fail_at(node, path, Error(fmt::format(fmt::runtime(form), identity.api_version, identity.kind)));
  }

  // A list of whatever kind. Calls item(node, path, implied) for each of its items, which returns whether to go on.
  template <typename F>
  bool each_item(const Node& node, const PathStep* path, const Identity& identity, F item) {
    Identity implied;
    if (const api::ObjectKind* kind = api::list_item_kind(identity.api_version, identity.kind)) {
      implied = Identity{kind->api_version, kind->kind};
    }
    return node.each_member([&](std::string_view name, const Node& value) {
      if (name != "items" || value.kind() == NodeKind::kNull) return true;
      const PathStep items{.parent = path, .name = name};
      if (value.kind() != NodeKind::kList) {
        return reader_.fail_at(value, &items, Error("expected a list, got " + reader_.describe(value)));
      }
      PathStep step{.parent = &items};
      return value.each_element([&](const Node& element) {
        const bool go_on = item(element, &step, implied);
        ++step.index;
        return go_on;
      });
    });
  }

  bool read_list(const Node& node, const PathStep* path, api::ObjectList& into) {
    Identity identity;
    if (!read_identity(node, path, {}, identity)) return false;
    if (!identity.is_any_list() && api::list_item_kind(identity.api_version, identity.kind) == nullptr) {
      return reader_.fail_at(
          node, path,
          Error(fmt::format("expected a list of a known kind, got {} {}", identity.api_version, identity.kind)));
    }
    const bool is_metadata_read = node.each_member([&](std::string_view name, const Node& value) {
      const PathStep step{.parent = path, .name = name};
      return name != "metadata" || reader_.read(value, api::type_of<api::ListMeta>(), &into.metadata, &step, false);
    });
    return is_metadata_read &&
           each_item(node, path, identity, [&](const Node& item, const PathStep* step, const Identity& implied) {
             return read_any_object(item, step, implied, into.items.emplace_back());
           });
  }

  // Reports the strict errors that were collected so far; returns the first, or nothing.
  std::optional<Error> report_strict_problems(std::string_view name = {}, std::uint32_t first_line = 1) {
    std::optional<Error> first;
    for (const Problem& problem : reader_.strict_problems()) {
      Error error = placed(problem, name, first_line);
      if (options_.report) options_.report(error);
      if (!first) first = std::move(error);
    }
    return first;
  }

 private:
  const DecodeOptions& options_;
  ObjectReader<Node> reader_;
};

}  // namespace berth::codec
