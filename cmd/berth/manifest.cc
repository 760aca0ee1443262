#include "cmd/berth/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/base/nearest_name.h"
#include "berth/codec/documents.h"
#include "berth/explain/probe.h"
#include "berth/text/words.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/input.h"

namespace berth::cmd {
namespace {

constexpr std::size_t kMaxNamed = 5;

// "Deployment/web"
std::string name_of(const api::AnyObject& object) {
  return fmt::format("{}/{}", object.kind().kind, object.metadata().name);
}

// As kubectl has them; empty if there is none.
std::string_view short_name_of(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"Pod", "po"},          {"Deployment", "deploy"}, {"ReplicaSet", "rs"},
      {"StatefulSet", "sts"}, {"DaemonSet", "ds"},      {"ReplicationController", "rc"}};
  for (const auto& [of, short_name] : kNames) {
    if (of == kind) return short_name;
  }
  return {};
}

bool is_named(const api::AnyObject& object, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return object.metadata().name == name;
  const std::string_view kind = name.substr(0, slash);
  return (same_ignoring_case(kind, object.kind().kind) || same_ignoring_case(kind, object.kind().resource) ||
          same_ignoring_case(kind, short_name_of(object.kind().kind))) &&
         object.metadata().name == name.substr(slash + 1);
}

Error no_such(const std::string& name, const std::vector<std::string>& names) {
  Error error(fmt::format("there is no {} in it", name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const std::string_view meant = nearest_name(name, views); !meant.empty()) {
    return std::move(error).with_fix(fmt::format("did you mean {}?", meant));
  }
  return std::move(error).with_fix("it has " + text::listed(names, kMaxNamed));
}

}  // namespace

std::expected<Manifest, std::vector<Error>> read_manifest(const std::string& file, const std::string& name,
                                                          InternPool& pool) {
  codec::Documents documents = read_written_objects({file}, pool);
  if (!documents.errors.empty()) return std::unexpected(std::move(documents.errors));
  const auto wrong = [&](Error error) {
    return std::unexpected(std::vector<Error>{std::move(error).in_file(shown_name(file))});
  };
  std::vector<api::AnyObject> choices, others;
  for (api::AnyObject& object : documents.objects) {
    (explain::Probe::makes_pods(object) ? choices : others).push_back(std::move(object));
  }
  if (choices.empty()) {
    if (!others.empty()) return wrong(explain::Probe::make(others, {}).error());
    const auto is_cron_job = [](const auto& each) { return each.first == "batch/v1 CronJob"; };
    if (std::ranges::any_of(documents.unknown_kinds, is_cron_job)) {
      return wrong(Error("a CronJob makes no pods itself")
                       .with_fix("ask about a Job of it: kubectl create job test --from=cronjob/NAME "
                                 "--dry-run=client -o yaml prints one"));
    }
    return wrong(Error("there is no pod in it").with_fix(unknown_kinds_text(documents)));
  }
  std::vector<std::string> names;
  for (const api::AnyObject& object : choices) names.push_back(name_of(object));
  auto chosen = choices.begin();
  if (!name.empty()) {
    chosen = std::ranges::find_if(choices, [&](const api::AnyObject& object) { return is_named(object, name); });
    if (chosen == choices.end()) return wrong(no_such(name, names));
  }
  Manifest manifest;
  manifest.objects = {*chosen};
  manifest.objects.insert(manifest.objects.end(), others.begin(), others.end());
  if (name.empty() && choices.size() > 1) {
    names.erase(names.begin());
    manifest.note =
        fmt::format("{} has {} pods and workloads; this is about the first, {}. --name KIND/NAME takes another: {}.",
                    shown_name(file), choices.size(), name_of(*chosen), text::listed(names, kMaxNamed));
  }
  return manifest;
}

}  // namespace berth::cmd
