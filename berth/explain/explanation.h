// What explain says about one pod. A value with a schema of its own, so that its JSON form is written by the same codec
// as everything else (docs/explain.md documents it); render.h gives the form for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"
#include "berth/base/time.h"
#include "berth/framework/reason.h"

namespace berth::explain {

// Nodes that cannot take the pod for the same reason.
struct NodeGroup {
  Symbol plugin;                           // whose verdict it is
  std::string reason;                      // in kube-scheduler's words
  std::vector<framework::Reason> reasons;  // the same, to be told apart; not in the JSON form
  std::string sentence;                    // "4 nodes are short of cpu (least on n-7: 300m)"
  std::vector<std::string> nodes;
  std::vector<std::string> also;  // what else is wrong with some of them
};

struct PluginScore {
  Symbol plugin;
  std::int64_t score = 0;  // weighted
};
struct NodeScore {
  std::string node;
  std::int64_t total = 0;
  std::vector<PluginScore> plugins;
};

struct Preemption {
  bool helps = false;
  std::string sentence;
  std::string node;
  std::vector<std::string> victims;
  std::int64_t budget_violations = 0;
  bool under_way = false;  // the victims are evicted already and have not ended
};

struct WakeUp {
  Symbol plugin;
  std::string sentence;             // "a pod that holds host port 80 ends, or a node is added"
  std::vector<std::string> causes;  // what the sentence lists
  std::vector<std::string> events;  // kube-scheduler's labels
};

// One field of one object that a suggestion changes, as an operation of a JSON patch; or a whole object that is created
// or deleted, with an empty path.
struct FieldChange {
  Symbol kind;  // of the object: "Deployment", "Node"
  Symbol name_space;
  std::string name;
  Symbol op;         // "add", "replace", "remove" of a field; "create", "delete" of an object
  std::string path;  // a JSON pointer: "/spec/template/spec/tolerations/-"
  std::optional<api::RawJson> from;
  std::optional<api::RawJson> to;
};

// What keeps a pod that has a node from running or from being ready, or why it has failed.
struct RunningState {
  Symbol state;             // one of running_state
  Symbol reason;            // in the word of the kubelet or of a controller: "ImagePullBackOff"
  std::string message;      // what it says about that
  std::string reported_by;  // "the kubelet"
  Instant since;
  std::string container;
  std::optional<std::int32_t> exit_code;  // of the container's last run
  Symbol exit_reason;                     // "OOMKilled"
  std::string command;                    // that shows more
};
namespace running_state {
inline constexpr std::string_view kImagePull = "ImagePull";
inline constexpr std::string_view kConfiguration = "Configuration";  // a ConfigMap, a Secret or a setting is missing
inline constexpr std::string_view kStart = "Start";                  // the container runtime cannot start it
inline constexpr std::string_view kCrash = "Crash";
inline constexpr std::string_view kNotReady = "NotReady";
inline constexpr std::string_view kInitializing = "Initializing";
inline constexpr std::string_view kVolume = "Volume";
inline constexpr std::string_view kSandbox = "Sandbox";
inline constexpr std::string_view kReadinessGate = "ReadinessGate";
inline constexpr std::string_view kNodeNotReady = "NodeNotReady";
inline constexpr std::string_view kNodeMissing = "NodeMissing";
inline constexpr std::string_view kTerminating = "Terminating";
inline constexpr std::string_view kRejected = "Rejected";  // by the kubelet
inline constexpr std::string_view kEvicted = "Evicted";    // by the kubelet
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kStarting = "Starting";
}  // namespace running_state

// Something that was tried out and makes the pod fit.
struct Help {
  Symbol kind = {};  // "toleration", "request", "nodes", ...: see docs/explain.md
  std::string sentence = {};
  std::string node = {};                  // where the pod goes then
  std::string command = {};               // for a shell; empty if no command does it
  std::vector<FieldChange> changes = {};  // all that is different when it was tried out
};

// Whether a group of nodes that an autoscaler resizes can get the node that the pod needs.
struct Autoscaling {
  std::string group;
  Symbol kind;  // "NodePool" of Karpenter, "NodeGroup" of cluster-autoscaler
  bool helps = false;
  bool is_uncertain = false;  // it may: what its nodes look like is not known
  std::string sentence;
};

// The answer in one word.
namespace answer {
inline constexpr std::string_view kFits = "Fits";
inline constexpr std::string_view kPreempts = "Preempts";
inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kGated = "Gated";
inline constexpr std::string_view kBound = "Bound";
inline constexpr std::string_view kEnded = "Ended";
inline constexpr std::string_view kDeleted = "BeingDeleted";
inline constexpr std::string_view kNoScheduler = "NoScheduler";
inline constexpr std::string_view kError = "Error";
}  // namespace answer

struct Explanation {
  std::string pod;
  std::string scheduler;
  Symbol answer;
  std::string sentence;
  std::string node;  // where it is or would go
  std::int64_t nodes = 0;
  std::int64_t feasible_nodes = 0;
  std::string message;  // what kube-scheduler would write into the pod's condition
  // Why no node was looked at; not in the JSON form.
  std::vector<framework::Reason> rejection;
  std::optional<RunningState> running;
  std::vector<std::string> notes;
  std::vector<NodeGroup> groups;  // the nearest to taking it first
  std::vector<NodeScore> scores;  // best first
  std::optional<Preemption> preemption;
  std::vector<Help> help;                // most useful first
  std::string no_help;                   // why there is none
  std::vector<Autoscaling> autoscaling;  // groups that can help first
  std::vector<WakeUp> wake_ups;
};

}  // namespace berth::explain

namespace berth::api {
template <>
const Schema& schema_of<explain::Explanation>();
}
