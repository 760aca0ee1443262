"""An API server with nothing in it, over plain HTTP on a port of 127.0.0.1 that it prints: for deploy/release/check."""

import http.server
import json


class Empty(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        empty = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "1"}, "items": []}
        body = json.dumps(empty).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
print(server.server_address[1], flush=True)
server.serve_forever()
