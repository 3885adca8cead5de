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


def difference(result, explanation):
    """What the reference does otherwise, or nothing."""
    if result == "FAILED":
        return explanation or "does not pass"
    return f"{explanation} *" if explanation else ""


def joined(sentences):
    """Sentences that begin alike before a colon, as one."""
    grouped = {}
    for each in sentences:
        begin, colon, end = each.partition(": ")
        grouped.setdefault(begin + colon, []).append(end)
    return "; ".join(begin + ", ".join(filter(None, ends)) for begin, ends in grouped.items())


def table(suite, both, ours, reference):
    cases_of_suite = [key for key in both if key[0] == suite]
    different = {}
    for key in cases_of_suite:
        theirs = difference(*reference[key])
        if ours[key][0] != "passed":
            theirs = f"**dra-controller-manager: {ours[key][0]}.** {theirs or 'passed'}"
        if theirs:
            different.setdefault(theirs, []).append(key[1])
    if not different:
        return
    number = sum(map(len, different.values()))
    yield f"\n## {HEADINGS.get(suite, suite)}\n"
    yield f"{number} of {len(cases_of_suite)} differ:\n"
    yield "| here | kube-controller-manager |"
    yield "| --- | --- |"
    for theirs, sentences in different.items():
        yield f"| {joined(sentences)} | {theirs} |"


WITHOUT_CASE = """
## Found by reading

By comparing both sources (1.37.2); no case shows these:

| here | kube-controller-manager |
| --- | --- |
| does not count a pod that was being deleted already when its eviction was due | counts it, in the rule's condition and in its metric |
| names the claim in the event of a create that was refused | writes `create ResourceClaim :` without a name |
| logs that it cannot look for an existing claim | writes an event, too |
| reports `FailedResourceClaimReservation` and `ForeignClaims` as events | has no such events |
| status of pools: a device whose pool has an overdrawn counter is not allocatable, as for kube-scheduler | considers only the device's own counters |
| status of pools: counts a device in two slices of a pool once | counts it twice |
| status of pools: counts consumed capacity only of shares (with `shareID`) of published devices | counts all |
| status of pools: retries an answer that the API server refuses, with a growing delay, until the request is a day old | gives up after five retries |
| metrics: has `running_managed_controllers` for its controllers | has none for them |
| metrics: the histograms `workqueue_queue_duration_seconds` and `workqueue_work_duration_seconds` have buckets of 30, 60, 120, 300 and 600 s too; a bound is written `1e-05` | they end at 10 s; that bound is written `9.999999999999999e-06` |
| drops a reservation for a pod whose name no pod can have | asks for it again and again, and releases nothing meanwhile |"""


def document(ours, reference, version):
    both = [key for key in ours
            if key in reference and "skipped" not in (ours[key][0], reference[key][0])]
    passed, theirs = (sum(run[key][0] == "passed" for key in both) for run in (ours, reference))
    at_times = sum(reference[key][0] == "passed" and bool(reference[key][1]) for key in both)
    yield "# Compared with kube-controller-manager\n"
    yield "Made by `./dev conformance --compare`, which runs each black-box case of"
    yield "[test/conformance](../test/conformance) with either manager, against the same real etcd and kube-apiserver"
    yield f"{version}. Of the {len(both)} cases that are about both (not about our own flags, status pages and log),"
    yield f"dra-controller-manager passes {passed}, kube-controller-manager {theirs}.\n"
    yield f"Listed are the {len(both) - theirs} that kube-controller-manager does not pass, with what it does instead, and (*) {at_times} that it"
    yield "passed in this run but does not pass in every run."
    for suite in dict.fromkeys(suite for suite, _ in ours):
        yield from table(suite, both, ours, reference)
    yield WITHOUT_CASE


def main():
    ours, reference = (cases(run) for run in sys.argv[1:3])
    print("\n".join(document(ours, reference, sys.argv[3])))


if __name__ == "__main__":
    main()
