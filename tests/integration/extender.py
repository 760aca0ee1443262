"""A scheduler extender for tests: a small HTTP server that answers as a test tells it to, and writes down what it was
asked.

    with Extender() as extender:
        extender.answers["filter"] = lambda asked: {"NodeNames": ["n1"]}
        extender.asked("filter")        # the bodies that came for it

An answer is a function of the body, which may sleep or return an int: a status without a body.
"""

import http.server
import json
import ssl
import threading


class Extender:
    """With `certificate` (certificate, key), over HTTPS."""

    def __init__(self, certificate=None):
        self.answers = {}
        self._calls = []
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"extender": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*map(str, certificate))
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        scheme = "https" if certificate else "http"
        self.address = f"{scheme}://127.0.0.1:{self._server.server_address[1]}/scheduler"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self._server.shutdown()
        self._server.server_close()

    def asked(self, verb):
        with self._lock:
            return [body for name, body in self._calls if name == verb]

    def answer(self, verb, body):
        with self._lock:
            self._calls.append((verb, body))
        return self.answers[verb](body) if verb in self.answers else 404


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extender = None

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.extender.answer(self.path.removeprefix("/scheduler/"), body)
        status, text = (answer, b"") if isinstance(answer, int) else (200, json.dumps(answer).encode())
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        except OSError:
            pass  # the scheduler has lost patience

    def log_message(self, *_):
        """Nobody reads it."""
