"""The documentation against the program and the tree: links, options, fields, names and metrics that pages mention
exist, and tables that claim to be complete are.

Usage: docs_test.py PROGRAM ROOT
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

BERTH = ""  # the program, from the command line
ROOT = pathlib.Path()

# Labels that Prometheus adds to every sample, and its own metric.
TARGET_LABELS = {"job", "instance", "namespace", "pod", "le"}
PROMETHEUS_OWN = {"up": set()}


def pages():
    folders = ("bench", "berth", "deploy", "docs", "examples", "tests")
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md",
            *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.md")))]


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def berth(*arguments):
    done = subprocess.run([BERTH, *arguments], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    return done.stdout


def section(text, heading):
    """The text below a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise AssertionError(f"there is no heading '{heading}'")
    return found.group(1)


def outside_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchor(heading):
    """As GitHub makes the anchor of a heading."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def options_in(text):
    """Long options as help and pages write them, without values."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for path in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", outside_code(path.read_text(encoding="utf-8"))):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, fragment = target.partition("#")
                with self.subTest(page=path.name, link=target):
                    linked = (path.parent / file).resolve() if file else path
                    self.assertTrue(linked.exists())
                    if fragment:
                        text = outside_code(linked.read_text(encoding="utf-8"))
                        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
                        self.assertIn(fragment, [anchor(heading) for heading in headings])

    def test_every_page_is_linked_from_the_readme(self):
        readme = page("README.md")
        for path in sorted((ROOT / "docs").glob("*.md")):
            self.assertIn(f"(docs/{path.name})", readme)

    def test_files_of_the_tree_that_pages_name_exist(self):
        pattern = re.compile(r"`((?:berth|bench|cmd|deploy|docs|examples|scripts|tests)/[\w./+-]*\w)/?`")
        for path in pages():
            for name in pattern.findall(path.read_text(encoding="utf-8")):
                with self.subTest(page=path.name, file=name):
                    self.assertTrue((ROOT / name).exists())


class Options(unittest.TestCase):
    # The page that has the options of a command, and pages for those that several commands share.
    PAGES = {"sim": ["simulate.md"], "fuzz": ["simulate.md"], "explain": ["explain.md"], "capacity": ["capacity.md"],
             "what-if": ["what-if.md"], "inspect": ["inspect.md"]}
    SHARED = ["output.md", "kubectl.md"]

    def test_every_option_is_described(self):
        for command, names in self.PAGES.items():
            text = "".join(page(f"docs/{name}") for name in names + self.SHARED)
            described = options_in(text)
            for option in options_in(re.sub(r"^(?:Example|Exits)(?s:.*)", "", berth(command, "--help"),
                                            flags=re.MULTILINE)) - {"--help"}:
                short = {"--output": "-o", "--quiet": "-q"}.get(option)
                with self.subTest(command=command, option=option):
                    self.assertTrue(option in described or (short and f"`{short}" in text))

    def test_no_page_has_an_option_that_does_not_exist(self):
        commands = ["run", "inspect", "explain", "capacity", "what-if", "sim", "fuzz", "version", "completion"]
        known = {"": options_in(berth("--help"))}
        for command in commands:
            known[command] = options_in(berth(command, "--help")) | known[""]
        for path in pages():
            # What replay.py runs may be wrong on purpose.
            text = re.sub(r"^ *\$ .*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            for command, rest in re.findall(rf"\bberth ({'|'.join(commands)})\b([^`\n|#;]*)", text):
                for option in options_in(rest):
                    with self.subTest(page=path.name, command=command):
                        self.assertIn(option, known[command])


class FlagsOfRun(unittest.TestCase):
    def flags(self):
        """{flag: whether it has an effect}, from the help."""
        found = {}
        for flag, about in re.findall(r"^ +(?:-\w, )?(--[a-z][a-z0-9-]*)\b[^\n]*\n\s+([^\n]*)", berth("run", "--help"),
                                      re.MULTILINE):
            found[flag] = not about.startswith("No effect")
        return found

    def test_the_table_has_all_flags_that_have_an_effect(self):
        text = section(page("docs/daemon.md"), "Flags")
        table = "\n".join(line for line in text.splitlines() if line.startswith("|"))
        listed = options_in(table)
        effective = {flag for flag, has_effect in self.flags().items() if has_effect} - {"--help", "--version"}
        self.assertGreater(len(effective), 30)
        prefix = "--requestheader-"
        self.assertEqual({flag for flag in effective if not flag.startswith(prefix)} - {"--v"},
                         {flag for flag in listed if not flag.startswith(prefix)})
        self.assertIn("`--requestheader-*`", table)

    def test_the_page_lists_all_flags_without_an_effect(self):
        text = section(page("docs/daemon.md"), "Flags")
        listed = options_in(text[text.index("without an effect:"):text.index("Their values must")])
        self.assertEqual({flag for flag, has_effect in self.flags().items() if not has_effect}, listed)


class Configuration(unittest.TestCase):
    def test_fields_of_the_printed_configuration_are_described(self):
        text = page("docs/configuration.md")
        names = set(re.findall(r"^\s*-?\s*([a-z]\w+):", berth("config", "print"), re.MULTILINE))
        self.assertGreater(len(names), 40)
        for name in sorted(names - {"kind", "args"}):
            self.assertRegex(text, rf"\b{name}\b", name)

    def test_defaults_are_those_that_are_printed(self):
        printed = dict(re.findall(r"^\s*([a-zA-Z]+): ([^\s{}]+)$", berth("config", "print"), re.MULTILINE))
        table = section(page("docs/configuration.md"), "Fields")
        rows = re.findall(r"^\| `([^|]+)` \| ([^|]+) \|", table, re.MULTILINE)
        compared = 0
        for cell, defaults in rows:
            names = [name.split(".")[-1] for name in re.split(r"`, `", cell)]
            values = [value.strip() for value in defaults.split(",")]
            if len(names) != len(values):
                continue
            for name, value in zip(names, values):
                if name in printed and re.fullmatch(r"[\w./-]+", value):
                    self.assertEqual(printed[name].strip('"'), value, name)
                    compared += 1
        self.assertGreater(compared, 12)

    def test_the_list_of_default_plugins_is_the_one_that_is_printed(self):
        text = section(page("docs/configuration.md"), "Plugins")
        text = text[text.index("The default `multiPoint` list"):]
        listed = re.findall(r"([A-Z]\w+)(?: \((\d+)\))?", text[text.index(":"):text.index(".")])
        printed = re.findall(r"- name: (\w+)\n\s+weight: (\d+)", berth("config", "print").split("multiPoint:")[1])
        self.assertEqual([(name, weight or "0") for name, weight in listed], printed)


class Explain(unittest.TestCase):
    def test_sentences_about_the_example_are_those_that_are_printed(self):
        rows = re.findall(r"^\| `(\w+/[\w-]+)` \| \.\.\. (.*) \|$", page("docs/explain.md"), re.MULTILINE)
        self.assertGreaterEqual(len(rows), 12)
        for pod, sentence in rows:
            printed = berth("explain", pod, "--from", "examples/pending.yaml").splitlines()[0]
            self.assertEqual(f"{pod} {sentence}", printed)


class Logging(unittest.TestCase):
    def test_messages_that_are_worth_a_row_are_logged(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "berth").rglob("*.cc"))
                          if not path.name.endswith("_test.cc"))
        messages = re.findall(r"^\| (`[^|]+`) \|", section(page("docs/logging.md"), "Which lines should worry me?"),
                              re.MULTILINE)
        self.assertGreater(len(messages), 5)
        for cell in messages:
            for message in re.findall(r"`([^`]+)`", cell):
                self.assertIn(f'"{message}"', sources)


class Roles(unittest.TestCase):
    def test_the_viewer_role_is_that_of_the_manifest(self):
        rule = re.search(r"- nonResourceURLs: .*\n  verbs: .*\n", page("docs/http-api.md")).group()
        self.assertIn(rule, page("deploy/rbac.yaml"))
        self.assertIn(rule, page("deploy/helm/berth/templates/rbac.yaml"))


class Json(unittest.TestCase):
    # Schema tables in the code, and the page that describes what is printed with them.
    SCHEMAS = {"berth/daemon/endpoints_answers.cc": "docs/http-api.md",
               "berth/whatif/difference_schema.cc": "docs/what-if.md",
               "berth/report/summary_schema.cc": "docs/simulate.md",
               "berth/explain/explanation.cc": "docs/explain.md",
               "berth/whatif/capacity_text.cc": "docs/capacity.md",
               "berth/whatif/pod_sets_text.cc": "docs/capacity.md",
               "berth/whatif/node_loss_text.cc": "docs/capacity.md"}

    def test_every_member_is_described(self):
        for source, name in self.SCHEMAS.items():
            members = re.findall(r'field<[^>]*>\(\s*"(\w+)"', page(source))
            self.assertGreater(len(members), 5, source)
            text = page(name)
            for member in members:
                with self.subTest(page=name, member=member):
                    self.assertTrue(re.search(rf'[`"]{member}(?:\[\])?[`"]', text))

    def test_kinds_of_lines_in_the_timeline_are_listed(self):
        kinds = re.findall(r'case Topic::\w+: return "(\w+)";', page("berth/report/timeline.cc"))
        self.assertGreater(len(kinds), 15)
        row = re.search(r"^\| `timeline`.*Kinds: (.*)\|$", page("docs/simulate.md"), re.MULTILINE).group(1)
        self.assertEqual(sorted(kinds), sorted(re.findall(r"`(\w+)`", row)))

    def test_states_of_pods_that_do_not_run_are_listed(self):
        header = page("berth/explain/explanation.h")
        states = re.search(r"namespace running_state \{.*?\n\}", header, re.DOTALL).group()
        names = re.findall(r'k\w+ = "(\w+)"', states)
        self.assertGreater(len(names), 10)
        row = re.search(r"^\| `running` .*States: (.*)\|$", page("docs/explain.md"), re.MULTILINE).group(1)
        self.assertEqual(sorted(names), sorted(re.findall(r"`(\w+)`", row)))


class Identifiers(unittest.TestCase):
    PAGES = ["queue.md", "releases.md", "deciding.md", "logging.md", "configuration.md", "glossary.md",
             "conformance.md"]

    def test_names_of_the_code_that_pages_mention_exist(self):
        code = "".join(path.read_text(encoding="utf-8") for folder in ("berth", "examples", "bench", "tests")
                       for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cc", ".py", ".go"))
        words = set(re.findall(r"\w+", code))
        checked = 0
        for name in self.PAGES:
            for token in re.findall(r"`([A-Za-z_:]+)(?:\([^`]*\))?`", page(f"docs/{name}")):
                # snake_case, kConstant or Type::member; other words in code font are Kubernetes' own.
                if not re.fullmatch(r"[a-z]+(?:_[a-z0-9]+)+|k[A-Z]\w+|\w+(?:::\w+)+", token):
                    continue
                for word in token.split("::"):
                    checked += 1
                    self.assertIn(word, words, f"docs/{name}: {token}")
        self.assertGreater(checked, 80)


class Snippets(unittest.TestCase):
    # Code on a page, and the test that compiles and runs it.
    SNIPPETS = {"docs/queue.md": "berth/queue/docs_test.cc", "docs/configuration.md": "berth/config/docs_test.cc"}

    def test_code_on_pages_is_code_that_is_compiled(self):
        for name, source in self.SNIPPETS.items():
            compiled = [line.strip() for line in page(source).splitlines()]
            blocks = re.findall(r"^```cpp\n(.*?)^```", page(name), re.MULTILINE | re.DOTALL)
            self.assertTrue(blocks, name)
            for block in blocks:
                lines = [line.strip() for line in block.splitlines() if line.strip()]
                for line in lines:
                    self.assertIn(line, compiled, f"{name} against {source}")


class Rights(unittest.TestCase):
    def test_the_readers_role_lists_the_kinds_that_are_listed(self):
        source = page("cmd/berth/cluster_access.cc")
        body = source[source.index("kinds_to_list("):source.index("return kinds;")]
        table = page("berth/api/kind_table.h").replace("\\\n", "\n")
        row = r"^  X\((\w+),\s*(?:\"[^\"]*\",\s*){2}\"(\w+)\",\s*\w+,\s*(\w+),"
        rows = re.findall(row, table, re.MULTILINE)
        named = set(re.findall(r"kind_of<api::(\w+)>", body))
        listed = {resource for kind, resource, reading in rows if reading != "kNotRead" or kind in named}
        self.assertGreater(len(listed), 15)
        role = re.search(r"--resource=(\S+)", page("docs/kubectl.md")).group(1)
        self.assertEqual({resource.partition(".")[0] for resource in role.split(",")}, listed)


class Conformance(unittest.TestCase):
    def switches(self, header):
        return re.findall(r"^  bool (\w+) = false;", page(header), re.MULTILINE)

    def test_every_quirk_of_the_queue_and_of_hints_is_described(self):
        text = page("docs/conformance.md") + page("docs/releases.md") + page("docs/upstream-reports.md")
        for header in ("berth/queue/quirks.h", "berth/plugins/hint_quirks.h", "berth/plugins/plugin_quirks.h",
                       "berth/engine/quirks.h"):
            for switch in self.switches(header):
                self.assertTrue(f"`{switch}`" in text or f"`{switch.replace('_', '-')}`" in text, switch)

    def test_tests_that_are_named_exist(self):
        checked = 0
        for line in page("tests/conformance/README.md").splitlines():
            for file, rest in re.findall(r"`((?:\w+/)?\w+_test)`([^;|`]*)", line):
                path = f"berth/{file if '/' in file else 'queue/' + file}.cc"
                with self.subTest(path=path):
                    source = page(path)
                for name, is_prefix in re.findall(r"\b([A-Z]\w{5,})(\.\.\.)?", re.sub(r"\([^)]*\)", "", rest)):
                    checked += 1
                    with self.subTest(test=name):
                        pattern = rf"^TEST\w*\(\w+, \w*{name}" + ("" if is_prefix else r"\b")
                        self.assertTrue(re.search(pattern, source, re.MULTILINE))
        self.assertGreater(checked, 50)


class UpstreamReports(unittest.TestCase):
    def test_scenarios_that_are_named_exist(self):
        text = page("docs/upstream-reports.md")
        names = re.findall(r"`((?:U-\d+|Q|PR-\d+)-[\w-]+)`", text)
        self.assertGreater(len(names), 60)
        for name in names:
            self.assertTrue((ROOT / f"tests/scenarios/upstream/{name}.berth").exists(), name)

    def test_every_scenario_is_named(self):
        text = page("docs/upstream-reports.md")
        for path in sorted((ROOT / "tests/scenarios/upstream").glob("*.berth")):
            self.assertIn(f"`{path.stem}`", text)


class Scenarios(unittest.TestCase):
    def run_scenario(self, text, *arguments):
        return subprocess.run([BERTH, "sim", "-q", *arguments, "-"], input=text, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_event_labels_are_ones_that_the_language_knows(self):
        text = page("docs/scenarios.md")
        table = text[text.index("| about | labels |"):text.index("Conditions on nodes:")]
        labels = re.findall(r"`([A-Z]\w+)`", table)
        self.assertGreater(len(labels), 20)
        expectations = "".join(f"expect pod p not woken by {label}\n" for label in labels)
        done = self.run_scenario(f"node n1\npod p\nrun until idle\n{expectations}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.run_scenario("node n1\npod p\nexpect pod p not woken by Tuesday\n").returncode, 2)

    def test_quirks_that_reports_name_can_be_switched_on(self):
        text = page("docs/upstream-reports.md")
        names = set(re.findall(r"quirks? (?:of v\d\.\d+ )?`([a-z-]+)`", text))
        names |= set(re.findall(r"`([a-z-]+)` \|$", section(text, "Found here"), re.MULTILINE))
        self.assertGreater(len(names), 15)
        done = self.run_scenario("node n1\npod p\nrun until idle\n", "--quirks", ",".join(sorted(names)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))


def documented_metrics():
    """{name: {label: set of values, empty if the page does not list them}} of docs/metrics.md, which
    berth/daemon/metrics_docs_test.cc compares with what is served."""
    metrics = {}
    for names, kind, labels in re.findall(r"^\| (`[a-z_`, ]+`) \| (counter|gauge|histogram)[^|]* \| ([^|]*)\|",
                                          page("docs/metrics.md"), re.MULTILINE):
        parsed = {}
        for label, values in re.findall(r"([a-z_]+)(?: \(([^)]*)\))?(?:,|$)", labels.strip()):
            is_list = values and not re.search(r"\b(?:a|to)\b", values)
            parsed[label] = set(re.split(r",\s*", values)) if is_list else set()
        for name in re.findall(r"`([a-z_]+)`", names):
            for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
                metrics[name + suffix] = parsed
    return metrics


FUNCTIONS = {"absent", "sum", "min", "max", "rate", "increase", "changes", "histogram_quantile", "min_over_time", "by",
             "and", "or", "unless", "on", "label_values"}


def problems_of(expression, metrics):
    """What is wrong with the metrics, labels and values of a PromQL expression."""
    problems = []
    text = re.sub(r"\[[^]]*\]", "", expression)
    used = set()
    for name, matchers in re.findall(r"\b([a-z][a-z0-9_]*)\b(?:\{([^}]*)\})?", re.sub(r'"[^"]*"', "Q", text)):
        if name in FUNCTIONS or name in TARGET_LABELS:
            continue
        used.add(name)
    grouped = {label.strip() for group in re.findall(r"by \(([^)]*)\)", text) for label in group.split(",")}
    series = {name for name in used if name in metrics}
    labels = set().union(*(metrics[name] for name in series)) if series else set()
    matched = set(re.findall(r"([a-z_]+)(?:=~|!=|=)\"", text))
    for name in used - series - grouped - matched - set(PROMETHEUS_OWN):
        problems.append(f"no metric {name}")
    for label in (grouped | matched) - TARGET_LABELS - labels:
        problems.append(f"no label {label}")
    for name, matchers in re.findall(r"\b([a-z][a-z0-9_]*)\{([^}]*)\}", text):
        for label, value in re.findall(r"([a-z_]+)=\"([^\"]*)\"", matchers):
            values = metrics.get(name, {}).get(label, set())
            if label not in TARGET_LABELS and label not in metrics.get(name, {}):
                problems.append(f"{name} has no label {label}")
            elif values and value not in values:
                problems.append(f"{name} has no {label} {value}")
    if not series and not (used & set(PROMETHEUS_OWN)):
        problems.append("no metric of Berth's")
    return problems


class Monitoring(unittest.TestCase):
    def alerts(self):
        text = page("deploy/monitoring/alerts.yaml")
        return re.findall(r"- alert: (\w+)\n +expr: (?:\|\n)?((?:.*\n)+?) +(?:for|labels):", text)

    def test_alerts_use_metrics_that_are_served(self):
        alerts = self.alerts()
        self.assertEqual(len(alerts), page("deploy/monitoring/alerts.yaml").count("- alert:"))
        for name, expression in alerts:
            self.assertEqual(problems_of(expression, documented_metrics()), [], name)

    def test_every_alert_is_explained(self):
        listed = re.findall(r"^\| `(Berth\w+)` \|", page("docs/operations.md"), re.MULTILINE)
        self.assertEqual(listed, [name for name, _ in self.alerts()])

    def test_the_dashboard_uses_metrics_that_are_served(self):
        dashboard = json.loads(page("deploy/monitoring/dashboard.json"))
        self.assertGreater(len(dashboard["panels"]), 10)
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                self.assertEqual(problems_of(target["expr"], documented_metrics()), [], panel["title"])
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    grouped = re.search(r"by \(([^)]*)\)", target["expr"])
                    labels = re.split(r",\s*", grouped.group(1)) if grouped else []
                    self.assertIn(label, [*labels, *TARGET_LABELS], panel["title"])

    def test_wrong_expressions_are_found(self):
        metrics = documented_metrics()
        for expression in ("sum(scheduler_pending_podz)", 'scheduler_pending_pods{kueue="active"}',
                           'scheduler_pending_pods{queue="parked"}', "sum by (plugin) (scheduler_pending_pods)",
                           "rate(scheduler_preemption_victims[5m])", "vector(1)",
                           'rate(scheduler_preemption_victims_sum{result="x"}[5m])'):
            self.assertNotEqual(problems_of(expression, metrics), [], expression)


if __name__ == "__main__":
    BERTH, ROOT = str(pathlib.Path(sys.argv.pop(1)).resolve()), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
