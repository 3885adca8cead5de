"""Bodies with values of the wrong type, and with unknown fields."""
import copy

from draws import chance

VALIDATIONS = [None, None, "Ignore", "Warn", "Strict", "Strict", "Sometimes"]
# JSON of each type. No numbers that only a string could be (a quantity accepts both).
VALUES = ["text", "", 7, 12345678901, True, False, [], ["text"], [7], [{}],
          {}, {"text": "text"}, {"text": 7}]


def with_mistake(draw, body):
    """A copy of a body: one value of another type, or one or two unknown fields."""
    body = copy.deepcopy(body)
    holders = list(places(body))
    if not holders:
        return body
    if chance(draw, 40):
        objects = [h for h, _ in holders if isinstance(h, dict)]
        for name in draw.sample(["nonsense", "moreNonsense", "Spec"], draw.choice([1, 1, 2])):
            draw.choice(objects)[name] = draw.choice(VALUES)
        return body
    holder, key = draw.choice(holders)
    others = [value for value in VALUES if type(value) is not type(holder[key])]
    # Not where a quantity may be: it would be converted there.
    holder[key] = draw.choice(others + [1.5] if isinstance(holder[key], int) else others)
    return body


# Identifying fields stay, or nothing could be compared.
NAMING = ("apiVersion", "kind", "name", "generateName", "namespace", "resourceVersion", "uid")


def places(value, stays=NAMING):
    """(object or list, key) of each value below."""
    members = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else []
    for key, item in members:
        if key in stays:
            continue
        # A strategic patch of a list that holds something else: 500 there, 422 in memory (apiserver/README.md).
        if key == "finalizers":
            yield value, key
            continue
        names = key == "metadata" and isinstance(item, dict)
        if not names:
            yield value, key
        yield from places(item, NAMING if names else ())
