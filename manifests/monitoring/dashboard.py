"""The Grafana dashboard as code: rows of panels, each a title, a unit and its queries.

`generate.py` writes ../monitoring/dashboard.json from it. No datasource is named in it: Grafana asks for one
at the import. A legend is the text after each query, with labels in {{braces}}.
"""
JOB = 'job="$job"'
INTERVAL = "$__rate_interval"


def rate(metric, *labels, by=""):
    selector = ",".join([JOB, *labels])
    return f"sum{f' by ({by})' if by else ''} (rate({metric}{{{selector}}}[{INTERVAL}]))"


def quantile(q, metric, *labels, by=""):
    selector = ",".join([JOB, *labels])
    return (f"histogram_quantile({q}, sum by ({f'{by}, ' if by else ''}le) "
            f"(rate({metric}_bucket{{{selector}}}[{INTERVAL}])))")


CLAIMS = "dynamic_resource_allocation_resource_claims"
CREATES = "dynamic_resource_allocation_resourceclaim_creates_total"
EVICTIONS = "device_taint_eviction_controller_pod_deletions_total"
EVICTION_TIME = "device_taint_eviction_controller_pod_deletion_duration_seconds"
OURS = "dra_controller_manager"

# (title of the row, [(title, kind, unit, what it tells, [(query, legend)…])…])
ROWS = [
    ("Is it well?", [
        ("Leads", "stat", "none", "1: one instance works. 0: nobody does.",
         [(f"sum(leader_election_master_status{{{JOB}}})", "leaders")]),
        ("Instances", "stat", "none", "The one that leads and those that stand by.",
         [(f"count(leader_election_master_status{{{JOB}}})", "instances")]),
        ("Caches not read", "stat", "none", "Kinds of objects that an instance has not read completely.",
         [(f"count({OURS}_informer_initial_sync_seconds{{{JOB}}} == 0) or vector(0)", "not read")]),
        ("Since the last renewal of the lease", "timeseries", "s",
         "Every 2 s; at 10 s the leader gives up.",
         [(f"max({OURS}_lease_renew_age_seconds{{{JOB}}})", "age")]),
    ]),
    ("Claims", [
        ("Claims in the cluster", "timeseries", "none", "By whether devices are allocated to them.",
         [(f"max by (allocated) (sum by (instance, allocated) ({CLAIMS}{{{JOB}}}))",
           "allocated: {{allocated}}")]),
        ("Claims made", "timeseries", "reqps", "Requests that made one, and those that were refused.",
         [(rate(CREATES, by="status"), "{{status}}")]),
        ("Pods evicted", "timeseries", "reqps", "Because of device taints.",
         [(rate(EVICTIONS), "evictions")]),
        ("Evictions to come", "timeseries", "none", "Stuck: tried more than 5 times.",
         [(f"max({OURS}_evictions_pending{{{JOB}}})", "pending"),
          (f"max({OURS}_evictions_stuck{{{JOB}}})", "stuck")]),
        ("How late pods are evicted", "timeseries", "s", "From the time at which they were due: of a pod that comes to a device, since the taint is there.",
         [(quantile(0.5, EVICTION_TIME), "median"), (quantile(0.99, EVICTION_TIME), "99 %")]),
    ]),
    ("Work", [
        ("Items that wait", "timeseries", "none", "",
         [(f"max by (name) (workqueue_depth{{{JOB}}})", "{{name}}")]),
        ("How long they wait", "timeseries", "s", "99 % wait less.",
         [(quantile(0.99, "workqueue_queue_duration_seconds", by="name"), "{{name}}")]),
        ("How long the work takes", "timeseries", "s", "99 % take less.",
         [(quantile(0.99, "workqueue_work_duration_seconds", by="name"), "{{name}}")]),
        ("Added, and tried again", "timeseries", "ops", "",
         [(rate("workqueue_adds_total", by="name"), "{{name}} added"),
          (rate("workqueue_retries_total", by="name"), "{{name}} again")]),
        ("Oldest work in progress", "timeseries", "s", "",
         [(f"max by (name) (workqueue_longest_running_processor_seconds{{{JOB}}})", "{{name}}")]),
    ]),
    ("API server", [
        ("Requests", "timeseries", "reqps", "By method and answer.",
         [(rate("rest_client_requests_total", by="method, code"), "{{method}} {{code}}")]),
        ("How long they take", "timeseries", "s", "99 % take less; watches are not counted.",
         [(quantile(0.99, "rest_client_request_duration_seconds", by="verb"), "{{verb}}")]),
        ("Wait for our own limits", "timeseries", "s", "99 % wait less.",
         [(quantile(0.99, "rest_client_rate_limiter_duration_seconds", by="verb"), "{{verb}}")]),
        ("Since the last news of each watch", "timeseries", "s", "A bookmark comes about once a minute.",
         [(f"max by (resource) ({OURS}_informer_last_event_age_seconds{{{JOB}}})", "{{resource}}")]),
        ("Events dropped, lists read again", "timeseries", "ops", "",
         [(rate(f"{OURS}_events_dropped_total", by="cause"), "dropped: {{cause}}"),
          (rate(f"{OURS}_informer_relists_total", by="reason"), "lists: {{reason}}")]),
    ]),
    ("Process", [
        ("Memory", "timeseries", "bytes", "",
         [(f"process_resident_memory_bytes{{{JOB}}}", "{{instance}}"),
          (f"max(sum by (instance) ({OURS}_informer_bytes{{{JOB}}}))", "objects")]),
        ("CPU", "timeseries", "percentunit", "1 is one core, and the most that it can use.",
         [(rate("process_cpu_seconds_total", by="instance"), "{{instance}}")]),
        ("Objects in memory", "timeseries", "none", "",
         [(f"max by (resource) ({OURS}_informer_objects{{{JOB}}})", "{{resource}}")]),
        ("Open files", "timeseries", "none", "",
         [(f"process_open_fds{{{JOB}}}", "{{instance}}")]),
    ]),
]

WIDTH = 24  # of Grafana's grid
NUMBER = 4  # the width of a panel that shows one number
HEIGHT = 8
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def panel(number, place, title, kind, unit, description, queries):
    targets = [{"refId": chr(ord("A") + index), "datasource": DATASOURCE, "expr": query,
                "legendFormat": legend}
               for index, (query, legend) in enumerate(queries)]
    made = {"id": number, "type": kind, "title": title, "gridPos": place, "datasource": DATASOURCE,
            "targets": targets,
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []}}
    if description:
        made["description"] = description
    return made


def lines_of(contents):
    """Panels side by side, each line as wide as the grid: small numbers first, else two or three of a size."""
    if contents[0][1] == "stat":
        small = [content for content in contents if content[1] == "stat"]
        rest = (WIDTH - NUMBER * len(small)) // (len(contents) - len(small))
        return [[(content, NUMBER if content[1] == "stat" else rest) for content in contents]]
    first = 2 if len(contents) in (2, 4) else 3
    return [[(content, WIDTH // len(line)) for content in line]
            for line in (contents[:first], contents[first:]) if line]


def panels():
    """Each row a title over the whole width, below it its panels."""
    made, y = [], 0
    for title, contents in ROWS:
        made.append({"id": len(made) + 1, "type": "row", "title": title, "collapsed": False, "panels": [],
                     "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}})
        y += 1
        for line in lines_of(contents):
            x = 0
            for content, width in line:
                place = {"x": x, "y": y, "w": width, "h": HEIGHT}
                made.append(panel(len(made) + 1, place, *content))
                x += width
            y += HEIGHT
    return made


def dashboard():
    return {
        "uid": "dra-controller-manager", "title": "dra-controller-manager", "schemaVersion": 39, "version": 1,
        "tags": ["kubernetes", "dra"], "editable": True, "refresh": "30s", "timezone": "browser",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
            {"name": "job", "type": "textbox", "query": "dra-controller-manager", "label": "Job",
             "current": {"text": "dra-controller-manager", "value": "dra-controller-manager"}},
        ]},
        "panels": panels(),
    }
