"""A scheduler's process under test: `berth run`, or kube-scheduler itself, which takes the same flags. So the suite can
be run against kube-scheduler (tests/integration/run --reference) to see whether a test asks for what that does.
"""

import json
import re

import kube
from processes import Port, Process, wait_until

READY_SECONDS = 40
# Attempts follow each other quickly, so that a test need not wait for the default back-off of up to ten seconds.
CONFIGURATION = {
    "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
    "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1, "leaderElection": {"leaderElect": False},
    # kube-scheduler's own limit of 50 a second would make it slow; Berth has none unless told.
    "clientConnection": {"qps": 5000, "burst": 5000},
}
METRIC = re.compile(r"^(\w+)(?:\{(.*)\})? ([0-9.eE+-]+|NaN|[+-]Inf)$")


def configuration(**fields):
    """The configuration above with these fields; a field that is a mapping is merged with what is there."""
    made = json.loads(json.dumps(CONFIGURATION))
    for key, value in fields.items():
        if isinstance(value, dict) and isinstance(made.get(key), dict):
            made[key].update(value)
        else:
            made[key] = value
    return made


class Daemon:
    """Started by the constructor. `user` is a kubeconfig's user (see Cluster.kubeconfig), `server` another address for
    the API server, such as a proxy's, `kubeconfig` a whole file in place of these; `flags` are further flags."""

    _count = 0

    def __init__(self, command, cluster, user, config=None, server=None, flags=(), environment=None, wait=True,
                 certificate=None, kubeconfig=None):
        Daemon._count += 1
        self.name = f"scheduler-{Daemon._count}"
        self._cluster = cluster
        self._port = Port()
        self.kubeconfig = kubeconfig or cluster.kubeconfig(self.name, user, server)
        reviews = cluster.kubeconfig(self.name + "-reviews", user, None)
        config = json.loads(json.dumps(config or CONFIGURATION))
        config.setdefault("clientConnection", {})["kubeconfig"] = str(self.kubeconfig)
        self.config = cluster.folder / f"{self.name}.config"
        self.config.write_text(json.dumps(config))
        self.address = f"https://127.0.0.1:{self._port.number}"
        serving = ([f"--tls-cert-file={certificate[0]}", f"--tls-private-key-file={certificate[1]}"] if certificate
                   else [])
        self.process = Process(self.name, [
            *command, f"--config={self.config}", f"--authentication-kubeconfig={reviews}",
            f"--authorization-kubeconfig={reviews}", "--bind-address=127.0.0.1", f"--secure-port={self._port.number}",
            "--permit-port-sharing", *serving, "-v=2", *flags], cluster.folder / f"{self.name}.log", environment)
        if wait:
            self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self._port.close()

    # ---- What it serves

    def client(self, token=None, **options):
        return kube.Client(self.address, token=token, timeout=10, **options)

    def read(self, path, token=None, **options):
        """The answer to GET `path`, whatever it is."""
        return self.client(token, **options).raw("GET", path, headers={"Accept": "*/*"})

    def is_ready(self):
        if not self.process.is_running():
            raise RuntimeError(f"{self.name} ended with {self.process.exit_code}:\n{self.process.tail()}")
        try:
            return self.read("/readyz").status == 200
        except OSError:
            return False

    def wait_ready(self, timeout=READY_SECONDS):
        wait_until(self.is_ready, timeout, lambda: f"{self.name} is ready:\n{self.process.tail()}")

    def metrics(self, token):
        """{(name, frozenset of (label, value)): number}."""
        answer = self.read("/metrics", token)
        if answer.status != 200:
            raise RuntimeError(f"/metrics: {answer.status} {answer.text[:300]}")
        found = {}
        for line in answer.text.splitlines():
            match = METRIC.match(line)
            if match:
                labels = frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
                found[match[1], labels] = float(match[3])
        return found

    def stop(self, grace=20):
        """SIGTERM; returns the exit code."""
        return self.process.stop(grace)


def metric(found, name, **labels):
    """The sum of a metric over the series that have these labels; None if there is no such series."""
    wanted = set(labels.items())
    values = [value for (series, has), value in found.items() if series == name and wanted <= has]
    return sum(values) if values else None
