"""Files in the forms that people have them: compressed, in UTF-16, with the line ends of Windows.

Usage: input_cli_test.py PROGRAM
"""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest

BERTH = ""  # path of the program under test, from the command line

CLUSTER = """apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}
"""
POD = """apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}
"""


def zstd(text):
    """A frame with one block that is not compressed. Small enough for sizes in one or two bytes."""
    size = len(text)
    header = bytes([0x20, size]) if size < 256 else bytes([0x60]) + (size - 256).to_bytes(2, "little")
    return b"\x28\xb5\x2f\xfd" + header + (size << 3 | 1).to_bytes(3, "little") + text


FORMS = {
    "plain": lambda text: text.encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "zstd": lambda text: zstd(text.encode()),
    "little-endian UTF-16": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "big-endian UTF-16": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-8 with a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "gzip of UTF-16": lambda text: gzip.compress(b"\xff\xfe" + text.encode("utf-16-le")),
}


class Input(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def berth(self, *arguments, stdin=b""):
        return subprocess.run([BERTH, *arguments], input=stdin, capture_output=True, timeout=60, check=False,
                              cwd=self.folder)

    def test_every_command_reads_every_form(self):
        for form, make in FORMS.items():
            dump = self.write("dump.yaml", make(CLUSTER))
            pod = self.write("pod.yaml", make(POD))
            scenario = self.write("s.berth", b"apply dump.yaml\nrun 10s\n")
            for arguments, expected in (
                    (["inspect", dump], b"1 node in 1 pool"),
                    (["explain", "default/web", "--from", dump], b"default/web fits on n1"),
                    (["explain", "--pod-file", pod, "--from", dump], b"fits on n1"),
                    (["capacity", dump, "--pod", pod], b"new"),
                    (["what-if", dump, "--apply", pod], b"apply Pod new"),
                    (["sim", scenario], b"1 node")):
                done = self.berth(*arguments)
                self.assertEqual(done.returncode, 0, (form, arguments, done.stderr, done.stdout))
                self.assertIn(expected, done.stdout, (form, arguments))

    def test_standard_input_may_be_compressed(self):
        done = self.berth("inspect", "-", stdin=gzip.compress(CLUSTER.encode()))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_holds_compressed_files_too(self):
        os.mkdir(os.path.join(self.folder, "dump"))
        self.write("dump/all.yaml.gz", gzip.compress(CLUSTER.encode()))
        self.write("dump/notes.txt", b"not for berth")
        self.assertIn(b"1 node in 1 pool", self.berth("inspect", "dump").stdout)

    def test_a_file_that_was_cut_off_is_refused(self):
        path = self.write("dump.yaml.gz", gzip.compress(CLUSTER.encode())[:-20])
        done = self.berth("inspect", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"dump.yaml.gz: the gzip data ends in the middle (the file was cut off: write it again)",
                      done.stderr)


if __name__ == "__main__":
    BERTH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
