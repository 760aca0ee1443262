"""What the scheduler serves over HTTPS, to whom, and to whom not."""

import json
import re
import ssl
import subprocess

import cluster as clusters
import kube
from world import ROOT, BerthTest, Suite

OPEN = ("/healthz", "/livez", "/readyz")
GUARDED = ("/metrics", "/metrics/resources", "/metrics/slis", "/configz", "/flagz", "/statusz")
BERTHS_OWN = ("/berth/v1/queue", "/berth/v1/nodes/n1", "/berth/v1/pods/default/p")
NAMES = """
scheduler_schedule_attempts_total scheduler_scheduling_attempt_duration_seconds_bucket
scheduler_scheduling_algorithm_duration_seconds_bucket scheduler_framework_extension_point_duration_seconds_bucket
scheduler_plugin_evaluation_total scheduler_pending_pods scheduler_queue_incoming_pods_total
scheduler_unschedulable_pods scheduler_pod_scheduling_attempts_bucket
scheduler_pod_scheduling_sli_duration_seconds_bucket
scheduler_preemption_attempts_total scheduler_cache_size scheduler_goroutines
scheduler_event_handling_duration_seconds_bucket kubernetes_build_info kubernetes_feature_enabled
rest_client_requests_total rest_client_request_duration_seconds_bucket rest_client_request_size_bytes_bucket
rest_client_response_size_bytes_bucket process_cpu_seconds_total process_resident_memory_bytes
process_start_time_seconds process_open_fds process_virtual_memory_max_bytes
""".split()


class Serving(BerthTest):
    def setUp(self):
        super().setUp()
        self.nodes(kube.node("n1", cpu=1))
        self.pod("p", cpu="250m", memory="64Mi")
        self.bound("p")
        self.pod("big", cpu=2)
        self.pending("big")

    def status(self, path, token=None, **options):
        return self.daemon.read(path, token, **options).status

    def test_health_is_for_everybody(self):
        for path in OPEN:
            answer = self.daemon.read(path)
            self.assertEqual((answer.status, answer.text), (200, "ok"), path)
        self.assertIn("[+]sched-handler-sync ok", self.daemon.read("/readyz?verbose").text)
        self.assertIn("readyz check passed", self.daemon.read("/readyz?verbose").text)
        excluded = self.daemon.read("/readyz?verbose&exclude=sched-handler-sync").text
        self.assertNotIn("[+]sched-handler-sync ok", excluded)

    def test_nobody_without_the_right_reads_anything_else(self):
        paths = GUARDED + (() if Suite.is_reference else BERTHS_OWN)
        for path in paths:
            self.assertEqual(self.status(path), 403, f"{path} anonymously")
            self.assertEqual(self.status(path, "no-such-token"), 401, f"{path} with a wrong token")
            self.assertEqual(self.status(path, clusters.READER), 403, f"{path} without the right")
            self.assertEqual(self.status(path, clusters.ADMIN), 200, f"{path} as an administrator")

    def test_viewer_role_of_rbac_yaml_is_enough(self):
        self.only_berth()
        self.admin.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                           "metadata": {"name": "reader-views-berth"},
                           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                       "name": "berth-viewer"},
                           "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "viewer"}]})
        try:
            certificate = self.certificate("viewer")
            for path in ("/metrics", "/metrics/resources", "/configz", *BERTHS_OWN):
                self.assertEqual(self.status(path, certificate=certificate), 200, path)
            self.assertEqual(self.status("/flagz", certificate=certificate), 403)
        finally:
            self.admin.delete("ClusterRoleBinding", "reader-views-berth")

    def certificate(self, name, groups=(), authority=None):
        paths = (self.cluster.folder / f"{name}.crt", self.cluster.folder / f"{name}.key")
        (authority or self.cluster.authority).sign(*paths, name, groups)
        return paths

    def test_client_certificate_says_who_somebody_is(self):
        self.assertEqual(self.status("/metrics", certificate=self.certificate("boss", ["system:masters"])), 200)
        self.assertEqual(self.status("/metrics", certificate=self.certificate("nobody")), 403)

    def test_front_proxy_may_speak_for_others(self):
        front = self.certificate("front-proxy", authority=self.cluster.front_proxy_authority)
        client = self.daemon.client(certificate=front)
        masters = {"X-Remote-User": "boss", "X-Remote-Group": "system:masters"}
        self.assertEqual(client.raw("GET", "/metrics", headers=masters).status, 200)
        self.assertEqual(client.raw("GET", "/metrics", headers={"X-Remote-User": "nobody"}).status, 403)
        # The same headers from somebody else mean nothing.
        self.assertEqual(self.daemon.client().raw("GET", "/metrics", headers=masters).status, 403)

    def test_metrics_have_kube_schedulers_names(self):
        found = {name for name, _ in self.daemon.metrics(clusters.ADMIN)}
        self.assertEqual([name for name in NAMES if name not in found], [])
        answer = self.daemon.read("/metrics", clusters.ADMIN)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain"), answer.headers["Content-Type"])

    def test_metrics_are_those_of_the_page(self):
        self.only_berth()
        page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
        listed = {name for row in re.findall(r"^\| (`[a-z_`, ]+`) \| (?:counter|gauge|histogram)", page, re.MULTILINE)
                  for name in re.findall(r"`([a-z_]+)`", row)}
        served = set()
        for path in ("/metrics", "/metrics/resources", "/metrics/slis"):
            text = self.daemon.read(path, clusters.ADMIN).text
            served |= set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
        self.assertGreater(len(served), 40)
        self.assertEqual(sorted(served - listed), [])

    def test_metrics_count(self):
        found = self.daemon.metrics(clusters.ADMIN)

        def of(name, **labels):
            return sum(value for (series, has), value in found.items()
                       if series == name and set(labels.items()) <= has)
        self.assertGreaterEqual(of("scheduler_schedule_attempts_total", result="scheduled",
                                   profile="default-scheduler"), 1)
        self.assertGreaterEqual(of("scheduler_schedule_attempts_total", result="unschedulable"), 1)
        self.assertEqual(of("scheduler_pending_pods", queue="unschedulable"), 1)
        self.assertEqual(of("scheduler_unschedulable_pods", plugin="NodeResourcesFit"), 1)

    def test_resource_metrics_are_of_pods_and_their_nodes(self):
        text = self.daemon.read("/metrics/resources", clusters.ADMIN).text
        self.assertRegex(text, r'kube_pod_resource_request\{namespace="default",node="n1",pod="p",priority="0",'
                               r'resource="cpu",scheduler="default-scheduler",unit="cores"\} 0\.25')

    def test_configuration_is_served_completed(self):
        config = json.loads(self.daemon.read("/configz", clusters.ADMIN).text)["componentconfig"]
        self.assertEqual(config["parallelism"], 16)
        self.assertEqual(config["profiles"][0]["schedulerName"], "default-scheduler")
        self.assertEqual(config["podMaxBackoffSeconds"], 1)

    def test_berths_own_view_of_pods_and_queue(self):
        self.only_berth()
        seen = json.loads(self.daemon.read("/berth/v1/pods/default/big", clusters.ADMIN).text)
        self.assertIn("NodeResourcesFit", json.dumps(seen))
        queue = self.daemon.read("/berth/v1/queue", clusters.ADMIN)
        self.assertIn("big", queue.text)
        node = self.daemon.read("/berth/v1/nodes/n1", clusters.ADMIN)
        self.assertIn("default/p", node.text)
        self.assertEqual(self.status("/berth/v1/pods/default/nobody", clusters.ADMIN), 404)
        self.assertEqual(self.status("/berth/v1/nodes/nowhere", clusters.ADMIN), 404)

    def test_explain_asks_the_daemon_or_looks_for_itself(self):
        self.only_berth()
        config = self.cluster.folder / "admin.kubeconfig"
        asked = self.explain("default/big", f"--server={self.daemon.address}", "--insecure-skip-tls-verify",
                             f"--kubeconfig={config}")
        alone = self.explain("default/big", f"--kubeconfig={config}")
        for text in (asked, alone):
            self.assertIn("cpu", text)

    def explain(self, *arguments):
        done = subprocess.run([Suite.berth, "explain", *arguments], capture_output=True, text=True, check=False,
                              timeout=30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_unknown_paths_and_wrong_methods_are_refused(self):
        self.assertEqual(self.status("/nothing/here", clusters.ADMIN), 404)
        answer = self.daemon.client(clusters.ADMIN).raw("POST", "/metrics", {"x": 1}, "application/json")
        self.assertIn(answer.status, (404, 405, 200) if Suite.is_reference else (404, 405))

    def test_old_tls_is_refused(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        client = self.daemon.client()
        client._tls = context  # pylint: disable=protected-access
        with self.assertRaises(OSError):
            client.raw("GET", "/healthz")


class GivenCertificate(BerthTest):
    starts_daemon = False

    def test_certificate_that_was_given_is_served(self):
        paths = (self.cluster.folder / "serving.crt", self.cluster.folder / "serving.key")
        self.cluster.authority.sign(*paths, "berth", kind="server")
        with self.start_daemon(certificate=paths) as daemon:
            # Checked against the authority, as Prometheus would.
            client = kube.Client(daemon.address, authority=self.cluster.authority.certificate, timeout=5)
            self.assertEqual(client.raw("GET", "/healthz").status, 200)

    def test_client_that_asks_for_a_name_gets_the_certificate_for_it(self):
        paths = (self.cluster.folder / "named.crt", self.cluster.folder / "named.key")
        self.cluster.front_proxy_authority.sign(*paths, "named", kind="server")
        with self.start_daemon(flags=[f"--tls-sni-cert-key={paths[0]},{paths[1]}:scheduler.example.com"]) as daemon:
            self.assertEqual(_issuer(daemon, "scheduler.example.com"), "front-proxy-ca")
            self.assertNotEqual(_issuer(daemon, "other.example.com"), "front-proxy-ca")

    def test_without_rights_it_says_so_and_does_not_work(self):
        token = self.cluster.client().request(
            "POST", "/api/v1/namespaces/default/serviceaccounts",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "powerless"}})["metadata"]["name"]
        try:
            self.nodes("n1")
            self.pod("p")
            with self.start_daemon(user=self.cluster.service_account_token("default", token), wait=False) as daemon:
                self.stays_pending("p", 4)
                self.assertFalse(_is_ready(daemon))
                if not Suite.is_reference:
                    self.assertIn("forbidden", daemon.process.tail(400))
        finally:
            self.admin.delete("ServiceAccount", "powerless")
            self.admin.delete("Pod", "p")


def _is_ready(daemon):
    try:
        return daemon.read("/readyz").status == 200
    except OSError:
        return False


def _issuer(daemon, name):
    """The common name of who signed the certificate that is shown to whoever asks for this name."""
    shown = subprocess.run(["openssl", "s_client", "-connect", daemon.address.removeprefix("https://"), "-servername",
                            name], input="", capture_output=True, text=True, check=False, timeout=10).stdout
    found = re.search(r"^issuer=.*CN ?= ?([^,\n]+)", shown, re.MULTILINE)
    return found[1] if found else shown
