"""A playground with a manager, as processes, and plain requests to its API."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test/support"))
from ports import free_port  # noqa: E402

BIN = ROOT / "build/release/bin"
RESOURCE = "/apis/resource.k8s.io/v1"
PLURALS = {"ResourceClaim": f"{RESOURCE}/namespaces/default/resourceclaims",
           "ResourceClaimTemplate": f"{RESOURCE}/namespaces/default/resourceclaimtemplates",
           "Pod": "/api/v1/namespaces/default/pods"}


class Playground:
    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory()
        self.kubeconfig = pathlib.Path(self.folder.name, "kubeconfig")
        self.log = open(pathlib.Path(self.folder.name, "log"), "w")
        self.port = free_port()
        self.start(*flags)
        self.manager = subprocess.Popen(
            [BIN / "dra-controller-manager", "--kubeconfig", self.kubeconfig, "--leader-elect=false",
             "--secure-port=0"], stderr=self.log)

    def start(self, *flags):
        """Starts the API server, which has the same address each time."""
        self.server = subprocess.Popen(
            [BIN / "dra-playground", "--kubeconfig-out", self.kubeconfig,
             f"--port={self.port}", *flags],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        said = ""
        while "export" not in said:
            line = self.server.stdout.readline()
            assert line, pathlib.Path(self.log.name).read_text()
            said += line
        self.page = re.search(r"^page: (\S+)$", said, re.M)[1]
        self.api = self.page.removesuffix("/ui/")

    def end_server(self):
        self.server.terminate()
        self.server.wait(60)
        self.server.stdout.close()

    def stop(self):
        self.manager.terminate()
        self.manager.wait(60)
        self.end_server()
        self.log.close()
        self.folder.cleanup()

    def request(self, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(self.api + path, method=method,
                                         data=json.dumps(body).encode() if body is not None else None,
                                         headers={"Content-Type": content_type})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def apply(self, example):
        """Creates the objects of a file in manifests/examples."""
        for document in yaml.safe_load_all((ROOT / "manifests/examples" / example).read_text()):
            for thing in document.get("items", [document]):
                self.request("POST", PLURALS[thing["kind"]], thing)

    def names(self, path):
        return {thing["metadata"]["name"] for thing in self.request("GET", path)["items"]}

    def soon(self, what, is_so):
        deadline = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < deadline, f"never: {what}"
            time.sleep(0.05)
