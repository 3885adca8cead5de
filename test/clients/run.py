#!/usr/bin/env python3
"""Runs programs that others' libraries are made of on two API servers, and compares what they say.

    run.py --apiserver DCM-TEST-APISERVER --real KUBECONFIG --programs FOLDER [--tools FOLDER] [NAME…]

FOLDER has what `go build -o FOLDER ./...` of this module makes. TOOLS has kube-scheduler and
kube-controller-manager: cases that need what is not there are skipped, and say so.
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

# A program that has not ended by then never will.
DEADLINE = 180.0


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, and what runs beside it: a tool and its flags."""

    name: str
    beside: str = ""
    flags: tuple = ()


CASES = (
    Case("typed"),
    Case("scheduled", "kube-scheduler", ("--leader-elect=false", "--secure-port=0")),
    Case("controlled", "kube-controller-manager",
         ("--leader-elect=false", "--secure-port=0",
          "--controllers=deployment-controller,replicaset-controller,job-controller,"
          "resourceclaim-controller,device-taint-eviction-controller,garbage-collector-controller")),
)


def run_beside(tool, case, kubeconfig, log):
    return subprocess.Popen([tool, f"--kubeconfig={kubeconfig}", *case.flags], stdout=log, stderr=log)


def said(case, options, kubeconfig):
    """The program's output on that server, line by line."""
    environment = {**os.environ, "KUBECONFIG": kubeconfig}
    with tempfile.TemporaryFile("w+") as log:
        beside = None
        if case.beside:
            beside = run_beside(options.tools / case.beside, case, kubeconfig, log)
        try:
            done = subprocess.run([options.programs / case.name], env=environment, timeout=DEADLINE,
                                  capture_output=True, text=True)
        except subprocess.TimeoutExpired as expired:
            return [*(expired.stdout or b"").decode().splitlines(), "it has not ended"]
        finally:
            if beside:
                beside.send_signal(signal.SIGTERM)
                beside.wait()
        lines = [*done.stdout.splitlines(), f"exit status {done.returncode}"]
        if done.returncode != 0:
            log.seek(0)
            lines += done.stderr.splitlines()[-5:] + log.read().splitlines()[-5:]
        return lines


def run(case, options, memory):
    """0 if it went well on both."""
    if case.beside and not (options.tools and (options.tools / case.beside).exists()):
        print(f"[  SKIPPED ] clients.{case.name}: there is no {case.beside}")
        return 0
    print(f"[ RUN      ] clients.{case.name}", flush=True)
    ours, real = said(case, options, memory), said(case, options, options.real)
    if ours == real and ours[-2:] == ["done", "exit status 0"]:
        print(f"[       OK ] clients.{case.name}: {len(ours) - 2} steps")
        return 0
    print("\n".join(difflib.unified_diff(real, ours, "real", "in memory", lineterm="")) or
          "\n".join(ours))
    print(f"[  FAILED  ] clients.{case.name}")
    return 1


def main():
    parser = argparse.ArgumentParser()
    for option in ("--apiserver", "--real", "--programs"):
        parser.add_argument(option, required=True)
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.programs = pathlib.Path(options.programs)
    chosen = [case for case in CASES if not options.names or case.name in options.names]
    if not chosen:
        parser.error(f"the cases are {' '.join(case.name for case in CASES)}")
    with tempfile.TemporaryDirectory() as folder:
        memory = f"{folder}/kubeconfig"
        server = subprocess.Popen([options.apiserver, "--kubeconfig", memory],
                                  stdout=subprocess.PIPE, text=True)
        try:
            server.stdout.readline()  # its URL, and where the kubeconfig is: it serves
            server.stdout.readline()
            failed = sum(run(case, options, memory) for case in chosen)
        finally:
            server.terminate()
            server.wait()
    print(f"{len(chosen)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
