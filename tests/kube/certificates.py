"""A certificate authority in a folder, made with the openssl command: for API servers and their clients in tests.

Keys are elliptic, since those take no time to make. Lifetimes are to the second, so that a test can see one end.
"""

import pathlib
import subprocess
import time

DAY = 24 * 3600
OPENSSL_CONFIG = """
[ca]
default_ca = here
[here]
database = {folder}/index.txt
serial = {folder}/serial
new_certs_dir = {folder}
certificate = {folder}/ca.crt
private_key = {folder}/ca.key
default_md = sha256
policy = anything
unique_subject = no
copy_extensions = none
[anything]
organizationName = optional
commonName = supplied
[request]
prompt = no
[ca_extensions]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[client]
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
[server]
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = {names}
"""
SERVER_NAMES = "IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"


def make_key(path):
    """A private key in PEM at `path`."""
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(path))


class Authority:
    """Signs certificates; `certificate` is the path of its own."""

    def __init__(self, folder, name="berth-test-ca"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.certificate = self.folder / "ca.crt"
        self._config = self.folder / "openssl.cnf"
        self._config.write_text(OPENSSL_CONFIG.format(folder=self.folder, names=SERVER_NAMES))
        (self.folder / "index.txt").write_text("")
        (self.folder / "serial").write_text("1000\n")
        make_key(self.folder / "ca.key")
        _openssl("req", "-new", "-x509", "-key", str(self.folder / "ca.key"), "-out", str(self.certificate), "-days",
                 "3650", "-config", str(self._config), "-extensions", "ca_extensions", "-section", "request", "-subj",
                 f"/CN={name}")

    def sign(self, certificate, key, name, groups=(), kind="client", lifetime=DAY):
        """Writes a certificate (for `lifetime` seconds) and its key to the two paths, over what is there."""
        request = self.folder / "request.csr"
        fresh = self.folder / "fresh.key"
        make_key(fresh)
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={name}"
        _openssl("req", "-new", "-key", str(fresh), "-out", str(request), "-config", str(self._config), "-section",
                 "request", "-subj", subject)
        now = time.time()
        _openssl("ca", "-batch", "-notext", "-config", str(self._config), "-extensions", kind, "-in", str(request),
                 "-out", str(self.folder / "fresh.crt"), "-startdate", _stamp(now - DAY), "-enddate",
                 _stamp(now + lifetime))
        # By renaming, as a kubelet or cert-manager would: a reader never sees half a file.
        (self.folder / "fresh.crt").rename(certificate)
        fresh.rename(key)


def _stamp(seconds):
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(seconds))


def _openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(arguments)}: {done.stderr}")
