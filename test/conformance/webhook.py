#!/usr/bin/env python3
"""A validating webhook that cannot find an object of its own, and says so about every request: with a 404.

webhook.py CERTIFICATE KEY prints its URL when it serves.
"""
import http.server
import json
import ssl
import sys

STATUS = {"code": 404, "reason": "NotFound", "message": 'configmaps "policy" not found',
          "details": {"name": "policy", "kind": "configmaps"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        review["response"] = {"uid": review.pop("request")["uid"], "allowed": False, "status": STATUS}
        body = json.dumps(review).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Nothing: kube-apiserver logs the refusals."""


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(f"https://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
