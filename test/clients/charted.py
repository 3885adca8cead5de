#!/usr/bin/env python3
"""Helm installs, changes and removes the chart of dra-example-driver, as its authors published it.

$HELM is Helm, $CHART the folder of the chart, $KUBECONFIG the server.
"""
import json
import os
import re
import subprocess
import sys

NAMESPACE = "charted"


def helm(*words):
    done = subprocess.run([os.environ["HELM"], *words, "--namespace", NAMESPACE], capture_output=True, text=True)
    if done.returncode != 0:
        print("FAILED: helm", *words, done.stderr)
        sys.exit(1)
    return done.stdout


def revisions():
    """What `helm history` shows, without its times."""
    history = json.loads(helm("history", "driver", "--output", "json"))
    return [(one["revision"], one["status"], one["description"]) for one in history]


def kinds():
    return sorted(re.findall(r"^kind: (\w+)$", helm("get", "manifest", "driver"), re.M))


def main():
    chart = os.environ["CHART"]
    helm("install", "driver", chart, "--create-namespace")
    print("installed:", *kinds())
    helm("upgrade", "driver", chart, "--set", "kubeletPlugin.numDevices=3")
    print("upgraded:", helm("get", "values", "driver", "--output", "json").strip())
    helm("rollback", "driver", "1")
    print("rolled back:", *revisions(), sep="\n  ")
    print("listed:", [one["name"] for one in json.loads(helm("list", "--output", "json"))])
    helm("uninstall", "driver")
    print("uninstalled:", helm("list", "--output", "json").strip())
    print("done")


if __name__ == "__main__":
    main()
