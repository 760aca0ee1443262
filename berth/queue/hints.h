// Queueing hints: what plugins registered for, and what they answer when it happens.
//
// A plugin that can reject a pod registers (event, hint function) pairs per profile. When such an event happens, the
// queue asks the hint functions of the plugins that rejected a parked pod whether another try is worth it.
//
// A hint's scope says what its answer depends on besides the event, which decides how often it has to be asked: pods of
// one class (same namespace, template and labels) share one answer where the hint looks at nothing else. The pod that
// an event is about is always asked by itself, so "was it my own update?" needs no wider scope.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/plugin_set.h"

namespace berth::queue {

// The object before and after. An addition has no old object, a deletion no new one, a wildcard mostly neither.
struct EventObjects {
  api::AnyObject old_object;
  api::AnyObject new_object;
};

enum class HintAnswer : std::uint8_t {
  kSkip,
  kQueue,
  kError,             // counts as kQueue: better a try in vain than a pod forgotten
  kQueueImmediately,  // v1.28 only: ... and without backoff
};

using Hint = std::function<HintAnswer(const api::Pod& pod, const EventObjects& objects)>;

enum class HintScope : std::uint8_t {
  kClass,  // depends on the pod's namespace, labels, spec and claim statuses only (or on its being the event's pod)
  kPod,    // depends on more: asked for every pod
};

struct HintRegistration {
  Symbol profile;
  Symbol plugin;
  ClusterEvent event;
  Hint hint;  // empty: always kQueue
  HintScope scope = HintScope::kClass;
};

// All registrations of a queue, ready to be matched.
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
