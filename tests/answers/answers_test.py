"""answers.py fails where it should: every statement of a script can fail."""

import io
import os
import tempfile
import unittest

import answers

PROGRAM = "/bin/sh"  # stands for the program; the scripts below use echo, cat and false


def outcome(script):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.txtar")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        out = io.StringIO()
        return answers.run_file(PROGRAM, path, out), out.getvalue()


class Script(unittest.TestCase):
    def test_statements_that_hold(self):
        for statements in ("exec echo a  b\nstdout a b", "exec echo a\n! stdout b", "! exec false", "exec(1) false",
                           "exec cat one\nstdout(exactly) first line\nstdout first line second",
                           "stdin one\nexec cat\nstdout second", "env X=7\nexec sh -c 'echo $X'\nstdout 7",
                           "exec cat data.json\njson list.1.name b\njson count 3\n! json list.2",
                           "exec sh -c 'echo bad >&2'\nstderr bad"):
            passed, said = outcome(f"# It holds.\n{statements}\n-- one --\nfirst line\nsecond\n-- data.json --\n"
                                   '{"list": [{"name": "a"}, {"name": "b"}], "count": 3}\n')
            self.assertTrue(passed, said)

    def test_statements_that_do_not_hold(self):
        for statements in ("exec false", "! exec true", "exec(2) false", "exec echo a\nstdout b",
                           "exec echo a\n! stdout a", "exec cat one\nstdout(exactly) first", "exec cat none",
                           "exec echo a\nstderr a", "exec cat data.json\njson count 4",
                           "exec cat data.json\njson none 4", "exec cat data.json\n! json count", "stdout a", "shout a",
                           "exec sh -c 'kill -9 $$'", "! exec sh -c 'kill -9 $$'", ""):
            passed, said = outcome(f"# It holds.\n{statements}\n-- one --\nfirst line\n-- data.json --\n"
                                   '{"count": 3}\n')
            self.assertFalse(passed, statements)
            self.assertTrue(said, statements)

    def test_a_test_begins_with_its_sentence(self):
        self.assertFalse(outcome("exec true\n")[0])


if __name__ == "__main__":
    unittest.main()
