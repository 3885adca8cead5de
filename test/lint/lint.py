#!/usr/bin/env python3
"""The project's own rules about its sources, as code.

What clang-format and clang-tidy cannot check: which folder may include which, which calls are
banned outside the files that own them, which standard headers a file uses, the structure of a
controller, that each metric is documented, that no fact is documented twice, and that pages and
manifests name the version that is built.
Prints one line for each breach, `file:line: what, and what to do instead`, and exits with 1 if there
are any. `lint_test.py` shows that each rule can fail.
"""
import pathlib
import re
import subprocess
import sys

import markdown
import std_headers
import twice

# The allowed includes (ARCHITECTURE.md shows the same table). The longest matching prefix of a path
# is its folder; a folder may always include itself.
INCLUDES = {
    "runtime": [],
    "runtime/http": ["runtime"],
    "runtime/http2": ["runtime", "runtime/http"],
    "runtime/grpc": ["runtime", "runtime/http", "runtime/http2"],
    "client/api": ["runtime"],
    "client": ["client/api", "runtime", "runtime/http"],
    "client/leader_election": ["client", "client/api", "runtime", "runtime/http"],
    "cel": [],
    "cel/kubernetes": ["cel"],
    "workqueue": ["runtime"],
    "informers": ["client", "client/api", "runtime"],
    "options": ["runtime"],
    # A program of controllers, apart from its controllers.
    "manager": ["client", "client/api", "client/leader_election", "informers", "options", "workqueue", "runtime",
                       "runtime/http", "runtime/http2"],
    "controllers/api": ["client/api", "runtime"],
    "controllers/common": ["controllers/api", "client/api", "runtime"],
    "allocation": ["cel", "cel/kubernetes", "controllers/api", "client/api", "runtime"],
    "controllers/resource_claim": [
        "controllers/api", "controllers/common", "informers", "workqueue", "client", "client/api",
        "runtime"],
    "controllers/device_taint_eviction": [
        "controllers/api", "controllers/common", "informers", "workqueue", "client", "client/api",
        "runtime"],
    "controllers/resource_pool_status": [
        "allocation", "cel/kubernetes", "controllers/api", "controllers/common", "informers", "workqueue", "client",
        "client/api", "runtime"],
    # The node's side: what kubelet does for DRA.
    "node": ["controllers/api", "controllers/common", "client/api", "runtime", "runtime/grpc",
             "runtime/http"],
    "node/driver_kit": ["node", "cel/kubernetes", "client", "client/api", "manager", "options", "controllers/api", "runtime", "runtime/grpc", "runtime/http"],
    "explain": [
        "allocation", "cel/kubernetes", "controllers/api", "controllers/common", "controllers/resource_claim",
        "controllers/device_taint_eviction", "controllers/resource_pool_status", "informers", "client", "client/api", "manager", "options",
        "runtime", "runtime/http"],
    "cmd/dra-controller-manager": [
        "explain", "controllers/api", "controllers/common", "controllers/resource_claim",
        "controllers/device_taint_eviction", "controllers/resource_pool_status", "informers", "workqueue", "client", "client/api", "client/leader_election", "manager", "options",
        "runtime", "runtime/http", "runtime/http2"],
    "playground": [
        "allocation", "apiserver", "cel/kubernetes", "explain", "controllers/api", "controllers/common", "informers",
        "node", "workqueue", "client", "client/api", "manager", "options", "runtime", "runtime/http"],
    "cmd/dra-hollow-node": ["playground", "node", "client", "manager", "options", "informers", "runtime", "runtime/http"],
    # Shares no encoder or decoder with the client, so that mistakes do not cancel out.
    "apiserver": ["cel", "cel/kubernetes", "options", "runtime", "runtime/http"],
    # Black-box: uses the manager only through its process and the API.
    "test/conformance": ["runtime", "runtime/http", "test/support", "apiserver"],
    "test/support": ["*"],
    "test": ["*"],
}

# The base for other projects' controllers: independent of the product built on it here.
KIT = ("runtime", "client", "informers", "workqueue", "options", "manager")
# Words that the kit must not contain: names of the product, of its API group, and its programs.
PRODUCT_WORD = re.compile(r"claim|resource.?slice|device.?(?:class|taint)|playground|hollow|"
                          r"resource\.k8s\.io|dynamic.resource|\bdra\b|\bdra[-_]", re.I)

# A main without code of its own, and what is built outside of the tree.
WITHOUT_ROW = ("cmake/", "cmd/dra-playground/", "examples/")

# Third-party headers stay where they are needed, which also limits compile times.
THIRD_PARTY = {
    r"boost/beast|boost/asio/ssl": ["runtime/http/", "test/support/"],
    r"openssl/": ["runtime/http/", "runtime/base64.cpp", "apiserver/definitions/ca_bundle.cpp", "test/support/"],
    r"simdjson": ["client/", "node/checkpoint/", "node/plugins/messages.cpp"],
    r"re2/": ["cel/regex.cpp"],
    r"protozero": ["client/api/protobuf/", "controllers/api/protobuf/", "node/driver_kit/messages",
                   "node/plugins/messages", "node/devices/pod_resources", "apiserver/", "test/"],
    r"boost/json": ["runtime/json", "allocation/json/encode", "client/api/encode", "manager/bodies", "controllers/api/encode", "client/auth/exec_plugin.cpp",
                     "client/config/yaml_json.cpp", "node/driver_kit/", "cmd/", "explain/", "playground/", "apiserver/", "examples/", "test/"],
    r"yaml-cpp": ["client/", "cmd/", "playground/", "node/devices/cdi_specs.cpp", "test/support/", "apiserver/text/yaml.cpp"],
    r"nghttp2/": ["runtime/http2/session.cpp"],
    r"spdlog": ["runtime/log.cpp"],
    r"prometheus/": ["runtime/metrics"],
    r"zlib\.h": ["runtime/http/", "node/checkpoint/crc32.cpp", "test/support/", "apiserver/front/compression.cpp"],
}

# Calls that break virtual time, seeds or structured concurrency: pattern, owners, replacement.
BANNED = [
    (r"\bsteady_clock::now|\bhigh_resolution_clock\b", ["test/bench/", "test/conformance/",
                                                        "test/support/"],
     "runtime::TimeSource::now()"),
    (r"\bsystem_clock::now", ["runtime/loop.cpp"], "runtime::TimeSource::wall_now()"),
    (r"\bsteady_timer\b", ["runtime/loop.cpp"], "runtime::sleep_for or runtime::Condition"),
    (r"\bsleep_for\s*\(\s*\d|\bthis_thread::|\busleep\(|\bnanosleep\(", ["runtime/loop.cpp", "test/support/process", "test/bench/"],
     "runtime::sleep_for(time, …)"),
    (r"\brandom_device\b|\bmt19937|\brand\(\)", ["runtime/rng.cpp"], "runtime::Rng"),
    (r"\bstd::j?thread\b|\bstd::mutex\b|\bstd::atomic\b|\bstd::async\b", ["test/conformance/"],
     "a task on the loop"),
    (r"\basio::detached\b|\bco_spawn\b", ["runtime/task_group.cpp", "runtime/task_group.hpp"],
     "runtime::TaskGroup::spawn"),
    (r"\bio_context\b", ["runtime/loop.cpp", "runtime/loop.hpp"], "runtime::Executor"),
    (r"\bhttp::serve\(", ["runtime/http/", "manager/serving/secure_serving.cpp",
                           "playground/embedded_server.cpp", "test/"],
     "http::serve_open, which refuses web pages of others"),
    # An untrusted name that reaches one of these decides which file is written or removed.
    (r"\b(?:fs|filesystem)::(?:remove\w*|rename|create_\w+|copy\w*|resize_file)\b|\bofstream\b|\bfopen\(|"
     r"(?<![\w>)])::(?:open|openat|creat|unlink|unlinkat|rename|renameat|mkdir|mkdirat|rmdir|symlink|link|chmod)\(",
     ["node/posix_files.cpp", "node/plugins/socket_folder_watch.cpp", "node/driver_kit/call_lock.cpp",
      "runtime/http/unix.cpp", "client/config/file.cpp", "apiserver/front/apiserver_main.cpp",
      "playground/cluster/folder_lock.cpp", "playground/kubeconfig_out.cpp", "examples/gpu-driver/gpus_test.cpp",
      "test/"],
     "node::Files, with a runtime::FileName for each name from outside"),
    (r"\bpopen\(|\bstd::system\(|(?<![\w:.>])system\(", ["test/"], "posix_spawn with a list of arguments"),
    (r"[(!&|?:,]\s*co_await\b", ["test/"], "a named local for its result"),
    (r'"[^"]*(?<![Tt]here) is no (?!longer|shorter)\w', ["test/"], "\"is not a\""),
    (r"\b(TODO|FIXME|XXX)\b", [], "an issue"),
]

CONTROLLER_SHAPE = ["README.md", "rules/decide*.hpp", "rules/decide*.cpp", "controller.hpp", "controller.cpp",
                    "metrics.hpp", "metrics.cpp"]
METRIC = re.compile(
    r'"((?:dra_controller_manager|program|dynamic_resource_allocation|device_taint_eviction_controller|resourcepoolstatusrequest_controller|'
    r'workqueue|rest_client|leader_election|process|kubernetes|running_managed)_[a-z_]+)"')
SOURCE_SUFFIXES = {".cpp", ".hpp"}
# The project's version, in the name of a file, image or address, or as an image's tag.
VERSION = re.compile(r"(?:dra-controller-manager[^\d\s]* ?v?|newTag: )(\d+\.\d+\.\d+)")


def folder_of(path):
    """The folder of INCLUDES that `path` belongs to, or None."""
    fitting = [f for f in INCLUDES if path == f or path.startswith(f + "/")]
    return max(fitting, key=len) if fitting else None


def leaves_the_kit(includes):
    """(folder of the kit, folder outside it) for each pair that the table allows but should not."""
    inside = {folder for folder in includes if folder.split("/")[0] in KIT}
    return [(folder, target) for folder in sorted(inside) for target in includes[folder] if target not in inside]


def circle(includes):
    """Folders that may include each other in a circle, or nothing."""
    left = {folder: set(targets) - {"*"} for folder, targets in includes.items()}
    while free := [folder for folder, targets in left.items() if not targets & left.keys()]:
        for folder in free:
            del left[folder]
    return sorted(left)


def strip_comment(line):
    return line.split("//", 1)[0]


def check_includes(path, lines):
    folder = folder_of(path)
    if folder is None and not path.startswith(WITHOUT_ROW):
        yield 1, "this folder has no row in INCLUDES (ARCHITECTURE.md has the table)"
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if match and folder:
            target = folder_of(match.group(1))
            allowed = INCLUDES[folder]
            if target is None:
                yield number, f'"{match.group(1)}": name it from the root of the project'
            elif target != folder and "*" not in allowed and target not in allowed:
                yield number, f"{folder} may not include {target} (ARCHITECTURE.md has the table)"
        match = re.match(r"\s*#include <([^>]+)>", line)
        for pattern, owners in THIRD_PARTY.items() if match else []:
            if re.match(pattern, match.group(1)) and not path.startswith(tuple(owners)):
                yield number, f"<{match.group(1)}> belongs to {', '.join(owners)} alone"


def check_banned(path, lines):
    for number, line in enumerate(lines, 1):
        for pattern, owners, instead in BANNED:
            text = line if "TODO" in pattern else strip_comment(line)
            match = re.search(pattern, text)
            if match and not path.startswith(tuple(owners) if owners else ("\0",)):
                yield number, f"{match.group(0)} is banned here; use {instead}"


def check_forwarding(path, lines):
    """A result that is only returned needs no name."""
    for match in re.finditer(r"^[ \t]*[\w:<>*, ]+[ &](\w+) =\s+co_await [^;]*;\s*co_return (?:std::move\()?\1\)?;",
                             "\n".join(lines), re.M):
        line = match.string.count("\n", 0, match.start()) + 1
        yield line, f"{match.group(1)} is only returned; co_return co_await …"


def check_header(path, lines):
    if path.endswith(".hpp") and "#pragma once" not in [line.strip() for line in lines]:
        yield 1, "a header starts with #pragma once"
    if not path.startswith("test/") and path.endswith(".hpp") and not lines[0].startswith("//"):
        yield 1, "a header starts with a comment that says what it is"


def check_kit(path, lines):
    if path.split("/")[0] in KIT:
        for number, line in enumerate(lines, 1):
            for match in PRODUCT_WORD.finditer(line):
                yield number, f"{match.group(0)} is the product's word; other controllers are built on {path.split('/')[0]} too"


def check_std_headers(path, lines):
    for number, header in std_headers.without_use(lines) if path != "cmake/precompiled.hpp" else []:
        yield number, f"nothing here uses <{header}>"


def check_file(path, text):
    lines = text.splitlines() or [""]
    for check in (check_includes, check_banned, check_forwarding, check_header, check_kit, check_std_headers):
        for number, what in check(path, lines):
            yield f"{path}:{number}: {what}"


def is_listed(source, lists):
    """Whether the source is in a CMakeLists.txt, {folder: text}, of its folder or one above, or by its path in another."""
    *_, folder_name, name = ["", *source.split("/")]
    return any(source.startswith(folder) and name in text or f"/{source}" in text or f"../{folder_name}/{name}" in text
               for folder, text in lists.items())


def check_tree(root, files):
    """Rules about folders, CMake and documentation."""
    names = set(files)
    listed = {f.removesuffix("CMakeLists.txt"): (root / f).read_text() for f in files if f.endswith("CMakeLists.txt")}
    for path in files:
        if path.endswith(".cpp") and not is_listed(path, listed):
            yield f"{path}:1: no CMakeLists.txt of its folder or one above lists it"
    for folder in sorted({f.split("/")[0] for f in files if "/" in f}):
        if not folder.startswith(".") and folder != "cmake" and f"{folder}/README.md" not in names:
            yield f"{folder}:1: a top-level folder has a README.md of one screen"
    controllers = {f.split("/")[1] for f in files if f.startswith("controllers/") and f.count("/") > 1}
    for controller in sorted(controllers - {"api", "common"}):
        for part in CONTROLLER_SHAPE:
            if not any(pathlib.PurePath(f).match(f"controllers/{controller}/{part}") for f in files):
                yield f"controllers/{controller}:1: a controller has a {part}"
    documented = (root / "docs/metrics.md").read_text() if "docs/metrics.md" in names else ""
    for path in files:
        if pathlib.PurePath(path).suffix in SOURCE_SUFFIXES and not path.startswith(("test/", "examples/")):
            for number, line in enumerate((root / path).read_text().splitlines(), 1):
                for metric in METRIC.findall(line):
                    metric = re.sub(r"^program_", "dra_controller_manager_", metric)
                    if f"`{metric}`" not in documented:
                        yield f"{path}:{number}: {metric} is not described in docs/metrics.md"


def check_versions(root, files):
    """Commands and manifests name the version that is built."""
    built = re.search(r"^project\(\S+ VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)[1]
    for path in files:
        if path.startswith("test/") or not path.endswith((".md", ".yaml", "Dockerfile", ".8")):
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            for version in set(VERSION.findall(line)) - {built}:
                yield f"{path}:{number}: version {version}, but CMakeLists.txt has {built}"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                             cwd=root, check=True, capture_output=True, text=True).stdout
    files = sorted(f for f in listing.splitlines() if (root / f).is_file())
    breaches = list(check_tree(root, files))
    breaches += check_versions(root, files)
    breaches += twice.check({path: (root / path).read_text() for path in files if path.endswith(".md")})
    for path in files:
        if pathlib.PurePath(path).suffix in SOURCE_SUFFIXES:
            breaches += check_file(path, (root / path).read_text())
        if path.endswith(".md"):
            breaches += [f"{path}:{number}: more than {markdown.COLUMNS} columns; test/lint/markdown.py wraps them"
                         for number in markdown.too_long((root / path).read_text())]
    for breach in breaches:
        print(breach)
    sources = sum(pathlib.PurePath(f).suffix in SOURCE_SUFFIXES for f in files)
    print(f"lint: {sources} sources, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
