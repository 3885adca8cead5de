#!/usr/bin/env python3
"""Answers "no fit" and "false" to everything. The judge must notice."""
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **({"match": False} if request["kind"] == "selector" else {})}), flush=True)
