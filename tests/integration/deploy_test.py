"""The manifests and the chart in deploy/: a real API server takes them, and Berth works with what they give it."""

import json
import os
import subprocess
import unittest

import cluster as clusters
import kube
from world import ROOT, BerthTest, Suite, configuration, kubectl, service_account_user

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm/berth"
MANIFESTS = ("rbac.yaml", "second-scheduler.yaml", "only-scheduler.yaml", "static-pod.yaml")


def objects(*arguments, stdin=None):
    """What the server would make of a manifest, every field checked, and nothing kept."""
    answer = json.loads(kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-o", "json",
                                "--field-manager=deploy-test", "--force-conflicts", *arguments, stdin=stdin))
    return answer["items"] if answer["kind"] == "List" else [answer]


def find(items, kind):
    return [item for item in items if item["kind"] == kind]


class Manifests(BerthTest):
    starts_daemon = False

    def test_server_accepts_every_manifest(self):
        for name in MANIFESTS:
            with self.subTest(manifest=name):
                self.assertTrue(objects("-f", DEPLOY / name))

    def test_service_for_prometheus_selects_the_second_scheduler(self):
        service = objects("-f", DEPLOY / "monitoring/service.yaml")[0]
        deployment = find(objects("-f", DEPLOY / "second-scheduler.yaml"), "Deployment")[0]
        template = deployment["spec"]["template"]
        self.assertLessEqual(service["spec"]["selector"].items(), template["metadata"]["labels"].items())
        self.assertIn(service["spec"]["ports"][0]["targetPort"],
                      [port["containerPort"] for port in template["spec"]["containers"][0]["ports"]])

    def test_configurations_in_manifests_are_well(self):
        self.only_berth()
        for name in ("second-scheduler.yaml", "only-scheduler.yaml"):
            config = find(objects("-f", DEPLOY / name), "ConfigMap")[0]["data"]["config.yaml"]
            self.check_config(config)

    def check_config(self, text):
        done = subprocess.run([Suite.berth, "config", "check", "-"], input=text, capture_output=True, text=True,
                              check=False, timeout=20)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_flags_in_manifests_are_known(self):
        self.only_berth()
        known = subprocess.run([Suite.berth, "run", "--help"], capture_output=True, text=True, check=True).stdout
        for name in MANIFESTS[1:]:
            for item in objects("-f", DEPLOY / name):
                for flag in flags_of(item):
                    self.assertIn(flag.split("=")[0], known, f"{name}: {flag}")

    def test_static_pod_is_kubeadms_with_another_program(self):
        pod = objects("-f", DEPLOY / "static-pod.yaml")[0]
        container = pod["spec"]["containers"][0]
        self.assertEqual(container["command"][:2], ["berth", "run"])
        self.assertEqual(pod["metadata"]["labels"], {"component": "kube-scheduler", "tier": "control-plane"})
        self.assertEqual({container[probe]["httpGet"]["path"] for probe in
                          ("startupProbe", "livenessProbe", "readinessProbe")}, {"/livez", "/readyz"})

    def test_kubeadms_manifest_with_the_patch_runs_berth_with_kubeadms_flags(self):
        """As `kubeadm upgrade apply --patches deploy/kubeadm` does it: a JSON patch of the manifest that it writes."""
        text = (DEPLOY / "static-pod.yaml").read_text().replace("    - berth\n    - run\n", "    - kube-scheduler\n")
        self.assertIn("- kube-scheduler\n", text)
        patched = json.loads(kubectl("patch", "--local", "-f", "-", "--type=json", "-o", "json", "--patch-file",
                                     DEPLOY / "kubeadm/kube-scheduler+json.yaml", stdin=text))
        expected = objects("-f", DEPLOY / "static-pod.yaml")[0]["spec"]["containers"][0]
        container = patched["spec"]["containers"][0]
        for field in ("image", "command", "securityContext"):
            self.assertEqual(container[field], expected[field])

    def test_second_scheduler_works_with_the_rights_it_is_given(self):
        """As the Deployment would run it: the service account's token, and the ConfigMap's configuration."""
        self.only_berth()
        config = configuration(profiles=[{"schedulerName": "berth"}], leaderElection={
            "leaderElect": True, "resourceName": "berth", "resourceNamespace": "kube-system"})
        with self.start_daemon(config=config) as daemon:
            self.nodes(kube.node("n1", cpu=2))
            self.pod("ours", scheduler="berth", cpu=2)
            self.bound("ours", "n1")
            self.pod("theirs")
            self.stays_pending("theirs", 1)
            self.assertEqual(daemon.read("/metrics", clusters.ADMIN).status, 200)
            self.assertNotIn("forbidden", daemon.process.log.read_text())
        self.admin.delete("Pod", "theirs")

    def test_account_of_rbac_yaml_may_do_what_a_scheduler_does_and_no_more(self):
        account = self.cluster.client(service_account_user())

        def may(verb, group, resource, subresource="", name="", namespace=""):
            review = account.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
                "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": {"verb": verb, "group": group, "resource": resource, "name": name,
                                                "subresource": subresource, "namespace": namespace}}})
            return review["status"]["allowed"]
        for wanted in (("create", "", "pods", "binding"), ("patch", "", "pods", "status"), ("delete", "", "pods"),
                       ("watch", "", "nodes"), ("update", "", "persistentvolumeclaims"),
                       ("list", "storage.k8s.io", "csinodes"), ("watch", "storage.k8s.io", "volumeattachments"),
                       ("create", "events.k8s.io", "events"), ("list", "resource.k8s.io", "resourceclaims"),
                       ("create", "authentication.k8s.io", "tokenreviews"),
                       ("update", "coordination.k8s.io", "leases", "", "berth", "kube-system")):
            self.assertTrue(may(*wanted), wanted)
        for unwanted in (("create", "", "pods"), ("delete", "", "nodes"), ("list", "", "secrets"),
                         ("list", "", "configmaps"),
                         ("update", "coordination.k8s.io", "leases", "", "x", "kube-system")):
            self.assertFalse(may(*unwanted), unwanted)


class Chart(BerthTest):
    starts_daemon = False

    @classmethod
    def setUpClass(cls):
        # helm takes minutes to build, which not every run can spare: `tests/kube/build helm` once, and it is there.
        folder = clusters.programs("etcd")
        if not (folder / "helm").exists() and not os.environ.get("BERTH_TEST_HELM"):
            raise unittest.SkipTest("no helm: tests/kube/build helm, or BERTH_TEST_HELM=1")
        super().setUpClass()
        cls.helm = clusters.programs("helm") / "helm"

    def render(self, *arguments):
        done = subprocess.run([self.helm, "template", "mine", CHART, "--namespace=kube-system", *arguments],
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_chart_is_free_of_mistakes(self):
        done = subprocess.run([self.helm, "lint", "--strict", CHART], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_server_accepts_what_is_rendered(self):
        for values in ((), ("--set=schedulerName=default-scheduler,hostNetwork=true,port=10269",),
                       ("--set=serviceAccount.create=false,serviceAccount.name=given,rbac.create=false",
                        "--set=podDisruptionBudget.create=false,service.create=false"),
                       ("--set=extraArgs={--logging-format=json},configuration.podMaxBackoffSeconds=5",
                        "--set=nodeSelector.disk=ssd,tolerations[0].operator=Exists,podLabels.team=x")):
            with self.subTest(values=values):
                items = objects("-f", "-", stdin=self.render(*values))
                self.assertEqual(len(find(items, "Deployment")), 1)

    def test_values_arrive(self):
        items = objects("-f", "-", stdin=self.render(
            "--set=schedulerName=packer,configuration.podMaxBackoffSeconds=7,image.repository=r/berth,image.tag=t"))
        config = find(items, "ConfigMap")[0]["data"]["config.yaml"]
        for line in ("podMaxBackoffSeconds: 7", "schedulerName: packer", "resourceName: mine"):
            self.assertIn(line, config)
        spec = find(items, "Deployment")[0]["spec"]["template"]["spec"]
        self.assertEqual(spec["containers"][0]["image"], "r/berth:t")
        if not Suite.is_reference:
            Manifests.check_config(self, config)

    def test_in_kube_schedulers_place_it_wants_kube_schedulers_lease(self):
        items = objects("-f", "-", stdin=self.render("--set=schedulerName=default-scheduler"))
        self.assertIn("resourceName: kube-scheduler", find(items, "ConfigMap")[0]["data"]["config.yaml"])
        self.assertEqual(find(items, "Role")[0]["rules"][1]["resourceNames"], ["kube-scheduler"])

    def test_mistakes_in_values_are_refused(self):
        for values in ("--set=replicaz=3", "--set=port=0", "--set=image.pullPolicy=Sometimes"):
            done = subprocess.run([self.helm, "template", "mine", CHART, values], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertNotEqual(done.returncode, 0, values)


def flags_of(item):
    spec = item["spec"].get("template", item).get("spec", {}) if item["kind"] in ("Deployment", "Pod") else {}
    for container in spec.get("containers", []):
        yield from (word for word in container.get("command", []) if word.startswith("-"))
