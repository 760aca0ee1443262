// Jobs: pods until enough of them have succeeded, a few at a time; pods that fail are replaced after a pause that
// doubles with each failure, up to backoffLimit of them.
//
// Pods that are deleted before their end (preempted, evicted) are replaced at once and do not count as failures.
// Indexed jobs give each pod its number; what else they can do (limits per index, success policies) is not simulated,
// nor is activeDeadlineSeconds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "berth/sim/controller_work.h"
#include "berth/sim/owned_pods.h"
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

class JobController {
 public:
  JobController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes, const Rng& rng);

  void on_change(const Change& change);
  // A pod of the job came, went, or is in another state than before.
  void pod_changed(const Change& change, const api::OwnerReference& owner);

 private:
  // What is remembered of a job beyond its pods, which may be deleted once they have ended.
  struct Progress {
    std::int32_t succeeded = 0;
    std::int32_t failed = 0;
    std::int32_t failed_in_a_row = 0;
    Instant may_go_on_at;              // after the last failure; unset: at once
    bool has_read_status = false;      // counts of a job that began before the simulation are added once
    bool is_waiting = false;           // for may_go_on_at
    std::set<std::int32_t> completed;  // indexes, of an indexed job
  };

  void look(const ObjectKey& key);
  void read_status(const api::Job& job, Progress& progress) const;
  // Whether the job is over, and is written down as such.
  bool finish(const api::Job& job, const Progress& progress);
  void end(const api::Job& job, const Progress& progress, std::string_view condition, std::string_view reason,
           std::string_view message);
  void make_pods(const api::Job& job, Progress& progress, std::int32_t wanted, std::int32_t count);
  // Each makes so many pods; the error: the API server refused, and this many are missing.
  struct Refused {
    std::string message;
    std::int32_t missing = 0;
  };
  std::optional<Refused> make_any(const api::Job& job, const PodPrototype& prototype, std::int32_t count);
  std::optional<Refused> make_indexed(const api::Job& job, const Progress& progress, const PodPrototype& prototype,
                                      std::int32_t count);
  void delete_pods(const api::Job& job, std::int32_t count);
  void write_status(const api::Job& job, const Progress& progress);

  Surroundings around_;
  const OwnedPods& pods_;
  PodPrototypes& prototypes_;
  Rng names_;
  WorkList jobs_;
  std::map<std::string, Progress, std::less<>> progress_;  // by UID
};

}  // namespace berth::sim
