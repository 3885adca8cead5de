"""The release's profile still fits the code; `./dev profile` creates a new one."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILE = ROOT / "packaging/manager.profdata"
MISFITS = ROOT / "build/release/misfits"  # what the compiler has said of each function with other branches than then
MISFITS_MAX = 0.1


def counted():
    """{function: how often its blocks ran in the profiled manager}"""
    shown = subprocess.run(["llvm-profdata-19", "show", "--all-functions", "--counts", PROFILE], check=True,
                           capture_output=True, text=True).stdout
    found = re.findall(r"^  (\S+):\n    Hash: .*\n    Counters: .*\n    Block counts: \[(.*)\]", shown, re.M)
    return {name: sum(map(int, counts.split(", "))) for name, counts in found}


def demangled(names):
    return subprocess.run(["llvm-cxxfilt-19"], input="\n".join(names), check=True, capture_output=True,
                          text=True).stdout.splitlines()


class Profile(unittest.TestCase):
    def expect_few(self, misfits, counts):
        share = sum(counts.get(name, 0) for name in misfits) / sum(counts.values())
        self.assertLess(share, MISFITS_MAX, "of what was counted does not fit: ./dev profile")

    def test_tolerates_few_functions_with_changed_branches(self):
        said = MISFITS.read_text() if MISFITS.exists() else ""
        self.expect_few(set(re.findall(r"\(hash mismatch\) (\S+) Hash", said)), counted())

    def test_tolerates_few_removed_functions(self):
        counts = counted()
        sources = subprocess.run(["git", "ls-files", "*.cpp", "*.hpp"], cwd=ROOT, check=True, capture_output=True,
                                 text=True).stdout.split()
        words = set(re.findall(r"\w+", "".join((ROOT / source).read_text() for source in sources)))
        ours = {name: count for name, count in counts.items() if "3dcm" in name}
        mangled = [name.rpartition(";")[2] for name in ours]
        gone = [name for name, text in zip(ours, demangled(mangled))
                if not set(re.findall(r"\bdcm::(?:\w+::)*(\w+)", text)) <= words]
        self.expect_few(gone, ours)
