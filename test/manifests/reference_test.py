"""The reference: generated from the sources, and an unknown change of them is noticed."""
import importlib.util
import pathlib
import shutil
import tempfile
import unittest

from tools import ROOT, SCRATCH

# Inputs besides the sources.
PAGES = ["docs/dra-controller-manager.8", "docs/metrics.md", "docs/operate.md"]
# A file, a text in it, its replacement, and the expected text on the page; None: it is an error.
CHANGES = {
    "a flag's default": ("docs/dra-controller-manager.8", "(default 200)", "(default 300)",
                         "| `--kube-api-qps NUMBER` | `clientConnection.qps` | `300` |"),
    "a metric that is declared in a way that is not understood":
        ("workqueue/metrics.cpp", 'metrics.gauge("workqueue_depth"', 'made_by("workqueue_depth"', None),
    "a metric whose prefix is not known":
        ("workqueue/metrics.cpp", 'metrics.gauge("workqueue_depth"', 'metrics.gauge("queue_depth"', None),
    "a metric's type": ("docs/metrics.md", "`workqueue_depth` | gauge", "`workqueue_depth` | counter", None),
    "a message": ("client/leader_election/leader_elector.cpp", '"Lost the lease"', '"The lease is lost"',
                  "| The lease is lost | error | | `why` |"),
    "a logger that is not known by its name":
        ("client/leader_election/leader_elector.cpp", 'log_.error("Lost', 'journal_->error("Lost', "| Lost the lease | error | | `why` |"),
    "a message that is not a constant":
        ("client/leader_election/leader_elector.cpp", '.error("Lost the lease"', '.error(words', None),
    "an exit status on the page": ("docs/operate.md", "| 3 | a defect", "| 4 | a defect", None),
    "a field without a meaning": ("client/leader_election/leader_elector.cpp", '{"why", why}', '{"wherefore", why}', None),
    "a verbosity": ("informers/reflector_report.cpp", "log_.v(2)", "log_.v(5)", "| Reading all objects | info | 5 |"),
    "an exit status": ("manager/stop.hpp", "failed = 3", "failed = 4", None),
}


def load(root):
    """The generator, as it would run in another checkout."""
    specification = importlib.util.spec_from_file_location("reference", ROOT / "docs/reference.py")
    reference = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(reference)
    reference.ROOT = root
    return reference


class Reference(unittest.TestCase):
    def test_follows_or_refuses_change(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            copy = pathlib.Path(folder)
            reference = load(copy)
            for name in reference.FOLDERS:
                shutil.copytree(ROOT / name, copy / name)
            for name in PAGES:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
            for title, (name, old, new, expected) in CHANGES.items():
                with self.subTest(title):
                    before = (copy / name).read_text()
                    self.assertIn(old, before)
                    (copy / name).write_text(before.replace(old, new))
                    if expected:
                        self.assertIn(expected, reference.page())
                    else:
                        self.assertRaises(AssertionError, reference.page)
                    (copy / name).write_text(before)


if __name__ == "__main__":
    unittest.main()
