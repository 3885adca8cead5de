"""The shipped binaries are hardened: read from the ELF of the release build, not from its build's
flags."""
import pathlib
import platform
import re
import subprocess
import unittest

BINARY = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/dra-controller-manager"


def readelf(*flags):
    return subprocess.run(["readelf", "--wide", *flags, BINARY], check=True, capture_output=True, text=True).stdout


@unittest.skipUnless(BINARY.exists(), "there is no release build (./dev build)")
class Hardening(unittest.TestCase):
    def test_has_another_address_at_each_start(self):
        self.assertRegex(readelf("--file-header"), r"Type:\s+DYN \(Position-Independent Executable")

    def test_its_tables_are_read_only_while_it_runs(self):
        dynamic = readelf("--dynamic")
        self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW")
        self.assertRegex(dynamic, r"\(FLAGS_1\).*NOW")
        self.assertIn("GNU_RELRO", readelf("--program-headers"))

    def test_nothing_is_both_written_and_run(self):
        headers = readelf("--program-headers")
        self.assertRegex(headers, r"GNU_STACK.* RW ")
        self.assertEqual(re.findall(r"LOAD.* RWE ", headers), [])

    def test_checks_the_stack_and_copies_of_the_c_library(self):
        symbols = readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__(mem|str|read|recv|snprintf|vsnprintf)\w*_chk")
        self.assertIn("_ZSt21__glibcxx_assert_fail", symbols, "bounds of the standard library")

    @unittest.skipUnless(platform.machine() == "x86_64", "another processor's")
    def test_jumps_have_landing_pads_and_returns_a_shadow_stack(self):
        endbr64 = b"\xf3\x0f\x1e\xfa"
        self.assertGreater(BINARY.read_bytes().count(endbr64), 1000)
        self.assertRegex(readelf("--notes"), r"SHSTK")
