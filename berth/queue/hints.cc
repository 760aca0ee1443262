#include "berth/queue/hints.h"

#include "berth/base/hash.h"

namespace berth::queue {

HintTable::HintTable(const std::vector<Symbol>& profiles, std::vector<HintRegistration> registrations,
                     PluginNames& names, EventMatching matching)
    : matching_(matching) {
  const auto add_profile = [this](Symbol name) -> std::deque<Entry>& {
    const auto [at, is_new] = profiles_.try_emplace(name);
    if (is_new) order_.push_back(name);
    return at->second;
  };
  for (const Symbol profile : profiles) add_profile(profile);
  for (HintRegistration& registration : registrations) {
    add_profile(registration.profile)
        .push_back(
            Entry{names.id(registration.plugin), registration.event, std::move(registration.hint), registration.scope});
  }
}

const HintTable::Match::Profile* HintTable::Match::profile(Symbol name) const {
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::size_t HintTable::KeyHash::operator()(const Key& key) const {
  return hash_combine(hash_combine(key.resource.id(), key.actions), key.custom_label.id());
}

const HintTable::Match& HintTable::match(const ClusterEvent& event) const {
  const auto [at, is_new] = matches_.try_emplace(Key{event.resource, event.actions, event.custom_label});
  Match& match = at->second;
  if (!is_new) return match;
  match.event = event;
  match.label = event.label();
  match.is_wildcard = event.is_wildcard(matching_);
  for (const Symbol name : order_) {
    Match::Profile profile{.name = name, .plugins = {}, .entries = {}};
    for (const Entry& entry : profiles_.at(name)) {
      if (!matches(entry.event, event, matching_)) continue;
      profile.plugins.insert(entry.plugin);
      profile.entries.push_back(&entry);
    }
    if (profile.entries.empty()) continue;
    match.plugins_of_any_profile = match.plugins_of_any_profile | profile.plugins;
    match.profiles.push_back(std::move(profile));
  }
  match.is_of_interest = match.is_wildcard || !match.profiles.empty();
  return match;
}

const std::deque<HintTable::Entry>& HintTable::entries(Symbol profile) const {
  static const std::deque<Entry> none;
  const auto found = profiles_.find(profile);
  return found == profiles_.end() ? none : found->second;
}

}  // namespace berth::queue
