#include "tests/conformance/queue_conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "berth/api/kinds.h"
#include "berth/queue/object_diff.h"
#include "berth/queue/scheduling_queue.h"
#include "tests/conformance/legacy_queue_setup.h"
#include "tests/conformance/queue_setup.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {

using queue::ClusterEvent;
using queue::Place;
using queue::QueuedPod;

namespace {

constexpr Place kPlaces[] = {Place::kActive, Place::kBackoff, Place::kErrorBackoff, Place::kUnschedulable};

class Replay {
 public:
  explicit Replay(Json header)
      : release_(release_of(header)), epoch_(Instant::parse(text_of(header, "epoch")).value()), now_(epoch_) {
    for (const Json name_space : array_of(header, "namespaces")) store_namespace(decode_object(name_space, pool_));
    queue::QueueOptions options = options_from_header(header, view_);
    if (uses_plugins(header)) {
      hints_ = options.hints;
      registration_difference_ = registration_difference(header, options);
    }
    options.metrics = &metrics_;
    queue_ = std::make_unique<queue::SchedulingQueue>(std::move(options));
  }

  // What differs between Berth's plugins and those that the header lists; empty if nothing does.
  const std::string& header_difference() const { return registration_difference_; }

  // What differs from what the trace says; empty if nothing does.
  std::string step(Json op) {
    Flat out;
    now_ = epoch_ + Duration::nanoseconds(integer_of(op, "now"));
    apply(op, text_of(op, "op"), out);
    Flat expected;
    if (has(op, "out")) flatten(op["out"].value(), "out", expected);
    flatten(op["state"].value(), "state", expected);
    Flat actual = std::move(out);
    render_state(actual);
    leave_out_newer(release_, actual);
    return first_difference(expected, actual);
  }

 private:
  void apply(Json op, const std::string& name, Flat& out) {
    if (name == "step") {
      now_ = now_ + Duration::nanoseconds(integer_of(op, "by"));
    } else if (name == "add") {
      const api::PodPtr pod = pod_of(op, "pod", pool_);
      store(op, pod);
      ignore(queue_->add(pod, now_));
    } else if (name == "update") {
      const api::PodPtr old_pod = pod_of(op, "old", pool_), new_pod = pod_of(op, "new", pool_);
      store(op, new_pod);
      if (has(op, "out")) {
        const std::vector<ClusterEvent> events = queue::pod_update_events(*old_pod, *new_pod);
        render_events(events, out);
        render_hints(events, {api::AnyObject(old_pod), api::AnyObject(new_pod)}, new_pod, out);
      }
      ignore(queue_->update(old_pod, new_pod, now_));
    } else if (name == "delete") {
      const api::PodPtr pod = pod_of(op, "pod", pool_);
      store(op, pod);
      ignore(queue_->remove(*pod));
    } else if (name == "pop") {
      popped(queue_->pop(now_), out);
    } else if (name == "popSpecific") {
      popped(queue_->pop_specific(*pod_of(op, "pod", pool_), now_), out);
    } else if (name == "done") {
      ignore(queue_->done(text_of(op, "uid")));
    } else if (name == "addUnschedulable") {
      add_unschedulable(op, out);
    } else if (name == "activate") {
      std::vector<api::PodPtr> pods;
      for (const Json pod : array_of(op, "pods")) pods.push_back(decode_object(pod, pool_).as<api::Pod>());
      ignore(queue_->activate(pods, now_));
    } else if (name == "move") {
      const ClusterEvent event = event_of(op["event"].value());
      render_events({event}, out);
      move(op, event, out);
    } else if (name == "objectChange") {
      object_change(op, out);
    } else if (name == "assignedPodAdded") {
      ignore(queue_->assigned_pod_added(pod_of(op, "pod", pool_), now_));
    } else if (name == "assignedPodUpdated") {
      ignore(queue_->assigned_pod_updated(pod_of(op, "old", pool_), pod_of(op, "new", pool_),
                                          has(op, "event") ? event_of(op["event"].value()) : assigned_pod_update(),
                                          now_));
    } else if (name == "flushBackoff") {
      ignore(queue_->flush_backoff_completed(now_));
    } else if (name == "flushUnschedulable") {
      ignore(queue_->flush_unschedulable_leftover(now_));
    } else if (name == "addNominated") {
      queue_->nominate(*pod_of(op, "pod", pool_), nominating_of(op));
    } else if (name == "updateNominated") {
      queue_->update_nominated(*pod_of(op, "old", pool_), *pod_of(op, "new", pool_));
    } else if (name == "deleteNominated") {
      queue_->remove_nomination(*pod_of(op, "pod", pool_));
    } else if (name == "nominatedForNode") {
      render_nominated(Symbol(text_of(op, "node")), out);
    } else if (name == "lister") {
      store(op, pod_of(op, "pod", pool_));
    } else if (name == "numUnschedulable") {
      out["out.count"] = std::to_string(queue_->count(Place::kUnschedulable));
    } else if (name == "pendingPods") {
      render_pending(out);
    } else if (name == "close") {
      ignore(queue_->close());
    } else if (name == "metrics") {
      render_metrics(out);
    } else {
      throw std::runtime_error("unknown operation " + name);
    }
  }

  // Upstream refuses nothing; with all quirks on, what Berth refuses has no effect upstream either.
  static void ignore(const Result<void>&) {}

  void store(Json op, const api::PodPtr& pod) {
    const std::string what = text_of(op, "store");
    if (what == "set") view_.pods[api::full_name(pod->metadata)] = pod;
    if (what == "delete") view_.pods.erase(api::full_name(pod->metadata));
  }

  void store_namespace(const api::AnyObject& object) {
    view_.namespaces[object.metadata().name] = std::make_shared<const api::Labels>(*object.metadata().labels);
  }

  // Brings a cache up to date with a change of one of its objects.
  template <typename T>
  static void store_object(const queue::EventObjects& objects, std::map<std::string, std::shared_ptr<const T>>& cache) {
    if (objects.new_object) {
      cache[api::full_name(objects.new_object.metadata())] = objects.new_object.as<T>();
    } else {
      cache.erase(api::full_name(objects.old_object.metadata()));
    }
  }

  // In older releases an event has no label but the one it is given.
  ClusterEvent event_of(Json event) const {
    const char* label = release_ == queue::Release::kV1_36 ? "customLabel" : "label";
    return {Symbol(text_of(event, "resource")), static_cast<queue::ActionSet>(integer_of(event, "action")),
            Symbol(text_of(event, label))};
  }

  api::PodPtr pod_of(Json op, std::string_view key, InternPool& pool) const {
    const bool counts_managed_fields = queue_->rules().change == queue::PodChange::kAllButStatus;
    return counts_managed_fields ? pod_with_managed_fields(op, key, pool) : conformance::pod_of(op, key, pool);
  }

  static queue::Nominating nominating_of(Json op) {
    if (has(op, "node")) return nominating_by_node(text_of(op, "node"));
    if (!has(op, "nominating")) return {};
    const Json nominating = op["nominating"].value();
    const bool overrides = text_of(nominating, "mode") == "override";
    return {.mode = overrides ? queue::Nominating::Mode::kOverride : queue::Nominating::Mode::kKeep,
            .node_name = Symbol(text_of(nominating, "node"))};
  }

  void popped(queue::PoppedPod pod, Flat& out) {
    if (pod == nullptr) {
      const std::string_view error = queue_->rules().closed_pop_error;
      out[error.empty() ? "out.empty" : "out.error"] = "true";
      if (!error.empty()) out["out.errorText"] = error;
      return;
    }
    render_pod(*pod, "out.popped", out);
    const std::string uid = pod->uid();
    popped_.insert_or_assign(uid, std::move(pod));
  }

  void add_unschedulable(Json op, Flat& out) {
    const std::string uid = text_of(op, "uid");
    auto node = popped_.extract(uid);
    if (node.empty()) throw std::runtime_error("nothing was popped with UID " + uid);
    queue::PoppedPod pod = std::move(node.mapped());
    if (!flag_of(op, "keepPlugins")) {
      pod->clear_rejectors();
      pod->unschedulable_plugins = plugin_set(op, "unschedulablePlugins");
      pod->pending_plugins = plugin_set(op, "pendingPlugins");
    }
    pod->pod = pod_of(op, "pod", pool_);
    const bool loses = loses_events(*queue_, *pod);
    const auto added =
        queue_->add_unschedulable_if_not_present(std::move(pod), integer_of(op, "podSchedulingCycle"), now_);
    if (added) {
      if (loses) out["out.lostEvents"] = "true";
      return;
    }
    out["out.error"] = "true";
    out["out.errorText"] = added.error().message();
  }

  queue::PluginSet plugin_set(Json op, std::string_view key) {
    std::vector<Symbol> names;
    for (const std::string& name : texts_of(op, key)) names.emplace_back(name);
    return queue_->plugin_set(names);
  }

  void move(Json op, const ClusterEvent& event, Flat& out) {
    const queue::EventObjects objects{object_of(op, "old", pool_), object_of(op, "new", pool_)};
    render_hints({event}, objects, nullptr, out);
    if (!has(op, "preCheck")) {
      ignore(queue_->move_all(event, objects, now_));
      return;
    }
    const Json check = op["preCheck"].value();
    const std::string type = text_of(check, "type"), value = text_of(check, "value");
    const Symbol key(text_of(check, "key"));
    const auto passes = [&](const api::Pod& pod) {
      if (type == "label") {
        const Symbol* found = pod.metadata.labels->find(key);
        return found != nullptr && *found == value;
      }
      if (type == "maxPriority") return api::priority_of(pod) <= std::stoll(value);
      if (type == "notUID") return pod.metadata.uid != value;
      return false;
    };
    ignore(queue_->move_all(event, objects, now_, passes));
  }

  void object_change(Json op, Flat& out) {
    const std::string kind = text_of(op, "kind"), change = text_of(op, "change");
    const queue::EventObjects objects{object_of(op, "old", pool_), object_of(op, "new", pool_)};
    const queue::ActionSet change_action = change == "add"      ? queue::action::kAdd
                                           : change == "delete" ? queue::action::kDelete
                                                                : queue::action::kUpdate;
    std::vector<ClusterEvent> events;
    if (kind == "Namespace") {
      if (change == "delete") {
        view_.namespaces.erase(objects.old_object.metadata().name);
      } else {
        store_namespace(objects.new_object);
      }
      return;
    }
    if (kind == "Node") {
      events = change == "update"
                   ? queue::node_update_events(*objects.old_object.as<api::Node>(), *objects.new_object.as<api::Node>())
                   : std::vector{ClusterEvent(queue::resource::kNode, change_action)};
    } else if (kind == "Pod") {
      const api::AnyObject& object = objects.new_object ? objects.new_object : objects.old_object;
      const api::PodPtr pod = object.as<api::Pod>();
      if (change == "delete") {
        view_.pods.erase(api::full_name(pod->metadata));
      } else {
        view_.pods[api::full_name(pod->metadata)] = pod;
      }
      events = change == "update" ? queue::pod_update_events(*objects.old_object.as<api::Pod>(), *pod)
                                  : std::vector{ClusterEvent(queue::resource::kAssignedPod, change_action)};
    } else {
      events = {ClusterEvent(resource_of(kind), change_action)};
    }
    if (kind == "ResourceClaim") store_object(objects, view_.claims);
    if (kind == "DeviceClass") store_object(objects, view_.device_classes);
    render_events(events, out);
    render_hints(events, objects, nullptr, out);
    for (const ClusterEvent& event : events) ignore(queue_->move_all(event, objects, now_));
  }

  static std::string resource_of(const std::string& kind) {
    if (kind.starts_with("PersistentVolume")) return kind;
    if (kind == "ResourceClaim" || kind == "ResourceSlice" || kind == "DeviceClass") return "resource.k8s.io/" + kind;
    return "storage.k8s.io/" + kind;
  }

  // --- The state as the trace shows it ----------------------------------------------------------------------------

  std::string since_epoch(Instant t) const { return std::to_string((t - epoch_).nanoseconds()); }

  void render_plugins(queue::PluginSet plugins, const std::string& path, Flat& into) const {
    std::vector<std::string> names;
    plugins.for_each([&](queue::PluginId plugin) { names.push_back(queue_->plugin_name(plugin).str()); });
    std::ranges::sort(names);
    for (std::size_t i = 0; i < names.size(); ++i) into[fmt::format("{}[{}]", path, i)] = names[i];
  }

  void render_pod(const QueuedPod& pod, const std::string& path, Flat& into) const {
    const auto put = [&](std::string_view key, std::string value) { into[fmt::format("{}.{}", path, key)] = value; };
    const auto put_count = [&](std::string_view key, std::int64_t n) {
      if (n != 0) put(key, std::to_string(n));
    };
    const api::ObjectMeta& metadata = pod.pod->metadata;
    put("pod", api::full_name(metadata));
    put("uid", metadata.uid);
    put("rv", metadata.resource_version);
    put("timestamp", since_epoch(pod.timestamp));
    put_count("attempts", pod.attempts);
    put_count("unschedulableCount", pod.unschedulable_count);
    put_count("consecutiveErrors", pod.consecutive_errors);
    if (const Instant end = queue_->backoff_ends_at(pod); end.is_set()) put("backoffExpiration", since_epoch(end));
    if (pod.initial_attempt_timestamp.is_set()) put("initialAttempt", since_epoch(pod.initial_attempt_timestamp));
    render_plugins(pod.unschedulable_plugins, path + ".unschedulablePlugins", into);
    render_plugins(pod.pending_plugins, path + ".pendingPlugins", into);
    if (pod.is_gated()) put("gatingPlugin", queue_->plugin_name(pod.gating_plugin).str());
    if (pod.was_flushed) put("flushed", "true");
    if (pod.place == Place::kErrorBackoff) put("errorBackoff", "true");
  }

  void render_state(Flat& into) const {
    std::map<std::string, std::vector<const QueuedPod*>> by_queue;
    for (const Place place : kPlaces) {
      const std::string name = place == Place::kActive          ? "active"
                               : place == Place::kUnschedulable ? "unschedulable"
                                                                : "backoff";
      for (const QueuedPod* pod : queue_->pods_in(place)) by_queue[name].push_back(pod);
    }
    for (auto& [name, pods] : by_queue) {
      std::ranges::sort(pods, {}, [](const QueuedPod* pod) { return api::full_name(pod->pod->metadata); });
      for (std::size_t i = 0; i < pods.size(); ++i) render_pod(*pods[i], fmt::format("state.{}[{}]", name, i), into);
    }
    std::vector<std::string> in_flight;
    for (const api::PodPtr& pod : queue_->in_flight().pods()) {
      in_flight.push_back(api::full_name(pod->metadata) + "#" + pod->metadata.uid);
    }
    std::ranges::sort(in_flight);
    render_list(in_flight, "state.inFlight", into);
    render_list(queue_->in_flight().log(), "state.inFlightEvents", into);
    std::map<std::string, std::vector<std::string>> nominated;
    queue_->nominator().for_each([&](Symbol node, const queue::Nominator::Nomination& nomination) {
      nominated[node.str()].push_back(
          fmt::format("{}/{}#{}", nomination.name_space.text(), nomination.name, nomination.uid));
    });
    for (auto& [node, pods] : nominated) {
      std::ranges::sort(pods);
      render_list(pods, "state.nominated." + node, into);
    }
    render_backoff_records(*queue_, epoch_, into);
    into["state.schedulingCycle"] = std::to_string(queue_->scheduling_cycle());
    into["state.moveRequestCycle"] = std::to_string(queue_->move_request_cycle());
  }

  static void render_list(const std::vector<std::string>& items, const std::string& path, Flat& into) {
    for (std::size_t i = 0; i < items.size(); ++i) into[fmt::format("{}[{}]", path, i)] = items[i];
  }

  static void render_events(const std::vector<ClusterEvent>& events, Flat& out) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::string path = fmt::format("out.events[{}]", i);
      out[path + ".resource"] = events[i].resource.str();
      out[path + ".action"] = std::to_string(events[i].actions);
      if (!events[i].custom_label.empty()) out[path + ".customLabel"] = events[i].custom_label.str();
      out[path + ".label"] = events[i].label().str();
    }
  }

  // What each registered function says about each pod in the queue, whether or not its plugin rejected the pod.
  // `version` stands in for the queued pod of its name.
  void render_hints(const std::vector<ClusterEvent>& events, const queue::EventObjects& objects,
                    const api::PodPtr& version, Flat& out) const {
    std::map<std::string, api::PodPtr> pods;
    for (const Place place : kPlaces) {
      for (const QueuedPod* pod : queue_->pods_in(place)) pods[api::full_name(pod->pod->metadata)] = pod->pod;
    }
    if (version != nullptr) pods[api::full_name(version->metadata)] = version;
    if (pods.empty()) return;
    std::multimap<std::string, Flat> records;  // in the order of the trace
    for (const ClusterEvent& event : events) {
      if (event.is_wildcard()) continue;
      for (const queue::HintRegistration& hint : hints_) {
        if (!queue::matches(hint.event, event)) continue;
        Flat record{{"event", event.label().str()},
                    {"plugin", hint.plugin.str()},
                    {"resource", hint.event.resource.str()},
                    {"action", std::to_string(hint.event.actions)}};
        std::map<std::string_view, int> counts;
        for (const auto& [name, pod] : pods) {
          const std::string_view answer = answer_name(hint.hint ? hint.hint(*pod, objects) : queue::HintAnswer::kQueue);
          record[fmt::format("{}[{}]", answer, counts[answer]++)] = name;
        }
        records.emplace(fmt::format("{}/{}/{}/{:08}", event.label().text(), hint.plugin.text(),
                                    hint.event.resource.text(), hint.event.actions),
                        std::move(record));
      }
    }
    std::size_t i = 0;
    for (const auto& [key, record] : records) {
      for (const auto& [path, value] : record) out[fmt::format("out.hints[{}].{}", i, path)] = value;
      ++i;
    }
  }

  static std::string_view answer_name(queue::HintAnswer answer) {
    switch (answer) {
      case queue::HintAnswer::kQueue: return "queue";
      case queue::HintAnswer::kSkip: return "skip";
      case queue::HintAnswer::kError: return "error";
      case queue::HintAnswer::kQueueImmediately: return "queueImmediately";
    }
    return "";
  }

  void render_nominated(Symbol node, Flat& out) const {
    std::vector<queue::NominatedPod> pods = queue_->nominated_pods_for_node(node);
    const auto name_and_uid = [](const queue::NominatedPod& pod) {
      return fmt::format("{}/{}{}", pod.nomination.name_space.text(), pod.nomination.name,
                         pod.pod != nullptr ? pod.pod->metadata.uid : pod.nomination.uid);
    };
    std::ranges::sort(pods, {}, name_and_uid);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::string path = fmt::format("out.nominated[{}]", i);
      out[path + ".pod"] = fmt::format("{}/{}", pods[i].nomination.name_space.text(), pods[i].nomination.name);
      out[path + ".uid"] = pods[i].pod != nullptr ? pods[i].pod->metadata.uid : pods[i].nomination.uid;
      if (pods[i].pod != nullptr) out[path + ".rv"] = pods[i].pod->metadata.resource_version;
    }
  }

  void render_pending(Flat& out) const {
    std::string summary;
    std::vector<std::string> names;
    for (const api::PodPtr& pod : queue_->pending_pods(&summary)) names.push_back(api::full_name(pod->metadata));
    std::ranges::sort(names);
    render_list(names, "out.pods", out);
    if (release_ == queue::Release::kV1_28) out["out.summary"] = summary;
  }

  void render_metrics(Flat& out) const {
    const auto put = [&out](const char* name, const std::map<std::string, std::int64_t>& values) {
      for (const auto& [key, value] : values) {
        if (value != 0) out[fmt::format("out.metrics.{}.{}", name, key)] = std::to_string(value);
      }
    };
    put("queueIncomingPods", metrics_.incoming);
    put("unschedulablePods", metrics_.unschedulable);
    for (const char* queue_name : {"active", "backoff", "unschedulable", "gated"}) {
      const auto found = metrics_.pending.find(queue_name);
      out[fmt::format("out.metrics.pendingPods.{}", queue_name)] =
          std::to_string(found == metrics_.pending.end() ? 0 : found->second);
    }
    std::string summary;
    queue_->pending_pods(&summary);
    out["out.metrics.summary"] = summary;
  }

  const queue::Release release_;
  InternPool pool_;
  Instant epoch_;
  Instant now_;
  ClusterView view_;
  std::vector<queue::HintRegistration> hints_;  // of the plugins, in mode "default"
  std::string registration_difference_;
  queue::CountingQueueMetrics metrics_;
  std::unique_ptr<queue::SchedulingQueue> queue_;
  std::unordered_map<std::string, queue::PoppedPod> popped_;  // by UID; gone before the queue
};

}  // namespace

TraceResult compare_queue_trace(const std::string& file, std::ostream& out) {
  TraceReader reader(file);
  Json line;
  if (!reader.next(line)) throw std::runtime_error(file + ": empty");
  Replay replay(line);
  TraceResult result;
  if (!replay.header_difference().empty()) {
    out << fmt::format("{}:1: {}\n", file, replay.header_difference());
    result.differences = 1;
    return result;
  }
  while (reader.next(line)) {
    ++result.compared;
    const std::string difference = replay.step(line);
    if (difference.empty()) continue;
    out << fmt::format("{}:{}: {} (operation {}): {}\n", file, reader.line_number(), text_of(line, "op"),
                       integer_of(line, "i"), difference);
    result.differences = 1;
    return result;
  }
  return result;
}

}  // namespace berth::conformance
