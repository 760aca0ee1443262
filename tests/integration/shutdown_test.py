"""How the scheduler starts and ends: flags, exit codes, signals, and what it leaves behind."""

import signal
import subprocess
import time

import cluster as clusters
import kube
from processes import Port, Process
from proxy import Fault, HttpProxy
from world import BerthTest, Suite, service_account_user

COMMAND_LINE_SECONDS = 20


class Ends(BerthTest):
    starts_daemon = False

    def test_sigterm_and_sigint_end_it_with_success(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.start_daemon() as daemon:
                daemon.process.signal(number)
                self.assertEqual(daemon.process.wait(20), 1 if Suite.is_reference else 0, daemon.process.tail())

    def test_bind_under_way_is_finished(self):
        with self.proxy() as proxy, self.start_daemon(server=proxy.address) as daemon:
            self.nodes("n1")
            slow = proxy.add(Fault(r"POST /api/v1/namespaces/default/pods/p/binding", "wait", seconds=2))
            self.pod("p")
            self.admin.wait_for("Pod", "p", lambda _: slow.hits, what="being bound")
            daemon.process.signal(signal.SIGTERM)
            code = daemon.process.wait(20)
            self.assertIsNotNone(code, "it does not end")
            if not Suite.is_reference:
                self.assertEqual(code, 0, daemon.process.tail())
                self.assertEqual(self.bound("p"), "n1")
                self.events_of("p", "Scheduled")
        self.admin.delete("Pod", "p")

    def proxy(self):
        return HttpProxy(self.cluster.port, self.cluster.authority.certificate,
                         (self.cluster.folder / "server.crt", self.cluster.folder / "server.key"))

    def test_server_that_is_away_does_not_keep_it_from_ending(self):
        with self.proxy() as proxy, self.start_daemon(server=proxy.address) as daemon:
            proxy.add(Fault(".", "drop", count=None))
            proxy.hang_up()
            time.sleep(1)
            started = time.monotonic()
            daemon.process.signal(signal.SIGTERM)
            self.assertIsNotNone(daemon.process.wait(30), "it does not end")
            self.assertLess(time.monotonic() - started, 25)

    def test_next_one_takes_up_where_the_killed_one_was(self):
        self.nodes(*(kube.node(f"n{number}", cpu=16) for number in range(3)))
        for round_number in range(3):
            with self.start_daemon() as daemon:
                self.admin.create_all([kube.pod(f"r{round_number}-{number}", cpu="100m") for number in range(60)])
                daemon.process.kill()
        with self.start_daemon() as daemon:
            self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=60, what="bound")
            self.checker.check(daemon, events=False)

    def check(self):
        self.checker.check(events=False)  # who is killed takes its last events along


class CommandLine(BerthTest):
    starts_daemon = False

    def run_with(self, *flags, expect):
        done = subprocess.run([*map(str, Suite.command), *flags], capture_output=True, text=True, check=False,
                              timeout=COMMAND_LINE_SECONDS)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_flags_of_kubeadms_manifest_are_enough(self):
        config = self.cluster.kubeconfig("kubeadm", clusters.SCHEDULER)
        port = Port()
        process = Process("kubeadm", [
            *Suite.command, f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1", f"--kubeconfig={config}", "--leader-elect=true", f"--secure-port={port.number}",
            "--permit-port-sharing"], self.cluster.folder / "kubeadm.log")
        try:
            self.nodes("n1")
            self.pod("p")
            self.bound("p", timeout=40)
            self.assertEqual(process.stop(), 0, process.tail())
        finally:
            process.kill()
            port.close()
        lease = self.admin.get("Lease", "kube-scheduler", "kube-system")
        self.assertFalse(lease["spec"].get("holderIdentity"), "the lease was not released")

    def test_flags_of_managed_clusters_are_accepted(self):
        with self.start_daemon(flags=[
                "--profiling=false", "--tls-min-version=VersionTLS12",
                "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                "--feature-gates=OpportunisticBatching=false", "--authentication-skip-lookup=false",
                "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics", "--logging-format=json",
                "--http2-max-streams-per-connection=100", "--contention-profiling=false",
                f"--client-ca-file={self.cluster.authority.certificate}"]) as daemon:
            self.nodes("n1")
            self.pod("p")
            self.bound("p")
            self.assertEqual(daemon.read("/metrics").status, 200)
            lines = [line for line in daemon.process.log.read_text().splitlines() if line.startswith("{")]
            self.assertTrue(lines, "no line of JSON in the log")

    def test_mistakes_are_errors(self):
        usage = 1 if Suite.is_reference else 2
        self.assertIn("unknown flag: --no-such-flag", self.run_with("--no-such-flag", expect=usage))
        self.run_with("--leader-elect=perhaps", expect=usage)
        self.assertIn("does not take any arguments", self.run_with("surplus", expect=usage))
        self.run_with("--config=/no/such/file", expect=1)

    def test_configuration_with_a_mistake_is_refused(self):
        path = self.cluster.folder / "wrong.config"
        path.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparalelism: 3\n")
        said = self.run_with(f"--config={path}", expect=1).replace("\\", "")  # a structured log escapes quotes
        self.assertIn('unknown field "paralelism"', said)

    def test_completed_configuration_can_be_written(self):
        path = self.cluster.folder / "written.yaml"
        config = self.cluster.kubeconfig("written", service_account_user())
        self.run_with(f"--kubeconfig={config}", f"--write-config-to={path}", expect=0)
        self.assertIn("kind: KubeSchedulerConfiguration", path.read_text())
