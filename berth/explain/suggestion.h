// A suggestion in the making: what is changed of the pod, of nodes and of other pods, tried out together, and then
// written as a sentence, as a shell command and as fields (explanation.h).
//
// What a person changes is rarely the pod: it is the Deployment, StatefulSet or Job that made it. A change of the pod
// is therefore a function of a pod template, which is applied to the pod to see whether it fits, and to its owner's
// template to say what to patch.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"
#include "berth/explain/field_changes.h"

namespace berth::explain {

// Has to find its way by the names of containers and keys of lists: the owner's template may have other defaults and no
// injected containers.
using PodChange = std::function<void(api::PodTemplate&)>;

struct NodeChange {
  std::string node;
  std::function<void(api::Node&)> change;
};

// One thing that is changed.
struct Step {
  std::string_view kind = {};          // of Help
  std::string text = {};               // "uncordon n1"
  PodChange pod = {};                  // empty: the pod stays as it is
  std::vector<NodeChange> nodes = {};  // of nodes that there are
  std::vector<api::NodePtr> new_nodes = {};
  std::vector<api::PodPtr> gone_pods = {};  // that would not be there
  std::vector<api::PodPtr> new_pods = {};   // that would be, on nodes
  // Claims, volumes and other objects besides pods and nodes, as they would be.
  std::vector<api::AnyObject> objects = {};
  std::string command = {};  // that does what `objects` are about
};

// The object whose template makes the pod.
struct PodOwner {
  Symbol kind;  // "Pod" if there is no controller
  Symbol name_space;
  std::string name;
  std::string_view path;                   // where the pod's spec is: "/spec/template/spec"
  const api::PodTemplate* spec = nullptr;  // null if the dump does not have the owner
  std::shared_ptr<const void> holder;      // keeps `spec`
};
PodOwner owner_of(const Cluster& cluster, const api::Pod& pod);

// The steps are taken as long as this lives.
class TakenSteps {
 public:
  TakenSteps(Cluster& cluster, const api::PodPtr& pod, std::span<const Step> steps);
  TakenSteps(const TakenSteps&) = delete;
  TakenSteps& operator=(const TakenSteps&) = delete;
  ~TakenSteps();

  const api::PodPtr& pod() const { return pod_; }

 private:
  Cluster& cluster_;
  api::PodPtr pod_;
  std::vector<api::NodePtr> old_nodes_;
  std::vector<api::NodePtr> new_nodes_;
  std::vector<api::PodPtr> gone_pods_;
  std::vector<api::PodPtr> new_pods_;
  std::vector<std::pair<api::AnyObject, api::AnyObject>> objects_;  // as they are now, and as they were, if they were
};

// Calls fn(changed pod) while the steps are taken, and returns what it returns.
template <typename Fn>
auto with_steps(Cluster& cluster, const api::PodPtr& pod, std::span<const Step> steps, Fn&& fn) {
  const TakenSteps taken(cluster, pod, steps);
  return fn(taken.pod());
}

// Fills in `command` and `changes`. Requires: the cluster is as it was before the steps.
void write_down(Help& help, const Cluster& cluster, const api::Pod& pod, std::span<const Step> steps);

// Deletes the object and creates it anew with the patch applied, for objects that cannot be patched in place.
std::string recreate_command(std::string_view resource, Symbol name_space, std::string_view name,
                             const std::vector<PatchOperation>& operations);

// In single quotes unless a shell takes it as it stands.
std::string shell_word(std::string_view text);

}  // namespace berth::explain
