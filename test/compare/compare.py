#!/usr/bin/env python3
"""Compares the in-memory API server with a real one by seeded random requests.

Starts both, sends each seed's sequence (generator.py) to both (replay.py), and compares what they
answer (normalise.py, differences.py) but for what is listed as meant (explained.py). A seed that
differs is cut down to the shortest sequence that still does. Prints a line for each seed, in
GoogleTest's form, and ends with a summary; the exit status is 1 if any seed differs.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import os
import sys
import threading
import time

from differences import differences, split
from generator import sequence
from normalise import normalise
from replay import replay, unique_place
from report import report
from servers import memory_server, real_server, server_of, wait_until_serving
from shrink import shrink

ATTEMPTS = 3  # a difference must recur, otherwise it was a matter of timing


@dataclasses.dataclass
class Outcome:
    memory: list
    real: list
    unexplained: list
    explained: dict


@dataclasses.dataclass
class Verdict:
    seed: int
    text: str
    seconds: float
    explained: dict
    passing: bool = False  # it differed once, and not again


class Comparison:
    """Two servers that get sequences; for any number of threads."""

    def __init__(self, memory, real):
        self.servers = (memory, real)
        self.local = threading.local()

    def connections(self):
        if not hasattr(self.local, "connections"):
            self.local.connections = [server.connect() for server in self.servers]
        return self.local.connections

    def run(self, seed, steps):
        # Both get the same names: lists are in the order of names.
        place = unique_place(f"compare-{os.getpid()}-{seed}")
        memory, real = (normalise(replay(connection, steps, place), place, steps)
                        for connection in self.connections())
        return Outcome(memory, real, *split(differences(memory, real), steps))

    def judge(self, seed, steps):
        begin = time.monotonic()
        outcome = self.run(seed, steps)
        text = self.explain(seed, steps) if outcome.unexplained else ""
        return Verdict(seed, text, time.monotonic() - begin, outcome.explained,
                       bool(outcome.unexplained) and not text)

    def explain(self, seed, steps):
        """"" if the difference does not recur."""
        def differs(some):
            return bool(self.run(seed, some).unexplained)

        again = next((outcome for outcome in (self.run(seed, steps) for _ in range(ATTEMPTS))
                      if outcome.unexplained), None)
        if again is None:
            return ""
        fewer = shrink(steps, differs)
        outcome = self.run(seed, fewer)
        if not outcome.unexplained:  # transient
            fewer, outcome = steps, again
        return report(seed, fewer, outcome.memory, outcome.real, outcome.unexplained)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev compare", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many (100)")
    parser.add_argument("--first", type=int, default=1, help="the first one (1)")
    parser.add_argument("--length", type=int, default=40, help="requests of a seed (40)")
    parser.add_argument("--mistakes", choices=["known", "all"], default="known",
                        help="mistakes in kinds whose rules are whole in memory, or in all kinds, "
                             "which finds rules that are missing (known)")
    parser.add_argument("--steps", help="only these steps of each seed: 3,17")
    parser.add_argument("--parallel", type=int, default=6, help="seeds at a time (6)")
    parser.add_argument("--most", type=int, default=10, help="stop after so many that differ (10)")
    parser.add_argument("--real", metavar="KUBECONFIG",
                        help="a control plane that runs already; else one is started")
    return parser.parse_args()


def steps_of(seed, arguments):
    steps = sequence(seed, arguments.length, arguments.mistakes)
    if not arguments.steps:
        return steps
    wanted = {int(number) for number in arguments.steps.split(",")}
    return [step for step in steps if step["id"] in wanted]


def show(verdict):
    word = "[  FAILED  ]" if verdict.text else "[       OK ]"
    if verdict.text:
        print(verdict.text)
    print(f"{word} seed.{verdict.seed} ({verdict.seconds * 1000:.0f} ms)", flush=True)


def compare_all(comparison, arguments):
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    failed, passing, requests, explained = 0, 0, 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
        jobs = [pool.submit(comparison.judge, seed, steps_of(seed, arguments)) for seed in seeds]
        for job in jobs:
            verdict = job.result()
            show(verdict)
            failed += bool(verdict.text)
            passing += verdict.passing
            requests += len(steps_of(verdict.seed, arguments))
            explained.update(verdict.explained)
            if failed >= arguments.most:
                pool.shutdown(cancel_futures=True)
                break
    for row, count in sorted(explained.items(), key=lambda item: -item[1]):
        print(f"  explained {count:5} × {'/'.join(row.path)} of {', '.join(row.kinds)}: {row.why}")
    if passing:
        print(f"  {passing} differed once and not again")
    print(f"{len(seeds)} seeds, {requests} requests, {failed} unexplained differences")
    return 1 if failed else 0


def main():
    arguments = parse_arguments()
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(memory_server())
        real = server_of(arguments.real) if arguments.real else stack.enter_context(real_server())
        for server in (memory, real):
            wait_until_serving(server)
        status = compare_all(Comparison(memory, real), arguments)
    print(f"in {time.monotonic() - begin:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
