"""Replays a page of the documentation: runs its commands and compares what they print with what the page says.

A block is replayed if its first line is a command, "$ COMMAND", and every command in it is one of these:

    $ cat FILE         the lines that follow are the file, which is written for the commands after it
    $ berth ...        the lines that follow are what the program prints, on both streams
    $ echo $?          the exit code of the command before

Words are compared, not the blanks between them, and "..." stands for any text. Blocks with other commands need a
cluster and are left out; docs/quickstart.md, which consists of them, is replayed by
tests/integration/quickstart_test.py. A block that is marked as ```berth is a scenario, which has to pass.

All blocks of a page run in one folder, where examples/ and tests/ are those of the tree.

Usage: replay.py PROGRAM ROOT PAGE
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

MAX_SECONDS = 100


class Block:
    def __init__(self, line, language):
        self.line = line
        self.language = language
        self.lines = []


def blocks(text):
    """The fenced and the indented blocks of a page, in order."""
    found, fenced, indented = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if fenced is None:
                fenced = Block(number + 1, line[3:].strip())
                found.append(fenced)
            else:
                fenced = None
        elif fenced is not None:
            fenced.lines.append(line)
        elif line.startswith("    "):
            if indented is None:
                indented = Block(number, "")
                found.append(indented)
            indented.lines.append(line[4:])
        else:
            indented = None
    return found


def steps(block):
    """[(line number, command, [lines of output])]; nothing if the block is no dialogue."""
    found = []
    if not block.lines or not block.lines[0].startswith("$ "):
        return found
    for number, line in enumerate(block.lines, block.line):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        else:
            found[-1][2].append(line)
    return found


def is_replayed(commands):
    return all(re.match(r"berth (?!run\b)|cat [\w.-]+$|echo \$\?$", command) for _, command, _ in commands)


def pattern_of(lines):
    """A regular expression for the words of these lines, one blank between two words."""
    words = " ".join(lines).split()
    parts = []
    for word in words:
        if word == "...":
            parts.append("(?: .*)?")
        else:
            parts.append(" " + ".*".join(re.escape(part) for part in word.split("...")))
    return re.compile("^" + "".join(parts) + "$", re.DOTALL)


def first_difference(lines, printed):
    """How many words of the page are printed as they stand there."""
    words = " ".join(lines).split()
    for count in range(len(words), 0, -1):
        if pattern_of(words[:count] + ["..."]).match(printed):
            return " ".join(words[max(0, count - 8):count]), " ".join(words[count:count + 8])
    return "", " ".join(words[:8])


class Replay:
    def __init__(self, program, root, folder):
        self.folder = folder
        for name in ("examples", "tests"):
            os.symlink(os.path.join(os.path.abspath(root), name), os.path.join(folder, name))
        self.environment = {name: value for name, value in os.environ.items() if name not in ("KUBECONFIG", "NO_COLOR")}
        self.environment["PATH"] = os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ.get("PATH", "")
        self.environment["HOME"] = folder
        self.exit_code = 0
        self.checks = 0

    def run_block(self, block):
        """The first problem as (line, text); None if there is none."""
        if block.language == "berth":
            self.checks += 1
            done = self.run(["berth", "sim", "-q", "-"], "\n".join(block.lines) + "\n")
            return None if done.returncode == 0 else (block.line, done.stdout)
        commands = steps(block)
        if not commands or not is_replayed(commands):
            return None
        for line, command, expected in commands:
            problem = self.run_step(command, expected)
            if problem:
                return line, f"{command}\n{problem}"
        return None

    def run_step(self, command, expected):
        if command.startswith("cat "):
            with open(os.path.join(self.folder, command[4:]), "w", encoding="utf-8") as file:
                file.write("\n".join(expected) + "\n")
            return None
        if command.startswith("echo"):
            printed = str(self.exit_code)
        else:
            done = self.run(shlex.split(command, comments=True))
            if done.returncode < 0:
                return f"ended by signal {-done.returncode}"
            self.exit_code = done.returncode
            printed = done.stdout
        self.checks += 1
        words = "".join(" " + word for word in printed.split())
        if pattern_of(expected).match(words):
            return None
        same, different = first_difference(expected, words)
        return f"differs after: {same}\nthe page goes on: {different}\n--- printed\n{printed}---"

    def run(self, arguments, text=""):
        return subprocess.run(arguments, cwd=self.folder, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=MAX_SECONDS, check=False, env=self.environment)


def replay(program, root, page, out=sys.stderr):
    """Whether all that the page shows is so."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    is_true = True
    with tempfile.TemporaryDirectory() as folder:
        run = Replay(program, root, folder)
        for block in blocks(text):
            problem = run.run_block(block)
            if problem:
                print(f"{page}:{problem[0]}: {problem[1]}", file=out)
                is_true = False
    if run.checks == 0:
        print(f"{page}: has nothing to replay", file=out)
        return False
    return is_true


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(0 if replay(*sys.argv[1:]) else 1)
