#!/usr/bin/env python3
"""Mistakes put into the manager on purpose, to see whether the simulation finds each.

A mutation is a place in a source and what stands there instead; `M` in it is "this mutation is
switched on". The sources themselves know nothing of this: a copy of the tree gets all mutations, is
built once, and each is switched on alone by `simulation --mutant NAME`. A place that is not found, or
found twice, is an error, so that the list stays true.

    ./dev mutations [NAME…]      prints the table; without names it is written into README.md as well
"""
import argparse
import pathlib
import re
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = pathlib.Path(__file__).with_name("README.md")
COPY = ROOT / "build" / "mutations"


class Mutation(typing.NamedTuple):
    name: str
    what: str
    file: str
    old: str
    new: str


RC = "controllers/resource_claim/"
DTE = "controllers/device_taint_eviction/"

MUTATIONS = [
    Mutation("no-list-after-lost-create", "a create whose outcome is unknown is forgotten", RC + "sync_pod.cpp",
             "if (runtime::is_outcome_unknown(created.error())) {",
             "if (runtime::is_outcome_unknown(created.error()) && !M) {"),
    Mutation("no-claim-overlay", "created claims are not shown before the watch brings them", RC + "sync_pod.cpp",
             "    stores_.own_claims.record(*created);", "    if (!M) stores_.own_claims.record(*created);"),
    Mutation("no-look-at-predecessor", "a new leader does not list before its first create", RC + "sync_pod.cpp",
             "predecessor_.may_have_left(pod.meta.key.namespace_);",
             "(predecessor_.may_have_left(pod.meta.key.namespace_) && !M);"),
    Mutation("gone-without-asking", "a pod that is not in the cache counts as gone", RC + "decide_claim.cpp",
             "if (answer == snapshot.answers.end()) return GetPod{name};",
             "if (answer == snapshot.answers.end()) return M ? Fate(IsGone{}) : Fate(GetPod{name});"),
    Mutation("keep-allocation", "the last reservation goes, the allocation stays", RC + "decide_claim.cpp",
             "is_last && claim.has_delete_protection", "is_last && claim.has_delete_protection && !M"),
    Mutation("finalizer-stays", "a deleted claim keeps its finalizer", RC + "decide_claim.cpp",
             "return may_unprotect ?", "return may_unprotect && !M ?"),
    Mutation("claim-deletion-wakes-nobody", "a deleted claim is not made again", RC + "wakeups.cpp",
             "void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {",
             "void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {\n  if (M) return;"),
    Mutation("template-wakes-nobody", "a template that comes late is not noticed", RC + "wakeups.cpp",
             "void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {",
             "void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {\n  if (M) return;"),
    Mutation("finished-pod-keeps-claims", "a pod that ends does not wake its claims", RC + "wakeups.cpp",
             "if (common::is_done(*pod)) wake_claims_of", "if (common::is_done(*pod) && !M) wake_claims_of"),
    Mutation("release-without-version", "a release does not rely on what it was decided on",
             "client/api/encode.cpp",
             '{{"metadata", preconditions(claim.uid, claim.resource_version)},\n                  {"status", std::move(status)}}',
             '{{"metadata", M ? object{{"uid", claim.uid.str()}} : preconditions(claim.uid, claim.resource_version)},\n'
             '                  {"status", std::move(status)}}'),
    Mutation("delete-without-uid", "a DELETE names no UID", "client/api/encode.cpp",
             '{"preconditions", object{{"uid", uid.str()}}}',
             '{"preconditions", M ? object() : object{{"uid", uid.str()}}}'),
    Mutation("names-without-uid", "the names in a pod's status are written for whoever has its name",
             "client/api/encode.cpp",
             '{"namespace", key.namespace_.str()}, {"uid", uid.str()}}},',
             '{"namespace", key.namespace_.str()}, {M ? "x" : "uid", uid.str()}}},'),
    Mutation("no-relist-after-410", "an expired watch is opened again where it was", "informers/watch_state.cpp",
             "    if (is_expired(failed.error)) return relist(RelistReason::expired);",
             "    if (is_expired(failed.error) && !M) return relist(RelistReason::expired);"),
    Mutation("fence-stays-open", "writes leave after the lease is lost", "client/leader_election/fence.hpp",
             "if (time_.now() < open_until_) return {};", "if (M || time_.now() < open_until_) return {};"),
    Mutation("tolerations-do-not-count", "tolerated taints evict", DTE + "due.cpp",
             "if (!tolerates(toleration, taint)) continue;", "if (M || !tolerates(toleration, taint)) continue;"),
    Mutation("oldest-generation-counts", "of a pool the oldest generation counts", DTE + "published_devices.cpp",
             "return generations.rbegin()->first;", "return M ? generations.begin()->first : generations.rbegin()->first;"),
    Mutation("allocation-is-not-judged", "a claim that is allocated on a tainted device evicts nobody", DTE + "tracker.cpp",
             "if (*claim && (*claim)->is_allocated) judge_consumers(*claim);",
             "if (*claim && (*claim)->is_allocated && !M) judge_consumers(*claim);"),
    Mutation("failed-eviction-is-dropped", "an eviction that fails is not tried again", DTE + "evict_pod.cpp",
             "if (!pause) co_return workqueue::Outcome::retry();",
             "if (!pause) co_return M ? workqueue::Outcome::done() : workqueue::Outcome::retry();"),
    Mutation("generation-off-by-one", "a rule's condition is about the generation before", DTE + "decide_condition.cpp",
             "wanted.observed_generation = rule.generation;",
             "wanted.observed_generation = rule.generation - (M ? 1 : 0);"),
]


def run(*command, **more):
    return subprocess.run(command, cwd=more.pop("cwd", COPY), check=True, **more)


def mutate():
    """Brings the copy up to date with the tree and puts all mutations in."""
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\n")
    texts = {}
    for name in filter(None, files):
        source = ROOT / name
        if source.is_file():
            texts[name] = source.read_bytes()
    for mutation in MUTATIONS:
        text = texts[mutation.file].decode()
        if text.count(mutation.old) != 1:
            sys.exit(f"{mutation.name}: its place in {mutation.file} is there {text.count(mutation.old)} times")
        new = re.sub(r"\bM\b", f'dcm_mutant("{mutation.name}")', mutation.new)
        text = text.replace(mutation.old, new)
        declaration = "bool dcm_mutant(const char* name);\n"
        if declaration not in text:
            text = text.replace("#pragma once\n", "#pragma once\n" + declaration, 1) if mutation.file.endswith(
                ".hpp") else declaration + text
        texts[mutation.file] = text.encode()
    for name, text in texts.items():
        target = COPY / name
        # What has not changed keeps its time, and is not built again.
        if target.is_file() and target.read_bytes() == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        target.chmod((ROOT / name).stat().st_mode)


def build(preset):
    if not (COPY / "build" / preset / "build.ninja").exists():
        run("cmake", "--preset", preset, "-DDCM_LTO=OFF", stdout=subprocess.DEVNULL)
    run("cmake", "--build", "--preset", preset, "--target", "simulation", "--", "--quiet")


def find(preset, mutation, seeds):
    """The first world that fails, and what it says; or None."""
    result = subprocess.run([COPY / "build" / preset / "bin/simulation", "--seeds", str(seeds), "--mutant", mutation,
                             "--until-failure", "--no-shrink"], capture_output=True, text=True, timeout=1200)
    found = re.search(r"^seed (\d+): (.*?): ", result.stdout, re.M)
    if found:
        return found.group(1), found.group(2)
    return (("?", f"the process ended with {result.returncode}") if result.returncode < 0 else None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--preset", default="release")
    arguments = parser.parse_args()
    mutate()
    build(arguments.preset)
    rows = ["| mutation | what it does | found by world | invariant |", "| --- | --- | --- | --- |"]
    missed = 0
    for mutation in MUTATIONS:
        if arguments.names and mutation.name not in arguments.names:
            continue
        found = find(arguments.preset, mutation.name, arguments.seeds)
        missed += found is None
        seed, invariant = found or (f"none of {arguments.seeds}", "")
        rows.append(f"| {mutation.name} | {mutation.what} | {seed} | {invariant} |")
        print(rows[-1], flush=True)
    if not arguments.names:
        text = README.read_text()
        begin, end = "<!-- mutations -->\n", "<!-- end of mutations -->"
        before, rest = text.split(begin)
        README.write_text(before + begin + "\n".join(rows) + "\n" + end + rest.split(end)[1])
    print(f"{len(rows) - 2 - missed} found, {missed} missed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
