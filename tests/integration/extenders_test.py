"""Extenders over real HTTP: who is asked what, and what becomes of the answers."""

import contextlib
import time

import kube
from extender import Extender
from world import BerthTest, configuration

POOL = {"pool": "a"}  # a node selector makes a pod one of which the checker does not think that it knows better


def names_in(asked):
    return sorted(asked["NodeNames"] or [item["metadata"]["name"] for item in asked["Nodes"]["items"]])


class Extenders(BerthTest):
    starts_daemon = False

    def setUp(self):
        super().setUp()
        self.extender = Extender()

    def tearDown(self):
        try:
            super().tearDown()
        finally:
            self.extender.__exit__(None, None, None)

    @contextlib.contextmanager
    def start(self, extender=None, **fields):
        """A scheduler with one extender of these fields. It ends in peace, so that its last events are written."""
        address = (extender or self.extender).address
        config = configuration(extenders=[{"urlPrefix": address, "weight": 1, **fields}])
        with self.start_daemon(config=config) as daemon:
            yield daemon
            daemon.stop()

    def pool(self, *names, **fields):
        self.nodes(*(kube.node(name, labels=POOL, **fields) for name in names))

    def pooled(self, name, **fields):
        return self.pod(name, nodeSelector=POOL, **fields)

    # ---- Filter

    def test_filter_keeps_pods_from_nodes(self):
        self.pool("n1", "n2", "n3")
        self.extender.answers["filter"] = lambda asked: {
            "NodeNames": ["n2"], "FailedNodes": {"n1": "too loud", "n3": "too loud"}}
        with self.start(filterVerb="filter", nodeCacheCapable=True):
            self.pooled("p")
            self.bound("p", "n2")
        asked = self.extender.asked("filter")[0]
        self.assertEqual(names_in(asked), ["n1", "n2", "n3"])
        self.assertIsNone(asked["Nodes"])
        self.assertEqual(asked["Pod"]["metadata"]["name"], "p")
        self.assertEqual(asked["Pod"]["spec"]["containers"][0]["image"], "app:1")

    def test_filter_gets_whole_nodes_unless_it_knows_them(self):
        self.pool("n1", "n2")
        self.extender.answers["filter"] = lambda asked: {
            "Nodes": {"items": [node for node in asked["Nodes"]["items"] if node["metadata"]["name"] == "n1"]}}
        with self.start(filterVerb="filter"):
            self.pooled("p")
            self.bound("p", "n1")
        asked = self.extender.asked("filter")[0]
        self.assertIsNone(asked["NodeNames"])
        self.assertEqual(asked["Nodes"]["items"][0]["status"]["allocatable"]["cpu"], "4")

    def test_reasons_of_a_filter_are_those_of_the_pod(self):
        self.pool("n1", "n2")
        self.extender.answers["filter"] = lambda asked: {
            "NodeNames": [], "FailedNodes": {"n1": "too loud"}, "FailedAndUnresolvableNodes": {"n2": "too far"}}
        with self.start(filterVerb="filter", nodeCacheCapable=True):
            self.pooled("p")
            message = self.pending("p", "too loud")
            self.assertIn("0/2 nodes are available: 1 too far, 1 too loud.", message)

    def test_only_pods_with_its_resources_are_its_affair(self):
        self.pool("n1", "n2")
        self.extender.answers["filter"] = lambda asked: {"NodeNames": ["n2"]}
        with self.start(filterVerb="filter", nodeCacheCapable=True,
                        managedResources=[{"name": "example.com/chip", "ignoredByScheduler": True}]):
            self.pooled("other")
            self.bound("other")
            self.assertEqual(self.extender.asked("filter"), [])
            # No node has any: the extender knows of them, the scheduler need not.
            self.pooled("mine", requests={"example.com/chip": "1"})
            self.bound("mine", "n2")
        self.admin.delete("Pod", "mine")  # the checker would not know where that resource comes from

    # ---- Prioritize

    def test_scores_of_an_extender_decide(self):
        names = [f"n{number}" for number in range(5)]
        self.pool(*names)
        self.extender.answers["prioritize"] = lambda asked: [
            {"Host": name, "Score": 10 if name == "n3" else 0} for name in names_in(asked)]
        with self.start(prioritizeVerb="prioritize", weight=100, nodeCacheCapable=True):
            for number in range(4):
                self.pooled(f"p{number}")
                self.bound(f"p{number}", "n3")
        self.assertEqual(len(self.extender.asked("prioritize")), 4)

    def test_extender_that_does_not_score_is_left_out(self):
        self.pool("n1", "n2")
        self.extender.answers["prioritize"] = lambda asked: 500
        with self.start(prioritizeVerb="prioritize", nodeCacheCapable=True):
            self.pooled("p")
            self.bound("p")

    # ---- Bind

    def test_extender_that_binds_is_the_one_who_does(self):
        self.pool("n1")

        def bind(asked):
            self.admin.create({"apiVersion": "v1", "kind": "Binding",
                               "metadata": {"name": asked["PodName"], "namespace": asked["PodNamespace"],
                                            "uid": asked["PodUID"]},
                               "target": {"apiVersion": "v1", "kind": "Node", "name": asked["Node"]}})
            return {"Error": ""}
        self.extender.answers["bind"] = bind
        with self.start(bindVerb="bind"):
            made = self.pooled("p")
            self.bound("p", "n1")
            self.events_of("p", "Scheduled")
        self.assertEqual(self.extender.asked("bind"), [
            {"PodName": "p", "PodNamespace": "default", "PodUID": made["metadata"]["uid"], "Node": "n1"}])

    def test_bind_that_an_extender_refuses_frees_the_place_and_is_tried_again(self):
        self.pool("n1", cpu=1)
        refusals = iter(["not now", "not yet"])

        def bind(asked):
            refusal = next(refusals, None)
            if refusal:
                return {"Error": refusal}
            self.admin.create({"apiVersion": "v1", "kind": "Binding",
                               "metadata": {"name": asked["PodName"], "namespace": asked["PodNamespace"]},
                               "target": {"apiVersion": "v1", "kind": "Node", "name": asked["Node"]}})
            return {}
        self.extender.answers["bind"] = bind
        with self.start(bindVerb="bind"):
            self.pooled("p", cpu=1)
            self.bound("p", "n1")
        self.assertEqual(len(self.extender.asked("bind")), 3)

    # ---- Preempt

    def test_extender_has_a_say_in_who_must_go(self):
        self.pool("n1", "n2", cpu=2)
        self.extender.answers["filter"] = lambda asked: {"NodeNames": names_in(asked)}
        self.extender.answers["preempt"] = lambda asked: {
            "NodeNameToMetaVictims": {"n2": asked["NodeNameToMetaVictims"]["n2"]}}
        with self.start(filterVerb="filter", preemptVerb="preempt", nodeCacheCapable=True):
            for node in ("n1", "n2"):
                self.pod(f"on-{node}", cpu=2, priority="low", nodeSelector={"kubernetes.io/hostname": node})
                self.bound(f"on-{node}", node)
            self.pooled("important", cpu=2, priority="high")
            self.bound("important", "n2")
            self.assertIsNotNone(self.admin.find("Pod", "on-n1"))
        asked = self.extender.asked("preempt")[0]
        self.assertEqual(sorted(asked["NodeNameToMetaVictims"]), ["n1", "n2"])
        self.assertFalse(asked.get("NodeNameToVictims"))

    # ---- What fails

    def test_extender_that_cannot_be_asked_holds_pods_up_until_it_can(self):
        self.pool("n1")
        self.extender.answers["filter"] = lambda asked: 500
        with self.start(filterVerb="filter", nodeCacheCapable=True):
            self.pooled("p")
            message = self.pending("p", "code 500", reason="SchedulerError")
            self.assertIn(f"failed filter with extender at URL {self.extender.address}/filter, code 500", message)
            self.extender.answers["filter"] = lambda asked: {"NodeNames": names_in(asked)}
            self.bound("p", "n1")

    def test_extender_that_may_be_ignored_is(self):
        self.pool("n1")
        self.extender.answers["filter"] = lambda asked: 500
        with self.start(filterVerb="filter", nodeCacheCapable=True, ignorable=True):
            self.pooled("p")
            self.bound("p", "n1")
            self.assertGreaterEqual(len(self.extender.asked("filter")), 1)

    def test_slow_extender_has_until_its_time_out(self):
        self.pool("n1")

        def sleep(asked):
            time.sleep(3)
            return {"NodeNames": names_in(asked)}
        self.extender.answers["filter"] = sleep
        with self.start(filterVerb="filter", nodeCacheCapable=True, httpTimeout="1s", ignorable=True):
            started = time.monotonic()
            self.pooled("p")
            self.bound("p", "n1")
            self.assertGreater(time.monotonic() - started, 0.9)

    def test_extender_over_https_is_checked_by_its_authority(self):
        self.pool("n1", "n2")
        paths = (self.cluster.folder / "server.crt", self.cluster.folder / "server.key")
        with Extender(certificate=paths) as secure:
            secure.answers["filter"] = lambda asked: {"NodeNames": ["n2"]}
            with self.start(secure, filterVerb="filter", nodeCacheCapable=True, enableHTTPS=True,
                            tlsConfig={"caFile": str(self.cluster.authority.certificate)}):
                self.pooled("p")
                self.bound("p", "n2")
            with self.start(secure, filterVerb="filter", nodeCacheCapable=True, enableHTTPS=True,
                            tlsConfig={"caFile": str(self.cluster.front_proxy_authority.certificate)}):
                self.pooled("q")
                self.pending("q", reason="SchedulerError")
                self.admin.delete("Pod", "q")
