"""Whether a process that has worked for a while takes more and more.

The first third is for warming up (soak.py does more to the API server then). What the claim controller remembers of each
pod that is gone is taken off: it is bounded (controllers/resource_claim/uid_memory.hpp). Of the rest: the slope is the
median of the slopes between all pairs of samples (Theil and Sen), so that a spike or a short rise after a fault does not
count; and the last tenth is compared with the middle third, each when it took little.
"""
import itertools
import statistics

WARM_UP = 1 / 3          # of the time
REMEMBERED_MAX = 65_536  # pods that are gone
REMEMBERED_BYTES = 80    # each: 67 to 86 bytes by malloc's count, as its tables grow
GROWTH_MAX = 0.05  # of memory: its slope over the last two thirds, and of the end above the middle
FILES_MAX = 8      # more open files in the last third than in the middle one, at their minimum
WAITING_MAX = 100  # items in the queues, by the median


def slope(points):
    """Per unit of x, of [(x, y)…]."""
    return statistics.median((b[1] - a[1]) / (b[0] - a[0])
                             for a, b in itertools.combinations(points, 2) if b[0] > a[0])


def thinned(points, most=400):
    step = max(1, len(points) // most)
    return points[::step]


def between(samples, begin, end):
    """The samples of a part of the time, from 0 to 1."""
    last = samples[-1].seconds
    return [sample for sample in samples if begin * last <= sample.seconds <= end * last]


def memory(sample):
    return sample.memory - REMEMBERED_BYTES * min(sample.pods_made, REMEMBERED_MAX)


def few_files(samples):
    """Idle connections come and go with the load; a leaked one stays, and raises the minimum, too."""
    return statistics.quantiles([sample.files for sample in samples], n=10)[0]


def little_memory(samples):
    """Memory of many simultaneous connections is freed with them; a leak raises the minimum, too."""
    return statistics.quantiles(map(memory, samples), n=4)[0]


def judge(samples):
    """[(holds, what)…]"""
    worked, middle, end = (between(samples, *part) for part in ((WARM_UP, 1), (WARM_UP, 2 / 3), (0.9, 1)))
    per_second = slope(thinned([(s.seconds, memory(s)) for s in worked]))
    median = statistics.median(memory(s) for s in worked)
    grown = per_second * (worked[-1].seconds - worked[0].seconds) / median
    per_pod = (worked[-1].seconds - worked[0].seconds) * per_second / (worked[-1].pods_made - worked[0].pods_made)
    at_end = little_memory(end) / little_memory(middle) - 1
    files = few_files(between(samples, 2 / 3, 1)) - few_files(middle)
    waiting = statistics.median(s.waiting for s in worked)
    return [
        (grown <= GROWTH_MAX, "resident memory in the last two thirds, without what is remembered of pods: "
                              f"{median / 1e6:.1f} MB, by its slope "
                              f"{grown:+.1%} ({per_pod:+.0f} bytes a pod); at most {GROWTH_MAX:+.0%}"),
        (at_end <= GROWTH_MAX, f"the last tenth against the middle third: {at_end:+.1%}; at most {GROWTH_MAX:+.0%}"),
        (files <= FILES_MAX, f"fewest open files, the last third against the middle: {files:+.0f}; at most {FILES_MAX:+d}"),
        (waiting <= WAITING_MAX, f"items in the queues, by the median: {waiting:.0f}; at most {WAITING_MAX}"),
    ]
