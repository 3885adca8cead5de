"""The two servers, and HTTP to them: one persistent connection, and one for each watch."""
import contextlib
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROLPLANE = ROOT / "test/controlplane/controlplane"
LOGS = ROOT / "build/logs"
BETAS = ["v1beta2", "v1beta1", "v1alpha3"]
TIMEOUT = 20
NO_ANSWER = 0  # instead of a status


class Server:
    """Where a server is, and how to talk to it."""

    def __init__(self, name, url, token="", ca_file=None):
        self.name = name
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.token = token
        self.tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None

    def connect(self):
        return Connection(self)


class Connection:
    """Requests one after the other, and any number of concurrent watches. Not thread-safe."""

    def __init__(self, server):
        self.server = server
        self.kept = None
        self.warnings = []  # of the last answer

    def open(self):
        host, port = self.server.address
        if self.server.tls is None:
            return http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=self.server.tls)

    def headers(self, content_type):
        headers = {"Accept": "application/json", "User-Agent": "compare/1"}
        if self.server.token:
            headers["Authorization"] = "Bearer " + self.server.token
        if content_type:
            headers["Content-Type"] = content_type
        return headers

    def request(self, method, target, content_type="", body=None, headers=None):
        """→ (status, body as text). Reopens a connection that the server has closed."""
        for attempt in (1, 2):
            try:
                self.kept = self.kept or self.open()
                self.kept.request(method, target, body,
                                  {**self.headers(content_type), **(headers or {})})
                response = self.kept.getresponse()
                self.warnings = response.headers.get_all("Warning") or []
                return response.status, response.read().decode(errors="replace")
            except (http.client.HTTPException, OSError) as error:
                self.kept.close()
                self.kept = None
                if attempt == 2:
                    return NO_ANSWER, f"{type(error).__name__}: {error}"

    def watch(self, target):
        """→ (status, body as text or a Stream)"""
        connection = self.open()
        connection.request("GET", target, None, self.headers(""))
        response = connection.getresponse()
        if response.status != 200:
            answer = response.status, response.read().decode(errors="replace")
            connection.close()
            return answer
        return 200, Stream(connection, response)

    def close(self):
        if self.kept:
            self.kept.close()


class Stream:
    """The events of one watch."""

    def __init__(self, connection, response):
        self.connection = connection
        self.response = response

    def next(self, seconds):
        """The next event, or None if the stream has ended, or nothing has come for this long."""
        # The response keeps the socket after the connection has released it.
        (self.connection.sock or self.response.fp.raw._sock).settimeout(seconds)
        try:
            line = self.response.readline()
        except (TimeoutError, http.client.HTTPException, ConnectionError, OSError):
            return None
        return json.loads(line) if line.strip() else None

    def close(self):
        self.response.close()
        self.connection.close()


@contextlib.contextmanager
def memory_server():
    """The in-memory server as a process, serving all compared versions."""
    LOGS.mkdir(parents=True, exist_ok=True)
    kubeconfig = LOGS / f"compare-{os.getpid()}.kubeconfig"
    program = os.environ.get("COMPARE_MEMORY_SERVER", ROOT / "build/release/bin/dcm-test-apiserver")
    with open(LOGS / "compare-memory.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [program, f"--kubeconfig={kubeconfig}", "--resource-versions=v1,v1beta2,v1beta1",
             "--device-taint-rule-versions=v1,v1beta2,v1alpha3"],
            stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            line = process.stdout.readline()
            if not line.startswith("url: "):
                raise RuntimeError(f"the in-memory server did not start, see {log.name}")
            yield Server("memory", line.removeprefix("url: ").strip())
        finally:
            process.terminate()
            process.wait()
            kubeconfig.unlink(missing_ok=True)


@contextlib.contextmanager
def real_server():
    """A control plane of our own, stopped at the end."""
    name = f"compare-{os.getpid()}"
    serve = ",".join(f"resource.k8s.io/{version}=true" for version in BETAS)
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(LOGS / "compare-controlplane.log", "w", encoding="utf-8") as log:
        up = subprocess.run([CONTROLPLANE, "up", "--name", name, "--", f"--runtime-config={serve}"],
                            stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        if up.returncode != 0:
            raise RuntimeError(f"the control plane did not start, see {log.name}")
        try:
            yield server_of(next(line.removeprefix("kubeconfig: ")
                                 for line in up.stdout.splitlines()
                                 if line.startswith("kubeconfig: ")))
        finally:
            subprocess.run([CONTROLPLANE, "down", "--name", name], stdout=log, stderr=log,
                           check=False)


def server_of(kubeconfig):
    """The current context of a kubeconfig, as read by kubectl."""
    kubectl = subprocess.run([CONTROLPLANE, "path", "kubectl"], capture_output=True, text=True,
                             check=True).stdout.strip()
    view = subprocess.run([kubectl, "--kubeconfig", kubeconfig, "config", "view", "--raw",
                           "--minify", "-o", "json"], capture_output=True, text=True, check=True)
    config = json.loads(view.stdout)
    cluster = config["clusters"][0]["cluster"]
    return Server("real", cluster["server"], config["users"][0]["user"].get("token", ""),
                  cluster.get("certificate-authority"))


def wait_until_serving(server):
    """A server answers before all of its caches are filled; then a create may be rejected."""
    connection = server.connect()
    deadline = time.monotonic() + 30
    while connection.request("GET", "/apis/resource.k8s.io/v1/resourceclaims")[0] != 200:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{server.name} does not serve resource.k8s.io/v1")
        time.sleep(0.05)
    connection.close()
