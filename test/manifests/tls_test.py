"""What the HTTPS port of the real binary accepts: --tls-min-version and --tls-cipher-suites, tested
by a client."""
import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

import cluster
from ports import free_port
from tools import DEADLINE, SCRATCH, manager

NOBODY = """\
apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: a}]
"""
TLS_1_2, TLS_1_3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
# By property: flags, and for each client (its only version, its TLS 1.2 ciphers) the cipher; None:
# rejected.
ROWS = {
    "both versions by default": ([], {
        (TLS_1_3, None): "TLS_AES_256_GCM_SHA384", (TLS_1_2, "ECDHE-ECDSA-AES128-GCM-SHA256"):
        "ECDHE-ECDSA-AES128-GCM-SHA256", (TLS_1_2, "ECDHE-ECDSA-AES128-SHA"): None}),
    "a lowest version": (["--tls-min-version=VersionTLS13"], {
        (TLS_1_3, None): "TLS_AES_256_GCM_SHA384", (TLS_1_2, None): None}),
    "suites of TLS 1.2": (["--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"], {
        (TLS_1_3, None): "TLS_AES_256_GCM_SHA384", (TLS_1_2, None): "ECDHE-ECDSA-AES128-GCM-SHA256",
        (TLS_1_2, "ECDHE-ECDSA-AES256-GCM-SHA384"): None}),
    "suites of TLS 1.3 alone": (["--tls-cipher-suites=TLS_AES_128_GCM_SHA256"], {
        (TLS_1_3, None): "TLS_AES_256_GCM_SHA384", (TLS_1_2, None): None}),
}


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=DEADLINE).close()
        return True
    except ConnectionRefusedError:
        return False


def agreed(port, version, ciphers):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    if ciphers:
        context.set_ciphers(ciphers)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as plain, context.wrap_socket(plain) as secured:
            return secured.cipher()[0]
    except (ssl.SSLError, ConnectionResetError):
        return None


class Tls(unittest.TestCase):
    def test_negotiates_only_configured_versions_and_suites(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        for title, (flags, clients) in ROWS.items():
            with self.subTest(title), tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
                kubeconfig = pathlib.Path(folder, "kubeconfig")
                kubeconfig.write_text(NOBODY)
                port = free_port()
                process = subprocess.Popen(
                    [manager(), f"--kubeconfig={kubeconfig}", "--dry-run", "--bind-address=127.0.0.1",
                     f"--secure-port={port}", *flags], stderr=subprocess.DEVNULL)
                try:
                    cluster.soon("it listens", lambda: is_open(port))
                    for (version, ciphers), expected in clients.items():
                        self.assertEqual(agreed(port, version, ciphers), expected, (version, ciphers))
                finally:
                    process.terminate()
                    process.wait(timeout=DEADLINE)


if __name__ == "__main__":
    unittest.main()
