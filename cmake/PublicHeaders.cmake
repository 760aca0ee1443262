# The headers that users of the library may include, by component. docs/library.md tells what is promised about them and
# lists them too; tests/install checks that both lists agree and that the headers compile as they are installed.
#
# Headers that these include are installed with them, marked as not public.
set(BERTH_PUBLIC_HEADERS_queue
  berth/api/cluster.h
  berth/api/kinds.h
  berth/api/meta.h
  berth/api/node.h
  berth/api/object.h
  berth/api/pod.h
  berth/api/quantity.h
  berth/base/error.h
  berth/base/symbol.h
  berth/base/time.h
  berth/queue/blocking_queue.h
  berth/queue/cluster_event.h
  berth/queue/queue_sort.h
  berth/queue/pre_enqueue.h
  berth/queue/queued_pod.h
  berth/queue/queueing_hint.h
  berth/queue/release.h
  berth/queue/scheduling_queue.h)

set(BERTH_PUBLIC_HEADERS_scheduler
  berth/cache/cluster_objects.h
  berth/cache/node_state.h
  berth/codec/documents.h
  berth/codec/json.h
  berth/codec/yaml.h
  berth/config/feature_gates.h
  berth/config/load.h
  berth/engine/attempt_log.h
  berth/engine/command.h
  berth/engine/observer.h
  berth/engine/scheduler.h
  berth/framework/per_node.h
  berth/framework/plugin.h
  berth/framework/pod_filter.h
  berth/framework/pod_scorer.h
  berth/framework/pod_to_place.h
  berth/framework/reason.h
  berth/framework/registry.h
  berth/framework/status.h)

set(BERTH_PUBLIC_HEADERS_sim
  berth/scenario/runner.h
  berth/scenario/scenario.h
  berth/sim/api_server.h
  berth/sim/faults.h
  berth/sim/history.h
  berth/sim/world.h)

set(BERTH_PUBLIC_HEADERS_daemon
  berth/daemon/daemon.h
  berth/daemon/flags.h
  berth/daemon/log.h
  berth/daemon/settings.h)
