"""What the program writes to a terminal and to a pipe: width, colours, and nothing that an object smuggles in.

Usage: output_cli_test.py PROGRAM EXAMPLES
"""

import errno
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest

BERTH = ""  # path of the program under test, from the command line
EXAMPLES = ""  # the folder examples/

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# Control characters, escape sequences, overrides of the writing direction, characters without a glyph, line ends: in
# every text that an object may hold. In YAML's double quotes.
EVIL = r"\x1b[31mRED\x1b[2J\x07\x9b5m\u202Elive\u2066\u200B\nline\r\ttab\x7f"
HOSTILE = f"""
apiVersion: v1
kind: Node
metadata: {{name: "n1{EVIL}", labels: {{"k{EVIL}": "v{EVIL}", "topology.kubernetes.io/zone": "z{EVIL}"}}}}
spec: {{taints: [{{key: "t{EVIL}", value: "{EVIL}", effect: NoSchedule}}]}}
status:
  allocatable: {{cpu: "4", memory: 8Gi, pods: "110", "example.com/g{EVIL}": "2"}}
  conditions: [{{type: "Ready", status: "True", reason: "r{EVIL}", message: "m{EVIL}"}}]
  images: [{{names: ["image{EVIL}"], sizeBytes: 100000000}}]
---
apiVersion: v1
kind: Node
metadata: {{name: "n2{EVIL}", labels: {{"node.kubernetes.io/instance-type": "i{EVIL}"}}}}
spec: {{unschedulable: true, providerID: "{EVIL}"}}
status: {{allocatable: {{cpu: "4", memory: 8Gi, pods: "110"}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: "web", namespace: default, labels: {{"app{EVIL}": "a{EVIL}"}}}}
spec:
  nodeSelector: {{"disk{EVIL}": "x{EVIL}"}}
  containers:
  - {{name: "a{EVIL}", image: "image{EVIL}", resources: {{requests: {{cpu: "1", "example.com/g{EVIL}": "1"}}}}}}
  volumes: [{{name: "v{EVIL}", persistentVolumeClaim: {{claimName: "claim{EVIL}"}}}}]
status:
  phase: Pending
  conditions: [{{type: PodScheduled, status: "False", reason: "Unschedulable{EVIL}", message: "hello{EVIL}"}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: "q{EVIL}", namespace: "ns{EVIL}"}}
spec:
  schedulerName: "s{EVIL}"
  priorityClassName: "high{EVIL}"
  containers: [{{name: a, image: x, resources: {{requests: {{cpu: "1"}}}}}}]
status: {{phase: "Pending"}}
---
apiVersion: v1
kind: Pod
metadata: {{name: gated, namespace: default}}
spec: {{schedulingGates: [{{name: "gate{EVIL}"}}], containers: [{{name: a, image: x}}]}}
status: {{phase: Pending}}
---
apiVersion: v1
kind: Pod
metadata:
  name: tied
  namespace: default
  ownerReferences: [{{apiVersion: "apps/v1{EVIL}", kind: "Odd{EVIL}", name: "owner{EVIL}", uid: "u", controller: true}}]
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {{labelSelector: {{matchLabels: {{"app{EVIL}": "b{EVIL}"}}}}, topologyKey: "top{EVIL}"}}
  topologySpreadConstraints:
  - {{maxSkew: 1, topologyKey: "spread{EVIL}", whenUnsatisfiable: DoNotSchedule, labelSelector: {{}}}}
  containers: [{{name: a, image: x}}]
status: {{phase: Pending}}
---
apiVersion: v1
kind: Pod
metadata: {{name: there, namespace: default}}
spec: {{nodeName: "n1{EVIL}", containers: [{{name: a, image: x, resources: {{requests: {{cpu: "3"}}}}}}]}}
status: {{phase: "Running{EVIL}", reason: "{EVIL}", message: "{EVIL}"}}
---
apiVersion: v1
kind: Pod
metadata: {{name: lost, namespace: default}}
spec: {{nodeName: "gone{EVIL}", containers: [{{name: a, image: x}}]}}
status: {{phase: Running}}
---
apiVersion: "strange{EVIL}/v1"
kind: "Strange{EVIL}"
metadata: {{name: "x{EVIL}"}}
---
apiVersion: v1
kind: Pod
metadata: {{name: "bad{EVIL}", namespace: default}}
spec: {{containers: [{{name: a, resources: {{requests: {{cpu: "many{EVIL}"}}}}}}]}}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: probe}
spec: {containers: [{name: a, image: x, resources: {requests: {cpu: "1"}}}]}
"""


# A cluster with something to say about every kind of object. Hostile.test_in_no_field() puts EVIL into each text.
FULL = {"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "n1", "labels": {"kubernetes.io/hostname": "n1", "topology.kubernetes.io/zone": "a",
                                           "disk": "hdd"}, "annotations": {"note": "text"}},
     "spec": {"taints": [{"key": "dedicated", "value": "data", "effect": "NoSchedule"}], "providerID": "p"},
     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110", "example.com/gpu": "1"},
                "conditions": [{"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "down"}],
                "images": [{"names": ["web:1"], "sizeBytes": 100000000}]}},
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "n2", "labels": {"kubernetes.io/hostname": "n2", "topology.kubernetes.io/zone": "b"}},
     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}},
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"name": "web-1", "namespace": "shop", "uid": "1", "labels": {"app": "web"},
                  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r",
                                       "controller": True}]},
     "spec": {"nodeName": "n2", "priority": 0, "containers": [
         {"name": "a", "image": "web:1", "resources": {"requests": {"cpu": "3", "memory": "1Gi"}},
          "ports": [{"containerPort": 80, "hostPort": 80, "protocol": "TCP", "hostIP": "0.0.0.0"}]}]},
     "status": {"phase": "Running", "containerStatuses": [
         {"name": "a", "image": "web:1", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no"}}}]}},
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"name": "web-2", "namespace": "shop", "uid": "2", "labels": {"app": "web"}},
     "spec": {"priorityClassName": "high", "priority": 100, "schedulerName": "default-scheduler",
              "nodeSelector": {"disk": "ssd"},
              "tolerations": [{"key": "other", "operator": "Equal", "value": "x", "effect": "NoSchedule"}],
              "affinity": {
                  "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                      {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}},
                  "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                      {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]}},
              "topologySpreadConstraints": [
                  {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                   "labelSelector": {"matchLabels": {"app": "web"}}}],
              "containers": [{"name": "a", "image": "web:1", "resources": {"requests": {"cpu": "2"}},
                              "ports": [{"containerPort": 80, "hostPort": 80}]}],
              "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]},
     "status": {"phase": "Pending", "nominatedNodeName": "n1", "conditions": [
         {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}]}},
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"},
     "spec": {"storageClassName": "fast", "volumeName": "pv", "accessModes": ["ReadWriteOnce"],
              "resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Bound"}},
    {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv", "labels": {
        "topology.kubernetes.io/zone": "c"}},
     "spec": {"capacity": {"storage": "1Gi"}, "storageClassName": "fast",
              "claimRef": {"name": "data", "namespace": "shop"}, "csi": {"driver": "d", "volumeHandle": "h"},
              "nodeAffinity": {"required": {"nodeSelectorTerms": [
                  {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["c"]}]}]}}}},
    {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "p",
     "volumeBindingMode": "WaitForFirstConsumer"},
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 100},
    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"},
     "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1}},
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "shop", "uid": "r"},
     "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {
         "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "web:1"}]}}}},
    {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "shop"}, "reason": "Failed",
     "message": "pulling", "type": "Warning",
     "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-1", "uid": "1"}},
]}
EVIL_TEXT = json.loads('"' + EVIL.replace(r"\x", r"\u00") + '"')


def texts_in(value, path=""):
    """Where the texts in it are, keys included."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from texts_in(each, f"{path}[{i}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield f"{path}.{key} (key)"
            yield from texts_in(each, f"{path}.{key}")


def with_evil_texts(value, places, path=""):
    """The value with EVIL_TEXT behind the texts in these places."""
    if isinstance(value, str):
        return value + EVIL_TEXT if path in places else value
    if isinstance(value, list):
        return [with_evil_texts(each, places, f"{path}[{i}]") for i, each in enumerate(value)]
    if isinstance(value, dict):
        return {key + EVIL_TEXT if f"{path}.{key} (key)" in places else key:
                with_evil_texts(each, places, f"{path}.{key}") for key, each in value.items()}
    return value


def runs_over_all_texts():
    """The places of all texts in FULL, several for one run of the program, whose start takes most of the time. A key
    that is another hides what is below it, so of one object there is one at a time. What makes an object unreadable is
    alone."""
    alone, values, keys = [], [], {}
    for place in texts_in(FULL):
        item = re.match(r"\.items\[\d+\]", place)
        if not item or re.search(r"\.(apiVersion|kind)|requests\.|allocatable\.|capacity\.", place):
            alone.append([place])
        elif place.endswith(" (key)"):
            keys.setdefault(item.group(), []).append(place)
        else:
            values.append(place)
    runs = max(len(of_object) for of_object in keys.values())
    return (alone + [values[first::len(values) // 8] for first in range(len(values) // 8)] +
            [[of_object[i] for of_object in keys.values() if i < len(of_object)] for i in range(runs)])


def environment(**changes):
    kept = {name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "KUBECONFIG")}
    return {**kept, "TERM": "xterm-256color", **changes}


def piped(*arguments, **changes):
    return subprocess.run([BERTH, *arguments], capture_output=True, timeout=60, check=False, env=environment(**changes))


def on_terminal(columns, *arguments, **changes):
    """What the program writes to a terminal of so many columns, standard error included."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([BERTH, *arguments], stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                               env=environment(**changes))
    os.close(side)
    written = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError as error:  # Linux says so when the other side is closed
            if error.errno != errno.EIO:
                raise
            break
        if not part:
            break
        written += part
    os.close(main)
    process.wait(timeout=60)
    return written.decode().replace("\r\n", "\n")


def columns_of(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def commands(self):
        """One of each, with much to say."""
        pending = os.path.join(EXAMPLES, "pending.yaml")
        shop = os.path.join(EXAMPLES, "shop.yaml")
        return [
            ("explain", "shop/api-1", "--from", pending),
            ("explain", "shop/small-1", "--from", pending),
            ("inspect", pending),
            ("capacity", shop, "--pod", self.file("pod.yaml", POD)),
            ("what-if", shop, "--drain", "general-1"),
            ("sim", os.path.join(EXAMPLES, "first-day.berth")),
        ]


class Hostile(Folder):
    """Text from objects never reaches the terminal as it is."""

    def assert_harmless(self, text, arguments):
        text = text.decode("utf-8")  # which fails if it is not UTF-8
        for character in text:
            code = ord(character)
            is_harmless = character == "\n" or (unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs"))
            self.assertTrue(is_harmless, f"U+{code:04X} in what {arguments} prints: {text!r}")
        self.assertNotRegex(text, r"(?m)^line", f"a line of its own in what {arguments} prints")

    def runs(self):
        hostile = self.file("hostile.yaml", HOSTILE)
        pod = self.file("pod.yaml", POD)
        scenario = self.file("hostile.berth", "apply hostile.yaml\nrun 10s\nexpect pod web on n1\n")
        evil_name = "evil\x1b[31m\u202e.yaml"
        evil_file = self.file(evil_name, HOSTILE)
        config = self.file("config.yaml", 'apiVersion: "x\\x1b[31m"\nkind: "KubeSchedulerConfiguration"\n'
                                          '"a\\x1b[31m": 1\nprofiles: [{schedulerName: "p\\u202e"}]\n')
        good_config = self.file("good.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                             "kind: KubeSchedulerConfiguration\n"
                                             'profiles: [{schedulerName: "p\\x1b[31m"}]\n')
        for name in ("default/web", "default/gated", "default/tied", "default/there", "default/lost", "q",
                     "default/bad", "default/no\x1b[31msuch"):
            yield ("explain", name, "--from", hostile)
            yield ("explain", name, "--all", "--from", hostile)
        yield ("explain", f"ns{EVIL_TEXT}/q{EVIL_TEXT}", "--from", hostile)
        yield ("explain", "--pod-file", hostile, "--from", hostile)
        yield ("explain", "default/web", "--from", evil_file)
        yield ("inspect", hostile)
        yield ("inspect", "--all", evil_file)
        yield ("inspect", os.path.join(self.folder, "no\x1b[31msuch\u202e.yaml"))
        yield ("capacity", hostile, "--pod", pod)
        yield ("capacity", hostile, "--pod", hostile)
        yield ("capacity", "--all", "--preemption", hostile, "--pod", pod)
        yield ("what-if", hostile, "--drain", "n1*")
        yield ("what-if", hostile, "--drain", "no\x1b[31msuch")
        yield ("what-if", hostile, "--apply", evil_file)
        yield ("what-if", hostile, "--add-nodes", "n2*=1", "--all")
        yield ("sim", scenario)
        yield ("sim", "-q", scenario)
        yield ("sim", scenario, scenario)
        yield ("sim", self.file("wrong.berth", "nodes \x1b[31m\u202e 3\napply hostile.yaml\n"))
        yield ("sim", os.path.join(self.folder, "no\x1b[31msuch.berth"))
        yield ("config", "check", config)
        yield ("config", "check", good_config)
        yield ("config", "check", hostile)
        yield ("no\x1b[31msuch",)
        yield ("help", "no\x1b[31msuch")
        yield ("explain", "--no\x1b[31msuch")

    def test_in_no_command(self):
        for arguments in self.runs():
            with self.subTest(arguments):
                done = piped(*arguments)
                self.assertIn(done.returncode, (0, 1, 2, 3), done)
                self.assert_harmless(done.stdout, arguments)
                self.assert_harmless(done.stderr, arguments)

    def test_in_no_field(self):
        pod = self.file("pod.yaml", POD)
        dump = self.file("dump.json", json.dumps(FULL))
        commands = (("explain", "shop/web-2", "--from", dump), ("inspect", dump), ("what-if", dump, "--drain", "n2"),
                    ("capacity", dump, "--pod", pod), ("explain", "shop/web-1", "--from", dump))
        usual = [piped(*arguments).returncode for arguments in commands]
        runs = runs_over_all_texts()
        self.assertGreater(sum(len(run) for run in runs), 300)
        for index, run in enumerate(runs):
            # Each command sees every third run: all of them together see all kinds of fields in little time.
            for turn, arguments in enumerate(commands):
                if turn == 0 or (index + turn) % 3 == 0:
                    self.run_with_evil_texts(run, arguments, usual[turn])

    def run_with_evil_texts(self, places, arguments, usual):
        self.file("dump.json", json.dumps(with_evil_texts(FULL, set(places))))
        done = piped(*arguments)
        self.assertIn(done.returncode, (0, 1, 2, 3), (places, done))
        self.assert_harmless(done.stdout, (places, *arguments))
        self.assert_harmless(done.stderr, (places, *arguments))
        # One of them has changed what the command comes to, so that the others may not have been shown.
        if done.returncode != usual and len(places) > 1:
            for half in (places[::2], places[1::2]):
                self.run_with_evil_texts(half, arguments, usual)

    def test_nor_on_a_terminal(self):
        hostile = self.file("hostile.yaml", HOSTILE)
        for arguments in (("inspect", hostile), ("explain", "default/web", "--from", hostile)):
            text = on_terminal(60, *arguments)
            self.assert_harmless(COLOUR.sub("", text).encode(), arguments)

    def test_it_is_shown_instead(self):
        done = piped("inspect", self.file("hostile.yaml", HOSTILE))
        self.assertIn(r"\x1b[31mRED\x1b[2J\x07\u009b5m\u202elive\u2066\u200b\nline\r\ttab\x7f", done.stdout.decode())


class Terminal(Folder):
    def test_lines_fit_whatever_its_width(self):
        for width in (40, 60, 80, 120, 200):
            for arguments in self.commands():
                with self.subTest((width, *arguments)):
                    for line in ANSI.sub("", on_terminal(width, *arguments)).replace("\r", "\n").split("\n"):
                        # A word longer than the line stands alone, and a command to copy is not broken.
                        is_whole = len(line.split()) <= 1 or line.strip().startswith("kubectl ")
                        self.assertTrue(columns_of(line) <= width or is_whole, f"{columns_of(line)}: {line!r}")

    def test_help_fits_80_columns_in_a_pipe_and_the_terminal_elsewhere(self):
        names = re.findall(r"(?m)^  (\w\S*) ", piped("--help").stdout.decode().split("Subcommands:")[1])
        for name in (*names, "config check", "config print", "import openb"):
            for line in piped(*name.split(), "--help").stdout.decode().split("\n"):
                self.assertLessEqual(len(line), 80, f"berth {name} --help: {line}")
            if name != "run":
                for line in on_terminal(60, *name.split(), "--help").split("\n"):
                    self.assertTrue(len(line) <= 60 or len(line.split()) <= 2, line)

    def test_only_blanks_and_line_ends_differ_from_a_pipe(self):
        for arguments in self.commands()[:5]:
            with self.subTest(arguments):
                shown = COLOUR.sub("", on_terminal(250, *arguments))
                self.assertEqual(" ".join(shown.split()), " ".join(piped(*arguments).stdout.decode().split()))

    def test_the_live_view_leaves_nothing_behind_but_the_report(self):
        shown = on_terminal(60, "sim", os.path.join(EXAMPLES, "first-day.berth"), "--speed", "20000", NO_COLOR="1")
        self.assertIn("bound", shown)
        report = shown.rsplit("\x1b[J", 1)[-1]
        self.assertNotIn("\x1b", report)
        # Where lines end depends on the length of the path to the checkout.
        text = " ".join(report.split())
        self.assertIn("of virtual time", text)
        # Pods end and go in this scenario: fewer are bound at any time than have ever been placed.
        placed = int(re.search(r"placed (\d+) pods", text).group(1))
        bound = [int(number.replace(",", "")) for number in re.findall(r"bound ([\d,]+);", shown)]
        self.assertTrue(bound)
        self.assertLess(max(bound), placed / 2)


class Colours(Folder):
    def assert_coloured(self, is_coloured, *arguments, terminal=True, **changes):
        text = on_terminal(80, *arguments, **changes) if terminal else piped(*arguments, **changes).stdout.decode()
        self.assertEqual(bool(COLOUR.search(text)), is_coloured, text)

    def test_are_for_terminals(self):
        for arguments in self.commands():
            with self.subTest(arguments):
                self.assert_coloured(True, *arguments)
                self.assert_coloured(False, *arguments, terminal=False)

    def test_are_as_the_user_wants_them(self):
        for arguments in self.commands()[:5]:
            with self.subTest(arguments):
                self.assert_coloured(False, *arguments, NO_COLOR="1")
                self.assert_coloured(True, *arguments, NO_COLOR="")
                self.assert_coloured(False, *arguments, TERM="dumb")
                self.assert_coloured(False, *arguments, "--color=never")
                self.assert_coloured(False, "--color=never", *arguments)
                self.assert_coloured(True, *arguments, "--color", "always", NO_COLOR="1")
                self.assert_coloured(True, *arguments, "--color=always", terminal=False)
                self.assert_coloured(True, *arguments, terminal=False, CLICOLOR_FORCE="1")
                self.assert_coloured(False, *arguments, terminal=False, CLICOLOR_FORCE="0")
                self.assert_coloured(False, *arguments, CLICOLOR_FORCE="1", NO_COLOR="1")

    def test_are_not_in_json(self):
        for arguments in self.commands():
            with self.subTest(arguments):
                done = piped(*arguments, "-o", "json", "--color=always")
                self.assertNotIn(b"\x1b", done.stdout)
                json.loads(done.stdout)

    def test_a_value_that_is_none_is_a_usage_error(self):
        done = piped("inspect", "x.yaml", "--color=green")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"green not in {auto,always,never}", done.stderr)


class Errors(Folder):
    def test_are_wrapped_on_a_terminal_and_one_line_in_a_pipe(self):
        path = os.path.join(self.folder, "no", "such", "file.yaml")
        self.assertEqual(piped("inspect", path).stderr.decode().count("\n"), 1)
        bad = self.file("bad.yaml", HOSTILE.split("---")[-1])
        for line in on_terminal(50, "inspect", bad).split("\n"):
            self.assertTrue(columns_of(line) <= 50 or len(line.split()) <= 1, line)


class Pipe(Folder):
    def test_a_sentence_is_a_line(self):
        first = piped("explain", "shop/api-1", "--from", os.path.join(EXAMPLES, "pending.yaml")).stdout.split(b"\n")[0]
        self.assertTrue(first.startswith(b"shop/api-1 fits on none") and first.endswith(b"."), first)
        self.assertGreater(len(first), 100)

    def test_its_text_does_not_depend_on_the_terminal_around_it(self):
        for arguments in self.commands()[:5]:
            self.assertEqual(piped(*arguments, COLUMNS="40", TERM="dumb").stdout, piped(*arguments).stdout)


if __name__ == "__main__":
    BERTH, EXAMPLES = (os.path.abspath(argument) for argument in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main(verbosity=2)
