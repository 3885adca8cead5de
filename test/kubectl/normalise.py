"""Makes the outputs of two servers comparable: values that always differ become a word."""
import re

PATTERNS = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uid>"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}", "<time>"),
    (r"^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", "<log> "),
    (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
    (r'(resourceVersion["\']?: ?["\']?)\d+', r"\1<version>"),
    (r"(Resource Version:\s+)\d+", r"\1<version>"),
    (r"(?<![\w.-])(\d+[smhd]|\d+m\d+s|\d+h\d+m)(?![\w.-])", "<age>"),
    (r"/tmp/(LIVE|MERGED)-\d+", r"/tmp/\1"),
    (r"https?://127\.0\.0\.1:\d+", "<server>"),
]


def normalise(text):
    for pattern, word in PATTERNS:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return [squeeze(line) for line in text.splitlines()]


def squeeze(line):
    """Column widths depend on their content, so only their order counts, and the indentation."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + re.sub(r" {2,}", "  ", line.strip())


def without(lines, excepts):
    return [line for line in lines
            if not any(re.search(each.pattern, line) for each in excepts)]
