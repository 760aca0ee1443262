"""Runs a test of what the program prints: a *.txtar file, as Go's script tests are written.

The first part is a script, the rest are files, each behind a line "-- NAME --". The files are laid into an empty folder
and the script runs there, one statement a line:

    # The first comment is the sentence that the test proves.
    exec berth explain default/web --from cluster.yaml     it has to exit with 0
    ! exec berth explain default/wbe --from cluster.yaml   it must not exit with 0
    exec(2) berth explain                                  it has to exit with 2
    stdin cluster.yaml                                     of the next exec
    env NO_COLOR=1                                         of all that follow
    stdout TEXT                                            what the last exec printed contains TEXT
    ! stdout TEXT                                          it does not
    stderr TEXT                                            the same for standard error
    json FIELD.0.FIELD VALUE                               a value in the JSON on standard output; text or JSON
    ! json FIELD                                           there is no such value

TEXT is taken as it stands up to the end of the line. Runs of blanks and line ends count as one blank, in TEXT and in
what was printed, so that it does not matter where a line was wrapped; `stdout(exactly) TEXT` compares whole lines.

Usage: answers.py PROGRAM FILE
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

MARKER = re.compile(r"^-- (.+) --$")
MAX_SECONDS = 100


class Failure(Exception):
    pass


def parse(text):
    """The script's lines with their numbers, and the files by name."""
    script, files, current = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        marker = MARKER.match(line)
        if marker:
            current = files.setdefault(marker.group(1), [])
        elif current is None:
            script.append((number, line.strip()))
        else:
            current.append(line + "\n")
    return script, {name: "".join(lines) for name, lines in files.items()}


def normal(text):
    return " ".join(text.split())


def value_at(document, path):
    for step in path.split("."):
        if isinstance(document, list):
            document = document[int(step)]
        else:
            document = document[step]
    return document


class Runner:
    def __init__(self, program, folder):
        self.folder = folder
        self.environment = {**os.environ, "PATH": os.path.dirname(program) + os.pathsep + os.environ.get("PATH", "")}
        self.environment.pop("KUBECONFIG", None)
        self.environment["HOME"] = folder
        self.stdin = ""
        self.last = None
        self.checks = 0

    def run(self, line):
        negated = line.startswith("! ")
        words = line[2:] if negated else line
        match = re.match(r"(\w+)(?:\((\w+)\))?\s*(.*)$", words)
        verb, mode, rest = match.groups()
        statement = getattr(self, "do_" + verb, None)
        if statement is None:
            raise Failure(f"unknown statement '{verb}'")
        statement(rest, mode, negated)

    def do_exec(self, rest, mode, negated):
        self.last = subprocess.run(shlex.split(rest), cwd=self.folder, input=self.stdin, capture_output=True, text=True,
                                   timeout=MAX_SECONDS, check=False, env=self.environment)
        self.stdin = ""
        code = self.last.returncode
        is_right = code == int(mode) if mode else (code != 0) == negated
        if not is_right or code < 0:
            raise Failure(f"exit code {code}")
        self.checks += 1

    def do_stdin(self, rest, _mode, _negated):
        with open(os.path.join(self.folder, rest), encoding="utf-8") as file:
            self.stdin = file.read()

    def do_env(self, rest, _mode, _negated):
        name, _, value = rest.partition("=")
        self.environment[name] = value

    def do_stdout(self, rest, mode, negated):
        self.check(self.last.stdout, rest, mode, negated)

    def do_stderr(self, rest, mode, negated):
        self.check(self.last.stderr, rest, mode, negated)

    def check(self, printed, text, mode, negated):
        if mode not in (None, "exactly"):
            raise Failure(f"unknown mode '{mode}'")
        self.checks += 1
        if mode == "exactly":
            found = text in printed.splitlines()
        else:
            found = normal(text) in normal(printed)
        if found == negated:
            raise Failure("found" if negated else "not found")

    def do_json(self, rest, _mode, negated):
        self.checks += 1
        path, _, expected = rest.partition(" ")
        try:
            value = value_at(json.loads(self.last.stdout), path)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            if negated:
                return
            raise Failure(f"no such value: {error!r}") from error
        if negated:
            raise Failure(f"is there: {value!r}")
        text = value if isinstance(value, str) else json.dumps(value)
        if text != expected.strip():
            raise Failure(f"is {text}")


def run_file(program, path, out=sys.stderr):
    """Whether the test passed."""
    with open(path, encoding="utf-8") as file:
        script, files = parse(file.read())
    if not script or not re.match(r"# \S.*", script[0][1]):
        print(f"{path}:1: the first line has to be a comment with the sentence that the test proves", file=out)
        return False
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
        runner = Runner(os.path.abspath(program), folder)
        for number, line in script:
            if not line or line.startswith("#"):
                continue
            try:
                runner.run(line)
            except (Failure, OSError, subprocess.SubprocessError, AttributeError) as failure:
                print(f"{path}:{number}: {line}\n  {failure}", file=out)
                if runner.last is not None:
                    print(f"--- standard output\n{runner.last.stdout}--- standard error\n{runner.last.stderr}---",
                          file=out)
                return False
    if runner.checks == 0:
        print(f"{path}: checks nothing", file=out)
        return False
    return True


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(0 if run_file(sys.argv[1], sys.argv[2]) else 1)
