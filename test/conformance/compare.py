#!/usr/bin/env python3
"""Writes docs/compared-with-kube-controller-manager.md from two runs of the same cases.

    compare.py OURS REFERENCE VERSION >docs/compared-with-kube-controller-manager.md

OURS-0.json, OURS-1.json … are GoogleTest's (--gtest_output=json:FILE), of one server, one of each
shard of a run; REFERENCE likewise. What the reference does instead is what the case itself says
(`reference("…")`).
"""
import glob
import itertools
import json
import sys

HEADINGS = {
    "Generate": "Claims from templates",
    "Reserve": "Reservations",
    "ReleaseClaims": "Release, deallocation, deletion",
    "Race": "Two writers",
    "Lost/Writes": "Lost answers and refusals, for each write",
    "Watch": "Watches",
    "Server/Restart": "API servers that end and come back",
    "Server": "API servers that forget",
    "And/Killed": "SIGKILL during each write",
    "Crash": "Crashes",
    "Stop": "Stopping",
    "Refusal": "Refusals",
    "Evict": "Evict: which pods leave because of a device taint",
    "By/EvictByRule": "Evict by a rule",
    "Cancel": "An eviction is cancelled",
    "RuleCondition": "The condition of a taint rule",
    "EvictionRace": "Evictions that something interferes with",
    "Lost/EvictionWrites": "Lost answers and refusals, for each write of an eviction",
    "And/KilledEvicting": "SIGKILL during each write of an eviction",
    "Undeletable": "Pods that cannot be deleted",
    "EvictionInput": "Invalid taints and rules",
    "EvictionGates": "Feature gates of eviction",
    "PodGroups": "Claims that the pods of a group share",
    "PoolStatus": "Requests for the status of pools",
    "Beside": "Beside the controllers of a cluster",
    "BesideTheOriginal": "Beside kube-controller-manager",
}


def cases(run):
    """{(suite, sentence): (passed | FAILED | skipped, what the reference does)}, in order."""
    shards = [cases_of_shard(path) for path in sorted(glob.glob(run + "-?.json"))]
    # Shards take turns in the order of the cases.
    return dict(case for turn in itertools.zip_longest(*shards) for case in turn if case)


def cases_of_shard(path):
    with open(path) as file:
        run = json.load(file)
    for suite in run["testsuites"]:
        for case in suite["testsuite"]:
            skipped = case.get("result") == "SKIPPED" or "skipped" in case
            result = "FAILED" if case.get("failures") else "skipped" if skipped else "passed"
            key = suite["name"], sentence(case["name"])
            yield key, (result, case.get("reference", ""))


def sentence(name):
    """"meets_a_release/the_answer_is_lost" as words."""
    return name.replace("/", ": ").replace("_", " ")


def cell(result, explanation):
    if result == "FAILED":
        return explanation or "does not pass"
    if result == "passed" and explanation:
        return f"passed in this run; can differ: {explanation}"
    return result


def table(suite, ours, reference):
    yield f"\n## {HEADINGS.get(suite, suite)}\n"
    yield "| case | dra-controller-manager | kube-controller-manager |"
    yield "| --- | --- | --- |"
    for (in_suite, what), (result, _) in ours.items():
        if in_suite == suite:
            theirs = cell(*reference.get((suite, what), ("not run", "")))
            yield f"| {what} | {result} | {theirs} |"


def document(ours, reference, version):
    both = [key for key in ours
            if key in reference and "skipped" not in (ours[key][0], reference[key][0])]
    passed, theirs = (sum(run[key][0] == "passed" for key in both) for run in (ours, reference))
    yield "# Compared with kube-controller-manager\n"
    yield "Made by `./dev conformance --compare`: do not edit. Each line is a black-box case of"
    yield "[test/conformance](../test/conformance), run with either manager against the same real etcd and"
    yield f"kube-apiserver {version}. The last column says what kube-controller-manager {version} does where it does"
    yield "not pass.\n"
    yield f"Of the {len(both)} cases that are about both (not about our own flags, status pages and log),"
    yield f"dra-controller-manager passes {passed}, kube-controller-manager {theirs}."
    suites = list(dict.fromkeys(suite for suite, _ in ours))
    for suite in suites:
        if any(key[0] == suite for key in both):
            yield from table(suite, ours, reference)


def main():
    ours, reference = (cases(run) for run in sys.argv[1:3])
    print("\n".join(document(ours, reference, sys.argv[3])))


if __name__ == "__main__":
    main()
