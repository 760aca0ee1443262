"""Compares the world with what a scheduler must have made of it, whatever happened in between:

- every pod that plainly fits is bound; no pod is bound twice, and none was ever on two nodes;
- no node holds more than its allocatable, and no host port twice;
- every bound pod has its event Scheduled, every pending one its condition;
- the scheduler's own view (/metrics) is the API server's: nodes, pods, nothing assumed, nothing in flight.

"Plainly": pods that only ask for resources, so that the checker can tell by itself whether one fits. Tests say what
they expect of others.
"""

import collections
import re

import daemon as daemons
import kube
from processes import wait_until

SETTLE_SECONDS = 60  # for back-off, relists and the events that follow binds on a busy machine
SUFFIXES = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
CONSTRAINTS = ("nodeSelector", "affinity", "topologySpreadConstraints", "schedulingGates", "volumes", "nodeName",
               "resourceClaims", "overhead")


def quantity(text):
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", str(text))
    return float(match[1]) * SUFFIXES[match[2]]


def requests_of(pod):
    """{resource: amount} of a pod of plain containers, with the one pod that it is."""
    total = collections.Counter({"pods": 1})
    for container in pod["spec"]["containers"]:
        for resource, amount in container.get("resources", {}).get("requests", {}).items():
            total[resource] += quantity(amount)
    return total


def holds_resources(pod):
    return kube.node_of(pod) and pod["status"].get("phase") not in ("Succeeded", "Failed")


def is_plain(pod):
    return not any(pod["spec"].get(field) for field in CONSTRAINTS) and not any(
        port.get("hostPort") for container in pod["spec"]["containers"] for port in container.get("ports", []))


def untolerated(pod, node):
    tolerations = pod["spec"].get("tolerations", [])
    for taint in node["spec"].get("taints", []):
        if taint["effect"] == "PreferNoSchedule":
            continue
        if not any((not it.get("key") or it["key"] == taint["key"]) and it.get("effect") in (None, taint["effect"])
                   and (it.get("operator") == "Exists" or it.get("value", "") == taint.get("value", ""))
                   for it in tolerations):
            return True
    return False


class World:
    """Nodes and pods as the API server has them at one moment, and what is used where."""

    def __init__(self, client):
        self.nodes = {node["metadata"]["name"]: node for node in client.list("Node")}
        self.pods = client.list("Pod", "*")
        self.used = collections.defaultdict(collections.Counter)
        self.ports = collections.defaultdict(collections.Counter)
        for pod in self.pods:
            if holds_resources(pod):
                self.used[kube.node_of(pod)].update(requests_of(pod))
                for container in pod["spec"]["containers"]:
                    for port in container.get("ports", []):
                        if port.get("hostPort"):
                            self.ports[kube.node_of(pod)][port["hostPort"], port.get("protocol")] += 1

    def free(self, node, resource):
        return quantity(self.nodes[node]["status"]["allocatable"].get(resource, 0)) - self.used[node][resource]

    def has_hermits(self):
        """Pods that keep others away: then there are no plain pods."""
        return any(pod["spec"].get("affinity", {}).get("podAntiAffinity") for pod in self.pods)

    def place_for(self, pod):
        """A node that would take this plain pod; None if there is none."""
        wanted = requests_of(pod)
        for name, node in self.nodes.items():
            if (not node["spec"].get("unschedulable") and not untolerated(pod, node)
                    and all(self.free(name, resource) >= amount for resource, amount in wanted.items() if amount)):
                return name
        return None

    def pending(self, schedulers):
        return [pod for pod in self.pods if not kube.node_of(pod) and pod["spec"]["schedulerName"] in schedulers
                and not pod["metadata"].get("deletionTimestamp")]

    def overfull(self):
        """What must not be, as sentences."""
        for name, used in self.used.items():
            if name not in self.nodes:
                continue  # deleted with its pods still there: nobody's garbage collector runs
            for resource, amount in used.items():
                have = quantity(self.nodes[name]["status"]["allocatable"].get(resource, 0))
                if amount > have * 1.000001:
                    yield f"node {name} has {have} of {resource} and {amount} is used"
            for port, count in self.ports[name].items():
                if count > 1:
                    yield f"port {port} is used {count} times on {name}"


class Checker:
    """`is_lenient` forgives what kube-scheduler does when it does not hear how a bind ended: it forgets the event, and
    says of a bound pod that it failed."""

    def __init__(self, cluster, recorder, schedulers=("default-scheduler",), token=None, is_lenient=False):
        self._cluster = cluster
        self._client = cluster.client()
        self._recorder = recorder
        self._schedulers = set(schedulers)
        self._token = token
        self._is_lenient = is_lenient

    def check(self, daemon=None, timeout=SETTLE_SECONDS, events=True):
        """Raises AssertionError with every sentence that is not true in the end."""
        self._settle(timeout)
        world = World(self._client)
        wrong = list(world.overfull())
        wrong += [f"pod {name} was on {nodes}" for name, nodes in self._recorder.moved()]
        wrong += self._recorder.faults
        wrong += self._bound_twice()
        if not self._is_lenient:
            wrong += self._conditions(world)
        if wrong:
            raise AssertionError(f"the world is not as it must be ({len(wrong)} such):\n  " + "\n  ".join(wrong[:8]))
        if events and not self._is_lenient:
            self._wait_for_events(timeout)
        if daemon is not None:
            self._compare_views(daemon, timeout)

    def _settle(self, timeout):
        stuck = []

        def settled():
            nonlocal stuck
            world = World(self._client)
            stuck = [(pod["metadata"]["name"], world.place_for(pod)) for pod in world.pending(self._schedulers)
                     if is_plain(pod) and not world.has_hermits()]
            stuck = [(pod, node) for pod, node in stuck if node]
            return not stuck
        wait_until(settled, timeout, lambda: f"every pod that fits is bound; {len(stuck)} are not: {stuck[:5]}", 0.2)

    def _bound_twice(self):
        bound = collections.Counter()
        for entry in self._cluster.audit_entries():
            reference = entry.get("objectRef", {})
            if reference.get("subresource") == "binding" and entry["responseStatus"]["code"] == 201:
                uid = entry.get("requestObject", {}).get("metadata", {}).get("uid")
                bound[reference["namespace"], reference["name"], uid] += 1
        return [f"pod {name} was bound {count} times" for name, count in bound.items() if count > 1 and name[2]]

    def _conditions(self, world):
        for pod in world.pods:
            if pod["spec"]["schedulerName"] not in self._schedulers:
                continue
            condition = kube.scheduled(pod)
            name = pod["metadata"]["name"]
            if kube.node_of(pod):
                # A pod that was created with its node named has no condition from a scheduler.
                if condition and condition["status"] != "True":
                    yield f"pod {name} is bound and says {condition}"

    def _wait_for_events(self, timeout):
        missing = []

        def published():
            nonlocal missing
            seen = {event["regarding"].get("uid") for event in self._client.list("Event", "*")
                    if event.get("reason") == "Scheduled"}
            missing = [pod["metadata"]["name"] for pod in self._client.list("Pod", "*")
                       if pod["spec"]["schedulerName"] in self._schedulers and kube.node_of(pod)
                       and kube.scheduled(pod) and pod["metadata"]["uid"] not in seen]
            return not missing
        wait_until(published, timeout,
                   lambda: f"every bound pod has its event Scheduled; {len(missing)} have not: {missing[:5]}", 0.3)

    def _compare_views(self, daemon, timeout):
        views = {}

        def agree():
            nonlocal views
            world = World(self._client)
            found = daemon.metrics(self._token)
            gated = sum(1 for pod in world.pending(self._schedulers) if pod["spec"].get("schedulingGates"))
            views = {
                "nodes": (daemons.metric(found, "scheduler_cache_size", type="nodes"), len(world.nodes)),
                "pods": (daemons.metric(found, "scheduler_cache_size", type="pods"),
                         sum(1 for pod in world.pods if holds_resources(pod))),
                "assumed pods": (daemons.metric(found, "scheduler_cache_size", type="assumed_pods"), 0),
                "pending pods": (daemons.metric(found, "scheduler_pending_pods"),
                                 len(world.pending(self._schedulers))),
                "gated pods": (daemons.metric(found, "scheduler_pending_pods", queue="gated"), gated),
            }
            return all(own == true for own, true in views.values())
        wait_until(agree, timeout,
                   lambda: f"the scheduler's view is the API server's (what, its own, the API server's): {views}", 0.3)
