"""A small client of the Kubernetes API for tests, and makers of objects: standard library only, JSON over HTTPS.

    admin = cluster.client()
    admin.create(pod("web", cpu="500m"))
    bound = admin.wait_for("Pod", "web", lambda found: found["spec"].get("nodeName"))

Objects are plain dictionaries as the API has them. A client may be used by many threads; each has its own connection.
What the server refuses is an ApiError with `status` and `reason`; what did not reach it is an OSError.
"""

import concurrent.futures
import http.client
import json
import socket
import ssl
import threading
import time
import urllib.parse

from processes import wait_until

WAIT_SECONDS = 20  # for something that takes milliseconds; a busy machine of two cores may be slow
REQUEST_SECONDS = 60

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

# kind: (path of the API group, plural, is in a namespace)
KINDS = {
    "Binding": ("/api/v1", "bindings", True),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "CSIDriver": ("/apis/storage.k8s.io/v1", "csidrivers", False),
    "CSINode": ("/apis/storage.k8s.io/v1", "csinodes", False),
    "CSIStorageCapacity": ("/apis/storage.k8s.io/v1", "csistoragecapacities", True),
    "Deployment": ("/apis/apps/v1", "deployments", True),
    "DeviceClass": ("/apis/resource.k8s.io/v1", "deviceclasses", False),
    "Event": ("/apis/events.k8s.io/v1", "events", True),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True),
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "PersistentVolume": ("/api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "Pod": ("/api/v1", "pods", True),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", True),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", True),
    "ResourceClaim": ("/apis/resource.k8s.io/v1", "resourceclaims", True),
    "ResourceSlice": ("/apis/resource.k8s.io/v1", "resourceslices", False),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
    "Secret": ("/api/v1", "secrets", True),
    "Service": ("/api/v1", "services", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "StatefulSet": ("/apis/apps/v1", "statefulsets", True),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses", False),
    "VolumeAttachment": ("/apis/storage.k8s.io/v1", "volumeattachments", False),
}


class ApiError(Exception):
    def __init__(self, method, path, status, body):
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        self.status = status
        self.reason = answer.get("reason", "")
        self.message = answer.get("message", body[:500].decode("utf-8", "replace"))
        super().__init__(f"{method} {path}: {status} {self.reason}: {self.message}")


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


class Watch:
    """Iterate over it for (type, object). It ends after close(), which any thread may call; with OSError when the
    connection breaks, and with ApiError when the server says so (410: the version is too old)."""

    def __init__(self, place, sock, answer):
        self._place = place
        self._socket = sock
        self._answer = answer
        self._is_closed = False

    def close(self):
        self._is_closed = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def __iter__(self):
        try:
            for line in self._answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError("WATCH", self._place, event["object"].get("code", 0), line)
                yield event["type"], event["object"]
        except (OSError, ValueError, http.client.HTTPException) as error:
            if not self._is_closed:
                raise OSError(f"watch of {self._place}: {error}") from error
        if not self._is_closed:
            raise OSError(f"watch of {self._place}: closed by the server")


def path_of(kind, namespace, name=None, subresource=None):
    group, plural, namespaced = KINDS[kind]
    path = f"{group}/namespaces/{namespace}/{plural}" if namespaced and namespace else f"{group}/{plural}"
    for part in (name, subresource):
        if part is not None:
            path += "/" + part
    return path


class Client:
    """`authority` is a path, or None to trust whoever answers; `certificate` is (path of certificate, path of key)."""

    def __init__(self, address, authority=None, token=None, certificate=None, namespace="default", timeout=None):
        parts = urllib.parse.urlsplit(address)
        self._host, self._port = parts.hostname, parts.port
        self._tls = ssl.create_default_context(cafile=str(authority) if authority else None)
        if authority is None:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE
        if certificate:
            self._tls.load_cert_chain(*map(str, certificate))
        self._token = token
        self._timeout = timeout or REQUEST_SECONDS
        self._own = threading.local()
        self.namespace = namespace

    # ---- Requests

    def _connect(self, timeout):
        return http.client.HTTPSConnection(self._host, self._port, context=self._tls, timeout=timeout)

    def _headers(self, content_type=None, headers=None):
        made = {"Accept": "application/json", **(headers or {})}
        if self._token:
            made["Authorization"] = f"Bearer {self._token}"
        if content_type:
            made["Content-Type"] = content_type
        return made

    def raw(self, method, path, body=None, content_type=None, headers=None):
        """The server's answer, whatever it is."""
        data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        fresh = getattr(self._own, "connection", None) is None
        while True:
            if fresh:
                self._own.connection = self._connect(self._timeout)
            connection = self._own.connection
            try:
                connection.request(method, path, data, self._headers(content_type if data else None, headers))
                answer = connection.getresponse()
                return Answer(answer.status, answer.headers, answer.read())
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._own.connection = None
                # A kept connection may have been closed by the server meanwhile; only what is safe twice is sent twice.
                if not fresh and (method == "GET" or isinstance(error, http.client.RemoteDisconnected)):
                    fresh = True
                    continue
                raise error if isinstance(error, OSError) else OSError(str(error)) from error

    def request(self, method, path, body=None, content_type="application/json"):
        answer = self.raw(method, path, body, content_type)
        if answer.status >= 300:
            raise ApiError(method, path, answer.status, answer.body)
        return json.loads(answer.body)

    # ---- Objects

    def _namespace(self, namespace):
        return namespace or self.namespace

    def create(self, item, namespace=None, query=""):
        metadata = item["metadata"]
        place = path_of(item["kind"], metadata.get("namespace") or self._namespace(namespace))
        return self.request("POST", place + query, item)

    def create_all(self, items, threads=8):
        """Many at once; the results in the same order."""
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self.create, items))

    def get(self, kind, name, namespace=None):
        return self.request("GET", path_of(kind, self._namespace(namespace), name))

    def find(self, kind, name, namespace=None):
        """None if there is none."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list_with_version(self, kind, namespace=None, selector="", fields=""):
        """(items, resourceVersion); of all namespaces if namespace is "*"."""
        query = urllib.parse.urlencode({"labelSelector": selector, "fieldSelector": fields})
        place = None if namespace == "*" else self._namespace(namespace)
        found = self.request("GET", f"{path_of(kind, place)}?{query}")
        return found["items"], found["metadata"]["resourceVersion"]

    def list(self, kind, namespace=None, selector="", fields=""):
        return self.list_with_version(kind, namespace, selector, fields)[0]

    def patch(self, kind, name, change, namespace=None, subresource=None, content_type=MERGE):
        place = path_of(kind, self._namespace(namespace), name, subresource)
        return self.request("PATCH", place, change, content_type)

    def apply(self, item, dry_run=False):
        """Server-side apply, with every field checked."""
        place = path_of(item["kind"], item["metadata"].get("namespace") or self.namespace, item["metadata"]["name"])
        query = "?fieldManager=berth-tests&force=true&fieldValidation=Strict" + ("&dryRun=All" if dry_run else "")
        return self.request("PATCH", place + query, item, APPLY)

    def replace(self, item, subresource=None):
        metadata = item["metadata"]
        place = path_of(item["kind"], metadata.get("namespace"), metadata["name"], subresource)
        return self.request("PUT", place, item)

    def delete(self, kind, name, namespace=None, grace=0):
        """Nothing if it is gone. grace=None leaves it to the server: a bound pod then waits for its kubelet."""
        body = {} if grace is None else {"gracePeriodSeconds": grace}
        try:
            self.request("DELETE", path_of(kind, self._namespace(namespace), name), body)
        except ApiError as error:
            if error.status != 404:
                raise

    def _delete_collection(self, place, tries=10):
        """Again where the server runs out of time: ten thousand events are more than it deletes in a minute."""
        for left in reversed(range(tries)):
            try:
                self.request("DELETE", place, {"gracePeriodSeconds": 0})
                return
            except ApiError as error:
                if error.status != 504 or left == 0:
                    raise

    def delete_all(self, kind, namespace=None, selector="", threads=8):
        if namespace != "*" and not selector and kind != "Node":
            self._delete_collection(path_of(kind, self._namespace(namespace)))
            return
        found = [item["metadata"] for item in self.list(kind, namespace, selector)]
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda it: self.delete(kind, it["name"], it.get("namespace")), found))

    def evict(self, name, namespace=None):
        place = path_of("Pod", self._namespace(namespace), name, "eviction")
        self.request("POST", place, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})

    # ---- Changes

    def watch(self, kind, namespace=None, version=None):
        """A Watch from `version` on (default: now)."""
        place = path_of(kind, None if namespace == "*" else self._namespace(namespace))
        if version is None:
            version = self.list_with_version(kind, namespace)[1]
        connection = self._connect(timeout=self._timeout)
        connection.request("GET", f"{place}?watch=true&resourceVersion={version}", headers=self._headers())
        answer = connection.getresponse()
        if answer.status != 200:
            raise ApiError("WATCH", place, answer.status, answer.read())
        connection.sock.settimeout(None)
        return Watch(place, connection.sock, answer)

    def wait_for(self, kind, name, condition, namespace=None, timeout=WAIT_SECONDS, what="as expected"):
        """The object once `condition(object)` holds; it gets None while there is no such object."""
        last = None

        def check():
            nonlocal last
            last = self.find(kind, name, namespace)
            return condition(last) and (last or True)
        return wait_until(check, timeout, lambda: f"{kind} {name} is {what}; it is {brief(last)}", pause=0.03)

    def wait_gone(self, kind, name, namespace=None, timeout=WAIT_SECONDS):
        self.wait_for(kind, name, lambda found: found is None, namespace, timeout, "gone")

    def wait_all(self, kind, condition, namespace=None, selector="", timeout=WAIT_SECONDS, what="as expected"):
        """The list once `condition(list)` holds."""
        last = []

        def check():
            nonlocal last
            last = self.list(kind, namespace, selector)
            return condition(last)
        wait_until(check, timeout, lambda: f"{kind}s ({len(last)} of them) are {what}", pause=0.1)
        return last


def brief(item):
    """What a message says of an object: name, where, and its conditions."""
    if not isinstance(item, dict):
        return repr(item)
    status = item.get("status", {})
    kept = {"name": item["metadata"].get("name"), "deleted": item["metadata"].get("deletionTimestamp"),
            "annotations": item["metadata"].get("annotations"), "node": item.get("spec", {}).get("nodeName"),
            "phase": status.get("phase"), "nominated": status.get("nominatedNodeName"),
            "conditions": status.get("conditions")}
    return json.dumps({key: value for key, value in kept.items() if value})


# ---- Makers. Further arguments are fields of the spec, as in the API.

def node(name, cpu="4", memory="8Gi", pods=110, labels=None, taints=None, images=None, unschedulable=False,
         resources=None, **spec):
    """A ready node; `resources` are further ones, such as {"example.com/gpu": 2}."""
    have = {"cpu": str(cpu), "memory": memory, "pods": str(pods), "ephemeral-storage": "100Gi",
            **{key: str(value) for key, value in (resources or {}).items()}}
    made = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"unschedulable": unschedulable, **spec},
        "status": {"capacity": have, "allocatable": dict(have),
                   "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]},
    }
    if taints:
        made["spec"]["taints"] = [taint(*it) if isinstance(it, tuple) else it for it in taints]
    if images:
        made["status"]["images"] = [{"names": [image], "sizeBytes": size} for image, size in images.items()]
    return made


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


def pod(name, cpu=None, memory=None, labels=None, namespace="default", scheduler="default-scheduler", priority=None,
        requests=None, host_port=None, claims=(), image="app:1", generate=False, **spec):
    """A pod of one container. `claims` are names of PersistentVolumeClaims; `priority` names a PriorityClass."""
    wanted = dict(requests or {})
    for key, value in (("cpu", cpu), ("memory", memory)):
        if value is not None:
            wanted[key] = str(value)
    container = {"name": "app", "image": image}
    if wanted:
        container["resources"] = {"requests": wanted}
        limits = {key: value for key, value in wanted.items() if "/" in key}
        if limits:
            container["resources"]["limits"] = limits
    if host_port:
        container["ports"] = [{"containerPort": host_port, "hostPort": host_port}]
    made = {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": namespace, "labels": labels or {}},
        "spec": {"schedulerName": scheduler, "containers": [container], "automountServiceAccountToken": False, **spec},
    }
    made["metadata"]["generateName" if generate else "name"] = name
    if priority:
        made["spec"]["priorityClassName"] = priority
    if claims:
        made["spec"]["volumes"] = [
            {"name": f"v{at}", "persistentVolumeClaim": {"claimName": claim}} for at, claim in enumerate(claims)]
    return made


def priority_class(name, value, policy="PreemptLowerPriority"):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
            "preemptionPolicy": policy}


def namespace(name, labels=None):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}}


def storage_class(name, provisioner="test.example/disk", mode="WaitForFirstConsumer", **fields):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": mode, **fields}


def claim(name, storage="1Gi", storage_class_name="", namespace="default", modes=("ReadWriteOnce",), **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace},
            "spec": {"accessModes": list(modes), "storageClassName": storage_class_name,
                     "resources": {"requests": {"storage": storage}}, **spec}}


def volume(name, storage="1Gi", storage_class_name="", nodes=(), labels=None, modes=("ReadWriteOnce",), source=None,
           **spec):
    """A PersistentVolume; with `nodes`, local to those."""
    made = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "labels": labels or {}},
            "spec": {"capacity": {"storage": storage}, "accessModes": list(modes),
                     "storageClassName": storage_class_name, "persistentVolumeReclaimPolicy": "Retain",
                     **(source or {"local": {"path": "/mnt/disk"}}), **spec}}
    if nodes:
        made["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": list(nodes)}]}]}}
    return made


def scheduled(item):
    """The condition PodScheduled of a pod, or None."""
    for condition in (item or {}).get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled":
            return condition
    return None


def node_of(item):
    """Where a pod is bound; None if it is not (or there is no pod)."""
    return (item or {}).get("spec", {}).get("nodeName")


def seconds_since(start):
    return time.monotonic() - start
