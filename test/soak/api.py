"""The few requests that a soak makes, on one kept connection; kubectl would cost more CPU than the manager."""
import base64
import http.client
import json
import pathlib
import ssl
import tempfile
import time
import urllib.parse

import yaml

RESOURCE = "/apis/resource.k8s.io/v1"


class Refused(Exception):
    """The API server has answered, and not with 2xx."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


def _named(entries, name, kind):
    return next(entry[kind] for entry in entries if entry["name"] == name)


def _pem(entry, key, folder):
    """A file with what the kubeconfig gives in place or as a file."""
    if f"{key}-data" not in entry:
        return entry[key]
    file = pathlib.Path(folder) / key
    file.write_bytes(base64.b64decode(entry[f"{key}-data"]))
    return file


def _endpoint(kubeconfig):
    config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
    context = _named(config["contexts"], config["current-context"], "context")
    server = _named(config["clusters"], context["cluster"], "cluster")
    user = _named(config["users"], context["user"], "user")
    with tempfile.TemporaryDirectory() as folder:
        tls = ssl.create_default_context(cafile=_pem(server, "certificate-authority", folder))
        if "client-certificate" in user or "client-certificate-data" in user:
            tls.load_cert_chain(_pem(user, "client-certificate", folder), _pem(user, "client-key", folder))
    headers = {"Content-Type": "application/json"}
    if "token" in user:
        headers["Authorization"] = f"Bearer {user['token']}"
    return urllib.parse.urlsplit(server["server"]), tls, headers


class Api:
    """As the current user of a kubeconfig. An API server that is away is waited for."""

    def __init__(self, kubeconfig, patience=120):
        self._address, self._tls, self._headers = _endpoint(kubeconfig)
        self._patience = patience
        self._connection = None

    def _once(self, method, path, body):
        if self._connection is None:
            self._connection = http.client.HTTPSConnection(self._address.hostname, self._address.port,
                                                           context=self._tls, timeout=30)
        self._connection.request(method, path, body and json.dumps(body), self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status in (429, 500, 503, 504):
            raise OSError(f"{answer.status} {text[:200]!r}")
        if answer.status >= 300:
            raise Refused(answer.status, text[:500].decode(errors="replace"))
        return json.loads(text)

    def send(self, method, path, body=None):
        end = time.monotonic() + self._patience
        while True:
            try:
                return self._once(method, path, body)
            except (OSError, http.client.HTTPException):
                self._connection = None
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def create(self, path, body):
        """It may have been created by an attempt whose answer was lost."""
        try:
            self.send("POST", path, body)
        except Refused as refused:
            if refused.status != 409:
                raise

    def remove(self, path):
        try:
            self.send("DELETE", path)
        except Refused as refused:
            if refused.status != 404:
                raise

    def count(self, path):
        page = self.send("GET", f"{path}?limit=1")
        return len(page["items"]) + page["metadata"].get("remainingItemCount", 0)
