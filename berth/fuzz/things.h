// The nodes, pods, workloads and volumes of a random scenario, as statements. Keeps track of what it has named, so that
// what happens later (generator.cc) happens to something.
//
// Never two draws among the arguments of one call: compilers evaluate them in different orders, and a seed means the
// same scenario everywhere.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/rng.h"

namespace berth::fuzz {

// What a scenario is about. Few at a time: what pods ask for should sometimes be possible.
struct Themes {
  bool affinity = false;
  bool spread = false;
  bool taints = false;
  bool selectors = false;
  bool ports = false;
  bool volumes = false;
  bool gates = false;
  bool priorities = false;
  bool workloads = false;
  bool namespaces = false;
  bool script = false;
  bool latencies = false;
  bool faults = false;
  bool crashes = false;
  bool clock = false;

  static Themes draw(Rng& rng);
};

class Things {
 public:
  Things(Rng& rng, const Themes& themes, std::set<std::string_view>& features)
      : rng_(rng), themes_(themes), features_(features) {}

  // Namespaces, priority classes, storage classes, volumes and claims that are there from the beginning.
  std::vector<std::string> background();
  // Statements that make one more; the name is remembered.
  std::string node();
  std::string node_again(const std::string& name);  // of one that may be gone
  std::string pod();
  std::string workload();
  std::string volume();
  std::string claim();
  std::string budget();

  // One of those that were named; empty if there is none.
  std::string some_node();
  std::string some_pod();
  std::string some_pod_without_claims();
  std::string some_gated_pod();
  std::string some_claim();
  // "deployment d1"
  std::string some_workload();
  std::string some_namespace();
  // Those whose pods end and are replaced for ever. With them a cluster may never come to rest.
  const std::vector<std::string>& restless_workloads() const { return restless_; }

  std::string label();  // "app=a"
  std::string node_label();
  std::string taint();
  std::string cpu();  // of a pod
  std::string use(std::string_view feature, std::string text);

  bool one_in(std::uint64_t n) { return rng_.chance(1, n); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return rng_.in_range(low, high); }
  template <typename Range>
  const auto& pick(const Range& range) {
    return range[rng_.below(std::size(range))];
  }

 private:
  std::string node_fields();
  std::string pod_fields(bool is_template);
  std::string term();
  std::string spread();
  std::string selector();

  Rng& rng_;
  const Themes& themes_;
  std::set<std::string_view>& features_;
  std::vector<std::string> nodes_;
  std::vector<std::string> pods_;
  std::vector<std::string> gated_;
  std::vector<std::string> workloads_;
  std::vector<std::string> restless_;
  std::vector<std::string> claims_;
  std::vector<std::string> without_claims_;  // pods
  std::vector<std::string> names_of_namespaces_ = {"default"};
  std::int64_t volumes_ = 0;
  std::int64_t budgets_ = 0;
};

}  // namespace berth::fuzz
