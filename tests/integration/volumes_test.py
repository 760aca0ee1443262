"""Volumes through the API: late binding with a provisioner, volumes that exist, limits, zones and access modes."""

import kube
from provisioner import SELECTED_NODE, Provisioner
from world import BerthTest

ZONE = "topology.kubernetes.io/zone"
DRIVER = "disk.example"


def csi(handle):
    return {"csi": {"driver": DRIVER, "volumeHandle": handle}}


class Volumes(BerthTest):
    def create(self, *items):
        for item in items:
            self.admin.create(item)

    def test_claim_that_waits_for_its_pod_is_provisioned_where_the_pod_goes(self):
        self.nodes(kube.node("n1", cpu=1), kube.node("n2", cpu=4))
        self.create(kube.storage_class("late"), kube.claim("data", storage_class_name="late"))
        with Provisioner(self.cluster.client()) as provisioner:
            self.pod("p", cpu=2, claims=["data"])
            self.bound("p", "n2")
            self.assertEqual(provisioner.provisioned[0], ("data", "n2"))
        claim = self.admin.get("PersistentVolumeClaim", "data")
        self.assertEqual(claim["metadata"]["annotations"][SELECTED_NODE], "n2")
        self.assertEqual(claim["spec"]["volumeName"], "made-for-data")

    def test_pod_is_not_bound_before_its_volume_is_there(self):
        self.nodes("n1")
        self.create(kube.storage_class("late"), kube.claim("data", storage_class_name="late"))
        self.pod("p", claims=["data"])
        self.admin.wait_for("PersistentVolumeClaim", "data",
                            lambda found: found["metadata"].get("annotations", {}).get(SELECTED_NODE) == "n1",
                            what="given a node")
        self.stays_pending("p", 1)
        with Provisioner(self.cluster.client()):
            self.bound("p", "n1")

    def test_node_that_cannot_provision_is_given_up_for_another(self):
        self.nodes(kube.node("n1", cpu=8), kube.node("n2", cpu=2))
        self.create(kube.storage_class("late"), kube.claim("data", storage_class_name="late"))
        with Provisioner(self.cluster.client(), refuses=["n1"]) as provisioner:
            self.pod("p", claims=["data"], affinity={"nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": {"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}}]}})
            self.admin.wait_for("PersistentVolumeClaim", "data", lambda _: provisioner.refused, what="refused")
            # Where it would rather go is full by now, so that the next attempt looks elsewhere.
            self.cordon("n1")
            self.bound("p", "n2", timeout=40)

    def test_local_volume_that_exists_decides_the_node(self):
        self.nodes("n1", "n2", "n3")
        self.create(kube.storage_class("local", "kubernetes.io/no-provisioner"),
                    kube.volume("disk-2", storage_class_name="local", nodes=["n2"]),
                    kube.claim("data", storage_class_name="local"))
        with Provisioner(self.cluster.client()):
            self.pod("p", claims=["data"])
            self.bound("p", "n2")
        self.assertEqual(self.admin.get("PersistentVolumeClaim", "data")["spec"]["volumeName"], "disk-2")

    def test_smallest_volume_that_is_large_enough_is_taken(self):
        self.nodes("n1")
        self.create(kube.storage_class("local", "kubernetes.io/no-provisioner"),
                    *(kube.volume(f"disk-{size}", f"{size}Gi", "local", ["n1"]) for size in (1, 10, 5)),
                    kube.claim("data", "3Gi", "local"))
        with Provisioner(self.cluster.client()):
            self.admin.wait_all("PersistentVolume", lambda found: all(
                item["status"]["phase"] == "Available" for item in found), what="available")
            self.pod("p", claims=["data"])
            self.bound("p")
        self.assertEqual(self.admin.get("PersistentVolumeClaim", "data")["spec"]["volumeName"], "disk-5")

    def test_two_pods_do_not_get_the_same_volume(self):
        self.nodes("n1", "n2")
        self.create(kube.storage_class("local", "kubernetes.io/no-provisioner"),
                    *(kube.volume(f"disk-{number}", "1Gi", "local", [f"n{number}"]) for number in (1, 2)),
                    *(kube.claim(f"data-{number}", "1Gi", "local") for number in (1, 2)))
        with Provisioner(self.cluster.client()):
            for number in (1, 2):
                self.pod(f"p{number}", claims=[f"data-{number}"])
            self.assertNotEqual(self.bound("p1"), self.bound("p2"))

    def test_missing_volume_is_waited_for(self):
        self.nodes("n1")
        self.create(kube.storage_class("local", "kubernetes.io/no-provisioner"),
                    kube.claim("data", storage_class_name="local"))
        with Provisioner(self.cluster.client()):
            self.pod("p", claims=["data"])
            self.pending("p", "1 node(s) didn't find available persistent volumes to bind")
            self.create(kube.volume("disk-1", storage_class_name="local", nodes=["n1"]))
            self.bound("p", "n1")

    def test_missing_claim_is_waited_for(self):
        self.nodes("n1")
        self.create(kube.storage_class("late"))
        with Provisioner(self.cluster.client()):
            self.pod("p", claims=["data"])
            self.pending("p", 'persistentvolumeclaim "data" not found')
            self.create(kube.claim("data", storage_class_name="late"))
            self.bound("p", "n1")

    def test_claim_that_binds_at_once_must_be_bound_first(self):
        self.nodes("n1")
        self.create(kube.storage_class("early", mode="Immediate"), kube.claim("data", storage_class_name="early"))
        self.pod("p", claims=["data"])
        self.pending("p", "pod has unbound immediate PersistentVolumeClaims")
        self.create(kube.volume("disk", storage_class_name="early", source=csi("x"), claimRef={
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"}))
        with Provisioner(self.cluster.client()):
            self.bound("p", "n1")

    def test_bound_volume_keeps_its_pods_on_its_node(self):
        self.nodes("n1", "n2")
        self.create(kube.volume("disk", storage_class_name="x", nodes=["n2"], claimRef={
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"}),
                    kube.claim("data", storage_class_name="x", volumeName="disk"))
        with Provisioner(self.cluster.client()):
            self.admin.wait_for("PersistentVolumeClaim", "data", lambda it: it["status"].get("phase") == "Bound")
        self.cordon("n2")
        self.pod("p", claims=["data"])
        message = self.pending("p", "1 node(s) were unschedulable")
        self.assertIn("1 node(s) didn't match PersistentVolume's node affinity", message)
        self.admin.patch("Node", "n2", {"spec": {"unschedulable": None}})
        self.bound("p", "n2")

    def test_zone_of_a_volume_is_followed(self):
        self.nodes(kube.node("a", labels={ZONE: "a"}), kube.node("b", labels={ZONE: "b"}))
        self.bound_claim("data", labels={ZONE: "b"})
        self.pod("p", claims=["data"])
        self.bound("p", "b")
        self.cordon("b")
        self.pod("q", claims=["data"])
        self.pending("q", "1 node(s) had no available volume zone")

    def bound_claim(self, name, modes=("ReadWriteOnce",), labels=None):
        self.create(kube.volume(f"disk-{name}", storage_class_name="x", source=csi(name), modes=modes, labels=labels,
                                claimRef={"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                                          "namespace": "default", "name": name}),
                    kube.claim(name, storage_class_name="x", modes=modes, volumeName=f"disk-{name}"))
        with Provisioner(self.cluster.client()):
            self.admin.wait_for("PersistentVolumeClaim", name, lambda it: it["status"].get("phase") == "Bound")

    def test_number_of_volumes_on_a_node_is_limited(self):
        self.nodes("n1")
        self.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n1"},
                     "spec": {"drivers": [{"name": DRIVER, "nodeID": "n1", "allocatable": {"count": 1}}]}})
        for name in ("one", "two"):
            self.bound_claim(name)
        self.pod("p1", claims=["one"])
        self.bound("p1", "n1")
        self.pod("p2", claims=["two"])
        self.pending("p2", "1 node(s) exceed max volume count")
        self.admin.delete("Pod", "p1")
        self.bound("p2", "n1")

    def test_volume_for_one_pod_only_is_used_by_one_pod_only(self):
        self.nodes("n1", "n2")
        self.bound_claim("mine", modes=("ReadWriteOncePod",))
        self.pod("owner", claims=["mine"])
        self.bound("owner")
        self.pod("rival", claims=["mine"])
        self.pending("rival", "PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")
        self.admin.delete("Pod", "owner")
        self.bound("rival")

    def test_capacity_that_a_driver_reports_is_respected(self):
        self.nodes(kube.node("n1", labels={ZONE: "a"}), kube.node("n2", labels={ZONE: "b"}))
        self.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER},
                     "spec": {"storageCapacity": True}},
                    kube.storage_class("late", DRIVER), kube.claim("data", "5Gi", "late"))
        for zone, size in (("a", "1Gi"), ("b", "100Gi")):
            self.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
                         "metadata": {"name": zone, "namespace": "default"}, "storageClassName": "late",
                         "nodeTopology": {"matchLabels": {ZONE: zone}}, "capacity": size})
        with Provisioner(self.cluster.client()):
            self.pod("p", claims=["data"])
            self.bound("p", "n2")
        self.create(kube.claim("huge", "500Gi", "late"))
        self.pod("q", claims=["huge"])
        self.pending("q", "2 node(s) did not have enough free storage")
