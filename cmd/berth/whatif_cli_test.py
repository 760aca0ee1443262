"""`berth capacity`, `berth what-if` and `berth import openb` as a user meets them.

Usage: whatif_cli_test.py PROGRAM SHOP_DUMP
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line
SHOP = ""  # examples/shop.yaml

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {containers: [{name: main, resources: {requests: {cpu: 500m, memory: 256Mi}}}]}
"""
NODE = """\
apiVersion: v1
kind: Node
metadata: {name: large, labels: {node.kubernetes.io/pool: large}}
status: {allocatable: {cpu: "32", memory: 128Gi, pods: "110"}}
"""
NODES_CSV = """\
sn,cpu_milli,memory_mib,gpu,model
node-1,32000,262144,2,T4
node-2,64000,262144,0,
"""
PODS_CSV = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
pod-1,1000,1024,2,1000,,LS,Succeeded,0,100,0
pod-2,1000,1024,1,500,T4,BE,Running,10,400,130
pod-3,1000,1024,8,1000,,LS,Pending,20,300,
pod-4,1000,1024,0,0,,Burstable,Running,50,400,52
"""


def berth(*arguments, text=None):
    return subprocess.run([BERTH, *arguments], input=text, capture_output=True, text=True, timeout=120, check=False)


class Files(unittest.TestCase):
    """Each test has a folder of its own."""

    maxDiff = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def file(self, name, text):
        path = os.path.join(self._folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Capacity(Files):
    def test_says_how_many_fit_and_what_stops_the_next(self):
        done = berth("capacity", SHOP, "--pod", self.file("pod.yaml", POD))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for part in ("default/small asks for 500m cpu and 256Mi memory.\n",
                     "The cluster can schedule 2 instance(s) of the pod small.\n",
                     "Termination reason: Unschedulable: 0/6 nodes are available: ", "Insufficient cpu",
                     "The next one fits on", "\nPods per node\n", "general-4"):
            self.assertIn(part, done.stdout)

    def test_json_has_the_documented_members(self):
        done = berth("capacity", SHOP, "--pod", self.file("pod.yaml", POD), "-o", "json", "--limit", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["pod"], answer["instances"], answer["stop"]), ("default/small", 1, "LimitReached"))
        self.assertEqual(answer["placement"], [{"node": "general-4", "pool": "general", "instances": 1}])

    def test_reads_the_dump_from_standard_input_and_the_template_of_a_workload(self):
        with open(SHOP, encoding="utf-8") as file:
            dump = file.read()
        workload = ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
                    "spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {\n"
                    "  priorityClassName: bulk, containers: [{name: main, resources: {requests: {cpu: 1}}}]}}}\n")
        done = berth("capacity", "-", "--pod", self.file("web.yaml", workload), text=dump)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The cluster can schedule 1 instance(s) of the pod web.", done.stdout)

    def test_preempts_only_if_told_so(self):
        pod = self.file("pod.yaml", POD)
        done = berth("capacity", SHOP, "--pod", pod, "--preemption", "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["instances"], 8, done.stderr)
        self.assertEqual(len(answer["victims"]), 3)

    def test_many_nodes_are_told_by_pool(self):
        dump = "---\n".join(NODE.replace("large,", f"n-{i},") for i in range(40))
        pod, path = self.file("pod.yaml", POD), self.file("dump.yaml", dump)
        done = berth("capacity", path, "--pod", pod)
        self.assertIn("The cluster can schedule 2,560 instance(s) of the pod small.", done.stdout)
        self.assertIn("\nPods per pool (--all for every node)\n", done.stdout)
        self.assertIn("\n  n-39 ", berth("capacity", path, "--pod", pod, "--all").stdout)

    def test_what_is_wrong_is_said(self):
        done = berth("capacity", SHOP)
        self.assertEqual(done.returncode, 2)
        self.assertIn("how many of which pod? Give --pod FILE, or --n-1", done.stderr)
        node = self.file("node.yaml", NODE)
        done = berth("capacity", SHOP, "--pod", node)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{node}: a Node is no pod", done.stderr)
        done = berth("capacity", "missing.yaml", "--pod", node)
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.yaml: No such file", done.stderr)


class WhatIf(Files):
    def test_draining_a_node_moves_its_pods(self):
        done = berth("what-if", SHOP, "--drain", "general-1")
        self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
        for part in ("What if: drain general-1.\n", "\nMove: ", "\nPreemption\n", "lose their place",
                     "shop/debug (was on general-1, evicted by the drain of general-1)", "\nHow full the nodes are\n"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("node-agent", done.stdout)
        self.assertEqual(done.stdout, berth("what-if", "--drain", "general-1", SHOP).stdout)

    def test_a_budget_keeps_pods_on_a_drained_node(self):
        done = berth("what-if", SHOP, "--drain", "data-1", "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual([(pod["pod"], pod["node"]) for pod in answer["held"]], [("shop/postgres-0", "data-1")])
        self.assertTrue({"moved", "gone", "pending"}.isdisjoint(answer), answer)

    def test_a_volume_keeps_a_pod_from_moving_to_another_zone(self):
        done = berth("what-if", SHOP, "--remove", "data-1", "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["nodesBefore"], answer["nodesAfter"]), (6, 5))
        self.assertEqual(answer["pending"][0]["pods"], ["shop/postgres-0"])
        self.assertEqual(answer["pending"][0]["state"], "lost")

    def test_new_nodes_take_what_a_removed_pool_had(self):
        done = berth("what-if", SHOP, "--remove", "general", "--add-nodes", "general=6", "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["nodesBefore"], answer["nodesAfter"], answer["pendingAfter"]), (6, 8, 0), done.stderr)
        self.assertTrue(all(pod["to"].startswith("general-new-") for pod in answer["moved"]), answer["moved"])
        self.assertEqual(len(answer["moved"]), 14)

    def test_nodes_come_from_a_file_too(self):
        path = self.file("large.yaml", NODE)
        done = berth("what-if", SHOP, "--add-nodes", f"{path}=2", "--drain", "general-1", "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual((answer["nodesAfter"], answer["pendingAfter"]), (8, 0), done.stderr)
        self.assertIn("large-new-1", {pod["node"] for pod in answer["added"]})

    def test_scaling_and_applying(self):
        pod = self.file("pod.yaml", POD)
        done = berth("what-if", SHOP, "--scale", "deployment/web=7", "--apply", pod, "-o", "json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["changes"], ["apply Pod small", "scale Deployment shop/web to 7"])
        self.assertEqual(answer["podsAfter"] - answer["podsBefore"], 2)

    def test_kinds_that_berth_does_not_know_are_noted(self):
        other = self.file("other.yaml", "apiVersion: example.com/v1\nkind: Rocket\nmetadata: {name: a}\n")
        done = berth("what-if", SHOP, other, "--drain", "general-2")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("Note: 1 object of kinds that Berth does not know is left out: example.com/v1 Rocket (1).",
                      done.stdout)

    def test_what_is_wrong_is_said(self):
        for arguments, code, message in (
                ([SHOP], 2, "what is to be different?"),
                (["--drain", "n", "--kubeconfig", "missing"], 2, "which cluster? Give a DUMP, or a kubeconfig: "),
                ([SHOP, "--drain", "genral-1"], 1, "did you mean general-1?"),
                ([SHOP, "--add-nodes", "general"], 2, "expected TEMPLATE=N"),
                ([SHOP, "--scale", "web=3"], 2, "expected KIND/NAME=N"),
                (["missing.yaml", "--drain", "n"], 1, "missing.yaml: No such file")):
            done = berth("what-if", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), arguments)
            self.assertIn(message, done.stderr)


class Import(Files):
    def test_simulates_a_trace_and_compares_waiting_times(self):
        nodes, pods = self.file("nodes.csv", NODES_CSV), self.file("pods.csv", PODS_CSV)
        done = berth("import", "openb", nodes, pods)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for part in (f"{pods}: 6m40s of virtual time, 2 nodes, seed 1\n", "\nWhere the pods are\n",
                     "\nHow long pods waited for a node, compared with the trace\n", "\nGPUs in use: "):
            self.assertIn(part, done.stdout)
        self.assertEqual(done.stdout, berth("import", "openb", nodes, pods).stdout)

    def test_json_has_both(self):
        nodes, pods = self.file("nodes.csv", NODES_CSV), self.file("pods.csv", PODS_CSV)
        done = berth("import", "openb", nodes, pods, "-o", "json")
        answer = json.loads(done.stdout)
        trace = answer["trace"]
        self.assertEqual((trace["pods"], trace["never"], trace["maxSeconds"]), (3, 1, 120))
        self.assertEqual((answer["simulated"]["pods"], answer["simulated"]["never"]), (3, 1))
        self.assertEqual(answer["report"]["nodes"], 2)
        limited = json.loads(berth("import", "openb", nodes, pods, "-o", "json", "--limit", "1").stdout)
        self.assertEqual(limited["trace"]["pods"], 1)

    def test_mistakes_have_file_and_line(self):
        nodes = self.file("nodes.csv", NODES_CSV)
        pods = self.file("pods.csv", PODS_CSV.replace("pod-2,1000", "pod-2,lots"))
        done = berth("import", "openb", nodes, pods)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr,
                         f"berth: {pods}:3: cpu_milli: expected a number that is not negative, found \"lots\"\n")
        self.assertEqual(berth("import", "openb", nodes).returncode, 2)
        self.assertEqual(berth("import", "borg", nodes, pods).returncode, 2)


if __name__ == "__main__":
    BERTH, SHOP = sys.argv[1], sys.argv[2]
    unittest.main(argv=sys.argv[:1])
