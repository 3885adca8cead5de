#!/usr/bin/env python3
"""The kit as others use it: installed into an empty folder, the examples built against it, their tests and binaries run
on both servers, the one in memory and the real one.

`./dev test` has built what is installed. Arguments are parts of tests' names.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/support"))
import report  # noqa: E402

CONTROLPLANE = ROOT / "test/controlplane/controlplane"
# Long enough for a busy machine; nothing is measured by it.
DEADLINE = 120
CUSTOM_KIND = "hello.example.com/v1/greetings/Greeting"
GREETINGS = "/apis/hello.example.com/v1/namespaces/default/greetings"
# A build with the targets kit and dcm-test-apiserver.
build = pathlib.Path(os.environ.get("DCM_BUILD", ROOT / "build/release")).resolve()


def run(*command, check=True, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, timeout=900, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def eventually(check):
    """What `check` returns once it is true."""
    end = time.monotonic() + DEADLINE
    while not (answer := check()):
        if time.monotonic() > end:
            raise AssertionError("it did not come true in time")
        time.sleep(0.05)
    return answer


class Installed(unittest.TestCase):
    """Everything is below one folder outside of this repository."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", build, "--component", "kit", "--prefix", cls.prefix)
        cls.hello, cls.shards = (cls.build_example(name) for name in ("hello-controller", "shard-controller"))

    @classmethod
    def build_example(cls, name):
        folder = cls.folder / name
        shutil.copytree(ROOT / "examples" / name, folder)
        run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_COMPILER=clang++-19", f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        run("cmake", "--build", folder / "build")
        return folder

    def test_the_examples_are_short(self):
        self.assertLessEqual(self.lines_of(self.hello, "hello"), 100)
        self.assertLessEqual(self.lines_of(self.shards, "shards"), 260)

    @staticmethod
    def lines_of(folder, name):
        return sum(len((folder / file).read_text().splitlines()) for file in (f"{name}.hpp", f"{name}.cpp", "main.cpp"))

    def test_page_states_sizes_of_the_examples(self):
        page = (ROOT / "examples/README.md").read_text().split("## The same in Go")[1]
        said = dict(re.findall(r"^\| (.+?) \| (.+?) \|", page, re.M))
        for name, folder, files in (("hello", self.hello, "hello"), ("shard", self.shards, "shards")):
            self.assertEqual(said[f"lines of {name}-controller, without tests"], str(self.lines_of(folder, files)))
        megabytes, libraries = re.match(r"([\d.]+) MB and (\d+) shared libraries", said["binary, stripped"]).groups()
        binary = self.folder / "stripped"
        run("strip", "-o", binary, self.hello / "build/hello-controller")
        self.assertAlmostEqual(binary.stat().st_size / 1e6, float(megabytes), delta=0.2)
        self.assertEqual(len(re.findall(r"=> /", run("ldd", binary))), int(libraries))

    def test_the_examples_pass_their_tests_on_virtual_time(self):
        self.assertIn("[  PASSED  ]", run(self.hello / "build/hello_test"))
        self.assertIn("[  PASSED  ]", run(self.shards / "build/shards_test"))

    def test_example_flags_are_listed_beside_common_flags(self):
        binary = self.shards / "build/shard-controller"
        text = run(binary, "--help")
        for flag in ("--shards-max NUMBER", "--kubeconfig FILE", "--leader-elect", "-v, --v NUMBER", "--secure-port PORT"):
            self.assertIn(flag, text)
        self.assertEqual(run(binary, "--version"), "shard-controller 1.0.0\n")
        for flags, why in ((["--shards-max=0"], "--shards-max: expected a whole number from 1 to 2147483647"),
                           (["--shard-max=9"], "unknown flag --shard-max; did you mean --shards-max?"),
                           (["--tls-cert-file=x"], "needs --tls-private-key-file as well")):
            done = subprocess.run([binary, *flags], capture_output=True, text=True, timeout=DEADLINE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)

    def test_page_describes_the_examples(self):
        page = (ROOT / "docs/write-a-controller.md").read_text()
        shown = re.findall(r"<!-- (\S+) \[(\w+)\] -->\n```cpp\n(.*?)\n```", page, re.S)
        self.assertGreater(len(shown), 4)
        for path, part, text in shown:
            source = (ROOT / "examples" / path).read_text().split(f"// [{part}]\n")[1]
            self.assertEqual(text, source.strip("\n").rstrip(), f"{path} [{part}]: the page shows another text")
        cmake = re.search(r"```cmake\n(.*?)```", page, re.S).group(1)
        self.assertIn(cmake, (self.hello / "CMakeLists.txt").read_text())

    def test_code_on_the_page_that_is_from_no_example_compiles(self):
        page = (ROOT / "docs/write-a-controller.md").read_text()
        snippets = re.findall(r"(?<! -->)\n```cpp\n(.*?)```", page, re.S)
        self.assertGreater(len(snippets), 0)
        blocks = "\n".join("{ %s }" % snippet for snippet in snippets)
        source = f"""
            #include <boost/json.hpp>
            #include "dcm/manager/controller_manager.hpp"
            #include "dcm/runtime/http/client.hpp"
            #include "dcm/runtime/http/tcp.hpp"
            #include "dcm/runtime/run_all.hpp"
            using namespace std::chrono_literals;
            using dcm::api::Decoded, dcm::api::NamespacedName, dcm::runtime::Deadline, dcm::runtime::Result,
                dcm::runtime::Task, dcm::workqueue::Outcome;
            constexpr std::string_view kV1[] = {{"v1"}};
            constexpr dcm::api::ResourceKind kSecrets{{"", "secrets", "Secret", dcm::api::Scope::namespaced, kV1}};
            struct Secret {{ dcm::api::ObjectMeta meta; std::map<std::string, std::string> data; }};
            struct Shard {{ dcm::api::ObjectMeta meta; }};
            Task<Outcome> reconcile(dcm::manager::ControllerManager& manager, dcm::manager::Cache<Shard>& shards,
                                    NamespacedName name, std::vector<NamespacedName> names, boost::json::object fields) {{
              {blocks}
              co_return Outcome::done();
            }}"""
        flags = run("pkg-config", "--cflags", "dcm-kit", env=self.pkg_config()).split()
        run("clang++-19", *flags, "-fsyntax-only", "-x", "c++", "-", input=source, cwd=self.folder)

    def test_rejects_wrong_type_with_a_sentence(self):
        """The first error says what is missing."""
        rows = {
            "std::set<std::string> odd;|{{\"spec.odd\", &Thing::odd}}|": "a field is a std::string",
            "||manager.controller(\"a\", {}, [&](dcm::api::NamespacedName) -> dcm::runtime::Task<dcm::workqueue::Outcome>"
            " { things.get({}); co_return dcm::workqueue::Outcome::done(); });": "a lambda's captures may be gone",
            "||manager.feed(list, things, [](const Thing&) { return 5; });": "the function of feed returns a NamespacedName",
            "||manager.owns(list, things, kThings);": "std::optional<api::ControllerRef> owner",
            "||manager.feed(list, things, dcm::manager::own_name, dcm::manager::generation_changed);":
                "std::int64_t generation",
            "||(void)manager.client(things).add_finalizer({}, \"a\");": "std::vector<std::string> finalizers",
            "||manager.job(\"a\", dcm::manager::RunsOn::leader, 5);": "a job is an object",
        }
        flags = run("pkg-config", "--cflags", "dcm-kit", env=self.pkg_config()).split()
        for row, sentence in rows.items():
            member, fields, line = row.split("|")
            source = f"""
                #include <set>
                #include "dcm/manager/controller_manager.hpp"
                constexpr std::string_view kV1[] = {{"v1"}};
                constexpr dcm::api::ResourceKind kThings{{"", "things", "Thing", dcm::api::Scope::namespaced, kV1}};
                struct Thing {{ dcm::api::ObjectMeta meta; {member} }};
                void add(dcm::manager::ControllerManager& manager, dcm::manager::Worklist& list) {{
                  auto& things = manager.cache<Thing>(kThings{", " + fields if fields else ""});
                  (void)things; (void)list;
                  {line}
                }}"""
            done = subprocess.run(["clang++-19", *flags, "-fsyntax-only", "-x", "c++", "-"], input=source, text=True,
                                  capture_output=True, cwd=self.folder, timeout=DEADLINE)
            first = next((error for error in done.stderr.splitlines() if "error:" in error), "it compiles")
            self.assertIn(sentence, first)

    def test_controllers_include_only_light_headers(self):
        flags = run("pkg-config", "--cflags", "dcm-kit", env=self.pkg_config()).split()
        source = '#include "dcm/manager/controller_manager.hpp"\n'
        lines = run("clang++-19", *flags, "-E", "-x", "c++", "-", input=source).count("\n")
        self.assertLess(lines, 160_000, "without the JSON parser and the HTTP server: 145,000")

    def test_driver_example_is_short_passes_its_test_and_names_wrong_flags(self):
        gpu = self.folder / "gpu"
        shutil.copytree(ROOT / "examples/gpu-driver", gpu)
        driver = [path for path in gpu.iterdir() if path.suffix in (".cpp", ".hpp") and path.stem != "gpus_test"]
        self.assertLess(sum(len(path.read_text().splitlines()) for path in driver), 300)
        run("cmake", "-S", gpu, "-B", gpu / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_COMPILER=clang++-19", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", gpu / "build")
        self.assertIn("[  PASSED  ]", run(gpu / "build/gpus_test"))
        for flags, status in (((), 2), (("--gpus", "2", "--node-name"), 2), (("--node-name", "n", "--gpus=many"), 2),
                              (("--node-name", "n", "--kubeconfig", "/nowhere"), 2)):
            done = subprocess.run([gpu / "build/gpu-driver", *flags], capture_output=True, text=True, timeout=DEADLINE,
                                  env={"PATH": os.environ["PATH"]})
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (status, 1), done.stderr)

    def test_code_on_the_driver_page_compiles(self):
        page = (ROOT / "docs/write-a-driver.md").read_text()
        snippets = re.findall(r"```cpp\n(.*?)```", page, re.S)
        blocks = "\n".join("{ %s }" % snippet for snippet in snippets)
        source = f"""
            #include "dcm/node/driver_kit/program.hpp"
            #include "dcm/runtime/task_group.hpp"
            #include "dcm/testing/virtual_cluster.hpp"
            using namespace dcm::driver_kit;
            using dcm::node::Health;
            namespace json = boost::json;
            Task<> run(DriverProcess& process, Driver& driver, DriverProgram program, AllocatedClaim claim, AllocatedDevice each,
                       PreparedClaim prepared, PreparedDevice with_addresses, DevicePool pool, json::object device,
                       json::object whole, json::object part, std::vector<json::object> counters,
                       std::vector<json::object> first_half, std::vector<json::object> second_half) {{
              const std::string& node = process.program().node;
              {blocks}
            }}"""
        flags = run("pkg-config", "--cflags", "dcm-kit", env=self.pkg_config()).split()
        run("clang++-19", *flags, "-fsyntax-only", "-x", "c++", "-", input=source, cwd=self.folder)

    def test_no_installed_file_names_the_build(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".hpp", ".cmake", ".pc"):
                self.assertNotIn(str(ROOT), path.read_text(), path)

    def test_the_headers_of_the_client_compile_without_this_repository(self):
        headers = sorted(path.relative_to(self.prefix / "include")
                         for path in (self.prefix / "include/dcm/client").rglob("*.hpp"))
        self.assertGreater(len(headers), 50)
        flags = run("pkg-config", "--cflags", "dcm-kit", env=self.pkg_config()).split()
        source = "".join(f'#include "{header}"\n' for header in headers)
        run("clang++-19", *flags, "-fsyntax-only", "-x", "c++", "-", input=source, cwd=self.folder)

    def test_pkg_config_is_enough(self):
        flags = run("pkg-config", "--cflags", "--libs", "dcm-kit", env=self.pkg_config()).split()
        binary = self.folder / "by-pkg-config"
        run("clang++-19", self.hello / "main.cpp", self.hello / "hello.cpp", *flags, "-o", binary)
        done = subprocess.run([binary], env={"KUBECONFIG": "/nowhere"}, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("/nowhere", done.stderr)

    def test_cel_stands_alone(self):
        flags = run("pkg-config", "--cflags", "--libs", "dcm-cel", env=self.pkg_config()).split()
        source = """
            #include <cstdio>
            #include "dcm/cel/program.hpp"
            int main() {
              using namespace dcm;
              const cel::Library library;
              const auto program = cel::Program::compile("[1, 2, 3].map(x, x * x).sum()", library);
              cel::Arena arena;
              cel::Frame frame{.arena = arena, .cost_limit = 1'000'000};
              std::printf("%lld", static_cast<long long>((*program)->evaluate(frame).as_integer()));
            }"""
        binary = self.folder / "squares"
        run("clang++-19", "-x", "c++", "-", "-x", "none", *flags, "-o", binary, input=source, cwd=self.folder)
        self.assertEqual(run(binary), "14")

    def test_package_is_reproducible_and_contains_header_reference_and_examples(self):
        if not shutil.which("doxygen"):
            self.skipTest("no doxygen here")
        packages = []
        for name in ("first", "second"):
            (self.folder / name).mkdir()
            packages.append(pathlib.Path(run(ROOT / "packaging/kit-package", build, self.folder / name,
                                             env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}).strip()))
        self.assertEqual(packages[0].read_bytes(), packages[1].read_bytes())
        run("dpkg-deb", "-x", packages[0], self.folder / "root")
        for path in ("lib/pkgconfig/dcm-kit.pc", "include/dcm/workqueue/queue.hpp",
                     "share/doc/dcm-kit-dev/html/controller__manager_8hpp.html",
                     "share/doc/dcm-kit-dev/examples/shard-controller/shards.cpp"):
            self.assertTrue((self.folder / "root/usr" / path).exists(), path)

    def test_another_compiler_is_refused_with_the_reason(self):
        if not shutil.which("g++"):
            self.skipTest("no g++ here")
        done = subprocess.run(["cmake", "-S", self.hello, "-B", self.folder / "g++", "-DCMAKE_CXX_COMPILER=g++",
                               f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("clang 19", done.stderr)

    def pkg_config(self):
        return {**os.environ, "PKG_CONFIG_PATH": str(next(self.prefix.rglob("pkgconfig")))}

    def begin(self, name, kubeconfig, binary=None, flags=()):
        """A controller, the URL of its pages, and its log."""
        log = open(self.folder / f"{name}.log", "w+", encoding="utf-8")
        self.addCleanup(log.close)
        binary = binary or self.hello / "build/hello-controller"
        process = subprocess.Popen([binary, *flags, "--v=2", "--metrics-bind-address=127.0.0.1:0"], stderr=log,
                                   env={**os.environ, "KUBECONFIG": str(kubeconfig)})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        path = pathlib.Path(log.name)
        found = eventually(lambda: re.search(r'"Serving plain HTTP" address="([^"]+)"', path.read_text()))
        return process, f"http://{found.group(1)}", path

    def page(self, url):
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def plays_its_part(self, kubeconfig, kubectl):
        """Two of them: one works, and when it ends the other takes over at once."""
        def text():
            return kubectl("get", "configmap", "ada", "--ignore-not-found", "-o", "jsonpath={.data.text}")

        first, url, log = self.begin("first", kubeconfig)
        eventually(lambda: '"Working"' in log.read_text())
        second, other_url, other_log = self.begin("second", kubeconfig)
        kubectl("create", "-f", "-", input=json.dumps({
            "apiVersion": "hello.example.com/v1", "kind": "Greeting", "metadata": {"name": "ada"},
            "spec": {"who": "Ada"}}))
        eventually(lambda: text() == "Hello, Ada!")
        eventually(lambda: self.page(f"{other_url}/readyz")[0] == 200)
        self.assertNotIn('"Working"', other_log.read_text())
        self.assertEqual(self.page(f"{url}/readyz"), (200, "ok"))
        metrics = self.page(f"{url}/metrics")[1]
        self.assertIn('hello_controller_informer_objects{resource="greetings"} 1\n', metrics)
        self.assertIn('workqueue_adds_total{name="hello"}', metrics)
        managers = json.loads(kubectl("get", "configmap", "ada", "-o", "json", "--show-managed-fields"))
        self.assertIn("hello-controller", [one["manager"] for one in managers["metadata"]["managedFields"]])

        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(DEADLINE), 0)
        eventually(lambda: '"Working"' in other_log.read_text())
        kubectl("patch", "configmap", "ada", "--type=merge", "-p", '{"data":{"text":"Bye"}}')
        eventually(lambda: text() == "Hello, Ada!")
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(DEADLINE), 0)

    def memory_server(self, name):
        """Its kubeconfig, and kubectl on it."""
        kubectl = self.find_kubectl()
        kubeconfig = self.folder / f"{name}.kubeconfig"
        server = subprocess.Popen([build / "bin/dcm-test-apiserver", f"--kubeconfig={kubeconfig}",
                                   f"--custom-kind={CUSTOM_KIND}"], stdout=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        eventually(kubeconfig.exists)
        return kubeconfig, self.on(kubectl, kubeconfig, "--validate=false")

    def test_the_example_works_on_the_server_in_memory(self):
        self.plays_its_part(*self.memory_server("memory"))

    def test_works_without_election_and_lease(self):
        kubeconfig, kubectl = self.memory_server("alone")
        process, _, log = self.begin("alone", kubeconfig, flags=["--leader-elect=false"])
        eventually(lambda: '"Working"' in log.read_text())
        kubectl("create", "-f", "-", input=json.dumps({
            "apiVersion": "hello.example.com/v1", "kind": "Greeting", "metadata": {"name": "ada"},
            "spec": {"who": "Ada"}}))
        eventually(lambda: kubectl("get", "configmap", "ada", "--ignore-not-found", "-o", "name"))
        self.assertEqual(kubectl("get", "leases", "-o", "name"), "")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)

    def real_server(self):
        """Its kubeconfig, and kubectl on it."""
        available = subprocess.run([CONTROLPLANE, "available"], capture_output=True, text=True)
        if available.returncode != 0:
            self.skipTest(available.stderr.strip())
        name = f"kit-{os.getpid()}"
        run(CONTROLPLANE, "build")
        self.addCleanup(run, CONTROLPLANE, "down", "--name", name)
        exports = run(CONTROLPLANE, "up", "--name", name)
        kubeconfig = re.search(r"KUBECONFIG='?([^'\s]+)", exports).group(1)
        return kubeconfig, self.on(self.find_kubectl(), kubeconfig)

    def test_the_example_works_on_the_real_server(self):
        kubeconfig, kubectl = self.real_server()
        kubectl("apply", "-f", self.hello / "crd.yaml")
        kubectl("wait", "--for=condition=established", "--timeout=60s", "crd/greetings.hello.example.com")
        self.plays_its_part(kubeconfig, kubectl)

    def test_second_example_works_on_real_server_with_only_its_role(self):
        kubeconfig, kubectl = self.real_server()
        kubectl("apply", "-f", self.shards / "crd.yaml", "-f", self.shards / "deploy.yaml")
        kubectl("wait", "--for=condition=established", "--timeout=60s", "crd/shardsets.shards.example.com")
        restricted = self.folder / "restricted.kubeconfig"
        shutil.copy(kubeconfig, restricted)
        user = self.on(self.find_kubectl(), restricted)
        user("config", "set-credentials", "restricted", "--token", kubectl("create", "token", "shard-controller").strip())
        user("config", "set-context", "--current", "--user", "restricted")
        eventually(lambda: user("auth", "can-i", "list", "shardsets.shards.example.com", check=False) == "yes\n")
        process, url, log = self.begin("shards", restricted, self.shards / "build/shard-controller")

        def shard_sets(*words):
            return kubectl("get", "shardsets", *words)

        kubectl("create", "-f", "-", input=json.dumps({
            "apiVersion": "shards.example.com/v1", "kind": "ShardSet", "metadata": {"name": "a"}, "spec": {"shards": 3}}))
        reason = "jsonpath={.items[*].status.conditions[0].reason}"
        eventually(lambda: shard_sets("-o", reason) == "ShardsMade")
        self.assertEqual(kubectl("get", "configmap", "a-2", "-o", "jsonpath={.data.to}"), "65535")
        eventually(lambda: "ShardsMade" in kubectl("get", "events", "-o", "jsonpath={.items[*].reason}"))
        eventually(lambda: self.page(f"{url}/readyz")[0] == 200)
        self.assertIn("shard_controller_shards_made_total 3\n", self.page(f"{url}/metrics")[1])
        # The condition of another writer stays theirs.
        other = {"type": "Checked", "status": "True", "reason": "Fine", "message": "",
                 "lastTransitionTime": "2026-01-01T00:00:00Z"}
        kubectl("patch", "shardset", "a", "--subresource=status", "--type=json", "--field-manager=checker", "-p",
                json.dumps([{"op": "add", "path": "/status/conditions/-", "value": other}]))
        kubectl("patch", "shardset", "a", "--type=merge", "-p", '{"spec":{"shards":200}}')
        reasons = "jsonpath={.items[*].status.conditions[*].reason}"
        eventually(lambda: sorted(shard_sets("-o", reasons).split()) == ["Fine", "TooManyShards"])
        managers = json.loads(shard_sets("a", "-o", "json", "--show-managed-fields"))["metadata"]["managedFields"]
        self.assertEqual([one["manager"] for one in managers if "Checked" in json.dumps(one)], ["checker"])
        kubectl("annotate", "configmap", "a-1", "shards.example.com/in-use-by=worker")
        kubectl("delete", "shardset", "a", "--wait=false")
        eventually(lambda: "Waiting" in kubectl("get", "events", "-o", "jsonpath={.items[*].reason}"))
        self.assertIn("a", shard_sets("-o", "name"))
        kubectl("annotate", "configmap", "a-1", "shards.example.com/in-use-by-")
        eventually(lambda: shard_sets("-o", "name") == "")
        self.assertNotIn("forbidden", log.read_text())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 0)

    def find_kubectl(self):
        found = subprocess.run([CONTROLPLANE, "path", "kubectl"], capture_output=True, text=True)
        if found.returncode != 0:
            self.skipTest(f"no kubectl: {found.stderr.strip()}")
        return found.stdout.strip()

    @staticmethod
    def on(kubectl, kubeconfig, *create_flags):
        def call(verb, *arguments, **options):
            flags = create_flags if verb == "create" else ()
            return run(kubectl, "--kubeconfig", kubeconfig, "-n", "default", verb, *flags, *arguments, **options)
        return call


if __name__ == "__main__":
    sys.exit(not report.run_tests(pathlib.Path(__file__).parent, sys.argv[1:]))
