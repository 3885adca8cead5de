"""The Grafana dashboard as code: rows of panels, each a title, a unit and its queries.

`generate.py` writes ../monitoring/dashboard.json from it. No datasource is named in it: Grafana asks for one
at the import. A legend is the text after each query, with labels in {{braces}}.
"""
# Without the label `cluster`, as in a Prometheus of one cluster, "All" fits too.
JOB = 'job="$job",cluster=~"$cluster"'
INTERVAL = "$__rate_interval"


def rate(metric, *labels, by=""):
    selector = ",".join([JOB, *labels])
    return f"sum{f' by ({by})' if by else ''} (rate({metric}{{{selector}}}[{INTERVAL}]))"


def quantile(q, metric, *labels, by=""):
    selector = ",".join([JOB, *labels])
    return (f"histogram_quantile({q}, sum by ({f'{by}, ' if by else ''}le) "
            f"(rate({metric}_bucket{{{selector}}}[{INTERVAL}])))")


def mean(metric, by):
    """Shown with a quantile, which is coarse: the work queues' buckets are powers of ten."""
    return f"{rate(f'{metric}_sum', by=by)} / {rate(f'{metric}_count', by=by)}"


CLAIMS = "dynamic_resource_allocation_resource_claims"
CREATES = "dynamic_resource_allocation_resourceclaim_creates_total"
SLI_CREATED = "dra_controller_manager_pod_claim_creation_sli_duration_seconds"
SLI_NAMED = "dra_controller_manager_pod_claim_name_sli_duration_seconds"
EVICTIONS = "device_taint_eviction_controller_pod_deletions_total"
EVICTION_TIME = "device_taint_eviction_controller_pod_deletion_duration_seconds"
OURS = "dra_controller_manager"

# (title of the row, [(title, kind, unit, what it tells, [(query, legend)…])…])
ROWS = [
    ("Health", [
        ("Leaders", "stat", "none", "Exactly one leads in each cluster. 0: no work is done. 2: two managers conflict.",
         [(f"sum(leader_election_master_status{{{JOB}}})", "leaders")]),
        ("Instances", "stat", "none", "The leader and its standbys; and how many there should be, by kube-state-metrics.",
         [(f"count(leader_election_master_status{{{JOB}}})", "instances"),
          ('max(kube_deployment_spec_replicas{deployment="$job",cluster=~"$cluster"})', "desired")]),
        ("Caches not synced", "stat", "none", "Served resources that an instance has not listed completely.",
         [(f"count({OURS}_informer_initial_sync_seconds{{{JOB}}} == 0 and on (cluster, instance, resource) "
           f'{OURS}_informer_relists_total{{{JOB},reason="start"}} > 0) or vector(0)', "not synced")]),
        ("Firing alerts", "stat", "none", "Alerts of this dashboard's manager. The link above leads to them.",
         [('count(ALERTS{alertstate="firing",alertname=~"DRAControllerManager.*",cluster=~"$cluster"}) or vector(0)',
           "alerts")]),
        ("Foreign claims", "stat", "none",
         "Claims that statuses of pods name and that this manager did not make: another manager runs the same controller.",
         [(f"sum(increase({OURS}_foreign_claims_total{{{JOB}}}[1h]))", "in the last hour")]),
        ("Version", "stat", "none", "Instances by version. Two versions at a time: a rollout.",
         [(f"count by (version) ({OURS}_build_info{{{JOB}}})", "{{version}}")]),
    ]),
    ("Instances over time", [
        ("Leader", "timeseries", "none", "1 for the leader. A change is a failover.",
         [(f"leader_election_master_status{{{JOB}}}", "{{instance}}")]),
        ("Restarts", "timeseries", "none", "Per hour.",
         [(f"sum by (instance) (changes(process_start_time_seconds{{{JOB}}}[1h]))", "{{instance}}")]),
        ("Lease renewal age", "timeseries", "s", "The leader renews every 2 s, and gives up at 10 s.",
         [(f"max({OURS}_lease_renew_age_seconds{{{JOB}}})", "age")]),
        ("Standing by or held back", "timeseries", "none",
         "If all instances wait for another holder, it is none of them. Creates are held back while another manager "
         "makes claims.",
         [(f"min({OURS}_lease_held_by_other{{{JOB}}})", "lease held by another"),
          (f"max({OURS}_creates_held_back{{{JOB}}})", "creates held back")]),
        ("Initial sync", "timeseries", "s", "From the start until all objects were read; 0 while they are not.",
         [(f"max by (resource) ({OURS}_informer_initial_sync_seconds{{{JOB}}})", "{{resource}}")]),
    ]),
    ("What users feel", [
        ("Pod to claim", "timeseries", "s", "From a pod's creation to its claim, except for claims that wait for their user.",
         [(quantile(0.5, SLI_CREATED), "median"), (quantile(0.99, SLI_CREATED), "99th percentile")]),
        ("Pod to name in its status", "timeseries", "s", "Then the scheduler goes on.",
         [(quantile(0.5, SLI_NAMED), "median"), (quantile(0.99, SLI_NAMED), "99th percentile")]),
        ("Failing pods", "timeseries", "none", "Pods whose last attempt failed, and their namespaces.",
         [(f'max({OURS}_failing_objects{{{JOB},kind="pod"}})', "pods"),
          (f'max({OURS}_failing_namespaces{{{JOB},kind="pod"}})', "namespaces")]),
        ("Claims in deletion", "timeseries", "none", "Deleted, but kept by a finalizer.",
         [(f"max({OURS}_claims_being_deleted{{{JOB}}})", "claims")]),
        ("Oldest deletion", "timeseries", "s", "Of a claim that is kept by a finalizer.",
         [(f"max({OURS}_claim_deletion_age_seconds{{{JOB}}})", "age")]),
    ]),
    ("ResourceClaims and evictions", [
        ("ResourceClaims", "timeseries", "none", "By whether devices are allocated to them.",
         [(f"max by (allocated) (sum by (instance, allocated) ({CLAIMS}{{{JOB}}}))",
           "allocated: {{allocated}}")]),
        ("Create requests for claims", "timeseries", "reqps", "Successful and failed.",
         [(rate(CREATES, by="status"), "{{status}}")]),
        ("Pods evicted", "timeseries", "reqps", "Because of device taints.",
         [(rate(EVICTIONS), "evictions")]),
        ("Pending evictions", "timeseries", "none", "Stuck: failed more than 5 times.",
         [(f"max({OURS}_evictions_pending{{{JOB}}})", "pending"),
          (f"max({OURS}_evictions_stuck{{{JOB}}})", "stuck"),
          (f"max({OURS}_evictions_held_by_budget{{{JOB}}})", "held by a budget")]),
        ("Eviction latency", "timeseries", "s",
         "From the time a pod was due. For a pod that starts on a tainted device, since the taint.",
         [(quantile(0.5, EVICTION_TIME), "median"), (quantile(0.99, EVICTION_TIME), "99th percentile"),
          (f"max({OURS}_eviction_overdue_seconds{{{JOB}}})", "most overdue")]),
    ]),
    ("Devices", [
        ("Devices by driver", "timeseries", "none", "Published, and allocated to claims.",
         [(f"max by (driver) ({OURS}_devices_published{{{JOB}}})", "{{driver}} published"),
          (f"max by (driver) ({OURS}_devices_allocated{{{JOB}}})", "{{driver}} allocated")]),
        ("Tainted devices", "timeseries", "none", "By drivers and rules.",
         [(f"max by (driver) ({OURS}_devices_tainted_no_schedule{{{JOB}}})", "{{driver}} NoSchedule"),
          (f"max by (driver) ({OURS}_devices_tainted_no_execute{{{JOB}}})", "{{driver}} NoExecute")]),
        ("Incomplete pools", "timeseries", "none", "ResourceSlices are missing: none of their devices is allocated.",
         [(f"max by (driver) ({OURS}_device_pools_incomplete{{{JOB}}})", "{{driver}} pools"),
          (f"max by (driver) ({OURS}_devices_in_incomplete_pools{{{JOB}}})", "{{driver}} devices")]),
    ]),
    ("Work queues", [
        ("Queue depth", "timeseries", "none", "Items that wait for a worker.",
         [(f"max by (name) (workqueue_depth{{{JOB}}})", "{{name}}")]),
        ("Queue time", "timeseries", "s", "From the add until a worker takes the item.",
         [(quantile(0.99, "workqueue_queue_duration_seconds", by="name"), "{{name}} 99th percentile"),
          (mean("workqueue_queue_duration_seconds", "name"), "{{name}} mean")]),
        ("Mean work time", "timeseries", "s", "How long a worker has an item.",
         [(mean("workqueue_work_duration_seconds", "name"), "{{name}}")]),
        ("Adds and retries", "timeseries", "ops", "",
         [(rate("workqueue_adds_total", by="name"), "{{name}} adds"),
          (rate("workqueue_retries_total", by="name"), "{{name}} retries")]),
        ("Longest running worker", "timeseries", "s", "Age of the oldest work in progress.",
         [(f"max by (name) (workqueue_longest_running_processor_seconds{{{JOB}}})", "{{name}}")]),
    ]),
    ("API server", [
        ("Requests", "timeseries", "reqps", "By method and status code.",
         [(rate("rest_client_requests_total", by="method, code"), "{{method}} {{code}}")]),
        ("Refused requests", "timeseries", "reqps",
         "401: unknown caller. 403: no permission, a quota or a policy. 429: the API server is busy, or a budget.",
         [(rate("rest_client_requests_total", 'code=~"401|403|429"', by="method, code"), "{{method}} {{code}}")]),
        ("Request latency", "timeseries", "s", "99th percentile, without watches.",
         [(quantile(0.99, "rest_client_request_duration_seconds", by="verb"), "{{verb}}")]),
        ("Client-side throttling", "timeseries", "s",
         "99th percentile of the wait for --kube-api-qps and the other limits of this client.",
         [(quantile(0.99, "rest_client_rate_limiter_duration_seconds", by="verb"), "{{verb}}")]),
        ("Age of the last watch event", "timeseries", "s", "Bookmarks included, which come about once a minute.",
         [(f"max by (resource) ({OURS}_informer_last_event_age_seconds{{{JOB}}})", "{{resource}}")]),
        ("Dropped events and relists", "timeseries", "ops",
         "Events: over_rate is intended; failed and queue_full are not.",
         [(rate(f"{OURS}_events_dropped_total", by="cause"), "dropped: {{cause}}"),
          (rate(f"{OURS}_informer_relists_total", by="reason"), "relists: {{reason}}")]),
    ]),
    ("Process", [
        ("Memory", "timeseries", "bytes", "Resident, and the part that cached objects take.",
         [(f"process_resident_memory_bytes{{{JOB}}}", "{{instance}}"),
          (f"min({OURS}_memory_limit_bytes{{{JOB}}})", "limit"),
          (f"max(sum by (instance) ({OURS}_informer_bytes{{{JOB}}}))", "cached objects")]),
        ("CPU", "timeseries", "percentunit", "100 % is one core, the most that one instance can use.",
         [(rate("process_cpu_seconds_total", by="instance"), "{{instance}}")]),
        ("Cached objects", "timeseries", "none", "",
         [(f"max by (resource) ({OURS}_informer_objects{{{JOB}}})", "{{resource}}")]),
        ("Open files", "timeseries", "none", "Sockets included.",
         [(f"process_open_fds{{{JOB}}}", "{{instance}}")]),
    ]),
]

WIDTH = 24  # of Grafana's grid
NUMBER = 4  # the width of a panel that shows one number
HEIGHT = 8
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


# The value from which a panel has a colour: where alerts begin, or promises end.
THRESHOLDS = {
    "Leaders": [("red", None), ("green", 1), ("red", 2)],
    "Instances": [("red", None), ("orange", 1), ("green", 2)],
    "Caches not synced": [("green", None), ("red", 1)],
    "Firing alerts": [("green", None), ("red", 1)],
    "Foreign claims": [("green", None), ("red", 1)],
    "Lease renewal age": [("green", None), ("orange", 5), ("red", 10)],
    "Standing by or held back": [("green", None), ("red", 1)],
    "Oldest deletion": [("green", None), ("red", 3600)],
    "Longest running worker": [("green", None), ("red", 300)],
    "Age of the last watch event": [("green", None), ("red", 300)],
}


def thresholds(title, kind):
    steps = [{"color": color, "value": value} for color, value in THRESHOLDS.get(title, [])]
    if not steps:
        return {}
    shown = {} if kind == "stat" else {"custom": {"thresholdsStyle": {"mode": "line"}}}
    return {"thresholds": {"mode": "absolute", "steps": steps}, **shown}


def panel(number, place, title, kind, unit, description, queries):
    targets = [{"refId": chr(ord("A") + index), "datasource": DATASOURCE, "expr": query,
                "legendFormat": legend}
               for index, (query, legend) in enumerate(queries)]
    made = {"id": number, "type": kind, "title": title, "gridPos": place, "datasource": DATASOURCE,
            "targets": targets,
            "fieldConfig": {"defaults": {"unit": unit, "min": 0, **thresholds(title, kind)}, "overrides": []}}
    if title == "Version":
        made["options"] = {"textMode": "name"}
    if description:
        made["description"] = description
    return made


def lines_of(contents):
    """Panels side by side, each line as wide as the grid: small numbers first, else two or three of a size."""
    if contents[0][1] == "stat":
        small = [content for content in contents if content[1] == "stat"]
        rest = (WIDTH - NUMBER * len(small)) // max(1, len(contents) - len(small))
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
            {"name": "cluster", "type": "query", "label": "Cluster", "datasource": DATASOURCE,
             "query": 'label_values(leader_election_master_status{job="$job"}, cluster)', "refresh": 2,
             "includeAll": True, "allValue": ".*", "multi": True, "current": {"text": "All", "value": "$__all"}},
        ]},
        "annotations": {"list": [{
            "name": "Changes of the leader", "datasource": DATASOURCE, "enable": True, "iconColor": "orange",
            "expr": f"changes(leader_election_master_status{{{JOB}}}[1m]) > 0 and leader_election_master_status{{{JOB}}} == 1",
            "titleFormat": "leads: {{instance}}"}]},
        "links": [{"title": "Alerts", "type": "link", "url": "/alerting/list?search=DRAControllerManager",
                   "targetBlank": False}],
        "panels": panels(),
    }
