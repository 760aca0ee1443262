"""Credentials that change under a running scheduler: tokens, certificates, and programs that hand them out."""

import base64
import json
import stat
import sys
import time

import cluster as clusters
from daemon import Daemon
from proxy import ConnectProxy
from world import BerthTest, ROOT, Suite, kubectl, note, service_account_user

SWITCH_SECONDS = 90  # client-go, and so Berth, reads a token file again after at most a minute
AUTHENTICATION_CACHE_SECONDS = 11  # for so long the API server still takes a token that it has seen


class Rotation(BerthTest):
    starts_daemon = False

    def works(self, name, timeout=SWITCH_SECONDS):
        started = time.monotonic()
        self.pod(name)
        self.bound(name, timeout=timeout)
        return time.monotonic() - started

    def test_token_file_is_read_again(self):
        self.nodes("n1")
        path = self.cluster.folder / "rotating.token"
        path.write_text(self.cluster.service_account_token("kube-system", "berth"))
        with self.start_daemon(user={"tokenFile": str(path)}) as daemon:
            self.works("before")
            # An account that is made anew has another uid, and the old one's tokens are worth nothing.
            self.admin.delete("ServiceAccount", "berth", "kube-system")
            kubectl("apply", "-f", ROOT / "deploy/rbac.yaml")
            fresh = self.cluster.folder / "fresh.token"
            fresh.write_text(self.cluster.service_account_token("kube-system", "berth"))
            fresh.rename(path)
            time.sleep(AUTHENTICATION_CACHE_SECONDS)
            note(f"token rotated: a pod was bound after {self.works('after'):.1f} s")
            self.assertTrue(daemon.process.is_running())
            self.checker.check(daemon, timeout=90)

    def test_client_certificate_is_read_again_before_it_ends(self):
        self.nodes("n1")
        paths = (self.cluster.folder / "rotating.crt", self.cluster.folder / "rotating.key")
        lifetime = 10
        started = time.monotonic()
        self.sign(paths, lifetime)
        with self.start_daemon(user={"client-certificate": str(paths[0]), "client-key": str(paths[1])}) as daemon:
            self.works("before")
            self.sign(paths, 3600)
            time.sleep(max(0.0, lifetime + 1 - (time.monotonic() - started)))
            note(f"certificate rotated: a pod was bound after {self.works('after'):.1f} s")
            self.assertTrue(daemon.process.is_running())
            daemon.stop()  # and its last events are written

    def sign(self, paths, lifetime):
        self.cluster.authority.sign(*paths, "system:kube-scheduler", lifetime=lifetime)

    def test_program_that_hands_out_credentials_is_asked(self):
        self.nodes("n1")
        answer = self.cluster.folder / "credential.json"
        program = self.cluster.folder / "credential-program"
        calls = self.cluster.folder / "credential.calls"
        program.write_text(f"#!{sys.executable}\nopen({str(calls)!r}, 'a').write('x')\n"
                           f"print(open({str(answer)!r}).read())\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 15))
        self.hand_out(answer, expires)
        with self.start_daemon(user={"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program),
                                              "interactiveMode": "Never"}}) as daemon:
            self.works("before")
            asked = len(calls.read_text())
            self.assertGreaterEqual(asked, 1)
            self.hand_out(answer, None)
            time.sleep(16)
            self.works("after")
            self.assertGreater(len(calls.read_text()), asked)
            self.assertTrue(daemon.process.is_running())
            daemon.stop()  # and its last events are written

    def hand_out(self, path, expires):
        status = {"token": self.cluster.service_account_token("kube-system", "berth")}
        if expires:
            status["expirationTimestamp"] = expires
        path.write_text(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                                    "status": status}))


class Kubeconfig(BerthTest):
    """What a kubeconfig may say besides who somebody is."""

    starts_daemon = False

    def works_with(self, name, user, **cluster):
        self.nodes("n1")
        path = self.cluster.kubeconfig(name, user, **cluster)
        with Daemon(Suite.command, self.cluster, service_account_user(), kubeconfig=path) as daemon:
            self.pod("p")
            self.bound("p", "n1")
            daemon.stop()  # and its last events are written

    def test_server_is_checked_by_the_name_that_it_is_given(self):
        self.works_with("named", service_account_user(), **{"tls-server-name": "kubernetes.default.svc"})

    def test_scheduler_may_act_for_somebody_else(self):
        self.works_with("acting", {"token": clusters.ADMIN, "as": "system:kube-scheduler"})

    def test_certificates_may_be_part_of_the_file(self):
        paths = (self.cluster.folder / "inline.crt", self.cluster.folder / "inline.key")
        self.cluster.authority.sign(*paths, "system:kube-scheduler")
        encoded = [base64.b64encode(path.read_bytes()).decode() for path in
                   (*paths, self.cluster.authority.certificate)]
        self.works_with("inline", {"client-certificate-data": encoded[0], "client-key-data": encoded[1]},
                        **{"certificate-authority": "", "certificate-authority-data": encoded[2]})

    def test_proxy_of_the_kubeconfig_is_used(self):
        with ConnectProxy() as proxy:
            self.works_with("proxied", service_account_user(), **{"proxy-url": proxy.address})
            self.assertGreaterEqual(proxy.connections, 1)
