#!/usr/bin/env python3
"""Generates docs/reference.md from the program itself.

    reference.py            writes it
    reference.py --check    says whether it is as it would be written

Flags, keys and commands come from the manual page, which a unit test makes from the table of settings, and log
lines from the calls in the sources: each one is on the page, or it is an error. Written by hand is only what a field of
the log means: FIELDS below. A field without a meaning, or a meaning without a field, is an error. Metrics and exit
statuses have pages of their own, which are held to the sources here.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "test/lint"))

import markdown  # noqa: E402

PAGE = ROOT / "docs/reference.md"
FOLDERS = ["runtime", "client", "informers", "workqueue", "manager", "controllers", "cmd/dra-controller-manager"]
# Parts of the kits that the manager does not contain.
OF_OTHERS = ("runtime/grpc/", "manager/controller_manager.", "manager/find_version.cpp", "manager/program.cpp")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
METRIC = re.compile(r"(?:dra_controller_manager|program|dynamic_resource_allocation|device_taint_eviction_controller|"
                    r"resourcepoolstatusrequest_controller|"
                    r"workqueue|rest_client|leader_election|process|kubernetes|running_managed)_[a-z_]+")

# The content of a field, by its key. Namespaced objects are NAMESPACE/NAME.
FIELDS = {
    "address": "the address and port of the listener",
    "answer": "what the API server said",
    "apiGroup": "API group of what a claim is reserved for",
    "because": "what is wrong with the claim that is replaced",
    "claim": "a ResourceClaim",
    "claims": "number of claims",
    "commit": "the commit of the manager's sources",
    "consumers": "how many consumers of the claim are not pods",
    "config": "where the connection's configuration is from",
    "controller": "the controller that says it, named as in `--controllers`",
    "disagreementAfter": "`--dry-run-timeout`",
    "driver": "the driver that publishes the devices",
    "error": "the error: its kind, and the API server's or the system's words",
    "exception": "what was thrown",
    "expired": "when the credential expired",
    "failures": "how often it has failed in succession",
    "field": "the field that is not known",
    "gate": "a feature gate",
    "holder": "the holder of the lease",
    "identity": "the name of this process in the lease",
    "item": "the key that was worked on",
    "lease": "the Lease of leader election",
    "message": "what the condition of the answer says",
    "milliseconds": "from sending to the end of the answer",
    "name": "name of what a claim is reserved for",
    "names": "flags, controllers or feature gates of kube-controller-manager that have no effect here",
    "nearest": "the known name that is nearest to it",
    "object": "the object concerned",
    "objects": "number of objects that were read",
    "of": "IP address of the client",
    "open": "number of open connections",
    "operation": "what could not be done",
    "part": "the part of the manager that has failed, or has not ended",
    "plugin": "the command of the credential plugin",
    "pod": "a Pod",
    "podClaim": "an entry of the pod's (or group's) `spec.resourceClaims`",
    "podGroup": "a PodGroup",
    "pods": "how many pods with claims are known",
    "proxy": "the proxy's address",
    "queue": "the work queue, as in `workqueue_*` metrics",
    "reason": "why it is done; of an event, its reason",
    "reasons": "the taints that evict the pod",
    "request": "method and path of the request",
    "resource": "the kind of objects, in the plural",
    "rule": "a DeviceTaintRule",
    "seconds": "how long it took, or lasts",
    "server": "URL of the API server",
    "shown": "what the cluster shows instead",
    "slice": "a ResourceSlice",
    "status": "HTTP status; `<error>`: there was no answer",
    "step": "what was decided",
    "taints": "how many taints",
    "transitions": "how often the lease has changed hands",
    "url": "path and query of the request",
    "verb": "the method, or the verb as in RBAC",
    "version": "of the API, or of the manager",
    "warning": "what the API server said",
    "what": "what would be written, in words",
    "why": "the reason, in words",
}
# Messages that are not literals at the call of the logger.
ELSEWHERE = {"warning": "(a doubtful entry of the kubeconfig)"}


# The sources.

def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if str(path.relative_to(ROOT)).startswith(OF_OTHERS):
                continue
            yield path.relative_to(ROOT), re.sub(r"^ *//.*$|//[^\n\"]*$|^#.*$", "", path.read_text(), flags=re.M)


def arguments(text, start):
    """The arguments of a call as texts; `start` is after its parenthesis."""
    found, depth, begin, position = [], 0, start, start
    while depth >= 0:
        literal = LITERAL.match(text, position)
        if literal:
            position = literal.end()
            continue
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[position], 0)
        if depth < 0 or (depth == 0 and text[position] == ","):
            found.append(text[begin:position].strip())
            begin = position + 1
        position += 1
    return found


def joined(text):
    """Adjacent literals, joined like the compiler does."""
    return "".join(LITERAL.findall(text)).replace('\\"', '"')


def constants(text):
    return {name: joined(value) for name, value in re.findall(r"\b(k[A-Z]\w*)(?:\[\])? =\s*((?:\"[^;]*)?);", text) if value}


def exposed(name):
    """The libraries' metrics program_… begin with the program's name (runtime/metrics.hpp)."""
    return re.sub(r"^program_", "dra_controller_manager_", name)


def metrics():
    """{name: (type, help)}"""
    found, named = {}, set()
    for path, text in sources():
        known = constants(text)
        for call in re.finditer(r"\b(counter|gauge|histogram)\(", text):
            given = arguments(text, call.end())
            name = known.get(given[0], joined(given[0]))
            assert not name or METRIC.fullmatch(name), f"{path}: the prefix of {name} is missing in METRIC"
            if name:
                told = known.get(given[1], joined(given[1]))
                assert told, f"{path}: {name} has no help"
                found[exposed(name)] = (call.group(1), told)
        named |= {exposed(literal) for literal in LITERAL.findall(text) if METRIC.fullmatch(literal)}
    assert named <= found.keys(), f"metrics that are named but not understood: {named - found.keys()}"
    return found


def verbosity(text, position):
    """For a log call: the last verbosity check before it in its function."""
    before = text[text.rfind("\n}\n", 0, position) + 1:position]
    asked = re.findall(r"\bv\(([^)]*)\)", before)
    # An "||" makes it visible at lower verbosity, too.
    if not asked or re.search(r"\|\| \w+\.v\(\d\)\) \{\s*(?:\w+\.)*\w*$", before):
        return "0"
    return " or ".join(re.findall(r"\d", asked[-1]))


def messages():
    """[(message, severity, verbosity, fields, folder)]"""
    found = set()
    for path, text in sources():
        # Every call of these names with arguments, on any object: otherwise a logger with an
        # unknown name would be missing on the page.
        for call in re.finditer(r"(?:\.|->)(info|warning|error)\(|\blog_write\(", text):
            given = arguments(text, call.end())
            if given == [""]:
                continue  # the error of a result
            severity = call.group(1) or "info"
            texts = re.split(r"\s:\s(?=\")", given[0]) if "?" in LITERAL.sub("", given[0]) else [given[0]]
            told = [joined(one) for one in texts] if LITERAL.search(given[0]) else [ELSEWHERE.get(given[0])]
            fields = tuple(re.findall(r"\{\"(\w+)\",", given[1])) if len(given) > 1 else ()
            level = verbosity(text, call.start()) if severity == "info" else "0"
            if not call.group(1):
                fields, level = ("claim",), "2"
            if told == [None]:
                assert given[0] in ("what", "std::string_view what"), f"{path}: a message that is not known: {given[0]}"
                continue
            levels = level.split(" or ") if " or " in level else [level] * len(told)
            found |= {(one, severity, shown, fields, "/".join(path.parts[:-1]))
                      for one, shown in zip(told, levels, strict=True)}
    return sorted(found)


def bound_fields():
    """The fields that a logger carries along."""
    return {field for _, text in sources() for call in re.finditer(r"\.with\(", text)
            for field in re.findall(r"\{\"(\w+)\",", arguments(text, call.end())[0])}


# The manual page.

def plain(text):
    for old, new in (("\\-", "-"), ("\\fB", ""), ("\\fR", ""), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(old, new)
    return text.strip()


def section(name):
    page = (ROOT / "docs/dra-controller-manager.8").read_text()
    return re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.M | re.S).group(1)


def entries(text):
    """[(heading, what it is called, what is said of it)]"""
    heading = ""
    for part in re.split(r"^(?=\.TP$|\.SS )", text, flags=re.M):
        if part.startswith(".SS "):
            heading = plain(part.splitlines()[0][4:])
        elif part.startswith(".TP"):
            lines = part.splitlines()[1:]
            yield heading, plain(lines[0]), plain("\n".join(lines[1:]))


def flag_row(name, told):
    told, _, key = told.partition("\n.br\nIn the file: ")
    default = re.search(r" \(default (.*)\)$", told)
    return (f"`{name}`", f"`{key}`" if key else "", f"`{default.group(1)}`" if default else "",
            told[:default.start()] if default else told)


# The page.

def cell(text):
    return re.sub(r"(?<!\\)([|<*])", r"\\\1", text) if "`" not in text else text.replace("|", "\\|")


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *[[cell(text) for text in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |").replace("|  |", "| |") for line in lines) + "\n"


def flags():
    text, heading = "", None
    rows = {}
    for heading, name, told in entries(section("FLAGS")):
        rows.setdefault(heading, []).append(flag_row(name, told))
    for heading, group in rows.items():
        text += f"\n### {heading}\n\n" + table(["flag", "key in the file", "default", "meaning"], group)
    return text


def commands():
    rows = []
    for _, name, told in entries(section("COMMANDS")):
        rows.append((f"`{name}`", *flag_row(name, told)[2:]))
    return table(["command or its flag", "default", "meaning"], rows)


def documented_metrics():
    """{name: (type, labels)} of docs/metrics.md; "the same" refers to the row above."""
    found, labels = {}, ""
    for name, said in re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", (ROOT / "docs/metrics.md").read_text(), re.M):
        kind, _, rest = said.partition(";")
        if "the same" not in rest:
            labels = " ".join(re.findall(r"`\w+`", rest.partition("=")[0]))
        found[name] = (kind.strip(), labels)
    return found


def check_metrics():
    """docs/metrics.md says of each metric its type and labels, in our own words."""
    documented = documented_metrics()
    for name, (kind, _) in sorted(metrics().items()):
        assert name in documented, f"docs/metrics.md: {name} is missing"
        assert documented[name][0] == kind, f"docs/metrics.md: {name} is a {kind}"


def check_exit_statuses():
    """docs/operate.md and the manual page list those of the program."""
    enumeration = re.search(r"enum class ExitStatus.*?\{(.*?)\}", (ROOT / "manager/stop.hpp").read_text(),
                            re.S).group(1)
    there = set(re.findall(r"= (\d)", enumeration))
    in_manual = {name for _, name, _ in entries(section("EXIT STATUS"))}
    assert in_manual == there, "the manual page's exit statuses are not those of stop.hpp"
    table_of = (ROOT / "docs/operate.md").read_text().partition("## Exit status")[2]
    assert set(re.findall(r"^\| (\d) \|", table_of, re.M)) == there, "docs/operate.md: exit statuses"


def message_rows():
    for told, severity, level, fields, folder in messages():
        yield (told, severity, level if severity == "info" else "", " ".join(f"`{field}`" for field in fields),
               f"`{folder}`")


def field_rows():
    used = {field for message in messages() for field in message[3]} | bound_fields()
    wrong = used ^ FIELDS.keys()
    assert not wrong, f"fields of the log without a meaning, or meanings without a field: {sorted(wrong)}"
    return [(f"`{field}`", meaning) for field, meaning in sorted(FIELDS.items())]


def page():
    check_metrics()
    check_exit_statuses()
    return f"""# Reference

Flags, commands and log lines of `dra-controller-manager`, generated from the program by `docs/reference.py`; a test holds it
to the sources. When to use them: [operate.md](operate.md).

## Flags and keys of the configuration file

[How the file is read](operate.md#the-configuration-file). Dots separate nested keys.
{flags()}
## Commands

{commands()}
## Log

Each line is a constant message followed by fields, in klog's format:

```text
I1121 14:38:04.123456   12345 claim_user_sync.cpp:108] "Claim created" controller="resourceclaim-controller" pod="lab/trainer-0"
```

I, W or E for info, warning or error; the date and time in UTC; the process; the line of the source. As JSON (`--logging-format=json`) these are `level`, `ts` (milliseconds since 1970) and `caller`, and the message is `msg`.
`-v` at least as high as the verbosity shows the line; warnings and errors are always shown: the first about an object at once, then after 10 s, 20 s, and so on up to 10 minutes, for as long as the cause lasts.
Of one message, at most 200 warnings and errors are written at once, and then one a second; of info lines, 2,000 and then 100 a second, unless `-v` is 4 or higher. A later line says how many identical lines were left out (`repeated`), and how many others of its message (`suppressed`).
Lines of a part of the manager also name its subject: {", ".join(f"`{field}`" for field in sorted(bound_fields()))}.

{table(["message", "severity", "verbosity", "fields", "from"], message_rows())}
### Fields

{table(["field", "content"], field_rows())}"""


def main():
    try:
        wanted = markdown.wrap(page())
    except AssertionError as wrong:
        sys.exit(f"reference.py: {wrong}")
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != wanted:
            sys.exit("docs/reference.md is not up to date: run docs/reference.py")
    else:
        PAGE.write_text(wanted)


if __name__ == "__main__":
    main()
