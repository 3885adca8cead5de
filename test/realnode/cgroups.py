"""The cgroup above all pods of the nodes: one in each hierarchy of cgroup v1, or one in v2."""
import os
import pathlib
import time

MOUNTED = pathlib.Path("/sys/fs/cgroup")


def is_v2():
    return (MOUNTED / "cgroup.controllers").exists()


def hierarchies():
    if is_v2():
        return [MOUNTED]
    return sorted({each.resolve() for each in MOUNTED.iterdir() if (each / "cgroup.procs").exists()})


def make(name):
    for hierarchy in hierarchies():
        group = hierarchy
        for part in name.split("/"):
            group /= part
            group.mkdir(exist_ok=True)
            for file in ("cpuset.cpus", "cpuset.mems"):  # cgroup v1 gives a new group none
                if not is_v2() and (group / file).exists():
                    (group / file).write_text((group.parent / file).read_text())


def remove(name, seconds=10):
    """Once the processes are gone; the kernel takes a moment to see that a group is empty."""
    end = time.monotonic() + seconds
    while left := [hierarchy / name for hierarchy in hierarchies() if (hierarchy / name).exists()]:
        if time.monotonic() > end:
            raise OSError(f"cgroups that cannot be removed: {', '.join(map(str, left))}")
        for group in left:
            for folder, _, _ in os.walk(group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    time.sleep(0.05)
