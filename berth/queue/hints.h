// All queueing hints of a queue (queueing_hint.h), ready to be matched with the events that happen.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <vector>

#include "berth/base/symbol.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/plugin_set.h"
#include "berth/queue/queueing_hint.h"

namespace berth::queue {

class HintTable {
 public:
  struct Entry {
    PluginId plugin;
    ClusterEvent event;
    Hint hint;
    HintScope scope;
  };

  // What is registered for one event. Stays where it is in memory for the life of the table.
  struct Match {
    ClusterEvent event;
    Symbol label;
    bool is_wildcard = false;
    bool is_of_interest = false;       // a wildcard, or registered for in some profile
    PluginSet plugins_of_any_profile;  // who registered for it
    struct Profile {
      Symbol name;
      PluginSet plugins;
      std::vector<const Entry*> entries;  // in order of registration
    };
    std::vector<Profile> profiles;  // those with a matching registration

    const Profile* profile(Symbol name) const;
  };

  // `profiles` names the profiles with a hint table, also those without a registration.
  HintTable(const std::vector<Symbol>& profiles, std::vector<HintRegistration> registrations, PluginNames& names,
            EventMatching matching = EventMatching::kWithinRegistered);

  const Match& match(const ClusterEvent& event) const;

  bool has_profile(Symbol profile) const { return profiles_.contains(profile); }
  // In order of registration. Empty for an unknown profile.
  const std::deque<Entry>& entries(Symbol profile) const;

 private:
  struct Key {
    Symbol resource;
    ActionSet actions;
    Symbol custom_label;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  EventMatching matching_;
  std::vector<Symbol> order_;  // of the profiles
  std::unordered_map<Symbol, std::deque<Entry>> profiles_;
  mutable std::unordered_map<Key, Match, KeyHash> matches_;  // filled as events happen; there are few kinds
};

}  // namespace berth::queue
