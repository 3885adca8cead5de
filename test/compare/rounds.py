"""Rounds of random requests to the in-memory API server and a real one, with a verdict for each."""
import argparse
import contextlib
import json
import random
import re
import time

from draws import JSON
from servers import memory_server, real_server, server_of, wait_until_serving

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
WAIT_SECONDS = 30


def parse_arguments(name, doc, count, of_what):
    parser = argparse.ArgumentParser(prog=f"./dev compare --{name}", description=doc)
    parser.add_argument("--seeds", type=int, default=10, help="rounds (10)")
    parser.add_argument("--first", type=int, default=1, help="the first one (1)")
    parser.add_argument("--count", type=int, default=count, help=f"{of_what} of a round ({count})")
    parser.add_argument("--real", metavar="KUBECONFIG",
                        help="a control plane that runs already; else one is started")
    return parser.parse_args()


class Round:
    """One seed on both servers. Subclasses send the requests in `run`, and say what is compared of an answer."""
    name = ""  # of the comparison
    subject = ""  # of a difference, as in "policy"

    def __init__(self, servers, seed, count):
        self.connections = [server.connect() for server in servers]
        self.draw = random.Random(f"{self.name} {seed}")
        self.seed, self.count = seed, count
        self.requests = self.refused = 0
        self.differences = []

    def run(self):
        raise NotImplementedError

    @staticmethod
    def answer_of(connection, status, text):
        """→ what is compared: {"status", "warnings", …}"""
        raise NotImplementedError

    @staticmethod
    def is_refused(answer):
        return answer["status"] >= 400

    def ask(self, method, path, body=None, kind=JSON, headers=None):
        """→ both answers"""
        text = None if body is None else json.dumps(body, sort_keys=True)
        self.requests += 1
        return [self.answer_of(connection, *connection.request(
            method, path, kind if body is not None else "", text, headers or {}))
            for connection in self.connections]

    def compare(self, subject, method, path, body=None, kind=JSON, headers=None):
        """→ whether both accepted the request"""
        memory, real = self.ask(method, path, body, kind, headers)
        self.refused += self.is_refused(real)
        if memory != real:
            self.differences.append((subject, f"{method} {path} {json.dumps(body)} {headers or ''}", memory, real))
        return memory["status"] < 400 and real["status"] < 400

    @staticmethod
    def wait_until(reached, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not reached():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {WAIT_SECONDS} s: {what}")
            time.sleep(0.1)

    def show(self, seconds):
        for subject, request, memory, real in self.differences:
            print(f"round {self.seed} differs: {request}\n  {self.subject} {json.dumps(subject)}")
            for server, answer in (("memory", memory), ("real", real)):
                print(f"  {server:7} {json.dumps(answer, ensure_ascii=False)}")
        word = "[  FAILED  ]" if self.differences else "[       OK ]"
        print(f"{word} {self.name}.{self.seed} ({seconds * 1000:.0f} ms)", flush=True)


def run_rounds(arguments, make_round, prepare=lambda servers: None):
    """Runs each seed on both servers. Returns the exit status."""
    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(memory_server())
        real = server_of(arguments.real) if arguments.real else stack.enter_context(real_server())
        for server in (memory, real):
            wait_until_serving(server)
        prepare((memory, real))
        rounds = []
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            begin = time.monotonic()
            rounds.append(make_round((memory, real), seed, arguments.count))
            rounds[-1].run()
            rounds[-1].show(time.monotonic() - begin)
    failed = sum(len(one.differences) for one in rounds)
    print(f"{arguments.seeds} rounds, {sum(one.requests for one in rounds)} requests to each, "
          f"{sum(one.refused for one in rounds)} refused, {failed} differences")
    return 1 if failed else 0
