"""Every rule of tidy.py fires on a small bad input and keeps quiet on the good one beside it."""

import os
import subprocess
import sys
import tempfile
import unittest

import tidy

HEADER = "// What lives here.\n#pragma once\n"
TEST = '// Tests.\nTEST(Queue, PopsInOrder) {}\n'


def rules(path, text):
    """Which rules fire for the file, without repetition."""
    return sorted({finding.rule for finding in tidy.lint(tidy.File(path, text))})


class Rules(unittest.TestCase):
    def assert_cases(self, cases):
        for path, text, expected in cases:
            with self.subTest(path=path, text=text[-60:]):
                self.assertEqual(rules(path, text), expected)

    def test_text(self):
        self.assert_cases([
            ("berth/base/a.cc", "x" * 120 + "\n", []),
            ("berth/base/a.cc", "x" * 121 + "\n", ["line-length"]),
            ("berth/base/CMakeLists.txt", "x" * 121 + "\n", ["line-length"]),
            ("scripts/run", "#!/usr/bin/env bash\n" + "x" * 121 + "\n", ["line-length"]),
            ("README.md", "x" * 200 + "\n", []),
            ("berth/base/a.cc", "\tint x;\n", ["tab"]),
            ("README.md", "word \n", ["trailing-blank"]),
            ("berth/base/a.cc", "int x;\r\n", ["trailing-blank"]),
            ("README.md", "word", ["final-newline"]),
            ("berth/base/a.cc", "", []),
        ])

    def test_unfinished_work(self):
        for marker in ("TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"):
            self.assert_cases([("berth/base/a.cc", f"// {marker}: later\n", ["unfinished"]),
                               ("berth/base/a.cc", f"// a{marker}b\n", [])])

    def test_machine_paths(self):
        self.assert_cases([
            ("scripts/a.sh", "cd /" "root/x\n", ["machine-path"]),
            ("scripts/a.sh", "cd /" "home/jane/x\n", ["machine-path"]),
            ("scripts/a.sh", "cd $HOME/work/x ../root/y https://host/home/page/\n", []),
        ])

    def test_headers(self):
        self.assert_cases([
            ("berth/base/a.h", HEADER, []),
            ("berth/base/a.h", "// What lives here.\n", ["pragma-once"]),
            ("berth/base/a.h", "#pragma once\n", ["opening-paragraph"]),
            ("cmd/berth/a.h", "\n// Late.\n#pragma once\n", ["opening-paragraph"]),
        ])

    def test_standard_includes(self):
        self.assert_cases([
            ("berth/base/a.h", HEADER + "std::vector<int> x;\n", ["standard-include"]),
            ("berth/base/a.h", HEADER + "#include <vector>\nstd::vector<int> x;\n", []),
            ("berth/base/a.h", HEADER + "// a std::vector\n", []),
            ("berth/base/a.h", HEADER + "std::string_view x;\n#include <string>\n", ["standard-include"]),
            ("berth/base/a.cc", "std::vector<int> x;\n", []),
        ])

    def test_size_is_reported_but_no_error(self):
        long = tidy.File("berth/base/a.cc", "int x;\n" * 701)
        self.assertEqual([(f.rule, f.is_error) for f in tidy.lint(long)], [("file-size", False)])
        self.assertEqual(rules("berth/base/a.cc", "int x;\n" * 700), [])

    def test_tests_contain_a_test(self):
        self.assert_cases([
            ("berth/base/a_test.cc", TEST, []),
            ("berth/base/a_test.cc", "RC_GTEST_PROP(Heap, IsSorted, ()) {}\n", []),
            ("berth/base/a_test.cc", "// TEST(Is, Commented)\n", ["test-without-test"]),
            ("berth/base/a_test.cc", "int main() {}\n", ["test-without-test"]),
        ])

    def test_thread_tests_can_be_found(self):
        body = TEST + "void f() { std::thread t; }\n"
        self.assert_cases([
            ("berth/queue/a_test.cc", body, ["thread-test"]),
            ("berth/queue/a_test.cc", "#include <thread>\n" + body, []),
        ])

    def test_forbidden_calls_below_a_world(self):
        for call, kind in (
            ("std::chrono::system_clock::now()", "clock"), ("std::chrono::steady_clock::now()", "clock"),
            ("high_resolution_clock::now()", "clock"), ("time(nullptr)", "clock"), ("std::time(0)", "clock"),
            ("gettimeofday(&t, 0)", "clock"), ("clock_gettime(0, &t)", "clock"),
            ("std::rand()", "chance"), ("rand()", "chance"), ("srand(1)", "chance"), ("std::random_device d", "chance"),
            ("std::getenv(x)", "environment"), ("getenv(x)", "environment"),
            ("std::thread t", "threads"), ("std::jthread t", "threads"), ("std::async(f)", "threads"),
        ):
            for folder in tidy.DETERMINISTIC_FOLDERS:
                self.assert_cases([(f"berth/{folder}/a.cc", f"x = {call};\n", [f"forbidden-{kind}"])])
            self.assert_cases([
                ("berth/client/a.cc", f"x = {call};\n", []),
                ("cmd/berth/a.cc", f"x = {call};\n", []),
                ("berth/queue/a.cc", f'// {call}\n/* {call}\n{call} */ s = "{call}"; r = R"({call})";\n', []),
            ])

    def test_words_that_only_look_forbidden(self):
        for code in ("Instant time() const;", "pod.time(0)", "runtime(0)", "operand(1)", "std::this_thread",
                     "int x = 1'000; char c = 'a';"):
            self.assert_cases([("berth/queue/a.cc", code + "\n", [])])

    def test_digit_separators_do_not_hide_code(self):
        self.assert_cases([("berth/queue/a.cc", "f(1'000, rand(), 1'000);\n", ["forbidden-chance"])])

    def test_exceptions_are_those_of_the_allow_list(self):
        self.assert_cases([
            ("berth/queue/blocking_queue.cc", "std::jthread t;\n", []),
            ("berth/queue/blocking_queue.cc", "std::getenv(x);\n", ["forbidden-environment"]),
            ("berth/queue/a_test.cc", "#include <thread>\n" + TEST + "std::thread t; std::getenv(x);\n", []),
            ("berth/queue/a_test.cc", TEST + "steady_clock::now();\n", ["forbidden-clock"]),
        ])

    def test_dependencies_point_one_way(self):
        self.assert_cases([
            ("berth/queue/a.cc", '#include "berth/queue/b.h"\n#include "berth/base/b.h"\n', []),
            ("berth/base/a.cc", '#include "berth/api/pod.h"\n', ["layering"]),
            ("berth/queue/a.cc", '#include "berth/codec/json.h"\n', ["layering"]),
            ("berth/queue/a.cc", '#include "berth/plugins/fit.h"\n', ["layering"]),
            ("berth/queue/a.cc", "#include <berth/plugins/fit.h>\n", ["layering"]),
            ("berth/sim/a.cc", '#include "berth/client/client.h"\n', ["layering"]),
            ("berth/serve/a.cc", '#include "berth/base/a.h"\n#include "berth/client/client.h"\n', []),
            ("berth/attic/a.cc", "int x;\n", ["layering"]),
            ("berth/api/a.cc", '#include "pod.h"\n', ["include-path"]),
            ("berth/api/a.cc", '#include "cmd/berth/command.h"\n', ["include-path"]),
            ("cmd/berth/a.cc", '#include "berth/serve/a.h"\n', []),
        ])

    def test_the_table_has_no_cycle_and_no_unknown_folder(self):
        for folder in tidy.DEPENDENCIES:
            self.assertIn("base", tidy.reachable(folder))
        self.assertLessEqual(tidy.DETERMINISTIC_FOLDERS, set(tidy.DEPENDENCIES))


class Program(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            return subprocess.run([sys.executable, tidy.__file__, root], capture_output=True, text=True, timeout=60,
                                  check=False)

    def test_a_clean_tree_passes(self):
        done = self.run_on({"berth/base/a.h": HEADER, "build/release/a.h": "\t", "berth/base/testdata/a.md": "\t"})
        self.assertEqual((done.returncode, done.stdout), (0, "tidy: 1 files, 0 findings\n"))

    def test_a_finding_is_printed_with_its_place_and_fails(self):
        done = self.run_on({"berth/base/a.h": HEADER + "int x; \n"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("berth/base/a.h:3: trailing-blank: ", done.stdout)

    def test_a_report_alone_does_not_fail(self):
        done = self.run_on({"berth/base/a.cc": "int x;\n" * 701})
        self.assertEqual(done.returncode, 0)
        self.assertIn("berth/base/a.cc:701: file-size: ", done.stdout)

    def test_a_tree_without_the_library_is_not_taken_for_a_clean_one(self):
        self.assertEqual(self.run_on({"src/a.h": HEADER}).returncode, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
