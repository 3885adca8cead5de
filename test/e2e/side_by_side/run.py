#!/usr/bin/env python3
"""The same scenes on a real node and on dra-hollow-node, side by side: run.py [--node real|hollow] [NAME…].

Each scene is recorded on both: the drivers' journals, the pods' statuses over time, events, the checkpoint. What
differs must be a known difference (known.py), and each known difference must occur. The recordings are in
build/side-by-side; `--compare` compares those that are there. Exit status 3: this machine cannot have a real node."""
import argparse
import concurrent.futures
import json
import pathlib
import shutil
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.dont_write_bytecode = True

from differences import differences, explained, unneeded  # noqa: E402
from known import KNOWN  # noqa: E402
from tracks import tracks_of  # noqa: E402
from world import HOLLOW, OURS, REAL, ROOT, Cluster, World, cluster_name, life  # noqa: E402
from scenes import ALONE, SCENES  # noqa: E402
from stage import SharedApi, Stage  # noqa: E402

RECORDINGS = ROOT / "build/side-by-side"
NODES = (REAL, HOLLOW)


def play(scene):
    """→ the recording, with the error of a scene that failed."""
    started, stage, error = time.monotonic(), Stage(scene.__name__), None
    try:
        scene(stage)
    except Exception:  # pylint: disable=broad-except
        error = traceback.format_exc()
    recording = {**stage.end(), "error": error}
    print(f"side-by-side: {World.node} node, {scene.__name__}: {'failed' if error else 'played'}, "
          f"{time.monotonic() - started:.0f} s", flush=True)
    return recording


def record(node, scenes, parallel):
    folder = RECORDINGS / node
    folder.mkdir(parents=True, exist_ok=True)
    World.start(OURS, node)
    World.api = SharedApi(World.cluster.kubeconfig)
    World.start_manager()
    together, alone = ([each for each in kind if each in scenes] for kind in (SCENES, ALONE))
    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        for scene, recording in zip(together, pool.map(play, together)):
            keep(folder, scene, recording)
    for scene in alone:
        keep(folder, scene, play(scene))
    for log in World.cluster.folder.glob("*.log"):
        shutil.copy(log, folder)


def keep(folder, scene, recording):
    (folder / f"{scene.__name__}.json").write_text(json.dumps(recording, indent=1))


def compare(scene):
    """→ (known differences that occur, how the scene failed: lines)"""
    files = [RECORDINGS / node / f"{scene.__name__}.json" for node in NODES]
    if missing := [str(file) for file in files if not file.exists()]:
        return {}, [f"  not recorded: {', '.join(missing)}"]
    recordings = [json.loads(file.read_text()) for file in files]
    failed = [f"  on the {node} node:\n{recording['error']}"
              for node, recording in zip(NODES, recordings) if recording["error"]]
    used, unknown = explained(differences(scene.__name__, *map(tracks_of, recordings)), KNOWN)
    return used, failed + [str(each) for each in unknown]


def report(scenes, are_all):
    """Prints each scene as GoogleTest does; → whether all is known."""
    failures, all_used = 0, set()
    for scene in scenes:
        name = f"SideBySide.{scene.__name__}"
        print(f"[ RUN      ] {name}")
        used, lines = compare(scene)
        all_used |= set(used)
        failures += bool(lines)
        names = sorted({each.name for each in used})
        print(*lines, f"[{'  FAILED  ' if lines else '       OK '}] {name} (0 ms)"
              + (f", but for: {'; '.join(names)}" if names else ""), sep="\n", flush=True)
    if are_all:
        for each in unneeded(all_used, KNOWN):
            failures += 1
            print(f"there is no such difference any more: {each}")
    return not failures


def chosen(names):
    found = [each for each in SCENES + ALONE if not names or any(name in each.__name__ for name in names)]
    return found or sys.exit("no scene has such a name")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", choices=NODES, help="record on this one only, and compare with what is there")
    parser.add_argument("--compare", action="store_true", help="record nothing")
    parser.add_argument("--parallel", type=int, default=6, help="scenes at the same time")
    parser.add_argument("--name", type=cluster_name, default="side",
                        help="of the cluster: runs at the same time need different ones")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    scenes = chosen(arguments.names)
    life.exit_on_signals()
    World.cluster = Cluster(arguments.name)
    if not arguments.compare:
        if lacks := life.missing(World.cluster.folder.parent):
            print(f"side-by-side: {lacks}")
            sys.exit(3)
        for node in [arguments.node] if arguments.node else NODES:
            try:
                record(node, scenes, arguments.parallel)
            finally:
                World.down()
    sys.exit(0 if report(scenes, not arguments.names) else 1)


if __name__ == "__main__":
    main()
