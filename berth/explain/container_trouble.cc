#include "berth/explain/container_trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/explain/words.h"

namespace berth::explain {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What the message of a registry or a container runtime means. The first row that is found in it counts.
struct Meaning {
  std::string_view part;
  std::string_view text;
};
template <std::size_t N>
std::string_view meaning_of(std::string_view message, const std::array<Meaning, N>& meanings) {
  const auto found = std::ranges::find_if(meanings, [&](const Meaning& each) { return contains(message, each.part); });
  return found == meanings.end() ? std::string_view() : found->text;
}

constexpr std::array kPullMeanings = std::to_array<Meaning>({
    {"toomanyrequests", "the registry limits the rate of pulls"},
    {"Too Many Requests", "the registry limits the rate of pulls"},
    {"repository does not exist or may require authorization",
     "there is no such repository, or the pod has no imagePullSecret for it"},
    {"insufficient_scope", "there is no such repository, or the pod has no imagePullSecret for it"},
    {"pull access denied", "there is no such repository, or the pod has no imagePullSecret for it"},
    {"unauthorized", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"Unauthorized", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"authentication required", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"no basic auth credentials", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"403 Forbidden", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"denied", "the registry refuses access: an imagePullSecret is missing or wrong"},
    {"manifest unknown", "the registry has no such tag"},
    {"no matching manifest", "the image is not made for the node's architecture"},
    {"no match for platform", "the image is not made for the node's architecture"},
    {"not found", "the registry has no such image or tag"},
    {"no such host", "the registry's name cannot be resolved from the node"},
    {"x509", "the node does not trust the registry's certificate"},
    {"server gave HTTP response to HTTPS client", "the registry does not speak HTTPS"},
    {"connection refused", "the registry cannot be reached from the node"},
    {"timeout", "the registry cannot be reached from the node"},
    {"no space left on device", "the node's disk is full"},
});

constexpr std::array kStartMeanings = std::to_array<Meaning>({
    {"executable file not found", "its command is not in the image"},
    {"no such file or directory", "a file that it names is not there"},
    {"permission denied", "a file that it names may not be executed or read"},
    {"exec format error", "its image is not made for the node's architecture"},
    {"runAsNonRoot", "its image runs as root, and its securityContext does not allow that (runAsNonRoot)"},
    {"cannot allocate memory", "there is no memory for it"},
    {"no space left on device", "the node's disk is full"},
});

// What is quoted first in `message` behind `before`: `configmap "x" not found`.
std::string quoted_after(std::string_view message, std::string_view before) {
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = message.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

// `ConfigMap x does not exist in namespace default`; empty if the message says something else.
std::string missing_object(const api::Pod& pod, std::string_view message) {
  using Kind = std::pair<std::string_view, std::string_view>;
  for (const auto& [word, kind] : {Kind{"configmap \"", "ConfigMap"}, Kind{"secret \"", "Secret"}}) {
    const std::string name = quoted_after(message, word);
    if (!name.empty() && contains(message, "not found")) {
      return fmt::format("the {} {} does not exist in namespace {}", kind, name, pod.metadata.name_space.text());
    }
  }
  // couldn't find key k in ConfigMap ns/x
  constexpr std::string_view kKey = "couldn't find key ";
  if (const std::size_t at = message.find(kKey); at != std::string_view::npos) {
    const std::string_view rest = message.substr(at + kKey.size());
    const std::size_t in = rest.find(" in ");
    if (in != std::string_view::npos) {
      const std::string_view where = rest.substr(in + 4);
      return fmt::format("{} has no key {}", where.substr(0, where.find_first_of(",\n")), rest.substr(0, in));
    }
  }
  return "";
}

bool is_of_pull(std::string_view reason) {
  return reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "RegistryUnavailable" ||
         reason == "ImageInspectError" || reason == "SignatureValidationFailed";
}

std::string image_text(const api::Container& container) {
  return container.image.empty() ? "its image" : fmt::format("image {}", container.image.text());
}

std::string container_text(const api::Container& container, bool is_init) {
  return fmt::format("its {}container {}", is_init ? "init " : "", container.name.text());
}

// The newest event with one of the reasons that is about the container, or about no container in particular.
const ObjectEvent* newest_of(std::span<const ObjectEvent* const> events, std::string_view container,
                             std::span<const std::string_view> reasons) {
  const ObjectEvent* newest = nullptr;
  for (const ObjectEvent* event : events) {
    if (!event->container.empty() && event->container != container) continue;
    if (std::ranges::find(reasons, event->reason.text()) != reasons.end()) newest = event;
  }
  return newest;
}

class Describer {
 public:
  Describer(const api::Pod& pod, const api::Container& container, const api::ContainerStatus& status, bool is_init,
            std::span<const ObjectEvent* const> events)
      : pod_(pod), container_(container), status_(status), is_init_(is_init), events_(events) {}

  std::optional<ContainerTrouble> run() const {
    if (status_.state.waiting) {
      const Symbol reason = status_.state.waiting->reason;
      if (reason == "CrashLoopBackOff") return crashes();
      if (is_of_pull(reason.text())) return cannot_pull(reason);
      if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") return std::nullopt;
      return cannot_start(reason);
    }
    if (status_.state.terminated && status_.state.terminated->exit_code != 0) return has_failed();
    return std::nullopt;
  }

 private:
  ContainerTrouble trouble(std::string_view state, Symbol reason, std::string message, std::string text) const {
    ContainerTrouble result;
    result.state.state = Symbol(state);
    result.state.reason = reason;
    result.state.message = std::move(message);
    result.state.container = container_.name.str();
    result.state.reported_by = "the kubelet";
    result.text = std::move(text);
    return result;
  }

  ContainerTrouble cannot_pull(Symbol reason) const {
    std::string message = status_.state.waiting->message;
    constexpr std::array<std::string_view, 1> kFailed = {"Failed"};
    const ObjectEvent* event = newest_of(events_, container_.name.text(), kFailed);
    std::string_view meaning = meaning_of(message, kPullMeanings);
    if (event != nullptr && meaning.empty()) {
      // Two events come of each failure; one says no more than the status does.
      for (const ObjectEvent* each : events_) {
        const bool is_its = each->container.empty() || each->container == container_.name.text();
        if (!is_its || each->reason != "Failed") continue;
        const std::string_view found = meaning_of(each->message, kPullMeanings);
        if (found.empty()) continue;
        meaning = found;
        message = each->message;
      }
      if (message.empty()) message = event->message;
    }
    constexpr std::array<std::string_view, 1> kNoSecret = {"FailedToRetrieveImagePullSecret"};
    const ObjectEvent* no_secret = newest_of(events_, container_.name.text(), kNoSecret);
    std::string why = meaning.empty() ? "" : fmt::format("; {}", meaning);
    if (no_secret != nullptr) why += "; an imagePullSecret of the pod does not exist";
    ContainerTrouble result =
        trouble(running_state::kImagePull, reason, std::move(message),
                fmt::format("{} cannot start: {} cannot be pulled ({}){}", container_text(container_, is_init_),
                            image_text(container_), reason.text(), why));
    if (event != nullptr) result.state.since = event->first;
    return result;
  }

  ContainerTrouble cannot_start(Symbol reason) const {
    std::string message = status_.state.waiting->message;
    const std::string who = container_text(container_, is_init_);
    if (reason == "InvalidImageName") {
      return trouble(running_state::kImagePull, reason, std::move(message),
                     fmt::format("{} cannot start: \"{}\" is not a valid image name ({})", who, container_.image.text(),
                                 reason.text()));
    }
    if (reason == "ErrImageNeverPull") {
      return trouble(running_state::kImagePull, reason, std::move(message),
                     fmt::format("{} cannot start: {} is not on the node and its imagePullPolicy is Never ({})", who,
                                 image_text(container_), reason.text()));
    }
    if (message.empty()) {
      constexpr std::array<std::string_view, 1> kFailed = {"Failed"};
      if (const ObjectEvent* event = newest_of(events_, container_.name.text(), kFailed)) message = event->message;
    }
    if (reason == "CreateContainerConfigError") {
      std::string why = missing_object(pod_, message);
      if (why.empty()) why = meaning_of(message, kStartMeanings);
      if (why.empty()) why = message.empty() ? "its configuration is wrong" : message;
      return trouble(running_state::kConfiguration, reason, std::move(message),
                     fmt::format("{} cannot start: {} ({})", who, why, reason.text()));
    }
    std::string why(meaning_of(message, kStartMeanings));
    if (why.empty()) why = message.empty() ? "the container runtime fails" : message;
    return trouble(running_state::kStart, reason, std::move(message),
                   fmt::format("{} cannot start: {} ({})", who, why, reason.text()));
  }

  ContainerTrouble crashes() const {
    const Symbol reason = status_.state.waiting->reason;
    const std::string restarts = status_.restart_count <= 0 ? ""
                                 : status_.restart_count == 1
                                     ? ", and was restarted once"
                                     : fmt::format(", and was restarted {} times", status_.restart_count);
    const std::string who = container_text(container_, is_init_);
    if (!status_.last_state.terminated) {
      return trouble(running_state::kCrash, reason, status_.state.waiting->message,
                     fmt::format("{} ends each time it is started{} ({})", who, restarts, reason.text()));
    }
    const api::ContainerStateTerminated& last = *status_.last_state.terminated;
    ContainerTrouble result =
        trouble(running_state::kCrash, reason, last.message.empty() ? status_.state.waiting->message : last.message,
                fmt::format("{} ends each time it is started: it ended with {}{}{} ({})", who,
                            exit_text(container_, last), failed_probe_text(last), restarts, reason.text()));
    result.state.exit_code = last.exit_code;
    result.state.exit_reason = last.reason;
    result.state.command = logs_command();
    return result;
  }

  // The kubelet ends a container whose liveness or startup probe fails, by SIGTERM and then by SIGKILL.
  std::string failed_probe_text(const api::ContainerStateTerminated& last) const {
    constexpr std::int32_t kKilled = 137, kTerminated = 143;
    if ((last.exit_code != kKilled && last.exit_code != kTerminated) || last.reason == "OOMKilled") return "";
    constexpr std::array<std::string_view, 1> kUnhealthy = {"Unhealthy"};
    const ObjectEvent* event = newest_of(events_, container_.name.text(), kUnhealthy);
    if (event == nullptr) return "";
    for (const std::string_view probe : {"Liveness probe ", "Startup probe "}) {
      if (!event->message.starts_with(probe)) continue;
      const std::string_view line = std::string_view(event->message).substr(0, event->message.find('\n'));
      return fmt::format(" because its {}probe {}", probe.starts_with('L') ? "liveness " : "startup ",
                         line.substr(probe.size()));
    }
    return "";
  }

  ContainerTrouble has_failed() const {
    const api::ContainerStateTerminated& ended = *status_.state.terminated;
    ContainerTrouble result = trouble(
        running_state::kCrash, ended.reason, ended.message,
        fmt::format("{} has ended with {}", container_text(container_, is_init_), exit_text(container_, ended)));
    result.state.exit_code = ended.exit_code;
    result.state.exit_reason = ended.reason;
    result.state.command = logs_command();
    return result;
  }

  std::string logs_command() const {
    return fmt::format("kubectl logs -n {} {} -c {}{}", pod_.metadata.name_space.text(), pod_.metadata.name,
                       container_.name.text(), status_.state.waiting ? " --previous" : "");
  }

  const api::Pod& pod_;
  const api::Container& container_;
  const api::ContainerStatus& status_;
  bool is_init_;
  std::span<const ObjectEvent* const> events_;
};

}  // namespace

std::optional<ContainerTrouble> trouble_of(const api::Pod& pod, const api::Container& container,
                                           const api::ContainerStatus& status, bool is_init,
                                           std::span<const ObjectEvent* const> events) {
  return Describer(pod, container, status, is_init, events).run();
}

std::string exit_text(const api::Container& container, const api::ContainerStateTerminated& ended) {
  static const Symbol memory("memory");
  std::string text = fmt::format("exit code {}", ended.exit_code);
  if (ended.reason == "OOMKilled") {
    const api::Quantity* limit = container.resources.limits.find(memory);
    return text + (limit == nullptr
                       ? ", OOMKilled: the node ran out of memory"
                       : fmt::format(", OOMKilled: it used more memory than its limit of {}", limit->str()));
  }
  if (!ended.reason.empty() && ended.reason != "Error" && ended.reason != "Completed") {
    text += fmt::format(", {}", ended.reason.text());
    const std::string_view meaning = meaning_of(ended.message, kStartMeanings);
    if (!meaning.empty()) text += fmt::format(": {}", meaning);
    return text;
  }
  switch (ended.exit_code) {
    case 126: return text + " (its command cannot be executed)";
    case 127: return text + " (its command is not in the image)";
    case 137: return text + " (killed by SIGKILL)";
    case 139: return text + " (killed by SIGSEGV)";
    case 143: return text + " (ended by SIGTERM)";
    default: return text;
  }
}

ContainerTrouble why_not_ready(const api::Container& container, std::span<const ObjectEvent* const> events) {
  constexpr std::array<std::string_view, 2> kProbes = {"Unhealthy", "ProbeError"};
  const ObjectEvent* event = newest_of(events, container.name.text(), kProbes);
  ContainerTrouble result;
  result.state.state = Symbol(running_state::kNotReady);
  result.state.container = container.name.str();
  result.state.reported_by = "the kubelet";
  if (event == nullptr) {
    result.text =
        fmt::format("its container {} runs and is not ready: its readiness or startup probe has not succeeded",
                    container.name.text());
    return result;
  }
  result.state.reason = event->reason;
  result.state.message = event->message;
  result.state.since = event->first;
  // "Readiness probe failed: HTTP probe failed with statuscode: 503"
  std::string said = event->message.substr(0, event->message.find('\n'));
  if (said.empty()) said = "a probe fails";
  said[0] = ascii_lower(said[0]);
  result.text = fmt::format("its container {} runs and is not ready: {}", container.name.text(), said);
  if (event->count > 1) result.text += fmt::format(" ({} times)", event->count);
  return result;
}

}  // namespace berth::explain
