"""`berth sim` as a user meets it: its report, its verdicts, its options and exit codes.

Usage: sim_cli_test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line

WAITER = """\
# A pod rejected for cpu wakes when the pod that held it ends, not five minutes later.
node  n1 cpu=2 memory=8Gi
pod   holder cpu=1500m runs=40s
run   until idle
expect pod holder on n1
pod   waiter cpu=1
run   1s
expect pod waiter unschedulable by NodeResourcesFit
run   until 45s
expect pod waiter on n1 woken by AssignedPodDelete
"""
STUCK = """\
node  n1 cpu=2 memory=8Gi
pod   big cpu=64
run   10s
"""
WRONG_HOPE = STUCK + "expect pod big on n1\n"
MISSPELT = "node  n1 cpu=2 memory=8Gi\nexpct pod big on n1\n"


def berth(*arguments, text=None):
    return subprocess.run([BERTH, "sim", *arguments], input=text, capture_output=True, text=True, timeout=120,
                          check=False)


class Files(unittest.TestCase):
    """Each test has a folder of its own."""

    maxDiff = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def file(self, name, text=""):
        path = os.path.join(self._folder.name, name)
        if text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path


class Report(Files):
    def test_tells_the_story_of_one_scenario(self):
        path = self.file("waiter.berth", WAITER)
        done = berth(path)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertTrue(done.stdout.startswith(f"{path}: 45s of virtual time, 1 node, seed 1\n"), done.stdout)
        for part in ("\nWhat happened\n", "node n1 added",
                     "waiter rejected: 0/1 nodes are available: 1 Insufficient cpu", "woken by AssignedPodDelete",
                     "\nWhere the pods are\n", "\nHow long pods waited", "\nWhat woke pods\n",
                     f"ok   {path} (3 expectations, virtual 45s)\n"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("Still pending", done.stdout)
        self.assertNotIn("\x1b", done.stdout)

    def test_a_pending_pod_gets_its_sentence(self):
        done = berth(self.file("stuck.berth", STUCK))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nStill pending: 1 pod\n", done.stdout)
        self.assertIn("default/big fits on no node: it asks for 64 cpu", done.stdout)
        self.assertIn("unschedulable, waits for 10s, 1 try; looked at again when", " ".join(done.stdout.split()))

    def test_json_has_the_documented_members(self):
        done = berth(self.file("stuck.berth", WRONG_HOPE), "-o", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["virtualSeconds"], report["nodes"], report["seed"]), (10, 1, 1))
        self.assertEqual(report["pods"], {"created": 1, "bound": 0, "pending": 1, "ended": 0, "gone": 0, "evicted": 0})
        self.assertEqual(report["pending"][0]["pods"], ["default/big"])
        self.assertEqual(report["pending"][0]["place"], "unschedulable")
        self.assertEqual((report["expectations"], len(report["failures"])), (1, 1))
        self.assertEqual(report["failures"][0]["line"], 4)
        self.assertTrue(report["failures"][0]["explanation"].startswith("default/big fits on no node"))

    def test_two_runs_print_the_same_bytes(self):
        path = self.file("waiter.berth", WAITER)
        for arguments in ((), ("-o", "json"), ("--seed", "7")):
            with self.subTest(arguments):
                self.assertEqual(berth(path, *arguments).stdout, berth(path, *arguments).stdout)
        traces = []
        for name in ("a.json", "b.json"):
            trace = self.file(name)
            self.assertEqual(berth(path, "--trace", trace).returncode, 0)
            with open(trace, encoding="utf-8") as file:
                traces.append(file.read())
        self.assertEqual(*traces)

    def test_the_seed_is_told(self):
        path = self.file("stuck.berth", STUCK)
        self.assertIn(", seed 7\n", berth(path, "--seed", "7").stdout)
        self.assertEqual(json.loads(berth(path, "--seed", "7", "-o", "json").stdout)["seed"], 7)

    def test_reads_standard_input(self):
        done = berth("-", text=STUCK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("standard input: 10s of virtual time"), done.stdout)

    def test_quiet_prints_failures_only(self):
        self.assertEqual(berth("-q", self.file("waiter.berth", WAITER)).stdout, "")
        done = berth("-q", self.file("hope.berth", WRONG_HOPE))
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("FAIL "), done.stdout)


class Trace(Files):
    def test_has_a_track_per_pod_and_arrows(self):
        trace = self.file("trace.json")
        done = berth(self.file("waiter.berth", WAITER), "--trace", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"berth: wrote {trace}", done.stderr)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        tracks = {event["args"]["name"] for event in events if event.get("name") == "thread_name"}
        self.assertLessEqual({"default/holder", "default/waiter", "AssignedPodDelete"}, tracks)
        places = {event["name"] for event in events if event["ph"] == "B"}
        self.assertLessEqual({"unschedulable", "binding", "running"}, places)
        arrows = {}
        for event in events:
            if event["ph"] in "stf":
                arrows.setdefault(event["id"], []).append((event["ts"], "stf".index(event["ph"])))
        self.assertTrue(arrows)
        for points in arrows.values():
            self.assertEqual([phase for _, phase in sorted(points)][0], 0)
            self.assertEqual([phase for _, phase in sorted(points)][-1], 2)
            # A viewer takes points of one time in the order of the file.
            self.assertEqual(points, sorted(points))

    def test_a_file_that_cannot_be_written_is_a_failure(self):
        done = berth(self.file("stuck.berth", STUCK), "--trace", "/no/such/folder/trace.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("berth: /no/such/folder/trace.json: No such file or directory\n", done.stderr)


class Tests(Files):
    def test_several_scenarios_get_a_line_each(self):
        first, second = self.file("a.berth", WAITER), self.file("b.berth", STUCK)
        done = berth(first, second)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"ok   {first} (3 expectations, virtual 45s)\n"
                                      f"ok   {second} (0 expectations, virtual 10s)\n"
                                      "2 scenarios: 2 ok, 0 failed; 3 expectations\n")

    def test_a_folder_stands_for_its_scenarios(self):
        self.file("b.berth", STUCK)
        self.file("a.berth", WAITER)
        self.file("notes.txt", "not a scenario")
        folder = os.path.dirname(self.file("x"))
        done = berth(folder)
        self.assertEqual([line.split()[1] for line in done.stdout.split("\n")[:2]],
                         [os.path.join(folder, "a.berth"), os.path.join(folder, "b.berth")])

    def test_a_failing_expectation_is_told_with_file_line_and_the_pods_explanation(self):
        hope, fine = self.file("hope.berth", WRONG_HOPE), self.file("fine.berth", WAITER)
        done = berth(hope, fine)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"FAIL {hope} (1 expectation, virtual 10s)\n", done.stdout)
        self.assertIn(f"{hope}:4: expected pod big on n1", done.stdout)
        self.assertIn("default/big fits on no node: it asks for 64 cpu", done.stdout)
        self.assertTrue(done.stdout.endswith("2 scenarios: 1 ok, 1 failed; 4 expectations\n"), done.stdout)

    def test_a_wrong_scenario_is_told_with_its_place_and_nothing_of_it_runs(self):
        path = self.file("misspelt.berth", MISSPELT)
        done = berth(path)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith(f"berth: {path}:2:1: "), done.stderr)
        done = berth(path, self.file("fine.berth", WAITER))
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stdout.endswith("2 scenarios: 1 ok, 0 failed, 1 wrong; 3 expectations\n"), done.stdout)


class Checks(Files):
    def test_no_wake_up_is_lost(self):
        done = berth(self.file("waiter.berth", WAITER), "--check", "wakeups")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("lost", done.stdout)

    def test_decisions_are_the_same_from_scratch(self):
        done = berth(self.file("waiter.berth", WAITER), "--check", "wakeups,decisions")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("from scratch", done.stdout)

    def test_a_check_that_does_not_exist_is_a_usage_error(self):
        done = berth(self.file("waiter.berth", WAITER), "--check", "everything")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("everything not in {wakeups,decisions}", done.stderr)


class Usage(Files):
    def test_help_names_the_options_and_exit_codes(self):
        done = berth("--help")
        self.assertEqual(done.returncode, 0)
        for part in ("FILE...", "--seed", "--speed", "--trace", "--quirks", "--quiet", "Exits with 0 if"):
            self.assertIn(part, done.stdout)

    def assert_usage_error(self, message, *arguments):
        done = berth(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(message, done.stderr)

    def test_wrong_usage_is_exit_code_2(self):
        path = self.file("stuck.berth", STUCK)
        self.assert_usage_error("which scenario?")
        self.assert_usage_error("/no/such.berth: No such file or directory", "/no/such.berth")
        for speed in ("0", "-1", "nan", "inf", "fast"):
            self.assert_usage_error("--speed: has to be a number above 0", path, "--speed", speed)
        for seed in ("-1", "x", "1.5"):
            self.assert_usage_error("--seed: expected a whole number", path, "--seed", seed)
        self.assert_usage_error("--quirks: ", path, "--quirks", "no-such-quirk")
        self.assert_usage_error("--trace is about one scenario", path, path, "--trace", "t.json")
        self.assert_usage_error("did you mean '--seed'?", path, "--sede", "3")
        empty = self.file("empty")
        os.mkdir(empty)
        self.assert_usage_error("there is no *.berth file in it", empty)

    def test_what_has_become_a_command_is_named(self):
        path = self.file("dump.yaml", "apiVersion: v1\nkind: Pod\nspec: {}\n")
        self.assert_usage_error("berth: 'berth sim --what-if' is a command of its own: berth what-if DUMP...",
                                path, "--what-if", "--drain", "n1")
        self.assert_usage_error("berth what-if", "--drain", "n1", "--what-if", path)
        self.assert_usage_error("berth fuzz --runs N", "--fuzz", "10")
        self.assert_usage_error("berth fuzz --runs N", "--fuzz=10")
        self.assert_usage_error("berth import openb NODES.csv PODS.csv", "--import", "openb", path, path)

    def test_what_is_no_scenario_is_told_in_one_line(self):
        for name, text, message in (("dump.yaml", "apiVersion: v1\nkind: Pod\nspec: {}\n", "looks like YAML"),
                                    ("dump.json", '{"apiVersion": "v1",\n "kind": "List"}\n', "looks like YAML"),
                                    ("zeros", "\0\0\n\0", "not a text file")):
            with self.subTest(name):
                done = berth(self.file(name, text))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([BERTH, "sim", self.file("stuck.berth", STUCK)], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "berth: cannot write to standard output\n"))

    def test_speed_makes_it_last(self):
        done = berth(self.file("stuck.berth", STUCK), "--speed", "1000000")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
