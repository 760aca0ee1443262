"""`berth explain` as a user meets it: the sentences about examples/pending.yaml, its options and exit codes.

Usage: explain_cli_test.py PROGRAM EXAMPLE
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from fake_cluster import kubeconfig, pages_of, server

BERTH = ""  # path of the program under test, from the command line
EXAMPLE = ""  # examples/pending.yaml

CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def berth(*arguments, text=None, environment=None):
    return subprocess.run([BERTH, "explain", *arguments], input=text, capture_output=True, text=True, timeout=60,
                          check=False, env=environment)


def about(pod, *arguments):
    return berth(pod, "--from", EXAMPLE, *arguments)


class Sentences(unittest.TestCase):
    maxDiff = None

    def test_each_pod_of_the_example_gets_its_sentence(self):
        gpu = "1 has the taint example.com/gpu=true:NoSchedule, which it does not tolerate"
        for pod, sentence in (
                ("shop/api-1", "shop/api-1 fits on none of the 5 nodes: 3 are short of cpu (1 of them of memory too; "
                               f"nearest: general-1, lacks 300m cpu), 1 is cordoned, {gpu}."),
                ("shop/huge-1", "shop/huge-1 fits on no node: it asks for 64 cpu and the largest of the 5 nodes, "
                                "gpu-1, has 16 in total."),
                ("ml/train-1", f"ml/train-1 fits on none of the 5 nodes: 3 do not have example.com/gpu, {gpu}, "
                               "1 is cordoned."),
                ("shop/cache-1", "shop/cache-1 fits on no node: none of the 5 nodes has disktype=sdd; 4 have "
                                 "disktype=ssd and 1 has disktype=hdd."),
                ("shop/probe-1", "shop/probe-1 fits on none of the 5 nodes: 3 have host port 8080 taken (by pods of "
                                 f"DaemonSet edge/proxy), 1 is cordoned, {gpu}."),
                ("shop/feed-3", "shop/feed-3 fits on none of the 5 nodes: 2 would break its spread over "
                                "topology.kubernetes.io/zone (maxSkew is 1, and eu-1a has 1, eu-1b has 1 and eu-1c has "
                                f"0), 1 is short of memory (general-3 lacks 1.1Gi memory), 1 is cordoned, {gpu}."),
                ("shop/zk-3", "shop/zk-3 fits on none of the 5 nodes: 2 are near pods that its anti-affinity avoids "
                              f"(shop/zk-0 on general-1 and shop/zk-1 on general-2), 1 is cordoned, {gpu}, 1 is short "
                              "of cpu and memory (general-3 lacks 100m cpu and 64Mi memory)."),
                ("shop/db-0", "shop/db-0 waits for the PersistentVolumeClaim data-db-0, which does not exist in "
                              "namespace shop."),
                ("shop/urgent-1", "shop/urgent-1 would go to general-2 after preemption has evicted batch/report-1 "
                                  "there; as things are, it fits on none of the 5 nodes: 3 are short of cpu (1 of "
                                  f"them of memory too; nearest: general-1, lacks 100m cpu), 1 is cordoned, {gpu}."),
                ("shop/gated-1", "shop/gated-1 waits behind the scheduling gate example.com/quota: the scheduler does "
                                 "not try it before whoever put it there takes it away; then it fits, on general-1."),
                ("shop/odd-1", "shop/odd-1 asks for the scheduler defualt-scheduler, and the configuration has only "
                               "default-scheduler (a typing error?): unless another program of that name runs in the "
                               "cluster, nobody will ever look at the pod."),
                ("shop/small-1", "shop/small-1 fits on 3 of 5 nodes and would go to general-1, 13 points ahead of "
                                 "general-2 (mostly by NodeResourcesFit)."),
                ("shop/web-1", "shop/web-1 is on general-1 already (Running); it fits nowhere else."),
        ):
            with self.subTest(pod):
                done = about(pod)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.split("\n")[0], sentence)

    def test_what_would_help_is_printed_with_the_commands_for_it(self):
        text = about("shop/api-1").stdout
        self.assertIn("\nWhat would help (each was tried out)\n"
                      "  - uncordon general-4: it fits there\n"
                      "      kubectl uncordon general-4\n"
                      "  - ask for 1.4 cpu instead of 1.7 (300m less): it fits on general-1\n"
                      "      kubectl get pod api-1 -n shop -o json | kubectl patch --local -f - --type=json -p "
                      "'[{\"op\":\"replace\",\"path\":\"/spec/containers/0/resources/requests/cpu\","
                      "\"value\":\"1400m\"}]' -o json | kubectl replace --force -f -\n"
                      "  - add a node like general-1 to pool general: it fits there, and so does the other pod like it "
                      "that waits\n", text)

    def test_the_answer_is_the_same_on_every_run(self):
        self.assertEqual(about("shop/feed-3", "-o", "json").stdout, about("shop/feed-3", "-o", "json").stdout)


class Json(unittest.TestCase):
    def test_has_the_documented_members(self):
        answer = json.loads(about("shop/urgent-1", "-o", "json").stdout)
        self.assertEqual(list(answer), ["pod", "scheduler", "answer", "sentence", "node", "nodes", "feasibleNodes",
                                        "message", "reasons", "preemption", "help", "wakeUps"])
        self.assertEqual((answer["answer"], answer["node"], answer["nodes"]), ("Preempts", "general-2", 5))
        self.assertEqual(answer["preemption"]["victims"], ["batch/report-1"])
        self.assertEqual(answer["reasons"][0]["nodes"], ["general-1", "general-2", "general-3"])
        self.assertEqual({help["kind"] for help in answer["help"]}, {"uncordon", "request", "nodes", "toleration"})

    def test_scores_are_by_plugin(self):
        answer = json.loads(about("shop/small-1", "-o", "json").stdout)
        best = answer["scores"][0]
        self.assertEqual(best["node"], "general-1")
        self.assertEqual(sum(plugin["score"] for plugin in best["plugins"]), best["total"])


class Input(unittest.TestCase):
    def test_a_pod_that_does_not_exist_yet_comes_from_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: shop}\nspec:\n"
                       "  priorityClassName: urgent\n"
                       "  containers: [{name: c, resources: {limits: {cpu: 1500m}}}]\n")
            file.flush()
            done = berth("--pod-file", file.name, "--from", EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("shop/new would go to general-2 after preemption"), done.stdout)

    def test_the_cluster_comes_from_standard_input_or_from_a_folder(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            from_input = berth("shop/api-1", "--from", "-", text=file.read())
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(EXAMPLE, folder)
            from_folder = berth("shop/api-1", "--from", folder)
        self.assertEqual(from_input.stdout, about("shop/api-1").stdout)
        self.assertEqual(from_folder.stdout, about("shop/api-1").stdout)

    def test_the_profile_is_that_of_the_pods_scheduler(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(CONFIG + "profiles:\n- schedulerName: defualt-scheduler\n")
            file.flush()
            done = about("shop/odd-1", "--config", file.name)
        self.assertTrue(done.stdout.startswith("shop/odd-1 fits on 3 of 5 nodes"), done.stdout)

    def test_what_cannot_be_read_is_said_beside_the_answer(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("apiVersion: v1\nkind: Node\nmetadata: {name: 7}\n")
            file.flush()
            done = berth("shop/api-1", "--from", EXAMPLE, file.name)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("shop/api-1 fits on none"), done.stdout)
        self.assertTrue(done.stderr.startswith(f"berth: left out: {file.name}"), done.stderr)


class Mistakes(unittest.TestCase):
    def test_a_pod_that_is_not_there_is_answered_with_the_likely_one(self):
        done = about("shop/api")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr,
                         "berth: there is no pod shop/api among the 28 that were read (did you mean shop/api-1?)\n")

    def test_without_a_pod_it_is_about_all_pending_pods(self):
        done = berth("--from", EXAMPLE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("13 pods are pending, for 12 causes.\n"), done.stdout)
        self.assertIn("2 pods like shop/api-1: each ", done.stdout)
        for wrong, message in ((("shop/api-1", "--pending"), "is about all pending pods: give it without a pod"),
                               (("--pod-file", EXAMPLE, "-l", "a=b"), "give it without --pod-file"),
                               (("--watch",), "give it without --from"),
                               (("-A", "-n", "shop"), "not both"),
                               (("-l", "="), 'label selector "=": expected the key of a label')):
            with self.subTest(wrong):
                done = berth(*wrong, "--from", EXAMPLE)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)

    def test_without_a_cluster_it_is_a_usage_error(self):
        done = berth("shop/api-1", environment={"HOME": "/no/such/folder"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("which cluster? Give --from FILE, or a kubeconfig: no kubeconfig found", done.stderr)
        done = berth("shop/api-1", "--from", EXAMPLE, "--context", "c")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not both", done.stderr)

    def test_files_that_are_not_there_are_named(self):
        done = berth("shop/api-1", "--from", "/no/such/file.yaml")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "berth: /no/such/file.yaml: No such file or directory\n"))
        done = about("shop/api-1", "--config", "/no/such/file.yaml")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "berth: cannot read /no/such/file.yaml: No such file or directory\n"))

    def test_a_bad_configuration_is_refused_with_its_problems(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(CONFIG + "parallelism: 0\n")
            file.flush()
            done = about("shop/api-1", "--config", file.name)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("parallelism: Invalid value: 0", done.stderr)


NODE = {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}
POD = {"metadata": {"name": "web-1", "namespace": "shop", "uid": "u1"},
       "spec": {"schedulerName": "default-scheduler", "containers": [
           {"name": "main", "image": "web:1", "resources": {"requests": {"cpu": "4"}}}]},
       "status": {"phase": "Pending"}}


class Clusters(unittest.TestCase):
    sentence = "shop/web-1 fits on no node: it asks for 4 cpu and the largest of the 2 nodes, n1, has 1 in total."

    def answers(self):
        small = {"metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "500m", "pods": "10"}}}
        return {**dict(pages_of("Node", NODE, small)), **dict(pages_of("Pod", POD))}

    def test_the_objects_come_from_the_cluster_page_by_page(self):
        seen = []
        with server(self.answers(), seen) as url, kubeconfig(url) as config:
            done = berth("shop/web-1", "--kubeconfig", config, "--context", "here")
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stdout.splitlines()[0], self.sentence)
            # A name alone is of the context's namespace, and $KUBECONFIG counts.
            short = berth("web-1", "--context", "here", environment={"KUBECONFIG": config})
            self.assertEqual(short.stdout, done.stdout)
        self.assertIn(("/api/v1/nodes?limit=500&continue=next-0", "Bearer my-token"), seen)

    def test_the_events_of_the_pod_say_why_it_does_not_run(self):
        pod = {"metadata": {"name": "web-1", "namespace": "shop"}, "status": {"phase": "Pending"},
               "spec": {"nodeName": "n1", "containers": [{"name": "a", "image": "x"}]}}
        event = {"metadata": {"name": "e", "namespace": "shop"}, "reason": "FailedCreatePodSandBox",
                 "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-1"},
                 "message": "cni plugin not initialized", "type": "Warning", "source": {"component": "kubelet"}}
        path = ("/api/v1/namespaces/shop/events?limit=500&"
                "fieldSelector=involvedObject.kind%3DPod%2CinvolvedObject.name%3Dweb-1")
        answers = {**dict(pages_of("Node", NODE)), **dict(pages_of("Pod", pod)),
                   path: (200, {"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": [event]})}
        with server(answers) as url, kubeconfig(url) as config:
            done = berth("shop/web-1", "--kubeconfig", config, "--context", "here")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines()[0],
                         "shop/web-1 is on n1 but its sandbox cannot be created: the node's network plugin (CNI) is "
                         "not ready (FailedCreatePodSandBox).")

    def test_kinds_that_may_not_be_listed_are_left_out_and_named(self):
        refused = {"kind": "Status", "apiVersion": "v1", "reason": "Forbidden", "message": "not for you"}
        answers = {**self.answers(), "/apis/storage.k8s.io/v1/csinodes?limit=500": (403, refused)}
        with server(answers) as url, kubeconfig(url) as config:
            done = berth("shop/web-1", "--kubeconfig", config, "--context", "here")
        self.assertEqual(done.stdout.splitlines()[0], self.sentence)
        self.assertEqual(done.stderr, "berth: left out: cannot list csinodes: 403 Forbidden: not for you\n")
        self.assertEqual(done.returncode, 1)

    def test_a_cluster_that_does_not_answer_is_a_failure(self):
        refused = {"kind": "Status", "apiVersion": "v1", "reason": "Forbidden", "message": "not for you"}
        with server({"/api/v1/nodes?limit=500": (403, refused)}) as url, kubeconfig(url) as config:
            done = berth("shop/web-1", "--kubeconfig", config, "--context", "here")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, "berth: cannot list nodes: 403 Forbidden: not for you\n")
            done = berth("shop/web-1", "--kubeconfig", config)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot list nodes: berth.invalid:1: ", done.stderr)
            done = berth("shop/web-1", "--kubeconfig", config, "--context", "there")
            self.assertEqual(done.returncode, 2)
            self.assertIn("context 'there' does not exist (defined are: here, nowhere)", done.stderr)

    def test_an_answer_of_a_daemon_is_put_as_any_other(self):
        explained = {"pod": "shop/web-1", "scheduler": "s", "answer": "Unschedulable", "sentence": "shop/web-1 waits.",
                     "nodes": 1, "feasibleNodes": 0, "help": [{"kind": "nodes", "sentence": "add \x1b[2Ja node"}]}
        answer = {"pod": "shop/web-1", "place": "unschedulable", "sentence": "shop/web-1 waits.", "text": "Old.\n",
                  "attempts": [{"number": 3, "endedAt": "2026-01-02T03:04:05Z", "result": "unschedulable",
                                "message": "0/1 nodes\nare available"}], "explanation": explained}
        with server({"/berth/v1/pods/shop/web-1": (200, answer)}) as url:
            done = berth("shop/web-1", "--server", url)
            coloured = berth("shop/web-1", "--server", url, "--color=always")
        self.assertEqual(done.stdout, "shop/web-1 waits.\n\nWhat would help (each was tried out)\n"
                                      "  - add \\x1b[2Ja node\n\nIn this scheduler: unschedulable\n"
                                      "  attempt 3 at 2026-01-02T03:04:05Z: unschedulable: 0/1 nodes\\nare available\n")
        self.assertIn("\x1b[31mshop/web-1\x1b[0m", coloured.stdout)

    def test_a_daemon_is_asked_as_the_user_of_the_kubeconfig(self):
        seen = []
        answers = {"/berth/v1/pods/shop/web-1": (200, {"pod": "shop/web-1", "text": "It waits.\n"}),
                   "/berth/v1/pods/shop/web-2": (404, {"error": "there is no pod shop/web-2"})}
        with server(answers, seen) as url, kubeconfig(url) as config, tempfile.NamedTemporaryFile("w") as token:
            token.write("another-token\n")
            token.flush()
            done = berth("shop/web-1", "--server", url, "--kubeconfig", config)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "It waits.\n", ""))
            done = berth("web-1", "--server", url, "--kubeconfig", config, "--context", "here", "-o", "json")
            self.assertEqual(json.loads(done.stdout)["pod"], "shop/web-1")
            done = berth("shop/web-2", "--server", url, "--token-file", token.name)
            self.assertEqual((done.returncode, done.stderr), (1, "berth: there is no pod shop/web-2\n"))
            done = berth("--server", url, "--pod-file", token.name)
            self.assertEqual(done.returncode, 2)
            self.assertIn("do not go with --server", done.stderr)
        self.assertEqual([header for _, header in seen],
                         ["Bearer my-token", "Bearer my-token", "Bearer another-token"])


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    EXAMPLE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
