#!/usr/bin/env python3
"""Gives a script of kubectl commands to two API servers, and compares what kubectl prints.

    compare.py --kubectl KUBECTL --apiserver DCM-TEST-APISERVER --real KUBECONFIG [NAME…]

The real server must be a fresh one (test/controlplane); the in-memory one is started here. Prints one
line for each command as GoogleTest does, and what differs. With NAMEs, prints only those with one of
them in their name; all commands run nevertheless, since each finds what the ones before have left.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

from normalise import normalise, without
from steps import STEPS

# A command that has not ended by then hangs.
DEADLINE = 30.0


class Server:
    """An API server as kubectl sees it: a kubeconfig, and separate caches."""

    def __init__(self, name, kubectl, kubeconfig, folder):
        self.name = name
        self.kubectl = kubectl
        self.env = {**os.environ, "KUBECONFIG": kubeconfig, "KUBECACHEDIR": f"{folder}/cache-{name}"}

    def start(self, command, **env):
        return subprocess.Popen([self.kubectl, *shlex.split(command)], env={**self.env, **env},
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def run(self, step):
        """Exit status, output and error output of a step."""
        end = time.monotonic() + DEADLINE
        while True:
            result = self.run_once(step)
            if not step.not_yet or step.not_yet not in result[2] or time.monotonic() > end:
                return result

    def run_once(self, step):
        process = self.start(step.command, **dict(step.env))
        if step.meanwhile or step.until:
            return Waiting(process).run(self, step)
        try:
            out, error = process.communicate(step.stdin, timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, error = process.communicate()
            error += "kubectl has not ended\n"
        return process.returncode, out, error


class Waiting:
    """A command that watches, while other commands cause events."""

    def __init__(self, process):
        self.process = process
        self.lines = []
        self.errors = []
        self.news = threading.Condition()
        self.ended = False  # it will print nothing more
        self.readers = [threading.Thread(target=self.read, args=pair)
                        for pair in ((process.stdout, self.lines), (process.stderr, self.errors))]

    def read(self, stream, lines):
        for line in stream:
            with self.news:
                lines.append(line)
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def seen(self, pattern):
        """Waits for a line with `pattern`, the end of the command, or the deadline."""
        with self.news:
            self.news.wait_for(lambda: self.ended or any(re.search(pattern, line)
                                                         for line in self.lines), DEADLINE)

    def run(self, server, step):
        for reader in self.readers:
            reader.start()
        if step.ready:
            self.seen(step.ready)
        for command in step.meanwhile:
            process = server.start(command)
            _, error = process.communicate(timeout=DEADLINE)
            if process.returncode != 0:
                self.errors.append(f"meanwhile: {command}: {error}")
        if step.until:
            self.seen(step.until)
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "kubectl has not ended"
        for reader in self.readers:
            reader.join()
        return status, "".join(self.lines), "".join(self.errors)


def compared(step, results):
    """Lines that tell what is wrong: a difference, or an exception that is not needed any more.

    `results` are those of the in-memory server and of the real one.
    """
    memory, real = ([f"exit status {status}", *normalise(out), *normalise(error)]
                    for status, out, error in results)

    def same(excepts):
        return without(memory, excepts) == without(real, excepts)

    if not same(step.excepts):
        return list(difflib.unified_diff(without(real, step.excepts), without(memory, step.excepts),
                                         "real", "in memory", lineterm="", n=1))
    return [f"there is no such difference: {each.reason}" for each in step.excepts
            if not each.at_times and same([other for other in step.excepts if other is not each])]


def start_apiserver(program, folder):
    process = subprocess.Popen([program, "--kubeconfig", f"{folder}/kubeconfig"],
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()  # its URL: it is ready
    process.stdout.readline()
    return process


def run_script(servers, chosen):
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
        for step in STEPS:
            started = time.monotonic()
            results = list(pool.map(lambda server: server.run(step), servers))
            differences = compared(step, results)
            if chosen and not any(name in step.name for name in chosen):
                continue
            took = f"({(time.monotonic() - started) * 1000:.0f} ms)"
            name = "kubectl." + step.name.replace(" ", "_")
            print(f"[ RUN      ] {name}: kubectl {step.command}")
            if differences:
                failed += 1
                print("\n".join(differences))
                print(f"[  FAILED  ] {name} {took}")
            else:
                known = "".join(f", but for: {each.reason}" for each in step.excepts)
                print(f"[       OK ] {name} {took}{known}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser()
    for option in ("--kubectl", "--apiserver", "--real"):
        parser.add_argument(option, required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        apiserver = start_apiserver(options.apiserver, folder)
        try:
            servers = [Server("memory", options.kubectl, f"{folder}/kubeconfig", folder),
                       Server("real", options.kubectl, options.real, folder)]
            failed = run_script(servers, options.names)
        finally:
            apiserver.terminate()
            apiserver.wait()
    print(f"{len(STEPS)} commands, {failed} with other answers than the real server's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
