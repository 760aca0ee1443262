"""What users and tools see: conditions and events as kubectl shows them, and the very requests that write them."""

import socket

import kube
from world import BerthTest, kubectl


class Messages(BerthTest):
    def patches_of(self, name):
        """Bodies of the status patches of this pod, oldest first."""
        return [entry["requestObject"] for entry in self.cluster.audit_entries()
                if entry["objectRef"].get("subresource") == "status" and entry["objectRef"]["name"] == name
                and entry["requestReceivedTimestamp"] >= self.started_at and "requestObject" in entry]

    def test_kubectl_describes_why_a_pod_is_pending_and_where_it_went(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("web", cpu=2)
        self.pending("web")
        self.events_of("web", "FailedScheduling")
        text = kubectl("describe", "pod", "web")
        self.assertRegex(text, r"PodScheduled +False")
        self.assertRegex(text, r"Warning +FailedScheduling +\S+ +default-scheduler +0/1 nodes are available: "
                               r"1 Insufficient cpu\. no new claims to deallocate, "
                               r"preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling\.")
        self.admin.patch("Node", "n1", {"status": {"allocatable": {"cpu": "4"}}}, subresource="status")
        self.bound("web", "n1")
        self.events_of("web", "Scheduled")
        text = kubectl("describe", "pod", "web")
        self.assertRegex(text, r"Normal +Scheduled +\S+ +default-scheduler +Successfully assigned default/web to n1")
        self.assertRegex(text, r"PodScheduled +True")
        self.assertRegex(kubectl("get", "pod", "web", "-o", "wide"), r"web .* n1 ")
        self.assertRegex(kubectl("get", "events", "--field-selector=involvedObject.name=web"),
                         r"Normal +Scheduled +pod/web +Successfully assigned default/web to n1")

    def test_event_has_every_field_that_kube_scheduler_fills(self):
        self.nodes("n1")
        uid = self.pod("web")["metadata"]["uid"]
        self.bound("web")
        event = self.events_of("web", "Scheduled")[-1]
        self.assertRegex(event["metadata"]["name"], r"^web\.[0-9a-f]{16}$")
        self.assertRegex(event["eventTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual(
            {key: event.get(key) for key in
             ("action", "reason", "type", "note", "reportingController", "reportingInstance")},
            {"action": "Binding", "reason": "Scheduled", "type": "Normal",
             "note": "Successfully assigned default/web to n1", "reportingController": "default-scheduler",
             "reportingInstance": f"default-scheduler-{socket.gethostname()}"})
        regarding = event["regarding"]
        self.assertEqual((regarding["kind"], regarding["apiVersion"], regarding["name"], regarding["namespace"],
                          regarding["uid"]), ("Pod", "v1", "web", "default", uid))
        self.assertTrue(regarding["resourceVersion"])

    def test_failure_that_repeats_becomes_a_series(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("web", cpu=2)
        self.pending("web")
        # A pod that goes wakes it, in vain and with the same message. The first failure changes the pod itself, so that
        # the second one is another event and the third one the second's repetition.
        for step in range(8):
            self.pod(f"filler-{step}", cpu="10m")
            self.bound(f"filler-{step}")
            self.admin.delete("Pod", f"filler-{step}")
            if any(event.get("series") for event in self.events_of("web", "FailedScheduling")):
                break
            self.stays_pending("web", 1.2)
        series = [event["series"] for event in self.events_of("web", "FailedScheduling") if event.get("series")]
        self.assertTrue(series, "no event became a series")
        self.assertEqual(series[0]["count"], 2)

    def test_status_patches_say_no_more_than_what_changed(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("web", cpu=2)
        self.pending("web", "0/1 nodes")
        first = self.patches_of("web")[0]
        condition = first["status"]["conditions"][0]
        self.assertEqual(set(first), {"status"})
        self.assertEqual(set(first["status"]), {"conditions"})
        self.assertEqual((condition["type"], condition["status"], condition["reason"], condition["observedGeneration"]),
                         ("PodScheduled", "False", "Unschedulable", 1))
        since = kube.scheduled(self.admin.get("Pod", "web"))["lastTransitionTime"]
        self.pod("filler", cpu="10m")
        self.bound("filler")
        self.nodes(kube.node("n2", cpu=1))
        self.admin.delete("Pod", "filler")  # which wakes it
        self.pending("web", "0/2 nodes")
        second = self.patches_of("web")[-1]
        self.assertEqual(second["status"]["$setElementOrder/conditions"], [{"type": "PodScheduled"}])
        self.assertEqual([set(it) for it in second["status"]["conditions"]], [{"message", "type"}])
        self.assertEqual(kube.scheduled(self.admin.get("Pod", "web"))["lastTransitionTime"], since)

    def test_conditions_of_others_are_left_alone(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("web", cpu=2, schedulingGates=[{"name": "example.com/wait"}])
        self.admin.patch("Pod", "web", {"status": {"conditions": [
            {"type": "example.com/Approved", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}},
            subresource="status", content_type=kube.STRATEGIC)
        self.admin.patch("Pod", "web", {"spec": {"schedulingGates": None}})
        self.pending("web", "Insufficient cpu")
        kinds = {it["type"] for it in self.admin.get("Pod", "web")["status"]["conditions"]}
        self.assertIn("example.com/Approved", kinds)

    def test_pod_with_a_long_name_has_its_event(self):
        name = "a" * 250
        self.nodes("n1")
        self.pod(name)
        self.bound(name)
        self.assertTrue(self.events_of(name, "Scheduled"))

    def test_another_schedulers_pod_is_left_alone(self):
        self.nodes("n1")
        self.pod("foreign", scheduler="somebody-else")
        self.pod("ours")
        self.bound("ours")
        self.stays_pending("foreign", 1)
        self.assertIsNone(kube.scheduled(self.admin.get("Pod", "foreign")))
        self.admin.delete("Pod", "foreign")

    def test_preempted_pods_event_names_the_preemptor(self):
        self.nodes(kube.node("n1", cpu=2))
        self.pod("victim", cpu=2, priority="low")
        self.bound("victim")
        uid = self.pod("important", cpu=2, priority="high")["metadata"]["uid"]
        self.bound("important")
        event = self.events_of("victim", "Preempted")[-1]
        self.assertEqual(event["note"], f"Preempted by pod {uid} on node n1")
        self.assertEqual(event["action"], "Preempting")


class Profiles(BerthTest):
    schedulers = ("default-scheduler", "packing", "no-ports")
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1, "leaderElection": {"leaderElect": False},
        "profiles": [
            {"schedulerName": "default-scheduler"},
            {"schedulerName": "packing", "pluginConfig": [{"name": "NodeResourcesFit", "args": {
                "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}}],
             "plugins": {"score": {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]}}},
            {"schedulerName": "no-ports", "plugins": {"multiPoint": {"disabled": [{"name": "NodePorts"}]}}},
        ],
    }

    def test_each_pod_gets_the_profile_that_it_names(self):
        self.nodes("n1", "n2")
        self.pod("first", cpu=1)
        node = self.bound("first")
        self.pod("packed", cpu=1, scheduler="packing")
        self.bound("packed", node)
        self.assertEqual(self.events_of("packed", "Scheduled")[0]["reportingController"], "packing")
        self.pod("spread", cpu="1500m")
        self.assertNotEqual(self.bound("spread"), node)

    def test_plugin_that_a_profile_leaves_out_has_no_say(self):
        self.nodes("n1")
        self.pod("first", host_port=80)
        self.bound("first")
        self.pod("second", host_port=80)
        self.pending("second", "free ports")
        self.admin.delete("Pod", "second")
        self.pod("third", host_port=80, scheduler="no-ports")
        self.bound("third")
        self.admin.delete("Pod", "third")  # it is what the checker would complain of
