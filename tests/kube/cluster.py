"""A Kubernetes control plane for tests: etcd and kube-apiserver, the real ones, without root and without nodes.

    with Cluster() as cluster:
        admin = cluster.client()
        admin.create(node("n1"))
        cluster.apiserver.kill()        # kill -9
        cluster.start_apiserver()       # same address, same data

There are no controllers and no kubelets: nobody makes pods of a Deployment, sets the status of a PodDisruptionBudget or
ends a pod that is being deleted. tests/integration/kubelet.py does what a test needs of that.

Users: ADMIN (system:masters), SCHEDULER (system:kube-scheduler), READER (nobody in particular); clients with a
certificate and service accounts' tokens work as well. Everything is in a temporary folder that goes away at the end;
BERTH_KEEP=1 keeps it. The programs come from tests/kube/build.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import certificates
import kube
from processes import Port, Process, wait_until

HERE = pathlib.Path(__file__).resolve().parent
START_SECONDS = 90  # on a busy machine of two cores; usually five

ADMIN = "admin-token"
SCHEDULER = "scheduler-token"
READER = "reader-token"
TOKENS = f"""\
{ADMIN},admin,1,system:masters
{SCHEDULER},system:kube-scheduler,2
{READER},reader,3
"""

# What a checker wants to know afterwards: who bound, patched, evicted or published what, and what came of it.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [
        {"level": "Request", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods/binding"]}]},
        {"level": "Request", "verbs": ["patch"], "resources": [{"group": "", "resources": ["pods/status"]}]},
        {"level": "Metadata", "verbs": ["delete"], "resources": [{"group": "", "resources": ["pods"]}]},
        {"level": "None"},
    ],
}


def versions():
    """Of Kubernetes, that `build` can build."""
    return sorted(path.name for path in (HERE / "versions").iterdir())


def choose_version(version):
    """What programs() builds from now on; None: as the environment says, else as `build` does."""
    if version:
        os.environ["BERTH_KUBERNETES"] = version


def programs(*names):
    """The folder that has these programs, which are built if they are not there. Without names: etcd and
    kube-apiserver."""
    built = subprocess.run([HERE / "build", *names], stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(built.stdout.strip())


class Cluster:
    def __init__(self, apiserver_flags=(), audit=True):
        self._programs = programs()
        self._flags = list(apiserver_flags)
        self._audit = audit
        self.etcd = None
        self.apiserver = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-kube-"))
        self._ports = [Port(), Port(), Port()]
        self.address = f"https://127.0.0.1:{self._ports[2].number}"
        self.port = self._ports[2].number
        try:
            self._write_credentials()
            self.start_etcd()
            self.start_apiserver()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for process in (self.apiserver, self.etcd):
            if process is not None:
                process.kill()
        for port in self._ports:
            port.close()
        if not os.environ.get("BERTH_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def _write_credentials(self):
        self.authority = certificates.Authority(self.folder / "ca")
        self.front_proxy_authority = certificates.Authority(self.folder / "front-proxy-ca", "front-proxy-ca")
        self.authority.sign(self.folder / "server.crt", self.folder / "server.key", "kube-apiserver", kind="server")
        certificates.make_key(self.folder / "service-account.key")
        (self.folder / "tokens.csv").write_text(TOKENS)
        (self.folder / "audit-policy.json").write_text(json.dumps(AUDIT_POLICY))

    # ---- Starting, each with the data of the last time

    def start_etcd(self):
        client, peer = (f"http://127.0.0.1:{port.number}" for port in self._ports[:2])
        self._etcd_address = client
        self.etcd = Process("etcd", [
            self._programs / "etcd", "--name=default", f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}", "--socket-reuse-port",
            "--log-level=warn"], self.folder / "etcd.log")

    def start_apiserver(self, wait=True):
        folder = self.folder
        audit = [f"--audit-policy-file={folder / 'audit-policy.json'}", f"--audit-log-path={folder / 'audit.log'}"]
        self.apiserver = Process("kube-apiserver", [
            self._programs / "kube-apiserver", f"--etcd-servers={self._etcd_address}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--secure-port={self.port}", "--permit-port-sharing",
            "--endpoint-reconciler-type=none", f"--tls-cert-file={folder / 'server.crt'}",
            f"--tls-private-key-file={folder / 'server.key'}", f"--client-ca-file={self.authority.certificate}",
            f"--requestheader-client-ca-file={self.front_proxy_authority.certificate}",
            "--requestheader-allowed-names=front-proxy", "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--token-auth-file={folder / 'tokens.csv'}", "--authorization-mode=Node,RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'service-account.key'}",
            f"--service-account-signing-key-file={folder / 'service-account.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            # These want controllers that are not here: they would leave nodes tainted and volumes undeletable.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection",
            "--allow-privileged=true", *(audit if self._audit else []), *self._flags], folder / "apiserver.log")
        if wait:
            self.wait_ready()

    def wait_ready(self):
        def ready():
            for process in (self.etcd, self.apiserver):
                if not process.is_running():
                    raise RuntimeError(f"{process.name} ended with {process.exit_code}:\n{process.tail()}")
            try:
                client = self.client()
                return client.raw("GET", "/readyz").status == 200 and client.find("Namespace", "default")
            except OSError:
                return False
        wait_until(ready, START_SECONDS, lambda: f"the API server is ready\n{self.apiserver.tail()}", pause=0.1)

    # ---- Credentials

    def client(self, token=ADMIN, **options):
        """A client (kube.py) with this token; options such as `certificate=(certificate, key)` go to it."""
        return kube.Client(self.address, authority=self.authority.certificate, token=token, **options)

    def service_account_token(self, namespace, name, seconds=3600):
        """A token as a pod of this service account would have; the account must exist."""
        answer = self.client().request(
            "POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}})
        return answer["status"]["token"]

    def kubeconfig(self, name, user, server=None, **cluster):
        """Writes a kubeconfig and returns its path. `user` is a token, or the fields of a kubeconfig's user; further
        arguments are fields of its cluster."""
        path = self.folder / f"{name}.kubeconfig"
        fields = {"token": user} if isinstance(user, str) else user
        path.write_text(json.dumps({  # JSON is YAML
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "clusters": [{"name": "test", "cluster": {
                "server": server or self.address, "certificate-authority": str(self.authority.certificate),
                **cluster}}],
            "users": [{"name": "test", "user": fields}],
        }, indent=2) + "\n")
        return path

    def audit_entries(self):
        """What AUDIT_POLICY asked for, oldest first."""
        path = self.folder / "audit.log"
        entries = []
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                entries.append(json.loads(line))
            except ValueError:
                pass  # a kill -9 in the middle of a line
        return entries
