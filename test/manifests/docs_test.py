"""The documentation: links lead somewhere, and the commands of an operator's pages work."""
import os
import pathlib
import re
import subprocess
import unittest

import cluster
from tools import ROOT, kubectl

# Their commands are run from top to bottom, on a cluster without nodes; a block that cannot be is marked.
OPERATORS_PAGES = ["install.md", "migrate.md", "runbooks.md", "security.md", "troubleshoot.md"]
NOT_RUN = "<!-- not run by the tests: "


def pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, text=True, capture_output=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines()]


def without_code(text):
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def anchors(path):
    """As the usual Markdown viewers make them of headings."""
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text()), re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def dead_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            yield target
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield target


def commands(text):
    """(the line's number, the shell block, whether it can be run here)"""
    for block in re.finditer(r"^( *)```sh\n(.*?)^ *```", text, re.M | re.S):
        before = text[:block.start()].rstrip().splitlines()
        marked = bool(before) and before[-1].strip().startswith(NOT_RUN)
        yield text[:block.start()].count("\n") + 1, block.group(2), not marked


class Docs(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for page in pages():
            with self.subTest(page.relative_to(ROOT)):
                self.assertEqual(list(dead_links(page)), [])

    def test_every_source_that_a_page_for_contributors_names_is_there(self):
        for name in ("a-pods-way.md", "add-a-controller.md"):
            named = re.findall(r"`([\w/-]+/[\w/.-]+\.[ch]pp)`", (ROOT / "docs" / name).read_text())
            self.assertGreater(len(named), 3)
            self.assertEqual([path for path in named if not (ROOT / path).exists()], [], name)

    def test_every_page_is_in_the_list(self):
        listed = (ROOT / "docs/README.md").read_text()
        for page in sorted((ROOT / "docs").glob("*.md")):
            if page.name != "README.md":
                self.assertIn(f"({page.name})", listed)

    def test_commands_work(self):
        environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig(),
                       "PATH": f"{pathlib.Path(kubectl()).parent}:{os.environ['PATH']}"}
        ran = 0
        for name in OPERATORS_PAGES:
            for line, block, runnable in commands((ROOT / "docs" / name).read_text()):
                if not runnable:
                    continue
                with self.subTest(f"{name}:{line}"):
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=ROOT, text=True,
                                          env=environment, capture_output=True, timeout=600)
                    self.assertEqual(done.returncode, 0, f"{block}{done.stdout}{done.stderr}")
                    ran += 1
        self.assertGreater(ran, 5)


if __name__ == "__main__":
    unittest.main()
