"""How the scheduler speaks with its API server: protocol, budget, and how it finds it."""

import datetime
import os
import shutil
import subprocess
import unittest

import kube
from processes import Port, Process, wait_until
from proxy import TcpProxy
from world import BerthTest, Suite, configuration, note, service_account_user

PER_SECOND, BURST = 5, 5
PODS = 40
KINDS_THAT_ARE_WATCHED = 18
IN_A_POD = """
mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount &&
cp "$1"/token "$1"/ca.crt "$1"/namespace /run/secrets/kubernetes.io/serviceaccount/ && shift && exec "$@"
"""


class Protocol(BerthTest):
    starts_daemon = False

    def test_watches_share_a_connection(self):
        """Which only HTTP/2 can do: with HTTP/1.1 each watch has one of its own (faults_test.Answers speaks that)."""
        with TcpProxy(self.cluster.port) as proxy, self.start_daemon(server=proxy.address) as daemon:
            self.nodes("n1")
            for number in range(20):
                self.pod(f"p{number}")
            for number in range(20):
                self.bound(f"p{number}", "n1")
            self.assertLess(proxy.connections, KINDS_THAT_ARE_WATCHED / 3)
            daemon.stop()  # and its last events are written


class Budget(BerthTest):
    config = configuration(clientConnection={"qps": PER_SECOND, "burst": BURST})

    def test_requests_are_as_many_a_second_as_was_said(self):
        self.nodes(kube.node("n1", cpu=32), kube.node("n2", cpu=32))
        self.admin.create_all([kube.pod(f"p{number}") for number in range(PODS)])
        self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=60, what="bound")
        times = sorted(self.binds())
        self.assertEqual(len(times), PODS)
        # From the request that comes first to each later one: the burst, and then so many a second. Requests may be
        # on their way for a while, hence some more.
        for index, at in enumerate(times):
            self.assertLessEqual(index + 1, BURST + PER_SECOND * ((at - times[0]).total_seconds() + 0.5) + 1)
        note(f"{PER_SECOND} requests a second allowed: {PODS} binds in {(times[-1] - times[0]).total_seconds():.1f} s")

    def binds(self):
        for entry in self.cluster.audit_entries():
            if entry.get("objectRef", {}).get("subresource") == "binding":
                if entry["requestReceivedTimestamp"] >= self.started_at:
                    yield datetime.datetime.fromisoformat(entry["requestReceivedTimestamp"].replace("Z", "+00:00"))


class InAPod(BerthTest):
    """As in a container: the address in the environment, token and CA where the kubelet mounts them. The files are put
    into a mount namespace, which needs no rights where users may make one."""

    starts_daemon = False

    def setUp(self):
        super().setUp()
        if not shutil.which("unshare") or subprocess.run(
                ["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True,
                check=False).returncode != 0:
            raise unittest.SkipTest("there are no user namespaces here")

    def test_service_account_of_the_pod_is_used(self):
        mounted = self.cluster.folder / "serviceaccount"
        mounted.mkdir()
        (mounted / "token").write_text(service_account_user())
        (mounted / "namespace").write_text("kube-system")
        shutil.copy(self.cluster.authority.certificate, mounted / "ca.crt")
        config = self.cluster.folder / "in-a-pod.config"
        config.write_text('{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",'
                          ' "leaderElection": {"resourceName": "berth"}}')
        port = Port()
        process = Process("in-a-pod", [
            "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", IN_A_POD, "sh", mounted, *Suite.command,
            f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={port.number}", "--permit-port-sharing",
            "-v=2"], self.cluster.folder / "in-a-pod.log",
            {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.cluster.port),
             **({"HOME": str(mounted)} if "HOME" in os.environ else {})})
        try:
            self.nodes("n1")
            self.pod("p")
            try:
                self.bound("p", "n1")
            except TimeoutError as error:
                raise AssertionError(process.tail(40)) from error
            self.events_of("p", "Scheduled")
            # What it serves is guarded by the same server: it may ask who somebody is.
            served = kube.Client(f"https://127.0.0.1:{port.number}", token=self.cluster.service_account_token(
                "kube-system", "berth"), timeout=10)
            wait_until(lambda: served.raw("GET", "/readyz").status == 200, kube.WAIT_SECONDS, "it is ready")
            self.assertEqual(served.raw("GET", "/metrics").status, 403)
        finally:
            process.stop()
            port.close()
