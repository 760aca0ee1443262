"""`berth config` as a user meets it: what it prints and its exit codes.

Usage: config_cli_test.py PROGRAM
"""

import os
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def berth(*arguments, text=None):
    return subprocess.run([BERTH, "config", *arguments], input=text, capture_output=True, text=True, timeout=60,
                          check=False)


class Check(unittest.TestCase):
    def test_says_that_a_file_is_well_and_what_is_in_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(HEADER + "profiles:\n- schedulerName: a\n- schedulerName: b\n")
            file.flush()
            done = berth("check", file.name)
        self.assertEqual((done.returncode, done.stdout), (0, f"OK: {file.name}: 2 profiles (a, b), 0 extenders\n"))

    def test_prints_every_problem_on_a_line_of_its_own(self):
        done = berth("check", "-", text=HEADER + "paralelism: 3\nprofiles:\n- schedulerName: 12\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), [
            'standard input:3: unknown field "paralelism" (did you mean parallelism?)',
            "standard input:5: profiles[0].schedulerName: expected a string, got 12 (quote the value)",
        ])

    def test_a_file_of_another_kind_is_refused_with_a_way_out(self):
        done = berth("check", "-", text="apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn('no kind "Pod" is registered for version "v1"', done.stdout)
        self.assertIn("a scheduler configuration begins with", done.stdout)

    def test_tabs_are_found_on_their_line(self):
        done = berth("check", "-", text=HEADER + "profiles:\n\t- schedulerName: x\n")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("standard input:4:"), done.stdout)

    def test_a_file_that_cannot_be_read_is_a_usage_error(self):
        missing = berth("check", "/no/such/file.yaml")
        self.assertEqual(missing.returncode, 2)
        self.assertEqual(missing.stderr, "berth: cannot read /no/such/file.yaml: No such file or directory\n")
        directory = berth("check", os.sep)
        self.assertEqual(directory.returncode, 2)
        self.assertIn("is a directory", directory.stderr)

    def test_without_a_file_it_asks_for_one(self):
        done = berth("check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("file is required", done.stderr)


class Print(unittest.TestCase):
    def test_what_is_printed_is_well_and_prints_the_same(self):
        defaults = berth("print")
        self.assertEqual(defaults.returncode, 0)
        self.assertIn("schedulerName: default-scheduler\n", defaults.stdout)
        again = berth("print", "-", text=defaults.stdout)
        self.assertEqual(again.stdout, defaults.stdout)

    def test_problems_do_not_mix_with_the_configuration(self):
        done = berth("print", "-", text=HEADER + "parallelism: 0\n")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "standard input:3: parallelism: Invalid value: 0: should be an integer value "
                                      "greater than zero\n")

    def test_gates_change_the_defaults(self):
        done = berth("print", "--feature-gates", "GenericWorkload=true,GangScheduling=true")
        self.assertEqual(done.returncode, 0)
        self.assertIn("name: GangScheduling\n", done.stdout)

    def test_an_unknown_gate_is_a_usage_error(self):
        done = berth("print", "--feature-gates", "GangSchedulin=true")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "berth: --feature-gates: unrecognized feature gate: GangSchedulin "
                                      "(did you mean GangScheduling?)\n")


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
