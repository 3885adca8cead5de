"""Prints the API server that a client of these kubeconfig files (one argument, parted by colons) would talk to."""
import os, sys, yaml
configs = [yaml.safe_load(open(f)) or {} for f in sys.argv[1].split(":") if os.path.isfile(f)]
context = next((c["current-context"] for c in configs if c.get("current-context")), None)
def named(kind, name):
    return next((e for c in configs for e in c.get(kind) or [] if e["name"] == name), {})
cluster = named("contexts", context).get("context", {}).get("cluster")
print(named("clusters", cluster).get("cluster", {}).get("server", ""))
