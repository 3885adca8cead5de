"""Samples of a manager's resources, from outside (/proc) and from its own /metrics, also as CSV."""
import csv
import dataclasses
import os
import pathlib
import re
import urllib.request

_TICKS = os.sysconf("SC_CLK_TCK")
_SERIES = re.compile(r"^([a-z_]+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


@dataclasses.dataclass
class Sample:
    seconds: float     # since the beginning
    memory: float      # resident, in bytes
    cpu: float         # seconds, since the process's start
    files: float       # open
    waiting: float     # in all queues
    objects: float     # in all caches
    pods_made: float
    fault: str = ""    # what was done to the API server since the last sample


def of_process(pid):
    """(resident bytes, CPU seconds, open files)."""
    folder = pathlib.Path(f"/proc/{pid}")
    # After the name, which may contain anything; user and system time are fields 14 and 15.
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    resident = int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resident, (int(fields[11]) + int(fields[12])) / _TICKS, len(os.listdir(folder / "fd"))


def sums_of(text):
    """The sum of all series of each metric."""
    sums = {}
    for name, value in _SERIES.findall(text):
        sums[name] = sums.get(name, 0) + float(value)
    return sums


def take(pid, address, seconds, pods_made):
    memory, cpu, files = of_process(pid)
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer:
        sums = sums_of(answer.read().decode())
    return Sample(seconds, memory, cpu, files, sums.get("workqueue_depth", 0),
                  sums.get("dra_controller_manager_informer_objects", 0), pods_made)


def write(samples, file):
    with open(file, "w", newline="") as stream:
        rows = csv.DictWriter(stream, [field.name for field in dataclasses.fields(Sample)])
        rows.writeheader()
        rows.writerows(dataclasses.asdict(sample) for sample in samples)


def read(file):
    with open(file, newline="") as stream:
        return [Sample(**{name: value if name == "fault" else float(value) for name, value in row.items()})
                for row in csv.DictReader(stream)]
