"""The few requests of a soak, on one persistent connection; kubectl would cost more CPU than the
manager."""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compare"))
from servers import NO_ANSWER, server_of

RESOURCE = "/apis/resource.k8s.io/v1"


class Refused(Exception):
    """The API server has answered with another status than 2xx."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """As the current user of a kubeconfig. Waits for an unreachable API server."""

    def __init__(self, kubeconfig, patience=120):
        self._connection = server_of(kubeconfig).connect()
        self._patience = patience

    def _once(self, method, path, body):
        status, text = self._connection.request(method, path, "application/json", body and json.dumps(body))
        if status in (NO_ANSWER, 429, 500, 503, 504):
            raise OSError(f"{status} {text[:200]}")
        if status >= 300:
            raise Refused(status, text[:500])
        return json.loads(text)

    def send(self, method, path, body=None):
        end = time.monotonic() + self._patience
        while True:
            try:
                return self._once(method, path, body)
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def create(self, path, body):
        """Accepts that an attempt whose answer was lost has created the object."""
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
