// The short way to write a plugin: one function that looks at one node at a time.
//
//   class MyPlugin : public framework::Plugin, public framework::PerNodeFilter {
//    public:
//     std::string_view name() const override { return "MyPlugin"; }
//     framework::Status filter(const framework::PodToPlace& pod, const cache::NodeState& node) const override {
//       return node.pods.size() < 10 ? framework::Status() : framework::Status::unschedulable("node(s) are busy");
//     }
//   };
//
// PerNodeFilter makes it a FilterPlugin, PerNodeScore a ScorePlugin; a plugin may be both. What such a plugin says is
// asked anew for every pod. If it depends on nothing but the node, its pods and the pod's namespace, labels and
// template, it may say so (is_..._by_class()), and is then asked only about nodes that have changed since the last pod
// of the class. See examples/custom_plugin.cc.
//
// Changes that count are those of a node's labels, taints, spec.unschedulable, allocatable, images and declared
// features, and of its pods that one comes or goes, begins to terminate, or changes its template, labels or what it
// takes up. A plugin that looks at anything else (a node's conditions, annotations or capacity, a pod's annotations or
// phase) is not asked again when that changes, so it must not say that it goes by class.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "berth/framework/plugin.h"

namespace berth::framework {

class PerNodeFilter : public FilterPlugin {
 public:
  // Success, a rejection with one or more reasons, or an error.
  virtual Status filter(const PodToPlace& pod, const cache::NodeState& node) const = 0;
  virtual bool is_filter_by_class() const { return false; }

  PreFiltered pre_filter(const PodToPlace& pod, const ClusterView& /*cluster*/) const final {
    return {.status = {}, .filter = std::make_unique<Asked>(*this, pod), .node_names = {}};
  }

 private:
  class Asked final : public PodFilter {
   public:
    Asked(const PerNodeFilter& plugin, PodToPlace pod) : plugin_(plugin), pod_(std::move(pod)) {}

    Verdict check(const cache::NodeState& node) const override {
      const Status status = plugin_.filter(pod_, node);
      Verdict verdict{0, status.code()};
      for (const Reason& reason : status.reasons()) verdict.reasons |= 1u << reasons_.bit_of(reason);
      return verdict;
    }
    Reason reason(unsigned bit) const override { return reasons_.reason(bit); }
    Scope scope() const override { return plugin_.is_filter_by_class() ? Scope::kClass : Scope::kAttempt; }

   private:
    const PerNodeFilter& plugin_;
    PodToPlace pod_;
    ReasonBits reasons_;
  };
};

class PerNodeScore : public ScorePlugin {
 public:
  // Higher is better: 0 to 100, or any number that is not negative with a normalization.
  virtual std::int64_t score(const PodToPlace& pod, const cache::NodeState& node) const = 0;
  virtual PodScorer::Normalization score_normalization() const { return PodScorer::Normalization::kNone; }
  virtual bool is_score_by_class() const { return false; }

  PreScored pre_score(const PodToPlace& pod, const ClusterView& /*cluster*/, const Bitset& /*feasible*/) const final {
    return {.status = {}, .scorer = std::make_unique<Asked>(*this, pod)};
  }

 private:
  class Asked final : public PodScorer {
   public:
    Asked(const PerNodeScore& plugin, PodToPlace pod) : plugin_(plugin), pod_(std::move(pod)) {}

    std::int64_t score(const cache::NodeState& node) const override { return plugin_.score(pod_, node); }
    Normalization normalization() const override { return plugin_.score_normalization(); }
    Scope scope() const override { return plugin_.is_score_by_class() ? Scope::kClass : Scope::kAttempt; }

   private:
    const PerNodeScore& plugin_;
    PodToPlace pod_;
  };
};

}  // namespace berth::framework
