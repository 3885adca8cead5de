"""Rounds of random requests to the in-memory API server and a real one, with a verdict for each."""
import contextlib
import json

from servers import memory_server, real_server, server_of, wait_until_serving


def show(name, what, seed, differences):
    for subject, request, memory, real in differences:
        print(f"round {seed} differs: {request}\n  {what} {json.dumps(subject)}")
        for server, answer in (("memory", memory), ("real", real)):
            print(f"  {server:7} {json.dumps(answer, ensure_ascii=False)}")
    word = "[  FAILED  ]" if differences else "[       OK ]"
    print(f"{word} {name}.{seed}", flush=True)


def run_rounds(arguments, make_round, name, what, refused, prepare=lambda servers: None):
    """Runs each seed on both servers. `refused` names a round's count of refusals, `what` the
    subject of a difference. Returns the exit status."""
    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(memory_server())
        real = server_of(arguments.real) if arguments.real else stack.enter_context(real_server())
        for server in (memory, real):
            wait_until_serving(server)
        prepare((memory, real))
        rounds = []
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            rounds.append(make_round((memory, real), seed, arguments.count))
            show(name, what, seed, rounds[-1].run())
    failed = sum(len(one.differences) for one in rounds)
    print(f"{arguments.seeds} rounds, {sum(one.requests for one in rounds)} requests to each, "
          f"{sum(getattr(one, refused) for one in rounds)} {refused}, {failed} differences")
    return 1 if failed else 0
