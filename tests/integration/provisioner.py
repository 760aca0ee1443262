"""A provisioner of volumes and the persistent-volume controller, as little of both as scheduling needs.

A claim with the annotation volume.kubernetes.io/selected-node gets a volume on that node and is bound to it. A claim
that the scheduler pre-bound to a volume (or that waits for nobody) becomes Bound, and a new volume becomes Available.
`refuses` names nodes on which no volume can be made: the annotation is then removed again, which is how provisioners
ask for another node.
"""

import threading

import kube

SELECTED_NODE = "volume.kubernetes.io/selected-node"


class Provisioner:
    def __init__(self, client, refuses=()):
        self._client = client
        self._refuses = set(refuses)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.provisioned = []
        self.refused = []
        self._thread.start()

    def stop(self):
        self._stopping.set()
        self._thread.join(10)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.stop()

    def _run(self):
        while not self._stopping.wait(0.05):
            try:
                for volume in self._client.list("PersistentVolume"):
                    if volume["status"].get("phase") == "Pending" and not volume["spec"].get("claimRef"):
                        self._client.patch("PersistentVolume", volume["metadata"]["name"],
                                           {"status": {"phase": "Available"}}, subresource="status")
                for claim in self._client.list("PersistentVolumeClaim", "*"):
                    if claim.get("status", {}).get("phase") != "Bound":
                        self._look_at(claim)
            except (OSError, kube.ApiError):
                pass  # the next round sees it again

    def _look_at(self, claim):
        metadata = claim["metadata"]
        node = metadata.get("annotations", {}).get(SELECTED_NODE)
        volume = claim["spec"].get("volumeName") or self._pre_bound(claim)
        if volume:
            self._bind(claim, volume)
        elif node in self._refuses:
            self.refused.append((metadata["name"], node))
            self._client.patch("PersistentVolumeClaim", metadata["name"],
                               {"metadata": {"annotations": {SELECTED_NODE: None}}}, metadata["namespace"])
        elif node:
            made = kube.volume(f"made-for-{metadata['name']}", claim["spec"]["resources"]["requests"]["storage"],
                               claim["spec"]["storageClassName"], [node], claimRef=_reference(claim))
            try:
                self._client.create(made)
            except kube.ApiError as error:
                if error.status != 409:
                    raise
            self.provisioned.append((metadata["name"], node))
            self._bind(claim, made["metadata"]["name"])

    def _pre_bound(self, claim):
        """A volume that names this claim: what a scheduler does to reserve one."""
        for volume in self._client.list("PersistentVolume"):
            reference = volume["spec"].get("claimRef") or {}
            if (reference.get("namespace"), reference.get("name")) == (
                    claim["metadata"]["namespace"], claim["metadata"]["name"]):
                return volume["metadata"]["name"]
        return None

    def _bind(self, claim, volume):
        name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
        self._client.patch("PersistentVolume", volume, {"spec": {"claimRef": _reference(claim)}})
        self._client.patch("PersistentVolume", volume, {"status": {"phase": "Bound"}}, subresource="status")
        if not claim["spec"].get("volumeName"):
            self._client.patch("PersistentVolumeClaim", name, {
                "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                "spec": {"volumeName": volume}}, namespace)
        elif claim["metadata"].get("annotations", {}).get("pv.kubernetes.io/bind-completed") != "yes":
            self._client.patch("PersistentVolumeClaim", name, {
                "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}, namespace)
        self._client.patch("PersistentVolumeClaim", name, {"status": {
            "phase": "Bound", "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]}}}, namespace, "status")


def _reference(claim):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim["metadata"]["namespace"],
            "name": claim["metadata"]["name"], "uid": claim["metadata"]["uid"]}
