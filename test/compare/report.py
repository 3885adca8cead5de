"""The report of a difference for people: the steps with both answers, the fields, the command."""
import json

from draws import APPLY, JSON_PATCH, MERGE, STRATEGIC
from replay import path_of, query_of

WIDTH = 100


def report(seed, steps, memory, real, found):
    lines = [f"seed {seed} differs; the shortest sequence that does:", ""]
    rows = [("step", "request", "memory", "real")]
    rows += [(str(step["id"]), request_of(step), answer_of(ours), answer_of(theirs))
             for step, ours, theirs in zip(steps, memory, real)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row, step in zip(rows, [None] + steps):
        lines.append("  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())
        if step and step["body"] is not None:
            lines += [f"          {line}" for line in wrapped(json.dumps(step["body"]))]
    lines += ["", "  where they differ:"]
    for difference in found[:20]:
        path = "/".join(str(part) for part in difference.path)
        lines.append(f"  step {difference.step}  {path}")
        lines += [f"      {name:7} {line}" for name, value in
                  (("memory", difference.memory), ("real", difference.real))
                  for line in wrapped(json.dumps(value, sort_keys=True, ensure_ascii=False))]
    if len(found) > 20:
        lines.append(f"  … and {len(found) - 20} more")
    ids = ",".join(str(step["id"]) for step in steps)
    lines += ["", f"  again: ./dev compare --first {seed} --seeds 1 --steps {ids}", ""]
    return "\n".join(lines)


def request_of(step):
    kind = {MERGE: " merge", APPLY: " apply", STRATEGIC: " strategic", JSON_PATCH: " json"}.get(step["type"], "")
    query = {key: value if isinstance(value, str) else f"<{value['$ref'][1]} of "
             f"step {value['$ref'][0]}>" for key, value in step["query"].items()}
    method = "WATCH" if step.get("watch") else step["method"]
    return f"{method}{kind} {path_of(step)}{query_of(dict(step, query=query))}"


def answer_of(entry):
    body = entry["body"] if isinstance(entry["body"], dict) else {}
    text = f"{entry['status']} {body.get('reason', '') if body.get('kind') == 'Status' else ''}"
    if "events" in entry:
        text += f"{len(entry['events'])} events"
    return text.strip()


def wrapped(text):
    return [text[i:i + WIDTH] for i in range(0, min(len(text), 12 * WIDTH), WIDTH)]
