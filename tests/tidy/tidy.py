"""Lints the tree for what the compiler does not see: layering, determinism, headers, text.

The rules are small functions from a file to findings; everything that is a policy rather than code stands in the tables
at the top. Run as `tidy.py [ROOT]`: prints "path:line: rule: message" per finding and ends with 1 if there is any.
Standard library only. tidy_test.py shows every rule firing.
"""

import os
import re
import subprocess
import sys
from typing import NamedTuple

MAX_LINE_CHARACTERS = 120
MAX_CPP_LINES = 700  # past this a file is two things; reported, not failed

# What each folder of the library may include besides itself: these folders and, in turn, theirs. cmd/, tests/ and
# bench/ may include everything; nothing in the library may include them.
DEPENDENCIES = {
    "base": [],
    "text": ["base"],
    "api": ["base"],
    "codec": ["api"],
    "config": ["codec"],
    "validation": ["config"],
    "admission": ["api"],
    "queue": ["api"],
    "cache": ["api"],
    "framework": ["queue", "cache", "config"],
    "plugins": ["framework"],
    "engine": ["plugins"],
    "autoscaler": ["plugins"],
    "explain": ["plugins", "autoscaler", "admission", "text"],
    "inspect": ["codec", "text"],
    "sim": ["engine", "text", "validation", "admission", "autoscaler"],
    "report": ["sim", "explain"],
    "scenario": ["report"],
    "fuzz": ["scenario"],
    "whatif": ["scenario"],
    "client": ["codec"],
    "informer": ["client"],
    "serve": ["client"],
    "daemon": ["engine", "explain", "informer", "serve"],
}

# The folders below a world: a run is a pure function of configuration, seed and input, so nothing here may ask the
# machine for time, chance, environment or parallelism.
DETERMINISTIC_FOLDERS = {
    "base", "text", "api", "codec", "config", "validation", "admission", "queue", "cache", "framework", "plugins",
    "autoscaler",
    "engine", "explain", "inspect", "sim", "report", "scenario", "fuzz", "whatif",
}
FORBIDDEN_CALLS = {
    "clock": r"\b(?:system_clock|steady_clock|high_resolution_clock|gettimeofday|clock_gettime)\b"
             r"|(?<![\w.>])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&)",
    "chance": r"\bstd::rand\b|(?<![\w.>:])s?rand\s*\(|\bstd::srand\b|\brandom_device\b",
    "environment": r"\b(?:secure_)?getenv\b",
    "threads": r"\bstd::(?:thread|jthread|async)\b|\bpthread_create\b",
}
# Exceptions to FORBIDDEN_CALLS: path prefix -> kinds. The only place to add one, with the reason beside it.
ALLOWED_CALLS = {
    "berth/queue/blocking_queue": {"threads", "clock"},  # the embedder's wrapper: a world of its own
}
# Tests may start threads to show thread safety, and take a seed from the environment.
ALLOWED_CALLS_IN_TESTS = {"threads", "environment"}

CPP = {".cc", ".h"}
CODE = CPP | {".py", ".sh", ".bash", ".cmake"}
TEXT = CODE | {".md", ".yaml", ".yml", ".json"}
SKIPPED_FOLDERS = {"build", ".git", "testdata", "corpus", "__pycache__"}
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")  # in pieces, so as not to find itself
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:root|work|home/\w+|Users/\w+)/")


# What comes from the standard headers that cmake/BerthBuild.cmake precompiles.
PRECOMPILED_NAMES = {
    "cstdint": r"u?int(?:8|16|32|64)_t|uintptr_t",
    "expected": r"expected|unexpected",
    "functional": r"function|equal_to|less|greater|invoke",
    "map": r"map|multimap",
    "memory": r"unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared",
    "optional": r"optional|nullopt",
    "span": r"span",
    "string": r"string|to_string",
    "string_view": r"string_view",
    "utility": r"move|forward|exchange|pair",
    "variant": r"variant|visit|monostate|get_if",
    "vector": r"vector",
}


class Finding(NamedTuple):
    path: str
    line: int
    rule: str
    message: str
    is_error: bool = True

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}{'' if self.is_error else ' (report only)'}"


class File(NamedTuple):
    path: str  # from the root, with '/'
    text: str

    @property
    def lines(self):
        return self.text.split("\n")

    @property
    def kind(self):
        """The extension; CMakeLists.txt counts as .cmake and a script without extension by its first line."""
        name = os.path.basename(self.path)
        if name == "CMakeLists.txt":
            return ".cmake"
        if "." not in name.lstrip(".") and self.text.startswith("#!"):
            return ".py" if "python" in self.lines[0] else ".sh"
        return os.path.splitext(name)[1]

    @property
    def library_folder(self):
        """"queue" for berth/queue/x.h, else None."""
        parts = self.path.split("/")
        return parts[1] if parts[0] == "berth" and len(parts) > 2 else None


NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/'  # comments
    r'|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"'  # strings
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",  # characters, but not the ' of 1'000
    re.DOTALL)


def without_comments_and_strings(text):
    """The C++ text with comments and literals blanked, line for line."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def check_text(file):
    """Lines are short, have no tabs or trailing blanks, and the last one ends."""
    for number, line in enumerate(file.lines, 1):
        if file.kind in CODE and len(line) > MAX_LINE_CHARACTERS:
            yield Finding(file.path, number, "line-length", f"{len(line)} characters, at most {MAX_LINE_CHARACTERS}")
        if "\t" in line:
            yield Finding(file.path, number, "tab", "tab character")
        if line != line.rstrip():
            yield Finding(file.path, number, "trailing-blank", "blank at the end of the line")
        if UNFINISHED.search(line):
            yield Finding(file.path, number, "unfinished", "marker for unfinished work; finish it or open an issue")
        if file.kind in CODE and MACHINE_PATH.search(line):
            yield Finding(file.path, number, "machine-path", "path of one particular machine")
    if file.text and not file.text.endswith("\n"):
        yield Finding(file.path, len(file.lines), "final-newline", "the last line does not end with a newline")


def check_header(file):
    if file.kind != ".h":
        return
    if not re.search(r"(?m)^#pragma once$", file.text):
        yield Finding(file.path, 1, "pragma-once", "header without #pragma once")
    if not re.match(r"//\s*\w", file.text):
        yield Finding(file.path, 1, "opening-paragraph", "a header opens with a comment that says what lives here")


def check_size(file):
    count = file.text.count("\n")
    if file.kind in CPP and count > MAX_CPP_LINES:
        yield Finding(file.path, count, "file-size", f"{count} lines, at most {MAX_CPP_LINES}", is_error=False)


def check_test(file):
    if not file.path.endswith("_test.cc"):
        return
    code = without_comments_and_strings(file.text)
    if not re.search(r"(?m)^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\s*\(", code):
        yield Finding(file.path, 1, "test-without-test", "a *_test.cc without a TEST")
    if re.search(FORBIDDEN_CALLS["threads"], code) and "#include <thread>" not in file.text:
        yield Finding(file.path, 1, "thread-test", "tests/CMakeLists.txt finds thread tests by #include <thread>")


def check_determinism(file):
    if file.library_folder not in DETERMINISTIC_FOLDERS or file.kind not in CPP:
        return
    allowed = set(ALLOWED_CALLS_IN_TESTS) if file.path.endswith("_test.cc") else set()
    for prefix, kinds in ALLOWED_CALLS.items():
        if file.path.startswith(prefix):
            allowed |= kinds
    for number, line in enumerate(without_comments_and_strings(file.text).split("\n"), 1):
        for kind, pattern in FORBIDDEN_CALLS.items():
            match = re.search(pattern, line)
            if match and kind not in allowed:
                yield Finding(file.path, number, f"forbidden-{kind}",
                              f"'{match.group().strip()}' below a world; take it as a parameter")


def reachable(folder):
    """The folders that `folder` may include."""
    found = {folder}
    for dependency in DEPENDENCIES[folder]:
        found |= reachable(dependency)
    return found


def check_layering(file):
    folder = file.library_folder
    if folder is None or file.kind not in CPP:
        return
    if folder not in DEPENDENCIES:
        yield Finding(file.path, 1, "layering", f"folder '{folder}' is not in the table of tests/tidy/tidy.py")
        return
    may_include = reachable(folder)
    for number, line in enumerate(file.lines, 1):
        include = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<(berth/[^>]+)>)', line)
        if not include:
            continue
        path = include.group(1) or include.group(2)
        parts = path.split("/")
        if parts[0] != "berth" or len(parts) < 3:
            yield Finding(file.path, number, "include-path", f'"{path}": quotes are for "berth/...", others go in <>')
        elif parts[1] not in may_include:
            yield Finding(file.path, number, "layering", f"{folder} may not include {parts[1]} ({path})")


def check_standard_includes(file):
    """A header includes the standard headers it uses, also those that are precompiled and so never missed."""
    if file.kind != ".h":
        return
    code = without_comments_and_strings(file.text)
    for header, names in PRECOMPILED_NAMES.items():
        used = re.search(rf"\bstd::(?:{names})\b", code)
        if used and f"#include <{header}>" not in file.text:
            line = code.count("\n", 0, used.start()) + 1
            yield Finding(file.path, line, "standard-include", f"{used.group()} without #include <{header}>")


RULES = [check_text, check_header, check_standard_includes, check_size, check_test, check_determinism, check_layering]


def lint(file):
    return [finding for rule in RULES for finding in rule(file)]


def listed_by_git(root):
    """Tracked and new files, not ignored ones; None where git does not answer for `root`."""
    command = ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return [path for path in done.stdout.decode().split("\0") if path]


def walked(root):
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def read_tree(root):
    """The files of the tree that the rules are about, in order of their paths."""
    paths = listed_by_git(root)
    for path in sorted(set(walked(root) if paths is None else paths)):
        full = os.path.join(root, path)
        if SKIPPED_FOLDERS & set(path.split("/")) or os.path.islink(full) or not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8", errors="replace", newline="") as stream:
            file = File(path, stream.read())
        if file.kind in TEXT:
            yield file


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.join(here, "..", "..")
    files = list(read_tree(root))
    findings = [finding for file in files for finding in lint(file)]
    for finding in findings:
        print(finding)
    errors = sum(finding.is_error for finding in findings)
    reports = len(findings) - errors
    print(f"tidy: {len(files)} files, {errors} findings" + (f", {reports} reports" if reports else ""))
    if not any(file.library_folder for file in files):
        print(f"tidy: no library files under {root}")
        return 1
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
