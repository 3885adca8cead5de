#!/usr/bin/env python3
"""Makes kubernetes_names.inc: what Kubernetes' components know by name, so that their lines work here.

    kubernetes_names.py KUBE-CONTROLLER-MANAGER VERSION…

Flags and controllers are those that the program's --help lists, and the old names that its source has for
controllers. Feature gates are added from the list that
each version of the Go module k8s.io/kubernetes brings with it (test/…/versioned_feature_list.yaml); a gate
that some version has had stays, for a line that names it must go on working.
"""
import json
import pathlib
import re
import subprocess
import sys

HEAD = "// Made by kubernetes_names.py from kube-controller-manager {} and the gates of Kubernetes {}.\n"


def folder_of(version):
    module = json.loads(subprocess.run(["go", "mod", "download", "-json", f"k8s.io/kubernetes@{version}"],
                                       check=True, capture_output=True, text=True).stdout)
    return pathlib.Path(module["Dir"])


def aliases_of(version):
    sources = folder_of(version).glob("cmd/kube-controller-manager/app/*.go")
    lists = [names for path in sources for names in re.findall(r"aliases: *\[\]string\{(.*?)\}", path.read_text())]
    return {alias for names in lists for alias in re.findall(r'"([\w-]+)"', names)}


def gates_of(version):
    lists = list(folder_of(version).glob("test/**/*versioned_feature_list.yaml"))
    if not lists:
        sys.exit(f"kubernetes_names.py: Kubernetes {version} has no list of its gates")
    return {name for path in lists for name in re.findall(r"^- name: (\w+)$", path.read_text(), re.M)}


def main(program, *versions):
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"v([\d.]+)", subprocess.run([program, "--version"], check=True, capture_output=True,
                                                     text=True).stdout).group(1)
    # "--name type   help", or without a type for a switch; help may follow on the next line.
    flags = re.findall(r"^ +(?:-\w, )?--([\w-]+)(?: (\S+))?(?:  .*)?$", text, re.M)
    controllers = set(re.search(r"All controllers: (.*)$", text, re.M).group(1).split(", "))
    controllers |= aliases_of("v" + version)
    gates = set(re.findall(r"kube:(\w+)=true\|false", text)).union(*map(gates_of, versions))
    out = HEAD.format(version, ", ".join(v.removeprefix("v") for v in versions))
    out += "constexpr std::string_view kFlagsWithValue[] = {\n"
    out += "".join(f'    "{name}",\n' for name, kind in sorted(flags) if kind)
    out += "};\nconstexpr std::string_view kSwitches[] = {\n"
    out += "".join(f'    "{name}",\n' for name, kind in sorted(flags) if not kind)
    out += "};\nconstexpr std::string_view kControllers[] = {\n"
    out += "".join(f'    "{name}",\n' for name in sorted(controllers))
    out += "};\nconstexpr std::string_view kGates[] = {\n"
    out += "".join(f'    "{name}",\n' for name in sorted(gates)) + "};\n"
    (pathlib.Path(__file__).parent / "kubernetes_names.inc").write_text(out)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
