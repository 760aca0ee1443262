"""Commands that read a live cluster, and `kubectl berth`: what they ask it for, what they say, and how they exit.

Usage: cluster_cli_test.py PROGRAM SOURCE_DIR
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from fake_cluster import FORBIDDEN, kubeconfig, list_of, pages_of, server

BERTH = ""  # path of the program under test, from the command line
SOURCE = ""  # the tree that it was built from

NODE = {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
OTHER_NODE = {"metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}


def pod(name, namespace="shop", cpu="1", **more):
    return {"metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}",
                         **more.get("metadata", {})},
            "spec": {"schedulerName": "default-scheduler", **more.get("spec", {}),
                     "containers": [{"name": "main", "image": "web:1", "resources": {"requests": {"cpu": cpu}}}]},
            "status": more.get("status", {"phase": "Pending"})}


def of_deployment(name, number, **more):
    return pod(f"{name}-abc-{number}", cpu="9", metadata={
        "labels": {"app": name, "pod-template-hash": "abc"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{name}-abc", "uid": "rs",
                             "controller": True}]}, **more)


def cluster(*pods):
    return {**dict(pages_of("Node", NODE, OTHER_NODE)), "/api/v1/pods?limit=500": list_of("v1", "Pod", *pods)}


def run(*arguments, program=None, environment=None):
    return subprocess.run([program or BERTH, *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env=environment)


class LiveClusters(unittest.TestCase):
    def ask(self, answers, *arguments, **more):
        with server(answers, **more) as url, kubeconfig(url) as config:
            return run(*arguments, "--kubeconfig", config, "--context", "here")

    def test_inspect_describes_the_cluster(self):
        seen = []
        done = self.ask(cluster(pod("web-1")), "inspect", seen=seen)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 nodes", done.stdout)
        paths = [path for path, _ in seen]
        for kind in ("apps/v1/deployments", "apps/v1/daemonsets", "batch/v1/jobs", "karpenter.sh/v1/nodepools"):
            self.assertIn(f"/apis/{kind}?limit=500", paths)
        self.assertNotIn("/api/v1/events?limit=500", paths)

    def test_inspect_lists_the_pods_of_one_namespace(self):
        done = self.ask(cluster(pod("web-1"), pod("db-1", "other")), "inspect", "-n", "other", "-o", "json")
        self.assertEqual([row["namespace"] for row in json.loads(done.stdout)["classes"]], ["other"])

    def test_manifests_are_of_the_namespace_of_the_context(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: x}]}\n")
            file.flush()
            self.assertTrue(self.ask(cluster(), "explain", "--pod-file", file.name).stdout.startswith("shop/x fits"))
            done = self.ask(cluster(), "explain", "--pod-file", file.name, "-n", "other")
            self.assertTrue(done.stdout.startswith("other/x fits"))
            self.assertIn("other/x", self.ask(cluster(), "capacity", "--pod", file.name, "-n", "other").stdout)

    def test_capacity_counts_what_fits_into_the_cluster(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n"
                       "  containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]\n")
            file.flush()
            done = self.ask(cluster(), "capacity", "--pod", file.name, "-o", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(": 4", done.stdout)

    def test_what_if_asks_for_workloads_as_well(self):
        running = pod("web-1", spec={"nodeName": "n1"}, status={"phase": "Running"})
        seen = []
        done = self.ask(cluster(running), "what-if", "--drain", "n1", seen=seen)
        self.assertEqual(done.stderr, "")
        self.assertIn("n1", done.stdout)
        self.assertIn("/apis/apps/v1/deployments?limit=500", [path for path, _ in seen])

    def test_kinds_that_may_not_be_listed_are_named(self):
        answers = {**cluster(), "/apis/storage.k8s.io/v1/csinodes?limit=500": (403, FORBIDDEN)}
        done = self.ask(answers, "inspect", "-o", "json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["errors"], ["cannot list csinodes: 403 Forbidden: not for you"])
        # What only adds to the answer is a note.
        answers = {**cluster(), "/api/v1/resourcequotas?limit=500": (403, FORBIDDEN)}
        done = self.ask(answers, "inspect")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "berth: note: cannot list resourcequotas: 403 Forbidden: not for you\n"))

    def test_nodes_that_may_not_be_listed_are_a_failure(self):
        for command in (("inspect",), ("capacity", "--pod", os.devnull), ("what-if", "--drain", "n1"), ("explain",)):
            with self.subTest(command):
                done = self.ask({"/api/v1/nodes?limit=500": (403, FORBIDDEN)}, *command)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr, "berth: cannot list nodes: 403 Forbidden: not for you\n")

    def test_without_files_or_a_kubeconfig_the_command_asks_for_one(self):
        for command, option in ((("inspect",), "a FILE"), (("capacity", "--pod", os.devnull), "a FILE"),
                                (("what-if", "--drain", "n1"), "a DUMP"), (("explain",), "--from FILE")):
            with self.subTest(command):
                done = run(*command, environment={"HOME": "/no/such/folder"})
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"which cluster? Give {option}, or a kubeconfig: no kubeconfig found", done.stderr)

    def test_files_and_a_cluster_do_not_go_together(self):
        for command in (("inspect", os.devnull), ("capacity", os.devnull, "--pod", os.devnull),
                        ("what-if", os.devnull, "--drain", "n1"), ("explain", "--from", os.devnull)):
            with self.subTest(command):
                done = run(*command, "--context", "here")
                self.assertEqual(done.returncode, 2)
                self.assertIn("not both", done.stderr)

    def test_a_server_that_does_not_answer_is_named(self):
        with kubeconfig("http://127.0.0.1:1") as config:
            done = run("inspect", "--kubeconfig", config, "--context", "here")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot list nodes: 127.0.0.1:1: ", done.stderr)

    def test_as_asks_in_the_name_of_somebody_else(self):
        headers = []
        self.ask(cluster(), "inspect", "--as", "jane", "--as-group", "dev", headers=headers)
        given = {name.lower(): value for name, value in headers[0].items()}
        self.assertEqual((given["impersonate-user"], given["impersonate-group"]), ("jane", "dev"))


class PendingPods(unittest.TestCase):
    def ask(self, answers, *arguments, **more):
        with server(answers, **more) as url, kubeconfig(url) as config:
            return run("explain", *arguments, "--kubeconfig", config, "--context", "here")

    def test_all_namespaces_are_looked_at_unless_one_is_given(self):
        answers = cluster(of_deployment("web", 1), of_deployment("web", 2), pod("x", "other", "9"))
        seen = []
        done = self.ask(answers, seen=seen)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("3 pods are pending, for 1 cause.", done.stdout)
        self.assertIn("2 pods of Deployment shop/web: each ", done.stdout)
        self.assertIn("/api/v1/events?limit=500", [path for path, _ in seen])
        self.assertEqual(self.ask(answers, "--pending", "-A").stdout, done.stdout)
        self.assertIn("1 pod in namespace other is pending", self.ask(answers, "-n", "other").stdout)
        self.assertIn("2 pods with these labels are pending", self.ask(answers, "-l", "app=web").stdout)

    def test_a_name_is_of_the_namespace_that_was_given(self):
        answers = cluster(pod("x", "shop", "9"), pod("x", "other", "1"))
        self.assertTrue(self.ask(answers, "x", "-n", "other").stdout.startswith("other/x fits on 2 of 2 nodes"))
        self.assertTrue(self.ask(answers, "x").stdout.startswith("shop/x fits on no"))

    def test_a_daemon_is_asked_for_all_at_once(self):
        report = {"sentence": "1 pod is pending, for 1 cause.", "pods": 1, "nodes": 1, "causes": [
            {"cause": "not enough free cpu", "answer": "Unschedulable", "count": 1, "rows": [
                {"kind": "Pod", "name": "shop/x", "count": 1, "sentence": "shop/x fits nowhere.",
                 "pods": ["shop/x"]}]}]}
        seen = []
        answers = {"/berth/v1/pending?namespace=shop&labelSelector=app%3Dweb": (200, report),
                   "/berth/v1/pending": (503, {"error": "the scheduler is shutting down"})}
        with server(answers, seen) as url:
            home = {"HOME": "/no/such/folder"}
            done = run("explain", "--server", url, "-n", "shop", "-l", "app=web", environment=home)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 pod: not enough free cpu", done.stdout)
            done = run("explain", "--server", url, "-n", "shop", "-l", "app=web", "-o", "json", environment=home)
            self.assertEqual(json.loads(done.stdout)["causes"][0]["rows"][0]["name"], "shop/x")
            done = run("explain", "--server", url, environment=home)
            self.assertEqual((done.returncode, done.stderr), (1, "berth: the scheduler is shutting down\n"))

    def test_watch_asks_again_until_it_is_interrupted(self):
        seen = []
        with server(cluster(pod("x", cpu="9")), seen) as url, kubeconfig(url) as config:
            with subprocess.Popen([BERTH, "explain", "--watch", "--interval", "1", "--kubeconfig", config, "--context",
                                   "here"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                deadline = time.monotonic() + 50
                nodes = "/api/v1/nodes?limit=500"
                while [path for path, _ in seen].count(nodes) < 3 and time.monotonic() < deadline:
                    time.sleep(0.05)
                process.send_signal(signal.SIGINT)
                out, error = process.communicate(timeout=30)
        self.assertEqual((process.returncode, error), (0, ""))
        self.assertGreaterEqual(out.count("1 pod is pending, for 1 cause."), 2)
        self.assertNotIn("\033", out)

    def test_watch_of_a_cluster_that_does_not_answer_ends(self):
        with kubeconfig("http://127.0.0.1:1") as config:
            done = run("explain", "--watch", "--kubeconfig", config, "--context", "here")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot list nodes", done.stderr)


class KubectlPlugin(unittest.TestCase):
    """As kubectl finds and runs it: a program kubectl-NAME in $PATH, with the words behind NAME."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.symlink(BERTH, os.path.join(self.folder, "kubectl-berth"))
        os.symlink(os.path.join(SOURCE, "deploy/kubectl/kubectl_complete-berth"),
                   os.path.join(self.folder, "kubectl_complete-berth"))
        # What kubectl does with a subcommand that it does not know itself.
        kubectl = os.path.join(self.folder, "kubectl")
        with open(kubectl, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nplugin=$(command -v "kubectl-$1") || exit 1\nshift\nexec "$plugin" "$@"\n')
        os.chmod(kubectl, 0o755)
        self.environment = {"PATH": self.folder + os.pathsep + os.environ["PATH"], "HOME": "/no/such/folder"}

    def kubectl(self, *arguments):
        return run("berth", *arguments, program=os.path.join(self.folder, "kubectl"), environment=self.environment)

    def complete(self, *words):
        done = run(*words, program=os.path.join(self.folder, "kubectl_complete-berth"), environment=self.environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *lines, directive = done.stdout.splitlines()
        return [line.split("\t")[0] for line in lines], directive

    def test_flags_are_passed_on(self):
        answers = cluster(pod("x", "other", "9"), pod("y", "shop", "9"))
        with server(answers) as url, kubeconfig(url) as config:
            done = self.kubectl("explain", "-n", "other", "--context", "here", "--kubeconfig", config)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 pod in namespace other is pending", done.stdout)

    def test_help_and_errors_say_kubectl_berth(self):
        shown = self.kubectl("explain", "--help").stdout
        self.assertIn("Usage: kubectl berth explain", shown)
        self.assertIn("kubectl berth explain shop/web-1", shown)
        self.assertNotIn("kubectl kubectl", shown)
        done = self.kubectl("explain")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("kubectl berth: which cluster?"), done.stderr)
        self.assertIn("Run 'kubectl berth explain --help' for usage.", done.stderr)
        self.assertIn("Run 'kubectl berth --help' for usage.", self.kubectl("explian").stderr)
        # The program itself keeps its name.
        self.assertIn("Usage: berth explain", run("explain", "--help").stdout)

    def test_completion_offers_subcommands_options_and_values(self):
        words, directive = self.complete("")
        self.assertIn("explain", words)
        self.assertNotIn("__complete", words)
        self.assertEqual(directive, ":4")
        self.assertEqual(self.complete("capa"), (["capacity"], ":4"))
        self.assertEqual(self.complete("explain", "--pend"), (["--pending"], ":4"))
        self.assertEqual(self.complete("explain", "-o", "")[0], ["text", "json", "markdown"])
        self.assertEqual(self.complete("explain", "-o", "json", "--wat")[0], ["--watch"])
        self.assertEqual(self.complete("explain", "--output=m")[0], ["--output=markdown"])
        self.assertEqual(self.complete("inspect", ""), ([], ":0"))
        self.assertEqual(self.complete("inspect", "--kubeconfig", ""), ([], ":0"))

    def test_krews_manifest_is_filled_in(self):
        archive = os.path.join(self.folder, "berth-9.8.7-linux-amd64.tar.gz")
        subprocess.run(["tar", "-czf", archive, "-C", os.path.dirname(BERTH), os.path.basename(BERTH)], check=True)
        script = os.path.join(SOURCE, "scripts/krew-manifest")
        done = run("9.8.7", archive, "https://example.com/berth.tar.gz", "https://example.com", program=script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("@", done.stdout)
        for line in ("  version: v9.8.7", "    uri: https://example.com/berth.tar.gz", "    bin: berth",
                     "        arch: amd64"):
            self.assertIn(line, done.stdout.splitlines())
        self.assertRegex(done.stdout, r"(?m)^    sha256: [0-9a-f]{64}$")
        self.assertEqual(run("9.8.7", program=script).returncode, 2)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    SOURCE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
