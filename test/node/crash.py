#!/usr/bin/env python3
"""crash.py --programs FOLDER --subject BINARY: kills the node (SIGKILL) at ten points of a life, counted by the calls
to its driver, and restarts it on the remaining files, with all pods or without two. In the end nothing is prepared,
and the driver got no call that is missing in the checkpoint."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import compare

DRIVER = compare.DRIVERS[0]
PODS = ["p0", "p5", "p7"]  # c0; c4; c0, c1 and c3


def journal(side):
    return [line for line in side.drivers[DRIVER].lines if line and line.split(" ")[0] in ("prepare", "unprepare")]


def start(options, folder):
    side = compare.Side("ours", folder / "ours", options.programs, lambda at: [
        options.subject, f"{at}/state", f"{at}/registry", f"{at}/claims"])
    for claim in ("c0", "c1", "c3", "c4"):
        (side.folder / f"claims/lab.{claim}.json").write_text(compare.json.dumps(compare.claim_object(claim, 0)))
    for driver in compare.DRIVERS:
        side.start_driver(driver)
    return side


def live(side, order, pods):
    """All at once; the node's answers do not matter if it dies."""
    return [side.send({"do": order, "pod": compare.pod_object(pod)}) for pod in pods]


# Ten points: in the middle of which operation, after how many calls of it, with how many pods
# deleted at the restart.
POINTS = [(order, calls, gone) for order, most in (("prepare", 3), ("unprepare", 2))
          for calls in range(1, most + 1) for gone in (0, 2)]


def die_at(side, order, calls):
    """Kills the node when the driver has been called this often during this operation."""
    process = side.drivers[DRIVER]
    if order == "unprepare":
        for number in live(side, "prepare", PODS):
            side.receive(number)
    process.drain()
    begin, left = len(process.lines), calls

    def is_last(line):
        nonlocal left
        left -= line.startswith(order)
        return left == 0
    live(side, order, PODS)
    process.wait_for(is_last, begin)
    side.node.end(subprocess.Popen.kill)


def recover(side, gone):
    before = {driver: len(process.lines) for driver, process in side.drivers.items()}
    side.start()
    for driver in compare.DRIVERS:
        side.wait_registered(driver, before[driver])
    there = [pod for pod in PODS if pod not in gone]
    for order, pods in (("unprepare", gone), ("prepare", there), ("unprepare", there)):
        for number in live(side, order, pods):
            error = side.receive(number).get("error")
            if error:
                raise compare.Differs(f"{order} after the crash: {error}")


def check(side):
    if side.entries():
        raise compare.Differs(f"entries are left: {side.entries()}")
    left = [path.name for path in (side.folder / "state").iterdir() if path.name != "dra_manager_state"]
    if left:
        raise compare.Differs(f"files are left: {left}")
    side.drivers[DRIVER].drain()
    prepared = set()
    for line in journal(side):
        words = line.split(" ")
        if "BEFORE-THE-CHECKPOINT" in words:
            raise compare.Differs(f"the checkpoint did not know: {line}")
        (prepared.update if words[0] == "prepare" else prepared.difference_update)(words[1:])
    if prepared:
        raise compare.Differs(f"{prepared} stay prepared")


def killed_at_ten_points(options):  # [62] [68]
    failed = 0
    for order, calls, gone in POINTS:
        with tempfile.TemporaryDirectory(prefix="node-crash-") as folder:
            side = start(options, pathlib.Path(folder))
            try:
                die_at(side, order, calls)
                recover(side, PODS[:gone])
                check(side)
                print(f"[       OK ] crash.{order}_{calls}_gone_{gone}", flush=True)
            except compare.Differs as error:
                failed = 1
                print(f"{error}\n[  FAILED  ] crash.{order}_{calls}_gone_{gone} (0 ms)", flush=True)
            finally:
                side.close()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--subject", required=True)
    sys.exit(killed_at_ten_points(parser.parse_args()))


if __name__ == "__main__":
    main()
