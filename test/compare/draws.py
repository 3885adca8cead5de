"""Shared by all generated bodies: content types, names, times, and probabilities."""

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

DRIVER = "gpu.example.com"
# Times written by clients are in the past: this distinguishes them from the server's.
THEN = "2019-05-04T03:02:01Z"
THEN_MICRO = "2019-05-04T03:02:01.000000Z"
STRANGER = "00000000-0000-4000-8000-00000000000"  # and a digit: UIDs of objects that are not there


def chance(draw, percent):
    return draw.randrange(100) < percent


def some(draw, choices, most):
    return draw.sample(choices, draw.randint(0, min(most, len(choices))))
