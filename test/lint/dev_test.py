"""`./dev run` starts a manager that writes only where it is told to, or on this machine."""
import os
import pathlib
import subprocess
import tempfile
import unittest

DEV = pathlib.Path(__file__).resolve().parents[2] / "dev"


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def kubeconfig(self, server):
        path = self.folder / server.replace("/", "_")
        path.write_text("current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
                        f"clusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n")
        return str(path)

    def test_it_refuses_a_cluster_that_nobody_has_named(self):
        local, remote = self.kubeconfig("https://127.0.0.1:6443"), self.kubeconfig("https://10.0.0.1:6443")
        sly = self.kubeconfig("https://127.example.com")
        for kubeconfig, flags in ((remote, []), (sly, []), ("/nonexistent", []), (remote, ["--dry-run=false"]),
                                  (remote, ["--dry-run-timeout=3s"]), (local, ["--kubeconfig", remote]),
                                  (local, ["--kubeconfig=" + remote])):
            ended = subprocess.run([DEV, "run", *flags], env={**os.environ, "KUBECONFIG": kubeconfig},
                                   capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 1, (kubeconfig, flags))
            self.assertIn("is not on this machine: name a --context", ended.stderr, (kubeconfig, flags))


if __name__ == "__main__":
    unittest.main()
