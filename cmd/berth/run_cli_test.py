"""`berth run` as a user meets it before it reaches a cluster: help, flags, exit codes, how it fails to start.

What it does with a cluster is in tests/integration.

Usage: run_cli_test.py PROGRAM
"""

import os
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def run(*arguments, env=None):
    # Not in a pod, whatever the machine is that the test runs on.
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("KUBE")}
    return subprocess.run([BERTH, "run", *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env=surroundings | (env or {}))


class Flags(unittest.TestCase):
    def test_help_lists_the_flags_in_groups(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ["Usage: berth run [flags]", "Leader election flags:", "Secure serving flags:", "--leader-elect",
                     "--kubeconfig string", "-v, --v number", "(default 10259)"]:
            self.assertIn(text, done.stdout)
        self.assertEqual(run("-h").stdout, done.stdout)

    def test_version_is_that_of_the_program(self):
        version = subprocess.run([BERTH, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertEqual(run("--version").stdout, version)

    def test_an_unknown_flag_is_a_usage_error_with_a_suggestion(self):
        done = run("--leader-elekt")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "berth: unknown flag: --leader-elekt (did you mean --leader-elect?)\n"
                                      "Run 'berth run --help' for usage.\n")

    def test_arguments_are_refused(self):
        done = run("--leader-elect", "false")
        self.assertEqual(done.returncode, 2)
        self.assertIn('"berth run" does not take any arguments, got ["false"]', done.stderr)

    def test_completion_knows_the_flags(self):
        script = subprocess.run([BERTH, "completion", "bash"], capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("--leader-elect-lease-duration", script.stdout)


class Configuration(unittest.TestCase):
    def test_is_written_as_it_is_completed(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "config.yaml")
            with open(config, "w", encoding="utf-8") as file:
                file.write(HEADER + "podMaxBackoffSeconds: 7\n")
            written = os.path.join(folder, "written.yaml")
            done = run("--config", config, "--leader-elect=false", "--write-config-to", written)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(written, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("podMaxBackoffSeconds: 7\n", text)
        self.assertIn("leaderElect: false\n", text)

    def test_that_is_wrong_is_a_failure_that_names_the_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(HEADER + "paralelism: 3\n")
            file.flush()
            done = run("--config", file.name)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr,
                         f'berth: {file.name}:3: unknown field "paralelism" (did you mean parallelism?)\n')

    def test_that_is_not_there_is_a_failure(self):
        done = run("--config", "/no/such/file.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot read --config: /no/such/file.yaml", done.stderr)


class Start(unittest.TestCase):
    def test_without_a_cluster_says_what_to_do(self):
        done = run("--secure-port=0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Failed to start", done.stderr)
        self.assertIn("--kubeconfig", done.stderr)

    def test_deprecated_flags_and_those_without_effect_are_accepted_with_a_warning(self):
        done = run("--kubeconfig=/no/such/file", "--contention-profiling=false", "--secure-port=0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Flag --kubeconfig is deprecated", done.stderr)
        self.assertIn("Flag --contention-profiling has no effect", done.stderr)
        self.assertIn("/no/such/file", done.stderr)

    def test_logs_are_json_if_asked_for(self):
        done = run("--kubeconfig=/no/such/file", "--secure-port=0", "--logging-format=json")
        self.assertTrue(done.stderr.startswith("{"), done.stderr)


if __name__ == "__main__":
    BERTH = sys.argv.pop(1)
    unittest.main()
