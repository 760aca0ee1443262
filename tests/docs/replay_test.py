"""replay.py fails where it should: a page that says something else than what is printed does not pass."""

import io
import os
import stat
import tempfile
import unittest

import replay

# Stands for the program: prints its arguments, and exits with 3 for the argument "bad".
PROGRAM = """#!/bin/sh
case "$1" in
  bad) echo "not good"; exit 3;;
  show) cat "$2";;
  sim) grep -q holds || { echo broken; exit 1; };;
  *) echo "$@";;
esac
"""


def outcome(page):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "berth")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        os.chmod(program, stat.S_IRWXU)
        path = os.path.join(folder, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        out = io.StringIO()
        return replay.replay(program, folder, path, out), out.getvalue()


class Page(unittest.TestCase):
    def test_pages_that_are_true(self):
        for page in ("```\n$ berth a b\na b\n```\n", "text\n\n    $ berth a b\n    a b\n\ntext\n",
                     "```\n$ berth a b c d\na ...\nd\n```\n", "```\n$ berth a b\na\n   b\n```\n",
                     "```\n$ berth a xyz\na x...z\n```\n", "```\n$ berth a\na\n...\n```\n",
                     "```\n$ cat f\none\ntwo\n$ berth show f\none\ntwo\n```\n",
                     "```\n$ cat f\none\n```\ntext\n```\n$ berth show f\none\n```\n",
                     "```\n$ berth bad\nnot good\n$ echo $?\n3\n```\n", "```berth\nit holds\n```\n",
                     "```\n$ kubectl get nodes\nnone\n```\n```\n$ berth a\na\n```\n"):
            is_true, said = outcome(page)
            self.assertTrue(is_true, page + said)

    def test_pages_that_are_not(self):
        for page in ("```\n$ berth a b\na c\n```\n", "    $ berth a b\n    a c\n", "```\n$ berth a b\na\n```\n",
                     "```\n$ berth a\na b\n```\n", "```\n$ berth a b c d\na ...\ne\n```\n",
                     "```\n$ berth a xyz\na x...a\n```\n", "```\n$ cat f\none\n$ berth show f\ntwo\n```\n",
                     "```\n$ berth bad\nnot good\n$ echo $?\n0\n```\n", "```berth\nit fails\n```\n",
                     "```\n$ berth a\na\n$ berth b\nc\n```\n"):
            is_true, said = outcome(page)
            self.assertFalse(is_true, page)
            self.assertIn("page.md:", said)

    def test_a_page_without_commands_is_no_test(self):
        for page in ("text\n", "```\n$ kubectl get nodes\nnone\n```\n", "```\nberth a\n```\n"):
            self.assertFalse(outcome(page)[0], page)


if __name__ == "__main__":
    unittest.main()
