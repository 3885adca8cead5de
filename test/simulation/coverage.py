#!/usr/bin/env python3
"""Which lines and branches of the sources that decide some world takes, and which none does.

Those sources alone are built with clang's counters (https://clang.llvm.org/docs/SourceBasedCodeCoverage.html), in a build
of their own; the product knows nothing of it.

    ./dev sim --coverage [--seeds N] [--first N]
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "coverage"

RC = "controllers/resource_claim/"
DTE = "controllers/device_taint_eviction/"
# Decisions, state machines, and the code that acts on them.
SOURCES = [
    RC + "rules/decide_generated_claims.cpp", RC + "rules/decide_pod.cpp", RC + "rules/decide_claim.cpp",
    RC + "rules/retry.cpp", RC + "stores.cpp", RC + "sync/claim_user_sync.cpp",
    RC + "sync/claim_sync.cpp", RC + "sync/wakeups.cpp", "controllers/common/pod_claims.cpp",
    DTE + "rules/due_of_taint.cpp", DTE + "rules/decide_due.cpp", DTE + "rules/decide_eviction.cpp", DTE + "rules/decide_condition.cpp",
    DTE + "sync/pod_eviction.cpp", DTE + "sync/condition_writer.cpp", DTE + "tracker.cpp", DTE + "state/pending_pods.cpp",
    DTE + "state/published_devices.cpp", DTE + "state/taint_rules.cpp",
    "informers/watch_state.cpp", "workqueue/scheduler.cpp", "workqueue/rate_limit.cpp",
    "client/leader_election/election.cpp", "client/leader_election/leader_elector.cpp", "client/request/retry.cpp",
]
# Ignored: what an invariant rules out, and logging (worlds without a timeline have no log).
PASSED_OVER = ("DCM_ASSERT", "invariant_violated", "log.v(", "log_.v(", "log_.info", "log_.warning")


def run(*command, **more):
    return subprocess.run(command, cwd=ROOT, check=True, **more)


def build():
    run("cmake", "--preset", "release", "-B", BUILD, "-DDCM_COUNTED_SOURCES=" + ";".join(SOURCES),
        stdout=subprocess.DEVNULL)
    run("cmake", "--build", BUILD, "--target", "simulation", "--", "--quiet")


def live(seeds, first):
    """Runs the worlds in two processes. Returns the counts as exported by llvm-cov."""
    for old in BUILD.glob("*.profraw"):
        old.unlink()
    processes = [subprocess.Popen(
        [BUILD / "bin/simulation", "--seeds", str((seeds + 1 - half) // 2), "--first", str(first + half), "--step", "2",
         "--no-shrink"], env={**os.environ, "LLVM_PROFILE_FILE": str(BUILD / f"{half}.profraw")}, stdout=subprocess.PIPE,
        text=True) for half in (0, 1)]
    failed = 0
    for process in processes:
        for line in process.communicate()[0].splitlines():
            if line.startswith("[  FAILED"):
                failed += 1
            elif not line.startswith("[ "):
                print(line)
    run("llvm-profdata-19", "merge", "-o", BUILD / "profdata", *BUILD.glob("*.profraw"))
    text = run("llvm-cov-19", "export", BUILD / "bin/simulation", f"-instr-profile={BUILD / 'profdata'}",
               *[ROOT / source for source in SOURCES], capture_output=True, text=True).stdout
    return failed, {pathlib.Path(file["filename"]).relative_to(ROOT).as_posix(): file
                    for file in json.loads(text)["data"][0]["files"]}


def lines_never_reached(file, text):
    """By number: a line at which something begins that no world has reached."""
    lines = {}
    segments = [segment[:6] for segment in file["segments"]]
    for (line, column, count, has_count, is_entry, is_gap), (end_line, end_column, *_) in zip(segments, segments[1:]):
        if not has_count or not is_entry or is_gap or count > 0:
            continue
        part = text[line - 1][column - 1:end_column - 1 if line == end_line else None].strip()
        # A block is identified by the code before it, and so is a line that is not unique.
        says_little = part.startswith("{") or part.endswith("(") or len(part) < 10
        lines.setdefault(line, "never: " + (text[line - 1].strip() if says_little else part))
    return lines


def outcomes_never_seen(file, text):
    """By line: a condition that was always true, or never."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line, column, end_line, end_column, is_true, is_false, *_ in file["branches"]:
        count = counts[line, column, end_line, end_column]
        count[0] += is_true
        count[1] += is_false
    lines = {}
    for (line, column, end_line, end_column), (is_true, is_false) in counts.items():
        if (is_true == 0) == (is_false == 0):
            continue
        condition = text[line - 1][column - 1:end_column - 1] if line == end_line else text[line - 1][column - 1:] + " …"
        lines.setdefault(line, ("never true: " if is_true == 0 else "never false: ") + condition.strip())
    return lines


def report(files):
    missed = []
    print("\n| source | lines | branches |\n| --- | --- | --- |")
    for source in SOURCES:
        text = (ROOT / source).read_text().split("\n")
        file = files[source]
        shares = [file["summary"][what] for what in ("lines", "branches")]
        print(f"| {source} | " + " | ".join(f"{share['covered']} of {share['count']}" for share in shares) + " |")
        for line, what in sorted({**outcomes_never_seen(file, text), **lines_never_reached(file, text)}.items()):
            if not any(word in text[line - 1] for word in PASSED_OVER):
                missed.append(f"{source}:{line}: {what}")
    print(f"\nnot reached by any world: {len(missed)} places")
    print("\n".join(missed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    build()
    failed, files = live(arguments.seeds, arguments.first)
    print(f"{arguments.seeds} worlds, {failed} failed")
    report(files)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
