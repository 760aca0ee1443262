"""What the groups of tests share: one API server for all of them, a scheduler per group, and words to write tests in.

A group is a class derived from BerthTest in a file *_test.py; tests/integration/run starts them. Each test makes its
own nodes and pods and finds nothing of the others: after every test the checker looks at the world, then everything is
deleted.
"""

import json
import os
import pathlib
import subprocess
import time
import unittest

import cluster as clusters
import kube
from checker import Checker
from daemon import Daemon, configuration
from kubelet import Kubelet
from recorder import Recorder

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVICE_ACCOUNT = ("kube-system", "berth")
PRIORITIES = {"low": 10, "middle": 100, "high": 1000}
CLEANED = ("Pod", "PersistentVolumeClaim", "PodDisruptionBudget", "Service", "ReplicaSet", "CSIStorageCapacity",
           "ResourceClaim")
CLEANED_GLOBALLY = ("Node", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver", "VolumeAttachment")


class Suite:
    """Set once by tests/integration/run."""

    cluster = None
    berth = None         # the program
    command = None       # how the scheduler under test is started
    is_reference = False  # kube-scheduler is under test: what only Berth has is skipped
    soak_minutes = None
    clock_shim = None
    kubectl = None
    notes = []           # numbers for the summary, such as how long a take-over took


def note(text):
    """A line for the summary at the end."""
    Suite.notes.append(text)
    print(f"    {text}", flush=True)


def prepare(cluster):
    """What all groups find: Berth's own rights (deploy/rbac.yaml) and priority classes."""
    admin = cluster.client()
    admin_kubeconfig = cluster.kubeconfig("admin", clusters.ADMIN)
    kubectl("apply", "-f", ROOT / "deploy/rbac.yaml", kubeconfig=admin_kubeconfig)
    for name, value in PRIORITIES.items():
        admin.create(kube.priority_class(name, value))
    admin.create(kube.priority_class("polite", 1000, "Never"))
    for name in ("other", "blue"):
        admin.create(kube.namespace(name, {"team": name}))


def kubectl(*arguments, kubeconfig=None, check=True, stdin=None):
    """Runs it and returns its standard output (both outputs if not `check`)."""
    config = kubeconfig or Suite.cluster.folder / "admin.kubeconfig"
    done = subprocess.run([str(Suite.kubectl), f"--kubeconfig={config}", *map(str, arguments)], capture_output=True,
                          text=True, check=False, input=stdin, timeout=60,
                          env={**os.environ, "HOME": str(Suite.cluster.folder)})
    if check and done.returncode != 0:
        raise AssertionError(f"kubectl {' '.join(map(str, arguments))}: {done.stderr}{done.stdout}")
    return done.stdout if check else done.stdout + done.stderr


def service_account_user():
    """A kubeconfig's user for Berth, with rights of deploy/rbac.yaml and no others."""
    return Suite.cluster.service_account_token(*SERVICE_ACCOUNT)


class BerthTest(unittest.TestCase):
    """`config` and `flags` are the group's own; a group with `starts_daemon = False` starts its schedulers itself."""

    maxDiff = None
    config = None
    flags = ()
    schedulers = ("default-scheduler",)
    starts_daemon = True
    runs_kubelet = True

    @classmethod
    def setUpClass(cls):
        cls.cluster = Suite.cluster
        cls.admin = Suite.cluster.client()
        cls.recorder = Recorder(Suite.cluster.client())
        cls.kubelet = Kubelet(Suite.cluster.client()) if cls.runs_kubelet else None
        cls.checker = Checker(cls.cluster, cls.recorder, cls.schedulers, clusters.ADMIN, Suite.is_reference)
        cls.daemon = None
        if cls.starts_daemon:
            cls.daemon = cls.start_daemon()

    @classmethod
    def tearDownClass(cls):
        try:
            if cls.daemon is not None:
                with cls.daemon:
                    cls.checker.check(cls.daemon)
                    code = cls.daemon.stop()
                    # kube-scheduler without leader election says that it failed whenever it is stopped.
                    if code != 0 and not Suite.is_reference:
                        raise AssertionError(f"the scheduler ended with {code}:\n{cls.daemon.process.tail()}")
        finally:
            if cls.kubelet:
                cls.kubelet.stop()
            cls.recorder.stop()
            delete_everything(cls.admin)
            cls.admin.delete_all("Event", "default")

    @classmethod
    def start_daemon(cls, **options):
        options.setdefault("user", service_account_user())
        options.setdefault("config", cls.config)
        options.setdefault("flags", cls.flags)
        return Daemon(Suite.command, cls.cluster, **options)

    def setUp(self):
        # Events of earlier tests' pods of the same name do not count.
        self.started_at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        self.failures_before = self._failures()

    def tearDown(self):
        try:
            if self.daemon is not None and not self.daemon.process.is_running():
                raise AssertionError(f"the scheduler died ({self.daemon.process.exit_code}):\n"
                                     f"{self.daemon.process.tail(80)}")
            if self._failures() == self.failures_before:  # what a failed test left behind says nothing more
                self.check()
        finally:
            delete_everything(self.admin)

    def _failures(self):
        result = self._outcome.result
        return len(result.failures) + len(result.errors)

    def check(self):
        """The world after one test; the scheduler's own view is compared after the last one of the group."""
        self.checker.check()

    # ---- Words for tests

    def nodes(self, *nodes):
        for item in nodes:
            self.admin.create(kube.node(item) if isinstance(item, str) else item)

    def cordon(self, node):
        """Returns when the scheduler has heard of it, in all likelihood: it learns of nodes and of pods separately."""
        self.admin.patch("Node", node, {"spec": {"unschedulable": True}})
        time.sleep(1)

    def pod(self, name, **fields):
        return self.admin.create(kube.pod(name, **fields))

    def bound(self, name, to=None, namespace="default", timeout=kube.WAIT_SECONDS):
        """Waits until the pod is bound; to this node, or to one of these. Returns the node."""
        found = self.admin.wait_for("Pod", name, kube.node_of, namespace, timeout, "bound")
        node = kube.node_of(found)
        if to is not None:
            self.assertIn(node, [to] if isinstance(to, str) else to, f"pod {name}")
        return node

    def pending(self, name, message=None, reason="Unschedulable", namespace="default", timeout=kube.WAIT_SECONDS):
        """Waits until the pod says that it cannot be scheduled, with `message` as part of why. Returns the message."""
        def is_pending(found):
            condition = kube.scheduled(found)
            return (condition and condition["status"] == "False" and condition["reason"] == reason
                    and (message is None or message in condition.get("message", "")))
        found = self.admin.wait_for("Pod", name, is_pending, namespace, timeout, f"pending because of: {message}")
        self.assertIsNone(kube.node_of(found))
        return kube.scheduled(found).get("message", "")

    def stays_pending(self, name, seconds=1.5, namespace="default"):
        """Looks for a while, since there is nothing to wait for."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.assertIsNone(kube.node_of(self.admin.get("Pod", name, namespace)), f"pod {name} is bound")
            time.sleep(0.1)

    def gone(self, name, namespace="default"):
        self.admin.wait_gone("Pod", name, namespace)

    def events_of(self, name, reason, namespace="default", timeout=kube.WAIT_SECONDS):
        """The pod's events with this reason, once there is one."""
        since = self.started_at
        found = self.admin.wait_all(
            "Event", lambda events: any(_is_about(event, name, reason, since) for event in events), namespace,
            timeout=timeout, what=f"about {name}: {reason}")
        return [event for event in found if _is_about(event, name, reason, since)]

    def only_berth(self):
        if Suite.is_reference:
            self.skipTest("kube-scheduler has no such thing")


def _is_about(event, name, reason, since):
    return (event["regarding"].get("name") == name and event.get("reason") == reason
            and event["metadata"]["creationTimestamp"] >= since)


def delete_everything(admin):
    for kind in CLEANED:
        for namespace in ("default", "other", "blue"):
            admin.delete_all(kind, namespace)
    for kind in CLEANED_GLOBALLY:
        place = kube.path_of(kind, None)
        admin.request("DELETE", place, {})
    for kind in ("Pod", "Node", "PersistentVolume"):
        admin.wait_all(kind, lambda items: not items, "*", what="gone")


def copy_of(item, **changes):
    return {**json.loads(json.dumps(item)), **changes}


__all__ = ["BerthTest", "ROOT", "Suite", "configuration", "copy_of", "kube", "kubectl", "note", "prepare",
           "service_account_user"]
