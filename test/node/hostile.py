#!/usr/bin/env python3
"""hostile.py --programs FOLDER --subject BINARY: puts what no driver should be into the registry of one node, and broken
checkpoints into its state. A good driver must be registered and called all the same; each of the others costs a line an
attempt, and the node's memory stays small."""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

import compare

MEMORY = 48 << 20  # bytes that the node may use; the good driver's answers need a few
SETTINGS = b"\0\0\0\4\0\0\0\0\0"
PING = b"\0\0\x08\6\0\0\0\0\0" + b"12345678"
HEADERS = b"\0\x10\0\1\4\0\0\0\1" + bytes(4096)


class Raw:
    """A socket that accepts, and sends each client the output of `talk`."""

    def __init__(self, path, talk):
        self.path, self.talk = path, talk
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            self.talk(peer)
            while peer.recv(65536):
                pass
        except OSError:
            pass


def flood(peer, what):
    while True:
        peer.sendall(what * 1000)


TALKS = {
    "silent": lambda peer: None,
    "settings": lambda peer: peer.sendall(SETTINGS),
    "garbage": lambda peer: peer.sendall(os.urandom(100_000)),
    "http1": lambda peer: peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    "closes": lambda peer: peer.close(),
    "settings-flood": lambda peer: flood(peer, SETTINGS),
    "ping-flood": lambda peer: (peer.sendall(SETTINGS), flood(peer, PING)),
    "headers-flood": lambda peer: (peer.sendall(SETTINGS), flood(peer, HEADERS)),
}
# Flags of peers/bare, and the expected message to the plugin.
BARE = {
    "csi": (["--type", "CSIPlugin"], "no handler registered for plugin type: CSIPlugin"),
    "name": (["--name", "Not_A_Name"], "is not a DNS subdomain"),
    "newline": (["--name", "a\nb"], 'validation failed with err: "a'),
    "long": (["--name", "a" * 100_000], "aaa..."),
    "old": (["--versions", "1.0.0,v1alpha4.Node"], "none of services supported by the plugin"),
    "none": (["--versions", ""], "empty list of supported gRPC services (aka supported versions)"),
}


def check(holds, what):
    if not holds:
        raise compare.Differs(what)


class World:
    def __init__(self, options, folder):
        self.options, self.folder, self.children = options, folder, []
        registry = folder / "ours/registry"
        self.side = compare.Side("ours", folder / "ours", options.programs, lambda at: [
            options.subject, f"{at}/state", f"{at}/registry", f"{at}/claims"])
        self.registry = registry

    def bare(self, name, *flags):
        process = compare.Process(
            [f"{self.options.programs}/bare", "--socket", f"{self.registry}/{name}.sock", *flags], self.side.log)
        self.children.append(process)
        return process

    def log(self):
        return (self.folder / "ours/log").read_text(errors="replace").splitlines()

    def memory(self):
        status = pathlib.Path(f"/proc/{self.side.node.child.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) << 10

    def close(self):
        for child in self.children:
            child.end(subprocess.Popen.kill)
        self.side.close()


def until(holds, what):
    deadline = time.monotonic() + compare.LIMIT
    while not holds():
        check(time.monotonic() < deadline, f"in vain: {what}")
        time.sleep(0.05)


def registry_of_horrors(world):  # [5] [8] [18]
    for name, talk in TALKS.items():
        Raw(world.registry / f"{name}.sock", talk)
    os.mkfifo(world.registry / "fifo.sock")
    (world.registry / "file.sock").write_text("no socket")
    (world.registry / "nowhere.sock").symlink_to("/nonexistent")
    (world.registry / "circle.sock").symlink_to(world.registry / "circle.sock")
    (world.registry / "above").symlink_to(world.registry)
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(world.registry / "dead.sock"))
    dead.close()
    for number in range(20_000):
        (world.registry / f"file-{number}").touch()
    world.side.start_driver("gpu.example.com")
    until(lambda: any("silent.sock" in line for line in world.log()), "a line about the silent one")
    for name in [*TALKS, "dead"]:
        until(lambda name=name: any(f"{name}.sock" in line for line in world.log()), f"a line about {name}")
    for name in ("fifo", "file.sock", "nowhere", "circle"):
        check(not any(name in line for line in world.log()), f"{name} is no socket and deserves no line")


def plugins_that_are_refused(world):  # [9] [11] [12]
    told = {}
    for name, (flags, why) in BARE.items():
        told[name] = (world.bare(name, *flags), why)
    for name, (process, why) in told.items():
        line = process.wait_for(lambda line: line.startswith("status"))
        check(line.startswith("status false") and why in line, f"{name} is informed: {line[:300]}")
    check(sum(line.startswith("status") for line in told["csi"][0].lines if line) == 1, "a CSIPlugin is informed once")
    for line in world.log():
        check(len(line) < 2000, f"a line of {len(line)} bytes: {line[:200]}")


def prepare_with(world, name, flags):
    """Registers a bare plugin, and returns a function that makes it prepare its own claim."""
    driver = f"{name}.example.com"
    process = world.bare(f"{name}-reg", "--name", driver, *flags)
    process.wait_for(lambda line: line.startswith("status true"))

    def prepare(number):
        claim, pod = compare.claim_object("c0", 0), compare.pod_object("p0")
        claim["metadata"].update(name=f"{name}-{number}", uid=f"{name}-{number}-uid")
        claim["status"]["allocation"]["devices"]["results"][0].update(driver=driver, device=f"device-{number}")
        (world.folder / f"ours/claims/lab.{name}-{number}.json").write_text(json.dumps(claim))
        pod["spec"]["resourceClaims"][0]["resourceClaimName"] = f"{name}-{number}"
        return world.side.answer({"do": "prepare", "pod": pod}).get("error", "")
    return prepare


def answers_that_cannot_be_used(world):  # [46] [47]
    for name, flags, wanted in (("big", ["--big", "6000000"], "code = ResourceExhausted"), ("null", ["--null"], "")):
        prepare = prepare_with(world, name, flags)
        for _ in range(3):  # the connection continues
            error = prepare(0)
            check(wanted in error and bool(wanted) == bool(error), f"{name}: {error}")


def connections_that_are_renewed(world):  # [34]
    prepare = prepare_with(world, "restless", ["--max-connection-age", "1500ms", "--slow", "700ms"])
    for number in range(7):
        error = prepare(number)
        check(not error, f"a GOAWAY has ended call {number}: {error}")


def checkpoints_that_cannot_be_read(world):  # [65]
    whole = compare.zlib.crc32(b'{"kind":"Other"}')
    files = {"empty": "", "half": '{"Data":"{', "bare": "{}", "list": "[]", "other kind":
             json.dumps({"Data": '{"kind":"Other"}', "Checksum": whole}), "binary": "\0" * 1000, "deep": "[" * 100_000,
             "wrong checksum": json.dumps({"Data": '{"kind":"Other"}', "Checksum": whole + 1})}
    for name, content in files.items():
        with tempfile.TemporaryDirectory() as state:
            file = pathlib.Path(state) / "dra_manager_state"
            file.write_text(content)
            ended = subprocess.run([world.options.subject, state, f"{state}/registry", state], capture_output=True,
                                   stdin=subprocess.DEVNULL, timeout=compare.LIMIT)
            lines = ended.stderr.decode().splitlines()
            check(ended.returncode == 1 and len(lines) == 1 and str(file) in lines[0],
                  f"{name}: status {ended.returncode}, {lines}")
            check(file.read_text() == content, f"{name}: the file has changed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--subject", required=True)
    options = parser.parse_args()
    failed = 0
    for case in (registry_of_horrors, plugins_that_are_refused, answers_that_cannot_be_used,
                 connections_that_are_renewed, checkpoints_that_cannot_be_read):
        with tempfile.TemporaryDirectory(prefix="node-hostile-") as folder:
            world = World(options, pathlib.Path(folder))
            try:
                case(world)
                memory, lines = world.memory(), len(world.log())
                check(memory < MEMORY, f"{memory >> 20} MiB of memory")
                print(f"hostile.{case.__name__}: {memory / (1 << 20):.1f} MiB, {lines} lines of log")
                print(f"[       OK ] hostile.{case.__name__}", flush=True)
            except compare.Differs as error:
                failed = 1
                print(f"hostile.{case.__name__}: {error}", *world.log()[-5:], sep="\n  ")
                print(f"[  FAILED  ] hostile.{case.__name__} (0 ms)", flush=True)
            finally:
                world.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()
