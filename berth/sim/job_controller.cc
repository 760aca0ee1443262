#include "berth/sim/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace berth::sim {

namespace {

constexpr std::int32_t kDefaultBackoffLimit = 6;
constexpr Duration kFirstPause = Duration::seconds(10);
constexpr Duration kLongestPause = Duration::minutes(10);
// Of the controller's work queue.
constexpr CreationBackoff kCreationBackoff{.first = Duration::seconds(1), .longest = Duration::minutes(1)};
constexpr std::string_view kIndexAnnotation = "batch.kubernetes.io/job-completion-index";

bool is_over(const api::Job& job) {
  return std::ranges::any_of(job.status.conditions, [](const api::JobCondition& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") && condition.status == "True";
  });
}

bool is_indexed(const api::Job& job) {
  return job.spec.completion_mode && *job.spec.completion_mode == "Indexed" && job.spec.completions;
}

// Nothing: one that succeeds is enough, and nobody knows how many there are going to be.
std::optional<std::int32_t> completions_of(const api::Job& job) {
  if (!job.spec.completions && !job.spec.parallelism) return 1;
  return job.spec.completions;
}

std::optional<std::int32_t> index_of(const api::Pod& pod) {
  const std::string* text = pod.metadata.annotations->find(Symbol(kIndexAnnotation));
  if (text == nullptr) return std::nullopt;
  std::int32_t index = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), index);
  if (error != std::errc()) return std::nullopt;
  return index;
}

// With the labels that the API server adds to a job's template.
api::PodTemplateSpec template_of(const api::Job& job) {
  api::PodTemplateSpec labelled = job.spec.pod_template;
  const api::Labels labels = with_label(*labelled.metadata.labels, "batch.kubernetes.io/job-name", job.metadata.name);
  labelled.metadata.labels = with_label(labels, "job-name", job.metadata.name);
  return labelled;
}

Duration pause_after(std::int32_t failures) {
  Duration pause = kFirstPause;
  for (std::int32_t i = 1; i < failures && pause < kLongestPause; ++i) pause = pause * 2;
  return std::min(pause, kLongestPause);
}

}  // namespace

JobController::JobController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes,
                             const Rng& rng)
    : around_(around),
      pods_(pods),
      prototypes_(prototypes),
      names_(rng.fork(0)),
      jobs_(around, around.faults.controller, rng.fork(1), [this](const ObjectKey& key) { look(key); }) {}

void JobController::on_change(const Change& change) {
  const api::ObjectMeta& metadata = change.object.metadata();
  if (change.kind == Change::Kind::kDeleted) {
    progress_.erase(metadata.uid);
  } else if (wants_other<api::Job>(change)) {
    jobs_.add(ObjectKey(metadata));
  }
}

void JobController::pod_changed(const Change& change, const api::OwnerReference& owner) {
  const auto pod = change.object.as<api::Pod>();
  if (change.kind != Change::Kind::kDeleted) {
    const PodState now = state_of(*pod);
    Progress& progress = progress_[owner.uid];
    if (now == PodState::kSucceeded) {
      ++progress.succeeded;
      progress.failed_in_a_row = 0;
      if (const auto index = index_of(*pod)) progress.completed.insert(*index);
    } else if (now == PodState::kFailed) {
      ++progress.failed;
      progress.may_go_on_at = around_.now() + pause_after(++progress.failed_in_a_row);
    }
  }
  jobs_.add_owner(pod->metadata.name_space, owner);
}

void JobController::look(const ObjectKey& key) {
  const auto job = around_.api.get<api::Job>(key.name_space, key.name);
  if (job == nullptr || job->metadata.deletion_timestamp.is_set() || is_over(*job)) return;
  Progress& progress = progress_[job->metadata.uid];
  read_status(*job, progress);
  if (finish(*job, progress)) return;

  const std::int32_t active = pods_.of(job->metadata.uid).counts.active();
  std::int32_t wanted = std::max(0, job->spec.parallelism.value_or(1));
  if (const auto completions = completions_of(*job)) {
    wanted = std::min(wanted, *completions - progress.succeeded);
  } else if (progress.succeeded > 0) {
    wanted = std::min(wanted, active);  // the others run to their ends, no new ones are made
  }
  if (job->spec.suspend.value_or(false)) wanted = 0;
  if (active < wanted) {
    make_pods(*job, progress, wanted, wanted - active);
  } else {
    around_.failed_creations.succeeded(api::kind_of<api::Job>(), job->metadata);
  }
  if (active > wanted) delete_pods(*job, active - wanted);
  write_status(*job, progress);
}

void JobController::read_status(const api::Job& job, Progress& progress) const {
  if (progress.has_read_status) return;
  progress.has_read_status = true;
  progress.succeeded = std::max(progress.succeeded, job.status.succeeded);
  progress.failed = std::max(progress.failed, job.status.failed);
}

bool JobController::finish(const api::Job& job, const Progress& progress) {
  const PodCounts counts = pods_.of(job.metadata.uid).counts;
  if (progress.failed > job.spec.backoff_limit.value_or(kDefaultBackoffLimit)) {
    delete_pods(job, counts.active());
    end(job, progress, "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit");
    return true;
  }
  const auto completions = completions_of(job);
  const bool is_complete =
      completions ? progress.succeeded >= *completions : progress.succeeded > 0 && counts.active() == 0;
  if (!is_complete) return false;
  delete_pods(job, counts.active());
  end(job, progress, "Complete", "CompletionsReached", "Reached expected number of succeeded pods");
  return true;
}

void JobController::end(const api::Job& job, const Progress& progress, std::string_view condition,
                        std::string_view reason, std::string_view message) {
  const Instant now = around_.now();
  rewrite(around_.api, job, [&](api::Job& changed) {
    changed.status.active = 0;
    changed.status.succeeded = progress.succeeded;
    changed.status.failed = progress.failed;
    if (condition == "Complete") changed.status.completion_time = now;
    changed.status.conditions.push_back({.type = Symbol(condition),
                                         .status = Symbol("True"),
                                         .last_probe_time = now,
                                         .last_transition_time = now,
                                         .reason = Symbol(reason),
                                         .message = std::string(message)});
  });
}

void JobController::make_pods(const api::Job& job, Progress& progress, std::int32_t wanted, std::int32_t count) {
  const Instant now = around_.now();
  if (progress.may_go_on_at.is_set() && progress.may_go_on_at > now) {
    if (progress.is_waiting) return;
    progress.is_waiting = true;
    around_.agenda.after(progress.may_go_on_at - now, Agenda::Urgency::kWork,
                         [this, uid = job.metadata.uid, key = ObjectKey(job.metadata)] {
                           const auto found = progress_.find(uid);
                           if (found == progress_.end()) return;
                           found->second.is_waiting = false;
                           jobs_.add(key);
                         });
    return;
  }
  const auto prototype = prototypes_.of(api::kind_of<api::Job>(), job.metadata, template_of(job));
  const std::optional<Refused> refused =
      is_indexed(job) ? make_indexed(job, progress, *prototype, count) : make_any(job, *prototype, count);
  if (!refused) {
    around_.failed_creations.succeeded(api::kind_of<api::Job>(), job.metadata);
    return;
  }
  around_.failed_creations.failed(
      api::kind_of<api::Job>(), job.metadata, wanted, refused->missing, refused->message,
      [this, key = ObjectKey(job.metadata)] { jobs_.add(key); }, kCreationBackoff);
}

std::optional<JobController::Refused> JobController::make_any(const api::Job& job, const PodPrototype& prototype,
                                                              std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    const auto made = prototype.make_pod(around_, job.metadata.name, names_);
    if (!made) return Refused{made.error().message, count - i};
  }
  return std::nullopt;
}

std::optional<JobController::Refused> JobController::make_indexed(const api::Job& job, const Progress& progress,
                                                                  const PodPrototype& prototype, std::int32_t count) {
  std::set<std::int32_t> taken = progress.completed;
  for (const api::PodPtr& pod : pods_.of(job.metadata.uid).pods) {
    const auto index = index_of(*pod);
    if (index && is_active(state_of(*pod))) taken.insert(*index);
  }
  for (std::int32_t index = 0; index < *job.spec.completions && count > 0; ++index) {
    if (taken.contains(index)) continue;
    api::Pod pod = prototype.cast(fmt::format("{}-{}-{}", job.metadata.name, index, random_suffix(names_)));
    const std::string number = fmt::format("{}", index);
    pod.metadata.annotations = with_annotation(*pod.metadata.annotations, kIndexAnnotation, number);
    pod.metadata.labels = with_label(*pod.metadata.labels, kIndexAnnotation, number);
    const auto made = create(around_, std::move(pod));
    if (!made) return Refused{made.error().message, count};
    --count;
  }
  return std::nullopt;
}

void JobController::delete_pods(const api::Job& job, std::int32_t count) {
  // Pods that have not started go first, then the youngest.
  std::vector<api::PodPtr> active;
  for (const api::PodPtr& pod : pods_.of(job.metadata.uid).pods) {
    if (is_active(state_of(*pod))) active.push_back(pod);
  }
  std::ranges::sort(active, [](const api::PodPtr& a, const api::PodPtr& b) {
    const bool a_ready = is_ready(*a), b_ready = is_ready(*b);
    if (a_ready != b_ready) return b_ready;
    if (a->metadata.creation_timestamp != b->metadata.creation_timestamp) {
      return a->metadata.creation_timestamp > b->metadata.creation_timestamp;
    }
    return a->metadata.name < b->metadata.name;
  });
  active.resize(std::min(active.size(), static_cast<std::size_t>(std::max(0, count))));
  for (const api::PodPtr& pod : active) delete_pod(around_, *pod);
}

void JobController::write_status(const api::Job& job, const Progress& progress) {
  const PodCounts counts = pods_.of(job.metadata.uid).counts;
  rewrite(around_.api, job, [&](api::Job& changed) {
    if (!changed.status.start_time.is_set()) changed.status.start_time = around_.now();
    changed.status.active = counts.active();
    changed.status.succeeded = progress.succeeded;
    changed.status.failed = progress.failed;
    changed.status.ready = counts.ready();
  });
}

}  // namespace berth::sim
