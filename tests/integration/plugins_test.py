"""Every plugin through the API: a pod that it lets through, one that it holds back, and what the user is told."""

import kube
from world import BerthTest

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def zoned(name, zone, **fields):
    return kube.node(name, labels={ZONE: zone, **fields.pop("labels", {})}, **fields)


def pod_affinity(kind, app, key=HOST, **fields):
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **fields}]}}


def node_affinity(key, operator, *values):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}]}}}


class Resources(BerthTest):
    def test_pod_goes_where_its_requests_fit(self):
        self.nodes(kube.node("small", cpu=1), kube.node("large", cpu=8))
        self.pod("big", cpu=4)
        self.bound("big", "large")

    def test_pod_that_is_too_large_waits_and_says_which_resource_is_missing(self):
        self.nodes(kube.node("n1", cpu=1, memory="1Gi"), kube.node("n2", cpu=8, memory="1Gi"))
        self.pod("greedy", cpu=4, memory="4Gi")
        message = self.pending("greedy")
        self.assertIn("0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.", message)
        self.assertIn("preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.", message)

    def test_room_that_is_set_free_wakes_a_waiting_pod(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("first", cpu=1)
        self.bound("first", "n1")
        self.pod("second", cpu=1)
        self.pending("second", "Insufficient cpu")
        self.admin.delete("Pod", "first")
        self.bound("second", "n1")

    def test_node_that_grows_wakes_a_waiting_pod(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("big", cpu=4)
        self.pending("big", "Insufficient cpu")
        self.admin.patch("Node", "n1", {"status": {"allocatable": {"cpu": "8"}}}, subresource="status")
        self.bound("big", "n1")

    def test_node_that_comes_wakes_a_waiting_pod(self):
        self.pod("early", cpu=1)
        self.pending("early", "no nodes available to schedule pods")
        self.nodes("n1")
        self.bound("early", "n1")

    def test_extended_resources_are_counted(self):
        self.nodes(kube.node("plain"), kube.node("gpu", resources={"example.com/gpu": 1}))
        self.pod("trains", requests={"example.com/gpu": "1"})
        self.bound("trains", "gpu")
        self.pod("waits", requests={"example.com/gpu": "1"})
        self.pending("waits", "2 Insufficient example.com/gpu")

    def test_pod_count_of_a_node_is_a_limit(self):
        self.nodes(kube.node("n1", pods=1))
        self.pod("one")
        self.bound("one", "n1")
        self.pod("two")
        self.pending("two", "Too many pods")

    def test_pods_spread_over_equal_nodes(self):
        self.nodes(*(kube.node(f"n{number}") for number in range(4)))
        for number in range(4):
            self.pod(f"p{number}", cpu=1)
        self.assertEqual(len({self.bound(f"p{number}") for number in range(4)}), 4)

    def test_node_with_the_image_is_preferred(self):
        self.nodes("n1", kube.node("n2", images={"app:large": 900_000_000}), "n3")
        self.pod("p", image="app:large")
        self.bound("p", "n2")

    def test_pod_that_was_resized_down_gives_room(self):
        self.nodes(kube.node("n1", cpu=4))
        self.pod("shrinks", cpu=4)
        self.bound("shrinks", "n1")
        self.pod("waits", cpu=2)
        self.pending("waits", "Insufficient cpu")
        self.admin.patch("Pod", "shrinks", {"spec": {"containers": [
            {"name": "app", "resources": {"requests": {"cpu": "1"}}}]}}, subresource="resize",
            content_type=kube.STRATEGIC)
        # The kubelet's part: what the container has been given follows what it asks for.
        self.admin.patch("Pod", "shrinks", {"status": {"phase": "Running", "containerStatuses": [
            {"name": "app", "image": "app", "imageID": "", "ready": True, "restartCount": 0,
             "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}]}}, subresource="status")
        self.bound("waits", "n1")


class Nodes(BerthTest):
    def test_cordoned_node_takes_nothing_until_it_is_uncordoned(self):
        self.nodes(kube.node("n1", unschedulable=True))
        self.pod("p")
        self.pending("p", "1 node(s) were unschedulable")
        self.admin.patch("Node", "n1", {"spec": {"unschedulable": None}})
        self.bound("p", "n1")

    def test_named_node_is_the_only_one(self):
        self.nodes("n1", "n2")
        # spec.nodeName would bypass the scheduler; metadata.name is how DaemonSets say it.
        self.pod("p", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}})
        self.bound("p", "n2")

    def test_node_selector_is_followed(self):
        self.nodes(kube.node("slow", labels={"disk": "hdd"}), kube.node("fast", labels={"disk": "ssd"}))
        self.pod("p", nodeSelector={"disk": "ssd"})
        self.bound("p", "fast")

    def test_label_that_appears_wakes_a_pod_that_wants_it(self):
        self.nodes("n1", "n2")
        self.pod("p", affinity=node_affinity("disk", "In", "ssd"))
        self.pending("p", "2 node(s) didn't match Pod's node affinity/selector")
        self.admin.patch("Node", "n2", {"metadata": {"labels": {"disk": "ssd"}}})
        self.bound("p", "n2")

    def test_preferred_node_is_taken(self):
        self.nodes("n1", kube.node("n2", labels={"disk": "ssd"}), "n3")
        self.pod("p", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "preference": {"matchExpressions": [
                {"key": "disk", "operator": "In", "values": ["ssd"]}]}}]}})
        self.bound("p", "n2")

    def test_taint_keeps_pods_away_and_a_toleration_lets_them_in(self):
        self.nodes(kube.node("n1", taints=[("team", "red")]))
        self.pod("stranger")
        self.pending("stranger", "1 node(s) had untolerated taint(s)")
        self.pod("friend", tolerations=[{"key": "team", "operator": "Equal", "value": "red", "effect": "NoSchedule"}])
        self.bound("friend", "n1")

    def test_taint_that_goes_wakes_a_waiting_pod(self):
        self.nodes(kube.node("n1", taints=[("team", "red")]))
        self.pod("p")
        self.pending("p", "untolerated taint")
        self.admin.patch("Node", "n1", {"spec": {"taints": None}})
        self.bound("p", "n1")

    def test_soft_taint_is_avoided(self):
        self.nodes(kube.node("n1", taints=[("old", "", "PreferNoSchedule")]), "n2")
        self.pod("p")
        self.bound("p", "n2")

    def test_host_port_is_given_once_per_node(self):
        self.nodes("n1", "n2")
        for name in ("a", "b"):
            self.pod(name, host_port=8080)
        self.assertNotEqual(self.bound("a"), self.bound("b"))
        self.pod("c", host_port=8080)
        self.pending("c", "2 node(s) didn't have free ports for the requested pod ports")
        self.admin.delete("Pod", "a")
        self.bound("c")


class OtherPods(BerthTest):
    def test_affinity_brings_pods_together(self):
        self.nodes("n1", "n2", "n3")
        self.pod("first", labels={"app": "web"})
        node = self.bound("first")
        self.pod("second", affinity=pod_affinity("podAffinity", "web"))
        self.bound("second", node)

    def test_affinity_to_nobody_waits_until_somebody_comes(self):
        self.nodes("n1", "n2")
        self.pod("follower", affinity=pod_affinity("podAffinity", "web"))
        self.pending("follower", "2 node(s) didn't match pod affinity rules")
        self.pod("leader", labels={"app": "web"})
        self.bound("follower", self.bound("leader"))

    def test_anti_affinity_keeps_pods_apart(self):
        self.nodes("n1", "n2")
        for name in ("a", "b"):
            self.pod(name, labels={"app": "web"}, affinity=pod_affinity("podAntiAffinity", "web"))
        self.assertNotEqual(self.bound("a"), self.bound("b"))
        self.pod("c", labels={"app": "web"}, affinity=pod_affinity("podAntiAffinity", "web"))
        self.pending("c", "2 node(s) didn't match pod anti-affinity rules")
        self.admin.delete("Pod", "a")
        self.bound("c")

    def test_anti_affinity_of_those_who_are_there_counts_as_well(self):
        self.nodes("n1")
        self.pod("hermit", affinity=pod_affinity("podAntiAffinity", "web"))
        self.bound("hermit")
        self.pod("p", labels={"app": "web"})
        self.pending("p", "1 node(s) didn't satisfy existing pods anti-affinity rules")

    def test_affinity_looks_into_namespaces_by_their_labels(self):
        self.nodes("n1", "n2", "n3")
        self.pod("there", labels={"app": "web"}, namespace="blue")
        node = self.bound("there", namespace="blue")
        self.pod("here", affinity=pod_affinity("podAffinity", "web",
                                               namespaceSelector={"matchLabels": {"team": "blue"}}))
        self.bound("here", node)

    def test_affinity_by_zone(self):
        self.nodes(zoned("a1", "a"), zoned("b1", "b", cpu=1), zoned("b2", "b"))
        self.pod("first", labels={"app": "web"}, cpu="900m", affinity=node_affinity(HOST, "In", "b1"))
        self.bound("first", "b1")
        self.pod("second", cpu=2, affinity=pod_affinity("podAffinity", "web", ZONE))
        self.bound("second", "b2")

    def test_hard_spread_constraint_evens_zones_out(self):
        self.nodes(zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b"))
        spread = [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                   "labelSelector": {"matchLabels": {"app": "web"}}}]
        for number in range(4):
            self.pod(f"p{number}", labels={"app": "web"}, topologySpreadConstraints=spread)
        placed = [self.bound(f"p{number}") for number in range(4)]
        self.assertEqual(placed.count("b1"), 2, placed)

    def test_hard_spread_constraint_holds_back_what_would_unbalance(self):
        self.nodes(zoned("a1", "a"), zoned("b1", "b", cpu="100m"))
        spread = [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                   "labelSelector": {"matchLabels": {"app": "web"}}}]
        self.pod("one", cpu=1, labels={"app": "web"}, topologySpreadConstraints=spread)
        self.bound("one", "a1")
        self.pod("two", cpu=1, labels={"app": "web"}, topologySpreadConstraints=spread)
        message = self.pending("two", "1 node(s) didn't match pod topology spread constraints")
        self.assertIn("1 Insufficient cpu", message)
        self.admin.patch("Node", "b1", {"status": {"allocatable": {"cpu": "4"}}}, subresource="status")
        self.bound("two", "b1")

    def test_pods_of_a_service_spread_by_default(self):
        self.nodes(*(kube.node(f"n{number}") for number in range(3)))
        self.admin.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
                           "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
        for number in range(3):
            self.pod(f"p{number}", labels={"app": "web"})
        self.assertEqual(len({self.bound(f"p{number}") for number in range(3)}), 3)


class Gates(BerthTest):
    def test_gated_pod_waits_without_being_tried(self):
        self.nodes("n1")
        gates = [{"name": "example.com/quota"}, {"name": "example.com/image"}]
        uid = self.pod("p", schedulingGates=gates)["metadata"]["uid"]
        self.pending("p", reason="SchedulingGated")
        self.stays_pending("p")
        self.assertFalse([event for event in self.admin.list("Event") if event["regarding"].get("uid") == uid])
        self.admin.patch("Pod", "p", {"spec": {"schedulingGates": [{"name": "example.com/image"}]}})
        self.stays_pending("p", 0.7)
        self.admin.patch("Pod", "p", {"spec": {"schedulingGates": None}})
        self.bound("p", "n1")

    def test_gated_pod_may_be_made_to_fit(self):
        self.nodes("n1", kube.node("n2", labels={"disk": "ssd"}))
        self.pod("p", schedulingGates=[{"name": "example.com/placement"}])
        self.pending("p", reason="SchedulingGated")
        self.admin.patch("Pod", "p", {"spec": {"nodeSelector": {"disk": "ssd"}}})
        self.admin.patch("Pod", "p", {"spec": {"schedulingGates": None}})
        self.bound("p", "n2")
