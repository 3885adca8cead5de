"""Bodies of the right types that break a rule: each mutation is a plausible mistake of a client's
author."""
import copy

from wrong_types import places

LONG = [64, 254, 257, 1025, 11000]
BAD_TEXTS = ["", "Bad_Name!", "-x", "x-", "under_score", "a/b/c", "dot..dot", "UPPER", " "]
BAD_NUMBERS = [-1, 0, 2 ** 31 - 1]
MANY = [5, 9, 17, 33, 65]


def broken(draw, body):
    """A copy of a body with one rule broken, or the body itself if there is nothing to break."""
    body = copy.deepcopy(body)
    holders = list(places(body))
    if not holders:
        return body
    holder, key = draw.choice(holders)
    draw.choice(choices(holder, key))(draw, holder, key)
    return body


def choices(holder, key):
    value = holder[key]
    ways = [drop]
    if isinstance(value, str):
        ways += [bad_text, bad_text, too_long]
    elif isinstance(value, bool):
        ways += [other_flag]
    elif isinstance(value, int):
        ways += [bad_number, bad_number]
    elif isinstance(value, list):
        ways += [empty, twice, twice, many]
    elif isinstance(value, dict):
        ways += [empty]
    return ways


def drop(_, holder, key):
    del holder[key]


def bad_text(draw, holder, key):
    holder[key] = draw.choice(BAD_TEXTS)


def too_long(draw, holder, key):
    holder[key] = (holder[key] or "x")[:1] * draw.choice(LONG)


def other_flag(_, holder, key):
    holder[key] = not holder[key]


def bad_number(draw, holder, key):
    holder[key] = draw.choice(BAD_NUMBERS)


def empty(_, holder, key):
    holder[key] = type(holder[key])()


def twice(draw, holder, key):
    if holder[key]:
        holder[key] = holder[key] + [copy.deepcopy(draw.choice(holder[key]))]


def many(draw, holder, key):
    """As many items, distinguished by their names if they have any."""
    count = draw.choice(MANY)
    if not holder[key]:
        return
    items = [copy.deepcopy(holder[key][0]) for _ in range(count)]
    for number, item in enumerate(items):
        for name in ("name", "type", "uid") if isinstance(item, dict) else ():
            if isinstance(item.get(name), str):
                item[name] += f"-{number}"
    holder[key] = items
