"""What can go wrong between a scheduler and its API server, on purpose.

TcpProxy passes bytes and breaks connections: it knows nothing of what they say, so it also breaks TLS and HTTP/2.
HttpProxy ends TLS itself and speaks HTTP/1.1: it answers chosen requests in the server's place, or cuts them.
ConnectProxy is one that a client is told of (proxy-url of a kubeconfig), and does no harm.

All are threads of the test's own process, listen on a port of the kernel's choice, and can change their mind at any
time; connections that exist follow.
"""

import http.client
import http.server
import json
import os
import re
import socket
import ssl
import threading
import time

CHUNK = 1 << 16


class TcpProxy:
    """Modes, set by calling the method of that name: passing, refusing (connections are reset), stalled (nothing passes
    and nothing ends: half open; abandon() then lets only new connections pass), delaying(seconds), slow(bytes per
    second). At once: cut() resets all connections, truncate(bytes) lets so many more bytes of answers through on each
    connection and then closes it, garble() sends random bytes into each in place of the server's next ones."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.address = f"https://127.0.0.1:{self.port}"
        self._lock = threading.Lock()
        self._pairs = set()
        self._flowing = threading.Event()
        self._flowing.set()
        self._refuses = False
        self._delay = 0.0
        self._rate = None
        self._is_closed = False
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self._is_closed = True
        self._listener.close()
        self._flowing.set()
        self.cut()

    def passing(self):
        self._refuses = False
        self._delay = 0.0
        self._rate = None
        self._flowing.set()

    def refusing(self):
        self._refuses = True
        self.cut()

    def stalled(self):
        self._flowing.clear()

    def abandon(self):
        """Connections that exist stay stalled for ever; new ones pass."""
        with self._lock:
            for pair in self._pairs:
                pair.is_abandoned = True
        self.passing()

    def delaying(self, seconds):
        self._delay = seconds

    def slow(self, bytes_per_second):
        self._rate = bytes_per_second

    def cut(self):
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.reset()

    def truncate(self, count):
        with self._lock:
            for pair in self._pairs:
                pair.left = count

    def garble(self):
        with self._lock:
            for pair in self._pairs:
                pair.garbles = True

    def _accept(self):
        while not self._is_closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self._refuses:
                _reset(client)
                continue
            try:
                server = socket.create_connection(self._target, timeout=5)
                server.settimeout(None)
                for each in (client, server):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                _reset(client)
                continue
            pair = _Pair(client, server)
            with self._lock:
                self._pairs.add(pair)
            for source, sink, is_answer in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pump, args=(pair, source, sink, is_answer), daemon=True).start()

    def _pump(self, pair, source, sink, is_answer):
        try:
            while True:
                piece = source.recv(CHUNK if not self._rate else max(1, self._rate // 20))
                if not piece:
                    break
                if self._delay:
                    time.sleep(self._delay)
                if self._rate:
                    time.sleep(len(piece) / self._rate)
                self._flowing.wait()
                while pair.is_abandoned and not pair.is_reset:
                    time.sleep(0.1)
                if pair.is_reset:
                    return
                if is_answer and pair.garbles:
                    sink.sendall(os.urandom(min(len(piece), 4096)))
                    break
                if is_answer and pair.left is not None:
                    piece = piece[:pair.left]
                    pair.left -= len(piece)
                sink.sendall(piece)
                if is_answer and pair.left == 0:
                    break
        except OSError:
            pass
        pair.close()
        with self._lock:
            self._pairs.discard(pair)


class _Pair:
    def __init__(self, client, server):
        self._sockets = (client, server)
        self.is_reset = False
        self.left = None  # bytes of answers until the connection ends; None: no end
        self.garbles = False
        self.is_abandoned = False

    def reset(self):
        self.is_reset = True
        for each in self._sockets:
            _reset(each)

    def close(self):
        for each in self._sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()


def _reset(sock):
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        sock.shutdown(socket.SHUT_RDWR)  # wakes a thread that reads it
    except OSError:
        pass
    sock.close()


class Fault:
    """What to do to requests whose "METHOD path?query" matches `pattern`, the next `count` times (None: always).

    `action`: "answer" (with `status`, `message`, `headers`, without asking the server), "lose" (the server gets the
    request and the answer is lost: the outcome is unknown), "drop" (nobody gets anything), "truncate" (the first `size`
    bytes of the answer's body, then the connection ends), "expire" (of a watch: an ERROR event 410 and the end), "wait"
    (`seconds` before it is passed on).
    """

    def __init__(self, pattern, action, count=1, status=500, message="", headers=None, size=100, seconds=1.0):
        self.pattern = re.compile(pattern)
        self.action = action
        self.count = count
        self.status = status
        self.message = message
        self.headers = headers or {}
        self.size = size
        self.seconds = seconds
        self.hits = 0


class HttpProxy:
    """`certificate` is (path, path of the key), of the cluster's authority."""

    def __init__(self, port, authority, certificate):
        self._faults = []
        self._lock = threading.Lock()
        self._connections = set()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler(port, str(authority)))
        self._server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*map(str, certificate))
        tls.set_alpn_protocols(["http/1.1"])
        # The handshake is each connection's own thread's: a client that never finishes it holds up nobody else.
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        self.address = f"https://127.0.0.1:{self.port}"
        self.requests = []  # "METHOD path?query", all of them
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self._server.shutdown()
        self._server.server_close()

    def add(self, *faults):
        with self._lock:
            self._faults.extend(faults)
        return faults[0] if len(faults) == 1 else faults

    def clear(self):
        with self._lock:
            self._faults.clear()

    def hang_up(self):
        """Ends all connections."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _fault_for(self, line):
        with self._lock:
            self.requests.append(line)
            for fault in self._faults:
                if fault.pattern.search(line) and (fault.count is None or fault.hits < fault.count):
                    fault.hits += 1
                    return fault
        return None

    def _handler(self, port, authority):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 600

            def log_message(self, *_):
                pass

            def setup(self):
                super().setup()
                with proxy._lock:  # pylint: disable=protected-access
                    proxy._connections.add(self.connection)  # pylint: disable=protected-access

            def finish(self):
                with proxy._lock:  # pylint: disable=protected-access
                    proxy._connections.discard(self.connection)  # pylint: disable=protected-access
                try:
                    super().finish()
                except OSError:
                    pass

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    pass  # a client that hung up, which is some tests' point

            def do_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fault = proxy._fault_for(f"{self.command} {self.path}")  # pylint: disable=protected-access
                action = fault.action if fault else "pass"
                if action == "answer":
                    self._answer(fault)
                elif action == "drop":
                    self._hang_up()
                else:
                    if action == "wait":
                        time.sleep(fault.seconds)
                    self._forward(body, fault)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

            def _answer(self, fault):
                status = {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": fault.status,
                          "message": fault.message or f"made up by a test: {fault.status}",
                          "reason": {404: "NotFound", 409: "Conflict", 410: "Expired", 429: "TooManyRequests",
                                     500: "InternalError", 503: "ServiceUnavailable"}.get(fault.status, "")}
                data = json.dumps(status).encode()
                self.send_response(fault.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in fault.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def _hang_up(self):
                self.close_connection = True
                try:
                    self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

            def _forward(self, body, fault):
                tls = ssl.create_default_context(cafile=authority)
                server = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=600)
                headers = {name: value for name, value in self.headers.items()
                           if name.lower() not in ("host", "connection", "content-length", "accept-encoding")}
                try:
                    server.request(self.command, self.path, body or None, headers)
                    self._pass_on(server.getresponse(), fault)
                except (OSError, http.client.HTTPException):
                    self._hang_up()
                finally:
                    server.close()

            def _pass_on(self, answer, fault):
                action = fault.action if fault else "pass"
                if action == "lose":
                    answer.read()
                    self._hang_up()
                    return
                self.send_response(answer.status)
                length = answer.getheader("Content-Length")
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "date"):
                        self.send_header(name, value)
                if length is None:
                    self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                if action == "expire":
                    self._send(json.dumps({"type": "ERROR", "object": {
                        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 410, "reason": "Expired",
                        "message": "too old resource version: 1 (2)"}}).encode() + b"\n", length)
                    self._end(length)
                    return
                left = fault.size if action == "truncate" else None
                while piece := answer.read1(CHUNK):
                    if left is not None:
                        piece = piece[:left]
                        left -= len(piece)
                    self._send(piece, length)
                    if left == 0:
                        self._hang_up()
                        return
                self._end(length)

            def _send(self, piece, length):
                if piece:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if length is None else piece)

            def _end(self, length):
                if length is None:
                    self.wfile.write(b"0\r\n\r\n")

        return Handler


class ConnectProxy:
    """Makes tunnels for those who ask with CONNECT."""

    def __init__(self):
        handler = type("Handler", (_ConnectHandler,), {"proxy": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.connections = 0
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self._server.shutdown()
        self._server.server_close()


class _ConnectHandler(http.server.BaseHTTPRequestHandler):
    proxy = None

    def do_CONNECT(self):
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            self.proxy.connections += 1
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_pass_on, args=(server, self.connection), daemon=True)
            back.start()
            _pass_on(self.connection, server)
            back.join()

    def log_message(self, *_):
        """Nobody reads it."""


def _pass_on(source, sink):
    try:
        while piece := source.recv(CHUNK):
            sink.sendall(piece)
    except OSError:
        pass
    for each in (source, sink):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
