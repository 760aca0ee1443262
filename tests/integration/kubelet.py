"""What kubelets and controllers do that scheduling needs and a bare API server has not: ends pods that are being
deleted (a bound pod keeps its place until its kubelet says so) and, if asked, says that bound pods run.
"""

import concurrent.futures
import threading
import time

import kube


class Kubelet:
    """All nodes' kubelets in one thread. `linger` is how many seconds a pod takes to end."""

    def __init__(self, client, linger=0.0, runs_pods=False):
        self._client = client
        self._linger = linger
        self._runs_pods = runs_pods
        self._stopping = threading.Event()
        self._watch = None
        self._pool = concurrent.futures.ThreadPoolExecutor(4)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._stopping.set()
        if self._watch:
            self._watch.close()
        self._thread.join(10)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self):
        while not self._stopping.is_set():
            try:
                pods, version = self._client.list_with_version("Pod", "*")
                for pod in pods:
                    self._look_at(pod)
                self._watch = self._client.watch("Pod", "*", version)
                for kind, pod in self._watch:
                    if kind in ("ADDED", "MODIFIED"):
                        self._look_at(pod)
            except (OSError, kube.ApiError):
                self._stopping.wait(0.2)  # the API server is away, which is some tests' point

    def _look_at(self, pod):
        if not kube.node_of(pod):
            return
        if pod["metadata"].get("deletionTimestamp"):
            self._pool.submit(self._end, pod["metadata"])
        elif self._runs_pods and pod["status"].get("phase") == "Pending":
            self._pool.submit(self._mark_running, pod["metadata"])

    def _end(self, metadata):
        if self._linger:
            time.sleep(self._linger)
        # Only this very pod: another one of its name may have come meanwhile.
        place = kube.path_of("Pod", metadata["namespace"], metadata["name"])
        self._patiently(lambda: self._client.request(
            "DELETE", place, {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}))

    def _mark_running(self, metadata):
        self._patiently(lambda: self._client.patch("Pod", metadata["name"], {"status": {"phase": "Running"}},
                                                   metadata["namespace"], "status"))

    def _patiently(self, action):
        while not self._stopping.is_set():
            try:
                return action()
            except OSError:
                self._stopping.wait(0.2)
            except kube.ApiError as error:
                if error.status in (404, 409):
                    return None
                self._stopping.wait(0.2)
        return None
