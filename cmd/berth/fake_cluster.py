"""A cluster for tests of the program: an HTTP server with the lists of an API server, and a kubeconfig for it."""

import contextlib
import http.server
import json
import tempfile
import threading

FORBIDDEN = {"kind": "Status", "apiVersion": "v1", "reason": "Forbidden", "message": "not for you"}


def pages_of(kind, *items):
    """A list, one item to a page: path and query of each page, and its answer."""
    path = f"/api/v1/{kind.lower()}s?limit=500"
    for number, item in enumerate(items):
        is_last = number + 1 == len(items)
        metadata = {"resourceVersion": "7"} if is_last else {"resourceVersion": "7", "continue": f"next-{number}"}
        yield path, (200, {"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata, "items": [item]})
        path = f"/api/v1/{kind.lower()}s?limit=500&continue=next-{number}"


def list_of(api_version, kind, *items):
    return 200, {"kind": f"{kind}List", "apiVersion": api_version, "metadata": {"resourceVersion": "7"},
                 "items": list(items)}


@contextlib.contextmanager
def server(answers, seen=None, headers=None):
    """A server on loopback that has these answers (path: (status, object)), and 404 for everything else. What was asked
    is appended to `seen` (path and authorization), and all headers to `headers`."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):  # noqa: N802
            status, value = answers.get(self.path, (404, {"kind": "Status", "apiVersion": "v1", "reason": "NotFound"}))
            if seen is not None:
                seen.append((self.path, self.headers.get("Authorization")))
            if headers is not None:
                headers.append(dict(self.headers))
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.handle_error = lambda *_: None  # who asks may go away at any time
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}"
        finally:
            running.shutdown()
            thread.join()


@contextlib.contextmanager
def kubeconfig(url):
    """A file with two contexts: one of that server, and one of a server that is not there."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({
            "kind": "Config", "apiVersion": "v1", "current-context": "nowhere",
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": "shop"}},
                         {"name": "nowhere", "context": {"cluster": "nowhere", "user": "me"}}],
            "clusters": [{"name": "here", "cluster": {"server": url}},
                         {"name": "nowhere", "cluster": {"server": "http://berth.invalid:1"}}],
            "users": [{"name": "me", "user": {"token": "my-token"}}]}, file)
        file.flush()
        yield file.name
