"""Pods that make room for more important ones: victims, budgets, nominations, and what the victims' owners see."""

import kube
from kubelet import Kubelet
from world import BerthTest


def budget(name, app, allowed):
    """A PodDisruptionBudget; its status is the disruption controller's affair, which is not here."""
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}}, {
                "status": {"disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1,
                           "observedGeneration": 1}}


class Preemption(BerthTest):
    def budget(self, name, app, allowed):
        item, status = budget(name, app, allowed)
        self.admin.create(item)
        self.admin.patch("PodDisruptionBudget", name, status, subresource="status")

    def fill(self, node, name, cpu=2, priority="low", **fields):
        """A bound pod on this node."""
        self.pod(name, cpu=cpu, priority=priority, nodeSelector={"kubernetes.io/hostname": node}, **fields)
        self.bound(name, node)

    def test_important_pod_takes_a_lesser_ones_place(self):
        self.nodes(kube.node("n1", cpu=2))
        self.fill("n1", "victim")
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n1")
        self.assertIsNone(self.admin.find("Pod", "victim"))
        self.assertIn("Preempted by pod", self.events_of("victim", "Preempted")[0]["note"])

    def test_victim_is_told_why(self):
        type(self).kubelet.stop()  # the victim stays, so that it can be looked at
        try:
            self.nodes(kube.node("n1", cpu=2))
            self.fill("n1", "victim")
            self.pod("important", cpu=2, priority="high")
            victim = self.admin.wait_for(
                "Pod", "victim", lambda found: found["metadata"].get("deletionTimestamp"), what="being deleted")
            told = [it for it in victim["status"]["conditions"] if it["type"] == "DisruptionTarget"]
            self.assertEqual(
                [(it["status"], it["reason"], it["message"]) for it in told],
                [("True", "PreemptionByScheduler",
                  "default-scheduler: preempting to accommodate a higher priority pod")])
            waiting = self.admin.wait_for(
                "Pod", "important", lambda found: found["status"].get("nominatedNodeName"), what="nominated")
            self.assertEqual(waiting["status"]["nominatedNodeName"], "n1")
            self.stays_pending("important", 0.5)
            self.admin.delete("Pod", "victim")
            self.bound("important", "n1")
        finally:
            type(self).kubelet = _new_kubelet(self)

    def test_place_that_was_made_is_kept_for_whom_it_was_made(self):
        type(self).kubelet.stop()
        try:
            self.nodes(kube.node("n1", cpu=2))
            self.fill("n1", "victim")
            self.pod("important", cpu=2, priority="high")
            self.admin.wait_for("Pod", "important", lambda found: found["status"].get("nominatedNodeName"))
            self.pod("opportunist", cpu=2, priority="middle")
            self.pending("opportunist", "Insufficient cpu")
            self.admin.delete("Pod", "victim")
            self.bound("important", "n1")
            self.stays_pending("opportunist", 1)
        finally:
            type(self).kubelet = _new_kubelet(self)

    def test_least_important_victims_are_chosen(self):
        self.nodes(kube.node("n1", cpu=2), kube.node("n2", cpu=2))
        self.fill("n1", "middling", priority="middle")
        self.fill("n2", "lowly", priority="low")
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n2")
        self.assertEqual(self.bound("middling"), "n1")

    def test_budget_that_is_used_up_is_spared(self):
        self.nodes(kube.node("n1", cpu=2), kube.node("n2", cpu=2))
        self.budget("guard", "guarded", 0)
        self.fill("n1", "guarded", labels={"app": "guarded"})
        self.fill("n2", "free", labels={"app": "free"})
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n2")
        self.assertEqual(self.bound("guarded"), "n1")

    def test_budget_is_broken_where_nothing_else_helps(self):
        self.nodes(kube.node("n1", cpu=2))
        self.budget("guard", "guarded", 0)
        self.fill("n1", "guarded", labels={"app": "guarded"})
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n1")

    def test_no_more_victims_than_needed(self):
        self.nodes(kube.node("n1", cpu=4))
        for name in ("a", "b", "c", "d"):
            self.fill("n1", name, cpu=1)
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n1")
        self.assertEqual(len(self.admin.list("Pod")), 3)

    def test_equals_are_not_preempted(self):
        self.nodes(kube.node("n1", cpu=2))
        self.fill("n1", "holder", priority="high")
        self.pod("rival", cpu=2, priority="high")
        self.pending("rival", "No preemption victims found for incoming pod")
        self.assertEqual(self.bound("holder"), "n1")

    def test_polite_pods_never_preempt(self):
        self.nodes(kube.node("n1", cpu=2))
        self.fill("n1", "holder", priority="low")
        self.pod("polite", cpu=2, priority="polite")
        self.pending("polite", "not eligible due to preemptionPolicy=Never")
        self.admin.delete("Pod", "holder")
        self.bound("polite", "n1")

    def test_preemption_does_not_help_where_the_node_itself_does_not_suit(self):
        self.nodes(kube.node("n1", cpu=2))
        self.fill("n1", "holder")
        self.pod("picky", cpu=2, priority="high", nodeSelector={"disk": "ssd"})
        self.pending("picky", "Preemption is not helpful for scheduling")
        self.assertEqual(self.bound("holder"), "n1")

    def test_important_pods_are_tried_first(self):
        self.nodes(kube.node("n1", cpu=2, unschedulable=True))
        self.pod("lesser", cpu=2, priority="low")
        self.pending("lesser")
        self.pod("greater", cpu=2, priority="high")
        self.pending("greater")
        self.admin.patch("Node", "n1", {"spec": {"unschedulable": None}})
        self.bound("greater", "n1")
        self.pending("lesser", "Insufficient cpu")

    def test_deleted_preemptor_gives_its_nomination_up(self):
        type(self).kubelet.stop()
        try:
            self.nodes(kube.node("n1", cpu=2))
            self.fill("n1", "victim")
            self.pod("important", cpu=2, priority="high")
            self.admin.wait_for("Pod", "important", lambda found: found["status"].get("nominatedNodeName"))
            self.pod("next", cpu=2, priority="low")
            self.pending("next", "Insufficient cpu")
            self.admin.delete("Pod", "important")
            self.admin.delete("Pod", "victim")
            self.bound("next", "n1")
        finally:
            type(self).kubelet = _new_kubelet(self)

    def test_nomination_that_somebody_else_made_is_respected(self):
        self.nodes(kube.node("n1", cpu=2), kube.node("n2", cpu=2))
        self.pod("hinted", cpu=1, schedulingGates=[{"name": "example.com/wait"}])
        self.admin.patch("Pod", "hinted", {"status": {"nominatedNodeName": "n2"}}, subresource="status")
        self.pod("filler", cpu="1500m", nodeSelector={"kubernetes.io/hostname": "n1"})
        self.bound("filler", "n1")
        self.admin.patch("Pod", "hinted", {"spec": {"schedulingGates": None}})
        self.bound("hinted", "n2")


def _new_kubelet(test):
    return Kubelet(test.cluster.client())
