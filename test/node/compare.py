#!/usr/bin/env python3
"""compare.py --programs FOLDER --subject BINARY [--seeds N] [--first N] [--length 200] [--parallel N] [--keep]

Does the same random things to kubelet's own DRA and plugin managers and to ours, each with drivers of its own that are
made with the Go helper, and compares after each step: the answer, what the drivers were asked, and the checkpoint. A run
is a function of its seed. Where ours is better on purpose, the difference has a name and is counted; any other fails.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zlib

DRIVERS = ["gpu.example.com", "nic.example.com"]
# Claims by the drivers of their devices.
CLAIMS = {"c0": [0], "c1": [0], "c2": [1], "c3": [0, 1], "c4": [0, 0], "c5": [1, 0], "c6": []}
PODS = {"p0": ["c0"], "p1": ["c1", "c2"], "p2": ["c3"], "p3": ["c3", "c4"], "p4": ["c5", "c0"], "p5": ["c4"],
        "p6": ["c2"], "p7": ["c0", "c1", "c3"], "stranger": ["c1"], "hopeful": ["c6"], "early": ["c9"]}
MODES = ["refuse", "refuse-claims", "skip", "wrong-uid", "extra-uid", "no-devices"]
KIT_MODES = ["refuse-claims", "no-devices"]
LIMIT = 60  # how many seconds to wait for a required event


class Differs(Exception):
    pass


def claim_object(name, generation):
    drivers = CLAIMS[name]
    status = {"reservedFor": [{"resource": "pods", "name": pod, "uid": f"{pod}-uid"}
                              for pod in PODS if pod != "stranger"]}
    if drivers:
        status["allocation"] = {"devices": {"results": [
            {"request": f"r{i}", "driver": DRIVERS[d], "pool": "node-0", "device": f"{name}-d{i}"}
            for i, d in enumerate(drivers)]}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "status": status, "spec": {},
            "metadata": {"name": name, "namespace": "lab", "uid": f"{name}-uid-{generation}", "resourceVersion": "1"}}


def pod_object(name):
    uses = [{"name": claim} for claim in PODS[name]]
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "lab", "uid": f"{name}-uid", "resourceVersion": "1"},
            "spec": {"nodeName": "node-0",
                     "resourceClaims": [{"name": claim, "resourceClaimName": claim} for claim in PODS[name]],
                     "containers": [{"name": "main", "image": "none", "resources": {"claims": uses}}]},
            "status": {"phase": "Pending"}}


class Process:
    """A program controlled by lines; its output is kept."""

    def __init__(self, command, log):
        self.lines, self.changed = [], threading.Condition()
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.lines.append(None)
            self.changed.notify_all()

    def say(self, order):
        self.child.stdin.write(json.dumps(order) + "\n")
        self.child.stdin.flush()

    def wait_for(self, wanted, start=0):
        """The first line from `start` on for which `wanted` is true."""
        deadline = time.monotonic() + LIMIT
        with self.changed:
            while True:
                for line in self.lines[start:]:
                    if line is None:
                        raise Differs(f"{self.child.args[0]} has ended with {self.child.wait()}")
                    if wanted(line):
                        return line
                start = len(self.lines)
                if not self.changed.wait(deadline - time.monotonic()):
                    raise Differs(f"{self.child.args[0]} says nothing; last: {self.lines[-3:]}")

    def drain(self):
        """Returns when everything that it has printed so far was read."""
        start = len(self.lines)
        if self.child.poll() is None:
            self.say({})
            self.wait_for(lambda line: line == "obeyed", start)
        with self.changed:
            while self.child.poll() is not None and (not self.lines or self.lines[-1] is not None):
                self.changed.wait()

    def end(self, how):
        if self.child.poll() is None:
            how(self.child)
            self.child.wait()


class Side:
    """A node, its drivers and its folders. `command(folder)` starts the node."""

    def __init__(self, name, folder, programs, command):
        self.name, self.folder, self.programs, self.command = name, folder, programs, command
        for each in ("state", "registry", "claims"):
            (folder / each).mkdir(parents=True)
        self.log = open(folder / "log", "w")
        self.number, self.drivers, self.seen = 0, {}, {}
        self.driver = f"{programs}/driver"
        self.start()

    def start(self):
        self.node = Process(self.command(self.folder), self.log)
        self.answer({"do": "active", "uids": [f"{pod}-uid" for pod in PODS]})

    def answer(self, order):
        return self.receive(self.send(order))

    def send(self, order):
        self.number += 1
        self.node.say({"id": self.number, **order})
        return self.number

    def receive(self, number):
        return json.loads(self.node.wait_for(lambda line: json.loads(line)["id"] == number))

    def start_driver(self, driver, pod_uid="", wait=True):  # [1]
        process = Process([self.driver, "--name", driver, "--registry", f"{self.folder}/registry",
                           "--data", f"{self.folder}/{driver}", "--claims", f"{self.folder}/claims",
                           "--checkpoint", f"{self.folder}/state/dra_manager_state", "--pod-uid", pod_uid], self.log)
        self.drivers[driver] = process
        self.seen[process] = 0
        if wait:
            self.wait_registered(driver)

    def wait_registered(self, driver, start=0):
        self.drivers[driver].wait_for(lambda line: line.startswith("status true"), start)

    def wait_settled(self, driver):
        """An attempt on the dead socket may have met its successor: then that is registered twice,
        with a gap."""
        process = self.drivers[driver]
        count = -1
        while count != len(process.lines):
            count = len(process.lines)
            with process.changed:
                process.changed.wait(5)  # kubelet polls once a second

    def wait_unregistered(self, driver):
        deadline = time.monotonic() + LIMIT
        while any(socket.startswith(driver)
                  for socket in self.answer({"do": "registered", "drivers": DRIVERS}).get("sockets") or []):
            if time.monotonic() > deadline:
                raise Differs(f"{self.name}: {driver} stays registered")
            time.sleep(0.02)

    def wiped(self):
        """The selectors of the slices deleted so far, in order."""
        self.log.flush()
        return re.findall(r"^wiped: (.*)$", (self.folder / "log").read_text(errors="replace"), re.M)

    def wait_wiped(self, start):
        """The next one after the first `start`."""
        deadline = time.monotonic() + LIMIT
        while len(self.wiped()) <= start:
            if time.monotonic() > deadline:
                raise Differs(f"{self.name} deletes no slices")
            time.sleep(0.05)
        return self.wiped()[start]

    def health(self, pod):
        """{resource ID: (health, message)} in the status of its container"""
        rows = self.answer({"do": "health", "pod": pod_object(pod), "container": "main"}).get("health") or []
        return {row.split(" ")[0]: tuple(row.split(" ", 2)[1:]) for row in rows}

    def calls(self):  # [68]
        """The calls to drivers since the last time, as driver, operation, claims' UIDs."""
        found = set()
        for driver, process in list(self.drivers.items()):
            process.drain()
            lines = list(process.lines)
            for line in lines[self.seen[process]:]:
                words = (line or "").split(" ")
                if words[0] in ("prepare", "unprepare"):
                    if "BEFORE-THE-CHECKPOINT" in words:
                        raise Differs(f"{self.name}: {driver} was called before the checkpoint knew it: {line}")
                    found.update((driver, words[0], uid) for uid in words[1:])
            self.seen[process] = len(lines)
        return found

    def entries(self):
        """The checkpoint, without our extensions and without order."""
        whole = json.loads((self.folder / "state/dra_manager_state").read_text())
        if zlib.crc32(whole["Data"].encode()) != whole["Checksum"]:
            raise Differs(f"{self.name}: the checksum is wrong")
        entries = {}
        for entry in json.loads(whole["Data"])["ClaimInfoStateList"] or []:
            entry.pop("dcm", None)
            for state in entry["DriverState"].values():
                if state["Devices"]:
                    state["Devices"].sort(key=json.dumps)
            entries[entry["ClaimName"]] = entry
        return entries

    def close(self):
        for process in [*self.drivers.values(), self.node]:
            process.end(subprocess.Popen.kill)
        self.log.close()


def comparable(error):
    """An error's text, without the parts that depend on which driver came first, or on transport."""
    if not error:
        return ""
    error = re.sub(r"(code = Unavailable) .*", r"\1", error)
    error = re.sub(r"checkpoint .*", "checkpoint", error)
    return re.sub("|".join(map(re.escape, DRIVERS)), "DRIVER", error)


class Script:
    def __init__(self, seed, length, options, folder):
        self.random, self.length, self.folder = random.Random(seed), length, folder
        self.better, self.compared, self.done = collections.Counter(), collections.Counter(), []
        programs = options.programs
        self.theirs = Side("kubelet", folder / "theirs", programs, lambda at: [
            f"{programs}/reference", "--state", f"{at}/state", "--registry", f"{at}/registry", "--claims", f"{at}/claims"])
        self.ours = Side("ours", folder / "ours", programs, lambda at: [
            options.subject, f"{at}/state", f"{at}/registry", f"{at}/claims"])
        self.sides = [self.theirs, self.ours]
        self.kinds = MODES
        if options.kit:
            self.use_kit(options.kit)
        self.generation = dict.fromkeys(CLAIMS, 0)
        self.state = dict.fromkeys(DRIVERS, "up")  # or: stopped, killed, stale
        self.modes = dict.fromkeys(DRIVERS, "")
        self.pods = dict.fromkeys(DRIVERS, "")  # UID of the pod that a driver runs in
        self.succeeded = set()  # (driver, operation, uid) that ours need not call again
        self.answered = set()   # (driver, uid) for which ours has had devices
        self.left = set()       # (claim, pod) that kubelet has removed only in memory
        self.is_lenient = False
        self.catch_up = None    # an operation that only ours could finish
        self.reports, self.has_wiped = 0, False
        self.marked = set()     # claims that kubelet has marked as unprepared without a call

    def each(self, act):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(act, self.sides))

    def run(self):
        self.compare_first_wipes(0)  # [2]
        for claim in CLAIMS:
            self.write_claim(claim)
        for driver in DRIVERS:
            self.each(lambda side: side.start_driver(driver))
        for _ in range(self.length):
            self.step()
        self.bring_all_back()
        for _ in range(2):
            for pod in PODS:
                self.operate("unprepare", pod)
        left = [side.entries() for side in self.sides]
        if any(left):
            raise Differs(f"entries are left: {left}")

    def compare_first_wipes(self, *before):
        """Slices from before the start of the node are deleted when it starts."""
        theirs, ours = self.each(lambda side: side.wait_wiped((before * 2)[self.sides.index(side)]))
        if theirs != ours:
            raise Differs(f"slices at the start: kubelet deletes those of {theirs}, we of {ours}")

    def step(self):
        weights = {"prepare": 40, "unprepare": 27, "mode": 16, "heal": 8, "back": 5, "restart": 2, "stop": 1, "kill": 2,
                   "roll": 1, "hang": 1, "recreate": 3, "devices": 6, "claim_gone": 1, "takeover": 1, "health": 4,
                   "wipe": 0.2, "unmade": 1}
        what = self.random.choices(list(weights), list(weights.values()))[0]
        getattr(self, "do_" + what)()

    def note(self, *words):
        self.done.append(" ".join(words))

    def use_kit(self, kit):  # [81] [82]
        """kubelet's drivers are built with node/driver_kit, which lets them fail in fewer ways;
        ours with the Go helper."""
        self.theirs.driver, self.kinds = kit, KIT_MODES

    # Steps

    def do_prepare(self):  # [35] [36] [39] [41] [85]
        pod = self.random.choice(list(PODS))
        if self.marked & set(PODS[pod]):
            self.better["a claim refuses new pods only from the first unprepare call on (not tried)"] += 1
            return
        self.operate("prepare", pod)

    def do_unprepare(self):  # [38] [57] [58]
        self.operate("unprepare", self.random.choice(list(PODS)))

    def do_unmade(self):  # [40]
        pod = pod_object("stranger")
        pod["spec"]["resourceClaims"] = [{"name": "own", "resourceClaimTemplateName": "not-there"}]
        for operation in ("prepare", "unprepare"):
            self.note(operation, "a pod whose claim was not made")
            theirs, ours = [comparable(answer.get("error")) for answer in self.each(
                lambda side: side.answer({"do": operation, "pod": pod}))]
            if operation == "unprepare" and theirs and not ours:
                self.better["a pod whose claim was never made can end"] += 1
            elif theirs != ours:
                raise Differs(f"{operation}: kubelet says {theirs!r}, we say {ours!r}")

    def do_mode(self):  # [43] [45] [46]
        self.set_mode(self.random.choice(DRIVERS), self.random.choice(self.kinds))

    def do_heal(self):
        for driver in DRIVERS:
            self.set_mode(driver, "")

    def do_back(self):
        self.bring_all_back()

    def do_stop(self):  # [22]
        driver = self.random.choice(DRIVERS)
        if self.state[driver] != "up":
            return
        self.note("stop", driver)
        self.state[driver] = "stopped"

        def stop(side):
            side.drivers[driver].end(subprocess.Popen.terminate)
            side.wait_unregistered(driver)
        self.each(stop)

    def do_kill(self):  # [23] [32]
        driver = self.random.choice(DRIVERS)
        if self.state[driver] != "up":
            return
        self.note("kill", driver)
        self.state[driver] = "killed"
        self.each(lambda side: side.drivers[driver].end(subprocess.Popen.kill))

    def do_roll(self):  # [30]
        """A new instance starts, and only then the old one ends."""
        driver = self.random.choice(DRIVERS)
        if self.state[driver] != "up":
            return
        self.note("roll", driver)
        uid = self.pods[driver] = f"u{self.random.randrange(10**6)}"

        def roll(side):
            side.calls()
            old = side.drivers[driver]
            side.start_driver(driver, uid)
            old.end(subprocess.Popen.terminate)
        self.each(roll)
        self.modes[driver] = ""

    def do_restart(self):  # [62]
        """The node is killed, and restarted with what is left."""
        self.note("restart")
        self.write_what_lags()
        self.restart()

    def do_takeover(self):  # [64]
        """Each node continues with the other's checkpoint. Only where the two are equal, including
        kept answers."""
        if self.theirs.entries() != self.ours.entries() or self.left:
            return
        self.note("takeover")

        def swap():
            files = [side.folder / "state/dra_manager_state" for side in self.sides]
            contents = [file.read_text() for file in files]
            for file, content in zip(files, reversed(contents)):
                file.write_text(content)
        self.restart(swap)

    def write_what_lags(self):
        """kubelet's file lacks the effects of a failed unprepare; a restart would restore them on
        one side only."""
        if not self.left:
            return
        self.bring_all_back()
        for pod in sorted({pod for _, pod in self.left}):
            self.operate("unprepare", pod)

    def restart(self, meanwhile=lambda: None):
        def kill(side):
            side.node.end(subprocess.Popen.kill)

        def start(side):
            before = {driver: len(process.lines) for driver, process in side.drivers.items()}
            side.start()
            for driver in DRIVERS:
                if self.state[driver] == "up":
                    side.wait_registered(driver, before[driver])
        self.each(kill)
        before = self.each(lambda side: len(side.wiped()))
        meanwhile()
        self.each(start)
        self.compare_first_wipes(*before)
        self.succeeded.clear()
        self.marked.clear()
        for driver in DRIVERS:  # a driver with a dead socket is no longer registered
            if self.state[driver] == "killed":
                self.state[driver] = "stale"

    def do_hang(self):
        """A driver dies while it is being called."""
        driver = self.random.choice(DRIVERS)
        pods = [pod for pod, claims in PODS.items() if not self.marked & set(claims) and pod in ("p0", "p2", "p6")]
        if not pods or any(state != "up" for state in self.state.values()):
            return
        pod = self.random.choice(pods)
        self.do_heal()
        self.set_mode(driver, "hang")
        self.note("hang", driver, pod)
        self.state[driver] = "killed"

        def hang(side):
            process = side.drivers[driver]
            start = len(process.lines)
            number = side.send({"do": "prepare", "pod": pod_object(pod)})
            deadline = time.monotonic() + LIMIT
            while time.monotonic() < deadline:
                called = any((line or "").startswith("prepare") for line in process.lines[start:])
                answered = any(line and json.loads(line)["id"] == number for line in side.node.lines[-3:])
                if called or answered:
                    break
                time.sleep(0.005)
            process.end(subprocess.Popen.kill)
            return side.receive(number)
        self.judge("prepare", pod, self.each(hang))

    def do_recreate(self):  # [52]
        """A claim is deleted and recreated under its name."""
        claim = self.random.choice(list(CLAIMS))
        self.note("recreate", claim)
        self.generation[claim] += 1
        self.write_claim(claim)

    def do_claim_gone(self):
        claim = self.random.choice(list(CLAIMS))
        self.note("delete", claim)
        for side in self.sides:
            (side.folder / f"claims/lab.{claim}.json").unlink(missing_ok=True)

    def do_devices(self):  # [54]
        pod = self.random.choice(list(PODS))
        answers = self.each(lambda side: side.answer({"do": "resources", "pod": pod_object(pod), "container": "main"}))
        theirs, ours = [sorted(set(answer.get("cdi") or [])) for answer in answers]
        missing = [bool(answer.get("error")) for answer in answers]
        if missing[0] != missing[1]:
            raise Differs(f"devices of {pod}: {answers}")
        # The answer of one driver is kept although another has failed.
        if theirs != ours and not (self.answered and (set(theirs) < set(ours) or set(ours) < set(theirs))):
            raise Differs(f"devices of {pod}: {answers}")

    def do_health(self):  # [69] [71] [74]
        """A driver reports the health of all its devices."""
        driver = self.random.choice(DRIVERS)
        if self.state[driver] != "up":
            return
        self.note("health", driver)
        self.reports += 1
        report = [{"pool": "node-0", "device": f"{claim}-d{i}", "seconds": 3600,
                   "health": self.random.choice(["Healthy", "Unhealthy", "Unknown"]),
                   "message": f"{self.reports}{self.random.choice(['', ' too hot', ' ü' * 700])}"}
                  for claim, drivers in CLAIMS.items() for i, d in enumerate(drivers) if DRIVERS[d] == driver]
        theirs, ours = self.each(lambda side: self.tell_health(side, driver, report))
        for pod in PODS:
            # The devices of a pod are compared by do_devices.
            for device in theirs[pod].keys() & ours[pod].keys():
                if not self.is_same_health(theirs[pod][device], ours[pod][device]):
                    raise Differs(f"health of {device} of {pod}: kubelet says {theirs[pod][device]}, "
                                  f"we say {ours[pod][device]}")
                self.compared["healths of devices"] += 1

    def is_same_health(self, theirs, ours):  # [74]
        whole = theirs[1].split("\ufffd")[0] + "..." if "\ufffd" in theirs[1] else theirs[1]
        if whole != theirs[1] and (theirs[0], whole) == ours:
            self.better["a long message is cut before a character, and not within it"] += 1
            return True
        return theirs == ours

    def tell_health(self, side, driver, report):
        """The healths by pod, once they match the report. A stream that does not exist yet gets the
        next one."""
        def reports_of(device):  # two of them have the same ID
            name = re.split("[/=]", device)[-1]
            names = (name, *(name.replace("both", f"d{i}") for i in range(2)))
            return [(row["health"], str(self.reports)) for row in report if row["device"] in names]
        deadline = time.monotonic() + LIMIT
        while True:
            side.drivers[driver].say({"health": report})
            for _ in range(20):
                healths = {pod: {device: row for device, row in side.health(pod).items() if device.startswith(driver)}
                           for pod in PODS}
                late = [device for rows in healths.values() for device, (health, message) in rows.items()
                        if (wanted := reports_of(device)) and (health, message.split(" ")[0]) not in wanted]
                if not late:
                    return healths
                if time.monotonic() > deadline:
                    raise Differs(f"{side.name}: the health of {late} does not arrive")
                time.sleep(0.02)

    def do_wipe(self):  # [22] [29]
        """The slices of a driver that stops are deleted after 30 s, and no others."""
        driver = self.random.choice(DRIVERS)
        if self.state[driver] != "up" or self.has_wiped or self.lost():
            return
        self.has_wiped = True
        before = self.each(lambda side: len(side.wiped()))
        self.note("wipe", driver)
        self.state[driver] = "stopped"

        def wipe(side):
            side.drivers[driver].end(subprocess.Popen.terminate)
            side.wait_unregistered(driver)
            return side.wait_wiped(before[self.sides.index(side)])
        theirs, ours = self.each(wipe)
        if theirs != ours:
            raise Differs(f"slices: kubelet deletes those of {theirs}, we of {ours}")
        self.compared["deletions of a lost driver's slices"] += 1

    # The parts of steps

    def write_claim(self, claim):
        for side in self.sides:
            path = side.folder / f"claims/lab.{claim}.json"
            path.write_text(json.dumps(claim_object(claim, self.generation[claim])))

    def set_mode(self, driver, mode):
        if self.state[driver] != "up" or self.modes[driver] == mode:
            return
        self.note("mode", driver, mode or "right")
        self.modes[driver] = mode

        def tell(side):
            process = side.drivers[driver]
            start = len(process.lines)
            process.say({"mode": mode})
            process.wait_for(lambda line: line == "obeyed", start)
        self.each(tell)

    def bring_all_back(self):
        self.do_heal()
        for driver in DRIVERS:
            if self.state[driver] == "up":
                continue
            self.note("start", driver)
            for side in self.sides:
                side.calls()
            self.each(lambda side: side.start_driver(driver, self.pods[driver]))
            if self.state[driver] == "stale":
                self.each(lambda side: side.wait_settled(driver))
            self.state[driver], self.modes[driver] = "up", ""

    def operate(self, operation, pod):
        self.note(operation, pod)
        self.compared["answers"] += 1
        self.judge(operation, pod,
                   self.each(lambda side: side.answer({"do": operation, "pod": pod_object(pod)})))

    def judge(self, operation, pod, answers):
        theirs, ours = [comparable(answer.get("error")) for answer in answers]
        if theirs:
            self.done[-1] += f" ({theirs})"
        their_calls, our_calls = self.each(Side.calls)
        self.compare_calls(their_calls, our_calls, bool(theirs))
        self.compare_errors(operation, pod, theirs, ours)
        self.remember(our_calls)
        if operation == "unprepare" and theirs and self.lost():
            self.marked |= set(PODS[pod])
        if self.catch_up:  # kubelet must succeed as well before the two can be compared
            operation, pod = self.catch_up
            self.catch_up = None
            self.bring_all_back()
            self.operate(operation, pod)
            return
        if operation == "unprepare" and theirs:
            self.left.update((claim, pod) for claim in PODS[pod])
        if operation == "prepare" and theirs and self.kubelet_kept(pod):
            self.better["a prepare that is refused leaves nothing in the checkpoint"] += 1
            self.bring_all_back()
            self.is_lenient = True  # kubelet calls for claims that were never prepared
            self.operate("unprepare", pod)
            self.is_lenient = False
            return
        self.compare_entries()
        self.marked &= set(self.theirs.entries())

    def kubelet_kept(self, pod):
        """Whether kubelet has added the pod to the claims before the rejected one."""
        theirs, ours = [{name for name, entry in side.entries().items() if f"{pod}-uid" in entry["PodUIDs"]}
                        for side in self.sides]
        return theirs > ours

    def lost(self):
        return any(state != "up" for state in self.state.values())

    def compare_errors(self, operation, pod, theirs, ours):
        if theirs == ours:
            return
        failing = [driver for driver in DRIVERS if self.modes[driver] or self.state[driver] != "up"]
        if len(failing) == 1:  # which of its claims is named is random, too
            theirs, ours = [re.sub(r"ResourceClaim c\d", "ResourceClaim", error) for error in (theirs, ours)]
        if theirs and ours and (len(failing) > 1 or theirs == ours):
            self.better["of two drivers that fail, another is named"] += 1
            return
        skipped = [re.fullmatch(r".* skipped (\d+) ResourceClaims", error) for error in (theirs, ours)]
        if all(skipped) and self.succeeded and int(skipped[1][1]) < int(skipped[0][1]):
            self.better["a driver that has succeeded is not asked again, and cannot fail again"] += 1
            return
        if theirs and not ours and self.succeeded:
            self.better["a driver that has succeeded is not asked again, and cannot fail again"] += 1
            self.catch_up = (operation, pod)
            return
        raise Differs(f"{operation}: kubelet says {theirs!r}, we say {ours!r}")

    def compare_calls(self, theirs, ours, has_failed):
        for call in theirs - ours:
            if call not in self.succeeded and not self.is_lenient:
                raise Differs(f"only kubelet calls {call}")
            self.better["a driver that has succeeded is not called again"] += 1
        for call in ours - theirs:
            if not has_failed:
                raise Differs(f"only we call {call}")
            self.better["all drivers of a pod are called although one fails"] += 1

    def remember(self, calls):
        opposite = {"prepare": "unprepare", "unprepare": "prepare"}
        for driver, operation, uid in calls:
            self.succeeded.discard((driver, opposite[operation], uid))
            if self.state[driver] == "up" and self.modes[driver] in ("", "no-devices", "extra-uid"):
                self.succeeded.add((driver, operation, uid))
                if operation == "prepare":
                    self.answered.add((driver, uid))

    def compare_entries(self):
        theirs, ours = [side.entries() for side in self.sides]
        if theirs == ours:
            return
        for name, entry in ours.items():
            for driver, state in entry["DriverState"].items():
                their = theirs.get(name, {}).get("DriverState", {}).get(driver)
                # Either may be empty: the first answer was kept, or had no devices.
                if their and None in (their["Devices"], state["Devices"]) and their != state:
                    if (driver, entry["ClaimUID"]) in self.answered:
                        self.better["what one driver has answered is kept although another has failed"] += 1
                        their["Devices"] = state["Devices"] = None
        pairs = set()
        for claim, pod in self.left:
            if f"{pod}-uid" in theirs.get(claim, {}).get("PodUIDs", {}):
                if f"{pod}-uid" not in ours.get(claim, {}).get("PodUIDs", {}):
                    self.better["a pod that is taken out of a shared claim is taken out on disk at once"] += 1
                    theirs[claim]["PodUIDs"].pop(f"{pod}-uid")
                    pairs.add((claim, pod))
        self.left = pairs
        if theirs != ours:
            raise Differs(f"checkpoints:\n  kubelet {json.dumps(theirs, sort_keys=True)}\n"
                          f"  ours    {json.dumps(ours, sort_keys=True)}")

    def close(self):
        for side in self.sides:
            side.close()


def run_seed(seed, options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"node-compare-{seed}-"))
    script = None
    verdict = ""
    try:
        script = Script(seed, options.length, options, folder)
        script.run()
    except (Differs, OSError, KeyError, ValueError) as error:
        done = script.done if script else []
        (folder / "steps").write_text("\n".join(done) + "\n")
        verdict = f"seed {seed}, after {len(done)} steps ({'; '.join(done[-6:])}): {error}"
    finally:
        if script:
            script.close()
        if not options.keep and not verdict:
            shutil.rmtree(folder)
    return verdict and f"{verdict}\n  folder: {folder}", script


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="where the Go programs of peers/ are")
    parser.add_argument("--subject", required=True, help="the binary node_subject")
    parser.add_argument("--kit", metavar="BINARY",
                        help="kit_driver: kubelet's drivers are made with node/driver_kit, ours with the Go helper")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--length", type=int, default=200, help="steps of a script")
    parser.add_argument("--parallel", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("--keep", action="store_true", help="keep the folders of seeds that agree")
    options = parser.parse_args()
    better, compared, failed, steps = collections.Counter(), collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        seeds = range(options.first, options.first + options.seeds)
        for seed, (verdict, script) in zip(seeds, pool.map(lambda seed: run_seed(seed, options), seeds)):
            if script:
                better += script.better
                compared += script.compared
                steps += len(script.done)
            if verdict:
                failed += 1
                print(verdict)
            print(f"[  FAILED  ] compare-node.seed_{seed} (0 ms)" if verdict else f"[       OK ] compare-node.seed_{seed}",
                  flush=True)
    print(f"{options.seeds} seeds, {steps} steps, {failed} seeds differ")
    print("compared: " + ", ".join(f"{count} {what}" for what, count in sorted(compared.items())))
    for name, count in sorted(better.items()):
        print(f"  better, {count} times: {name}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
