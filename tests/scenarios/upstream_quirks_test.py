"""Each scenario of upstream/ that names a bug of kube-scheduler has to fail with that bug.

A line "# fails with: quirks NAME" says so; there may be several. Without the bug they pass, which the test of all
scenarios sees to. A scenario that passes either way shows nothing.

Usage: upstream_quirks_test.py PROGRAM
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

MARK = re.compile(r"^# fails with: quirks (\S+)$", re.MULTILINE)
FAILED = 1  # what `berth sim` ends with if an expectation does not hold; 2 is a mistake of the caller's


def cases(folder):
    for file in sorted(folder.glob("*.berth")):
        for quirk in MARK.findall(file.read_text(encoding="utf-8")):
            yield file, quirk


def run(program, case):
    file, quirk = case
    command = [program, "sim", "-q", "--quirks", quirk, str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def main():
    program = sys.argv[1]
    found = list(cases(pathlib.Path(__file__).parent / "upstream"))
    if not found:
        sys.exit("no scenario says that it fails with a quirk")
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (file, quirk), done in zip(found, pool.map(lambda case: run(program, case), found)):
            if done.returncode == FAILED:
                print(f"ok   {file.name} fails with {quirk}")
                continue
            wrong += 1
            print(f"FAIL {file.name} with {quirk}: exit code {done.returncode}, expected {FAILED}")
            print(done.stdout + done.stderr)
    print(f"{len(found)} cases, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
