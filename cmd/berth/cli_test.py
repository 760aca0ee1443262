"""The berth program as a user meets it: what it prints, its exit codes, and completion in a real shell.

Usage: cli_test.py PROGRAM
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line

# Feeds words to the bash function that `berth completion bash` defines, as bash does when TAB is pressed in the last.
BASH_TAB = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_berth
printf '%s\\n' "${COMPREPLY[@]}"
"""

# The same for zsh, with zsh's completion builtins replaced by ones that print what they are given.
ZSH_TAB = """
compdef() { true }
_describe() { [[ $1 == -o ]] && shift; print -rl -- ${(P)2} }
compadd() { print -rl -- ${(P)2} }
_files() { print -r -- FILES }
source "$1"; shift
words=("$@"); CURRENT=$#
_berth
"""


def berth(*arguments):
    return subprocess.run([BERTH, *arguments], capture_output=True, text=True, timeout=60, check=False)


def tab(shell, driver, *words):
    """What `shell` offers for the last of `words`."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write(berth("completion", shell).stdout)
        script.flush()
        flags = ["--norc", "--noprofile"] if shell == "bash" else ["-f"]
        done = subprocess.run([shell, *flags, "-c", driver, "tab", script.name, *words], capture_output=True, text=True,
                              timeout=60, check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{shell} failed ({done.returncode}): {done.stderr}")
    return done.stdout.split("\n")[:-1]


class Version(unittest.TestCase):
    def test_names_the_release_and_the_kube_scheduler_it_behaves_as(self):
        done = berth("version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^berth \d+\.\d+\.\d+( \([\w.-]+\))?\nbehaves as kube-scheduler v1\.36\.3\n$")

    def test_flag_and_subcommand_agree(self):
        self.assertEqual(berth("--version").stdout, berth("version").stdout)

    def test_json_holds_the_same_facts(self):
        facts = json.loads(berth("version", "-o", "json").stdout)
        self.assertEqual(set(facts), {"version", "commit", "behavesAs", "compiler"})
        self.assertIn(f"berth {facts['version']}", berth("version").stdout)
        self.assertEqual(facts["behavesAs"], "kube-scheduler v1.36.3")


class Usage(unittest.TestCase):
    def assert_usage_error(self, done, message):
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertIn(message, done.stderr)

    def test_help_is_not_an_error_and_lists_the_subcommands(self):
        done = berth("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for subcommand in ("version", "completion"):
            self.assertRegex(done.stdout, rf"(?m)^  {subcommand} ")

    def test_help_after_a_subcommand_is_about_that_subcommand(self):
        self.assertIn("Usage: berth version", berth("version", "--help").stdout)

    def test_no_subcommand_shows_the_help_as_a_usage_error(self):
        self.assert_usage_error(berth(), "Usage: berth")

    def test_a_misspelt_subcommand_names_the_nearest(self):
        for typed, meant in (("verison", "version"), ("versio", "version"), ("comp", "completion"),
                             ("completoin", "completion")):
            with self.subTest(typed):
                self.assert_usage_error(berth(typed), f"unknown subcommand '{typed}'; did you mean '{meant}'?")

    def test_a_word_like_no_subcommand_gets_no_suggestion(self):
        done = berth("frobnicate")
        self.assert_usage_error(done, "unknown subcommand 'frobnicate'\n")
        self.assertNotIn("did you mean", done.stderr)

    def test_a_misspelt_option_names_the_nearest(self):
        done = berth("version", "--ouptut=json")
        self.assert_usage_error(done, "unknown option '--ouptut'; did you mean '--output'?")

    def test_an_argument_too_many_is_named(self):
        self.assert_usage_error(berth("version", "now"), "unknown argument 'now'")

    def test_a_value_outside_a_closed_set_names_the_set(self):
        self.assert_usage_error(berth("version", "-o", "xml"), "xml not in {text,json}")

    def test_a_missing_argument_is_named_with_the_command_to_ask(self):
        self.assert_usage_error(berth("completion"), "shell is required\nRun 'berth completion --help' for usage.")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([BERTH, "version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "berth: cannot write to standard output\n"))


class Completion(unittest.TestCase):
    def test_bash_accepts_the_script(self):
        done = subprocess.run(["bash", "-n"], input=berth("completion", "bash").stdout, text=True, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bash_completes_subcommands_options_and_values(self):
        for words, offered in (
            (("berth", "ver"), ["version"]),
            (("berth", "completion", ""), ["bash", "zsh", "fish"]),
            (("berth", "version", "--out"), ["--output"]),
            (("berth", "version", "-o", ""), ["text", "json"]),
            (("berth", "version", "--output", "=", "j"), ["json"]),
            (("berth", "version", "--output", "="), ["text", "json"]),
            # The value of an option is not taken for a subcommand.
            (("berth", "version", "-o", "json", "--h"), ["--help"]),
            (("berth", "nonsense", "--vers"), ["--version"]),
            (("berth", "version", "x"), [""]),
        ):
            with self.subTest(words):
                self.assertEqual(tab("bash", BASH_TAB, *words), offered)

    def test_bash_offers_every_subcommand_of_the_help(self):
        listed = re.findall(r"(?m)^  (\w\S*) ", berth("--help").stdout.split("Subcommands:")[1])
        self.assertEqual(sorted(tab("bash", BASH_TAB, "berth", "")), sorted(listed))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_subcommands_options_and_values(self):
        self.assertIn("version:Print the version", tab("zsh", ZSH_TAB, "berth", "ver"))
        self.assertIn("--output:Output format", tab("zsh", ZSH_TAB, "berth", "version", "--out"))
        self.assertEqual(tab("zsh", ZSH_TAB, "berth", "version", "-o", ""), ["text", "json"])
        self.assertEqual(tab("zsh", ZSH_TAB, "berth", "version", ""), [])


    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_subcommands_options_and_values(self):
        for line, offered in (
            ("berth ver", ["version"]),
            ("berth completion ", ["bash", "fish", "zsh"]),
            ("berth version --out", ["--output"]),
            ("berth version -o ", ["json", "text"]),
            ("berth version --output=j", ["--output=json"]),
            ("berth config ch", ["check"]),
            # The value of an option is not taken for a subcommand.
            ("berth version -o json --h", ["--help"]),
            ("berth help config pri", ["print"]),
            ("berth version x", []),
        ):
            with self.subTest(line):
                script = berth("completion", "fish").stdout + "\ncomplete -C $argv[1]\n"
                done = subprocess.run(["fish", "--no-config", "-c", script, line], capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(row.split("\t")[0] for row in done.stdout.splitlines()), offered)

    def test_fish_has_every_option_of_the_help(self):
        script = berth("completion", "fish").stdout
        for option in re.findall(r"(?m)^  (?:-\w,)?--([\w-]+)", berth("explain", "--help").stdout):
            self.assertIn(f"berth explain\\'' -l '{option}'", script)


class Help(unittest.TestCase):
    def test_of_a_command_is_that_of_its_option(self):
        for words in ((), ("sim",), ("config",), ("config", "check"), ("run",), ("import", "openb")):
            with self.subTest(words):
                asked = berth("help", *words)
                self.assertEqual((asked.returncode, asked.stderr), (0, ""))
                self.assertEqual(asked.stdout, berth(*words, "--help").stdout)

    def test_of_help_is_about_help(self):
        for words in (("help", "help"), ("help", "--help")):
            self.assertIn("Usage: berth help [", berth(*words).stdout)

    def test_of_a_misspelt_command_names_the_nearest(self):
        for words, message in ((("verison",), "there is no command 'berth verison'; did you mean 'version'?"),
                               (("config", "chekc"), "there is no command 'berth config chekc'; did you mean 'check'?"),
                               (("frobnicate",), "there is no command 'berth frobnicate'\n")):
            with self.subTest(words):
                done = berth("help", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
