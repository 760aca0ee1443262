"""Replays docs/quickstart.md: runs its console blocks, in order, and compares what comes out with what the page says.

A line "$ command" is run by bash ("> line" continues it; a command that ends in & is left running); the lines after it
are its output. Words are compared, not the blanks between them; "..." stands for anything; ages differ.
"""

import os
import re
import subprocess

import cluster as clusters
from processes import Port, Process
from world import ROOT, BerthTest, Suite

PAGE = ROOT / "docs/quickstart.md"
PORT = "10259"
AGE = re.compile(r"^(\d+[smh])+$")


def steps(text):
    """[(command, [lines of output])] of the page's console blocks."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        is_command = False
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append([line[2:], []])
                is_command = True
            elif line.startswith("> ") and is_command:
                found[-1][0] += "\n" + line[2:]
            else:
                is_command = False
                found[-1][1].append(line)
    return [tuple(step) for step in found]


def pattern_of(lines):
    """A regular expression for words, one blank between each."""
    words = []
    for word in " ".join(lines).split():
        if AGE.match(word):
            words.append(r"(?:\d+[smh])+|<unknown>|<invalid>|0s".join(("(?:", ")")))
        else:
            words.append(".*".join(re.escape(part) for part in word.split("...")))
    # An ellipsis of its own may stand for nothing at all.
    return re.sub(r" \.\* | \.\*$", lambda it: r"(?: .*)? " if it[0].endswith(" ") else r"(?: .*)?", " ".join(words))


class Quickstart(BerthTest):
    starts_daemon = False
    schedulers = ("berth",)

    def test_page_is_true(self):
        if Suite.is_reference:
            self.skipTest("the page is about Berth")
        self.nodes("node-1", "node-2")
        folder = self.cluster.folder / "quickstart"
        (folder / "bin").mkdir(parents=True)
        for name, program in (("kubectl", Suite.kubectl), ("berth", Suite.berth)):
            (folder / "bin" / name).symlink_to(program)
        config = self.cluster.kubeconfig("quickstart", clusters.ADMIN)
        environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "KUBECONFIG": str(config),
                       "HOME": str(folder)}
        port = Port()
        started = []
        try:
            for command, expected in steps(PAGE.read_text()):
                command = command.replace(PORT, str(port.number))
                if command.endswith("&"):
                    port.close()  # the page's command does not share it
                    started.append(Process("quickstart", ["bash", "-c", f"cd {folder}; exec {command[:-1]}"],
                                           folder / "output", environment))
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, **environment},
                                      capture_output=True, text=True, check=False, timeout=60)
                said = " ".join((done.stdout + done.stderr).split())
                self.assertEqual(done.returncode, 0, f"{command}\n{said}\n{self.log(folder)}")
                self.assertRegex(said, re.compile(f"^{pattern_of(expected)}$", re.DOTALL), command)
            self.checker.check()
        finally:
            for process in started:
                process.kill()
            port.close()

    @staticmethod
    def log(folder):
        return (folder / "berth.log").read_text()[-2000:] if (folder / "berth.log").exists() else ""


class Page(BerthTest):
    starts_daemon = False

    def test_ellipsis_and_ages_are_understood(self):
        for page, real in ((["web 9s"], "web 1m3s"), (["a ... b"], "a x y b"), (["a ... b"], "a b"),
                           (["node-..."], "node-17"), (["a", "..."], "a x"), (["a", "..."], "a")):
            self.assertRegex(real, f"^{pattern_of(page)}$")
        self.assertNotRegex("a c", f"^{pattern_of(['a ... b'])}$")
