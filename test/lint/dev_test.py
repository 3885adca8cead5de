"""`./dev` as a person types it: mistakes are explained, and a manager that writes starts only where
it is told to."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
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


class Fuzz(unittest.TestCase):
    def test_lists_each_target(self):
        listed = subprocess.run([DEV, "fuzz"], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(sorted(listed), sorted(os.listdir(DEV.parent / "test/fuzz/corpus")))


class Cluster(unittest.TestCase):
    def test_refuses_a_name_that_is_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            precious = pathlib.Path(folder, "dra-controller-manager/precious")
            precious.mkdir(parents=True)
            for flags in (["--nodes", "1"], []):
                ended = subprocess.run([DEV, "cluster", "down", "--name", "../precious", *flags], capture_output=True,
                                       env={**os.environ, "XDG_STATE_HOME": folder}, text=True, check=False)
                self.assertNotEqual(ended.returncode, 0, flags)
                self.assertIn("not a cluster name: '../precious'", ended.stderr, flags)
                self.assertTrue(precious.exists(), flags)


    def test_knows_each_part_by_one_name(self):
        sys.path.insert(0, str(DEV.parent / "test/realnode"))
        import parts  # pylint: disable=import-outside-toplevel
        names = ["kubelet", "kubelet-0", "kubelet-01", "kubelet-1", "kubelet-2", "kubelet-²", "kubelet-", "-1",
                 "containerd-1", "kube-scheduler", "kube-scheduler-1", "etcd", ""]
        self.assertEqual([name for name in names if parts.exists(name, 2)],
                         ["kubelet", "kubelet-1", "containerd-1", "kube-scheduler"])


class Layers(unittest.TestCase):
    def said(self, log):
        """What `layer` says of a program that prints this, and fails."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "printed").write_text(log)
            return subprocess.run(["bash", "-c", f"cd {folder}; source '{DEV.parent}/dev.d/lib/layers.sh'; run() {{ cat printed; false; }}; "
                                   "layer tests run"], capture_output=True, text=True, check=True).stdout

    def test_counts_and_shows_each_failed_round(self):
        sys.path.insert(0, str(DEV.parent / "test/compare"))
        import rounds  # pylint: disable=import-outside-toplevel
        with contextlib.redirect_stdout(io.StringIO()) as log:
            for seed, differences in enumerate(([("one", "GET /", 1, 2)] * 20, [], [("two", "GET /", 1, 2)])):
                one = rounds.Round((), seed, 0)
                one.differences = differences
                one.show(0.1)
        said = self.said(log.getvalue())
        self.assertIn("1 passed, 2 failed, 0 skipped", said)
        self.assertIn('round 0 differs: GET /\n   "one"', said)
        self.assertIn('round 2 differs: GET /\n   "two"', said)

    def test_counts_each_failed_explanation(self):
        sys.path.insert(0, str(DEV.parent / "test/explain"))
        import oracle  # pylint: disable=import-outside-toplevel
        log = "\n".join(oracle.verdict(f"Explain.scene_{number}", trouble, 0.1)
                        for number, trouble in enumerate(("not placed", "", "not said: one")))
        self.assertIn("1 passed, 2 failed, 0 skipped", self.said(log))


class Commands(unittest.TestCase):
    def test_each_loads_what_it_shares_with_others(self):
        head = re.split(r"^command=", DEV.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
        head = re.sub(r"^cd .*$", f"cd '{DEV.parent}'", head, flags=re.MULTILINE)
        libraries = "\n".join(f"source dev.d/lib/{name}.sh" for name in ("setup", "build", "layers"))
        for path in sorted(DEV.with_name("dev.d").glob("*.sh")):
            with self.subTest(path.stem):
                loaded = subprocess.run(
                    ["bash", "-c", f"{head}\n{libraries}\nsource dev.d/{path.name}\ndeclare -F cmd_{path.stem}"],
                    capture_output=True, text=True, check=False)
                self.assertEqual((loaded.stdout.strip(), loaded.stderr), (f"cmd_{path.stem}", ""))


class MovedCheckout(unittest.TestCase):
    def test_removes_build_folders_of_former_place_and_keeps_current_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            checkout = pathlib.Path(folder).resolve()
            shutil.copy(DEV, checkout)
            shutil.copytree(DEV.with_name("dev.d"), checkout / "dev.d")
            targets = checkout / "test/fuzz/CMakeLists.txt"
            targets.parent.mkdir(parents=True)
            targets.write_text("dcm_add_fuzz_target(documents x)\n")
            folders = {name: checkout / "build" / name for name in ("release", "deep/down", "dev")}
            for name, path in folders.items():
                path.mkdir(parents=True)
                place = path if name == "dev" else f"/former/build/{name}"
                (path / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={place}\n")
            said = subprocess.run([checkout / "dev", "fuzz"], capture_output=True, text=True, check=True).stdout
            self.assertIn("dev: this checkout has moved: recreating build/release\n", said)
            self.assertEqual({name: path.exists() for name, path in folders.items()},
                             {"release": False, "deep/down": False, "dev": True})
            again = subprocess.run([checkout / "dev", "fuzz"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(again, "documents\n")


class Recordings(unittest.TestCase):
    def test_are_compared_without_packages_and_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            checkout = pathlib.Path(folder).resolve()
            shutil.copy(DEV, checkout)
            shutil.copytree(DEV.with_name("dev.d"), checkout / "dev.d")
            run = checkout / "test/e2e/side_by_side/run.py"
            run.parent.mkdir(parents=True)
            run.write_text('#!/bin/sh\necho "$@"\n')
            run.chmod(0o755)
            for words in (["--compare"], ["a_scene", "--compare"]):
                ended = subprocess.run([checkout / "dev", "e2e", "--side-by-side", *words], capture_output=True, text=True,
                                       check=False)
                self.assertEqual((ended.stdout, ended.stderr), (" ".join(words) + "\n", ""))


class Words(unittest.TestCase):
    def dev(self, *words):
        return subprocess.run([DEV, *words], capture_output=True, text=True, check=False)

    def test_suggests_nearest_word(self):
        for words, meant in {("buld",): "build", ("cluster", "dwn"): "down", ("bench", "evit"): "evict",
                             ("test", "--quik"): "--quick", ("bench", "--pictur=x"): "--picture", ("sim", "--seds", "3"): "--seeds",
                             ("conformance", "--sever=real"): "--server", ("help", "relase"): "release"}.items():
            ended = self.dev(*words)
            self.assertEqual(ended.returncode, 1, words)
            self.assertIn(f"did you mean {meant}?", ended.stderr, words)

    def test_lists_everything_for_unknown_or_missing_word(self):
        self.assertIn("there are: build demo run", self.dev("xyzzy").stderr)
        self.assertIn("cluster needs one of: up down env run load", self.dev("cluster").stderr)
        self.assertEqual(self.dev("build", "--fast").returncode, 1)

    def test_rejects_benchmark_that_cannot_be_drawn(self):
        for words, why in {("net", "--picture", "a.svg"): "net has no picture", ("--picture",): "--picture needs a file",
                           ("--picture=no/such/a.svg",): "there is no folder for no/such/a.svg"}.items():
            ended = self.dev("bench", *words)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""), words)
            self.assertIn(why, ended.stderr, words)

    def commands(self):
        usage = self.dev().stdout
        commands = {line.split()[0] for line in usage.splitlines() if line.startswith("  ") and line[2].isalpha()}
        self.assertGreater(len(commands), 20)
        return commands

    def test_accepts_each_flag_that_it_lists(self):
        for command in self.commands() - {"run"}:  # whose flags are the manager's
            flags = re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", self.dev(command, "--help").stdout)
            self.assertIn('"--xyzzy"', self.dev(command, *flags, "--xyzzy").stderr, command)

    def test_each_command_explains_itself(self):
        for command in self.commands():
            ended = self.dev(command, "--help")
            self.assertEqual((ended.returncode, ended.stdout.split()[0]), (0, command))

    def test_each_file_of_a_command_is_a_command(self):
        for file in DEV.with_name("dev.d").glob("*.sh"):
            self.assertEqual(self.dev(file.stem, "--help").returncode, 0, file.name)

    def test_pages_name_existing_commands_and_flags(self):
        listed = subprocess.run(["git", "ls-files", "*.md"], cwd=DEV.parent, capture_output=True, text=True, check=True)
        for page in listed.stdout.splitlines():
            for command, others in re.findall(r"\./dev ([a-z][a-z0-9-]*)([^`#|&;\n]*)", (DEV.parent / page).read_text()):
                known = self.dev(command, "--help")
                self.assertEqual(known.returncode, 0, f"{page}: ./dev {command}")
                if command != "run" and not others.startswith(" run "):
                    for flag in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", others.split(" -- ")[0]):
                        self.assertIn(flag, known.stdout, f"{page}: ./dev {command}")

    def test_works_when_called_by_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder, "dev")
            link.symlink_to(DEV)
            self.assertIn("./dev COMMAND", subprocess.run([link], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    unittest.main()
