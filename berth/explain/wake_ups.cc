#include "berth/explain/wake_ups.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "berth/explain/words.h"
#include "berth/queue/cluster_event.h"

namespace berth::explain {

namespace {

namespace action = queue::action;
namespace resource = queue::resource;

struct Words {
  std::string_view resource;
  queue::ActionSet actions;  // all of them
  std::string_view text;
};
// The first rows that together cover what is registered for are used.
constexpr Words kWords[] = {
    {resource::kNode, action::kAdd, "a node is added"},
    {resource::kNode, action::kDelete, "a node goes"},
    {resource::kNode, action::kUpdateNodeAllocatable, "a node gets more allocatable resources"},
    {resource::kNode, action::kUpdateNodeLabel, "a node's labels change"},
    {resource::kNode, action::kUpdateNodeTaint, "a node loses a taint or its cordon"},
    {resource::kNode, action::kUpdateNodeDeclaredFeature, "a node declares other features"},
    {resource::kPod, action::kUpdatePodScaleDown, "it or a pod on some node asks for less"},
    {resource::kPod, action::kUpdatePodToleration, "it gets another toleration"},
    {resource::kPod, action::kUpdatePodSchedulingGatesEliminated, "its scheduling gates are removed"},
    {resource::kPod, action::kUpdatePodGeneratedResourceClaim, "its resource claims are made"},
    {resource::kPod, action::kAdd, "a pod gets a node"},
    {resource::kPod, action::kUpdatePodLabel, "the labels of a pod change"},
    {resource::kPod, action::kDelete, "a pod on some node ends"},
};

std::string_view kind_text(Symbol about) {
  if (about == resource::kPersistentVolume) return "a PersistentVolume";
  if (about == resource::kPersistentVolumeClaim) return "a PersistentVolumeClaim";
  if (about == resource::kNamespace) return "a namespace";
  if (about == resource::kDeviceClass) return "a DeviceClass";
  if (about == resource::kAny) return "any object";
  return about.text();
}

// "a StorageClass is added or changes"
std::string other_kind(Symbol about, queue::ActionSet actions) {
  std::string_view name = kind_text(about);
  const std::size_t slash = name.find('/');
  const std::string thing =
      slash == std::string_view::npos ? std::string(name) : fmt::format("a {}", name.substr(slash + 1));
  std::vector<std::string_view> verbs;
  if ((actions & action::kAdd) != 0) verbs.push_back("is added");
  if ((actions & action::kUpdate) != 0) verbs.push_back("changes");
  if ((actions & action::kDelete) != 0) verbs.push_back("goes");
  std::string text = thing;
  for (std::size_t i = 0; i < verbs.size(); ++i) text += fmt::format("{}{}", i == 0 ? " " : " or ", verbs[i]);
  return text;
}

void add_once(std::vector<std::string>& texts, std::string text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

bool is_pod(Symbol about) {
  return about == resource::kPod || about == resource::kAssignedPod || about == resource::kUnschedulablePod;
}

void describe(const queue::ClusterEvent& event, std::vector<std::string>& texts) {
  const std::string_view about = is_pod(event.resource) ? resource::kPod : event.resource.text();
  if (event.actions == action::kAll || (about != resource::kPod && about != resource::kNode)) {
    add_once(texts, other_kind(event.resource, event.actions));
    return;
  }
  for (const Words& words : kWords) {
    if (words.resource == about && (event.actions & words.actions) == words.actions) {
      add_once(texts, std::string(words.text));
    }
  }
}

// Every single action: "NodeAdd", "NodeUpdateNodeTaint".
void label(const queue::ClusterEvent& event, std::vector<std::string>& labels) {
  if (!queue::action_name(event.actions).empty()) {
    add_once(labels, event.label().str());
    return;
  }
  queue::ActionSet rest = event.actions;
  if ((rest & action::kUpdate) == action::kUpdate) {
    add_once(labels, queue::ClusterEvent(event.resource, action::kUpdate).label().str());
    rest &= ~action::kUpdate;
  }
  for (queue::ActionSet bit = 1; bit <= action::kAll; bit <<= 1) {
    if ((rest & bit) != 0) add_once(labels, queue::ClusterEvent(event.resource, bit).label().str());
  }
}

}  // namespace

std::vector<WakeUp> wake_ups(const framework::Profile& profile, std::span<const Symbol> rejecting_plugins,
                             const api::CompiledPod& pod) {
  const bool wants_devices = pod.has_resource_claims || !pod.usage.requested.scalars.empty();
  const std::vector<queue::HintRegistration> hints = profile.hints();
  std::vector<WakeUp> result;
  for (const Symbol plugin : rejecting_plugins) {
    WakeUp wake_up{.plugin = plugin, .sentence = {}, .events = {}};
    std::vector<std::string> texts;
    for (const queue::HintRegistration& hint : hints) {
      if (hint.plugin != plugin) continue;
      if (wants_devices || hint.event.resource != resource::kDeviceClass) describe(hint.event, texts);
      label(hint.event, wake_up.events);
    }
    if (texts.empty()) texts.push_back("anything happens");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      wake_up.sentence += fmt::format("{}{}", i == 0 ? "" : i + 1 == texts.size() ? ", or " : ", ", texts[i]);
    }
    result.push_back(std::move(wake_up));
  }
  std::ranges::sort(result, SymbolTextLess(), &WakeUp::plugin);
  return result;
}

}  // namespace berth::explain
