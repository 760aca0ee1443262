"""Writes down every change of every pod from its start on, by a watch of its own straight to the API server.

A pod that is bound keeps its node for life; the recorder is how a checker knows that no pod ever moved, and how quickly
each was bound. It lists again when its watch breaks (the API server is killed in some tests): no change of nodeName can
be missed that way, since it never changes back.
"""

import threading
import time

import kube


class Recorder:
    def __init__(self, client):
        self._client = client
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._watch = None
        self.nodes = {}     # uid: [every nodeName it was seen with, in order]
        self.names = {}     # uid: (namespace, name)
        self.seen_at = {}   # uid: monotonic time when it was first seen
        self.bound_at = {}  # uid: ... and when it was first seen bound
        self.faults = []    # what the watch itself found wrong
        pods, self._version = client.list_with_version("Pod", "*")
        for pod in pods:
            self._note(pod)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._stopping.set()
        if self._watch:
            self._watch.close()
        self._thread.join(10)

    def latencies(self):
        """Seconds from creation to binding, of pods seen from their creation on, sorted."""
        with self._lock:
            return sorted(at - self.seen_at[uid] for uid, at in self.bound_at.items())

    def moved(self):
        """[(pod, nodes)] of pods that were seen on more than one node; there must be none."""
        with self._lock:
            return [(self.names[uid], nodes) for uid, nodes in self.nodes.items() if len(nodes) > 1]

    def _note(self, pod):
        uid = pod["metadata"]["uid"]
        now = time.monotonic()
        with self._lock:
            self.names[uid] = (pod["metadata"]["namespace"], pod["metadata"]["name"])
            self.seen_at.setdefault(uid, now)
            node = kube.node_of(pod)
            if node:
                nodes = self.nodes.setdefault(uid, [])
                if node not in nodes:
                    nodes.append(node)
                self.bound_at.setdefault(uid, now)
            elif uid in self.nodes:
                self.faults.append(f"{self.names[uid]} was on {self.nodes[uid]} and is unbound again")

    def _run(self):
        while not self._stopping.is_set():
            try:
                self._watch = self._client.watch("Pod", "*", self._version)
                for _, pod in self._watch:
                    self._version = pod["metadata"]["resourceVersion"]
                    self._note(pod)
            except (OSError, kube.ApiError):
                self._list_again()

    def _list_again(self):
        while not self._stopping.is_set():
            try:
                pods, self._version = self._client.list_with_version("Pod", "*")
                for pod in pods:
                    self._note(pod)
                return
            except (OSError, kube.ApiError):
                self._stopping.wait(0.1)
