// Node selectors, compiled for matching: required node affinity of pods and volumes, and the preferred terms that
// score.
//
// Terms are ORed. A term without requirements matches no node. A term that does not parse matches no node either, and
// says so only if somebody asks: upstream's callers ignore the error where other terms can still match.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/api/pod.h"

namespace berth::api {

class NodeTermMatcher {
 public:
  // `path` is where the term stands, for the errors: "nodeSelectorTerms[0]".
  NodeTermMatcher(const NodeSelectorTerm& term, std::string_view path);

  // `node_name` may be empty; then conditions on fields are not looked at: a volume's affinity is tested on labels
  // alone.
  bool matches(std::string_view node_name, const Labels& labels) const;

  // In upstream's words. Empty if the term is well-formed.
  const std::vector<std::string>& errors() const { return errors_; }

  bool operator==(const NodeTermMatcher&) const = default;

 private:
  // On the one field that there is, the node's name; a condition on another field sees "".
  struct FieldRequirement {
    bool is_on_name;
    bool is_equal;
    Symbol value;
    bool operator==(const FieldRequirement&) const = default;
  };
  std::vector<LabelRequirement> labels_;
  std::vector<FieldRequirement> fields_;
  std::vector<std::string> errors_;
};

class NodeMatcher {
 public:
  // `path` is where the selector stands, for the errors; may be empty.
  explicit NodeMatcher(const NodeSelector& selector, std::string_view path = "");

  bool matches(std::string_view node_name, const Labels& labels) const;

  // The errors of all terms as one text; nothing if all are well-formed.
  std::optional<std::string> error() const;

  bool operator==(const NodeMatcher&) const = default;

 private:
  std::vector<NodeTermMatcher> terms_;
};

// The weighted terms of a preferred node affinity. Terms of weight 0 and terms without requirements are left out.
class PreferredNodeTerms {
 public:
  PreferredNodeTerms() = default;
  static Result<PreferredNodeTerms> compile(const std::vector<PreferredSchedulingTerm>& terms,
                                            std::string_view path = "");

  // The sum of the weights of the terms that match.
  std::int64_t score(std::string_view node_name, const Labels& labels) const;
  bool empty() const { return terms_.empty(); }

 private:
  struct Weighted {
    std::int64_t weight;
    NodeTermMatcher term;
  };
  std::vector<Weighted> terms_;
};

// What a pod demands of its node: spec.nodeSelector and the required node affinity.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity() = default;
  explicit RequiredNodeAffinity(const PodTemplate& pod);

  bool matches(std::string_view node_name, const Labels& labels) const;
  // True if the pod demands nothing.
  bool empty() const { return !node_selector_ && !affinity_; }
  // The names that the required affinity restricts the pod to, sorted by text: if every term has a condition
  // metadata.name In, the union over the terms of what each leaves. Nothing if the pod may go to nodes of any name.
  const std::optional<std::vector<Symbol>>& node_names() const { return node_names_; }

 private:
  std::optional<LabelMatcher> node_selector_;
  std::optional<NodeMatcher> affinity_;
  std::optional<std::vector<Symbol>> node_names_;
};

}  // namespace berth::api
