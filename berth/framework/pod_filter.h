// What a filter plugin worked out for one pod: which nodes can take it.
//
// PreFilter makes a PodFilter from the pod and the cluster; Filter asks it about nodes. check() is the definition: one
// node, possibly a modified copy on which pods were added or removed for a dry run. narrow() is the same for the whole
// table at once and exists because it is faster; who does not override it gets check() in a loop. A test holds the two
// equal on random tables.
//
// A PodFilter is kept for the next pods of the same class (same namespace, labels, owner and template). Its scope says
// what its answers depend on, and so who can share it and what has to be asked again after a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/base/function_ref.h"
#include "berth/cache/node_state.h"
#include "berth/cache/node_table.h"
#include "berth/framework/pod_to_place.h"
#include "berth/framework/status.h"

namespace berth::framework {

// A filter's answer about a node, small enough to be kept for every node. The reasons are bits; PodFilter::reason()
// says what each stands for; its text is made only if somebody reads it.
struct Verdict {
  std::uint32_t reasons = 0;
  Code code = Code::kSuccess;

  bool is_success() const { return code == Code::kSuccess; }
  static constexpr Verdict unschedulable(unsigned reason) { return {1u << reason, Code::kUnschedulable}; }
  static constexpr Verdict unresolvable(unsigned reason) { return {1u << reason, Code::kUnschedulableAndUnresolvable}; }
  bool operator==(const Verdict&) const = default;
};
// Bits of Verdict::reasons.
inline constexpr unsigned kMaxReasons = 32;

// The verdict that decided about each row: the first filter, in the profile's order, that did not let it pass. As long
// as all rows are a success it takes no memory, which for most classes of pods is always.
class RowVerdicts {
 public:
  struct Entry {
    Verdict verdict;
    std::uint8_t filter = 0;  // which of the profile's filters; meaningless if the verdict is a success
  };
  explicit RowVerdicts(std::size_t rows = 0) : rows_(rows) {}

  std::size_t size() const { return rows_; }
  // All rows are a success.
  void reset(std::size_t rows) {
    rows_ = rows;
    kept_.clear();
  }
  Entry at(cache::RowId row) const {
    if (kept_.empty()) return {};
    const Kept& kept = kept_[row];
    return {{kept.reasons, kept.code}, kept.filter};
  }
  void set(cache::RowId row, const Entry& entry) {
    if (kept_.empty()) {
      if (entry.verdict.is_success()) return;
      kept_.resize(rows_);
    }
    kept_[row] = {entry.verdict.reasons, entry.verdict.code, entry.filter};
  }

 private:
  // An Entry without its holes.
  struct Kept {
    std::uint32_t reasons = 0;
    Code code = Code::kSuccess;
    std::uint8_t filter = 0;
  };
  static_assert(sizeof(Kept) == 8);

  std::size_t rows_;
  std::vector<Kept> kept_;  // by row, or empty
};

class PodFilter {
 public:
  enum class Scope : std::uint8_t {
    kNode,   // the answer about a node depends on that node, its pods and what the pod needs (api::needs_of()): classes
             // with the same needs share one filter, which is asked again about changed rows
    kClass,  // ... and on the rest of the pod's class: asked again about changed rows
    kCluster,  // ... and on pods elsewhere: catch_up() is told about all changes, then every row is asked again
    kAttempt,  // ... and on something else, or on the single pod: not kept for the next pod
  };

  virtual ~PodFilter() = default;

  virtual Verdict check(const cache::NodeState& node) const = 0;
  // What a bit of Verdict::reasons stands for. In the order of the bits, they are the reasons of the status.
  virtual Reason reason(unsigned bit) const = 0;

  // Takes out of `rows` the nodes that cannot take the pod, and tells `rejected(row, verdict)` about each.
  // Requires: all of `rows` have a node.
  using Rejected = FunctionRef<void(cache::RowId, Verdict)>;
  virtual void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const;

  // The default is always right. A filter whose answers may be cached says so: see Scope.
  virtual Scope scope() const { return Scope::kAttempt; }

  // Of Scope::kCluster. The table is as after all of `changes`, which came since the filter was made or last caught up.
  // False if the filter has to be made anew, which is always right.
  virtual bool catch_up(const cache::NodeTable& /*table*/, std::span<const cache::Change> /*changes*/) { return false; }
  // Of Scope::kCluster: true if at present every node passes, so nobody needs to be asked.
  virtual bool passes_all() const { return false; }
  // A number that changes whenever objects that the answers depend on besides pods and nodes have changed.
  virtual std::uint64_t objects_version(const cache::ClusterObjects& /*objects*/) const { return 0; }

  // A dry run: what the filter knows about pods in the cluster is to be as if `pod` had come to, or gone from, `node`.
  // Called before the pod is added to the copy of the node, and after it was removed. A filter that keeps nothing about
  // pods elsewhere returns null from clone() and is used as it is.
  virtual std::unique_ptr<PodFilter> clone() const { return nullptr; }
  virtual void add_pod(const cache::PlacedPod& /*pod*/, const cache::NodeState& /*node*/) {}
  virtual void remove_pod(const cache::PlacedPod& /*pod*/, const cache::NodeState& /*node*/) {}
};

// Reasons that are not known in advance, given bits as they come up: for filters whose reasons name things. More than
// kMaxReasons different ones share the last bit.
class ReasonBits {
 public:
  unsigned bit_of(const Reason& reason) const;
  const Reason& reason(unsigned bit) const { return reasons_[bit]; }

 private:
  mutable std::vector<Reason> reasons_;
};

// The status that a verdict stands for.
Status status_of(const PodFilter& filter, Verdict verdict, Symbol plugin);

}  // namespace berth::framework
