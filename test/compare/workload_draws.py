"""Random workloads: a valid object of each kind, and valid and invalid changes of it."""
from draws import chance
from replay import merged
from rule_breaks import broken

CONTAINER = {"name": "c", "image": "x"}
LABELS = {"a": "b"}
SELECTOR = {"matchLabels": LABELS}
KINDS = {"deployments": ("apps/v1", "Deployment"), "replicasets": ("apps/v1", "ReplicaSet"),
       "statefulsets": ("apps/v1", "StatefulSet"), "daemonsets": ("apps/v1", "DaemonSet"),
       "jobs": ("batch/v1", "Job"), "cronjobs": ("batch/v1", "CronJob"),
       "replicationcontrollers": ("v1", "ReplicationController"), "podtemplates": ("v1", "PodTemplate"),
       "secrets": ("v1", "Secret"), "persistentvolumeclaims": ("v1", "PersistentVolumeClaim")}


def template(**spec):
    return {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER], **spec}}


SELECTED = {"spec": {"selector": SELECTOR, "template": template()}}
RIGHT = {
    "deployments": SELECTED, "replicasets": SELECTED, "daemonsets": SELECTED,
    "statefulsets": {"spec": {**SELECTED["spec"], "serviceName": "s"}},
    "replicationcontrollers": {"spec": {"selector": LABELS, "template": template()}},
    "jobs": {"spec": {"template": template(restartPolicy="Never")}},
    "cronjobs": {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template(restartPolicy="Never")}}}},
    "podtemplates": {"template": template()},
    "secrets": {"data": {"a": "eA=="}},
    "persistentvolumeclaims": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
}
TEMPLATE_AT = {"cronjobs": ("spec", "jobTemplate", "spec", "template"), "podtemplates": ("template",)}


def containers(**members):
    return {"spec": {"containers": [{**CONTAINER, **members}]}}


def mounts(*entries):
    return {"spec": {"volumes": [{"name": "v", "emptyDir": {}}],
                     "containers": [{**CONTAINER, "volumeMounts": list(entries)}]}}


MOUNT = {"name": "v", "mountPath": "/a"}
# Of a template of pods. null removes.
OF_TEMPLATE = [
    {"metadata": None}, {"metadata": {"labels": None}}, {"metadata": {"labels": {"a": "b", "c": "d e"}}},
    {"metadata": {"labels": {"a": "b", "c": "d"}}}, {"metadata": {"annotations": {"a b": "c"}}}, {"metadata": {"name": "N"}},
    {"spec": None}, {"spec": {"containers": []}}, {"spec": {"restartPolicy": "Always"}}, {"spec": {"restartPolicy": "Never"}},
    {"spec": {"restartPolicy": "OnFailure"}}, {"spec": {"restartPolicy": "Foo"}}, {"spec": {"restartPolicy": None}},
    {"spec": {"activeDeadlineSeconds": 5}}, {"spec": {"activeDeadlineSeconds": 0}}, {"spec": {"nodeName": "N_"}},
    {"spec": {"nodeSelector": {"a": "b"}}}, {"spec": {"nodeSelector": {"a b": "c"}}}, {"spec": {"schedulingGates": [{"name": "g"}]}},
    {"spec": {"tolerations": [{"key": "a b"}]}}, {"spec": {"ephemeralContainers": [{"name": "e", "image": "x"}]}},
    {"spec": {"resourceClaims": [{"name": "gpu"}]}}, {"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}},
    {"spec": {"terminationGracePeriodSeconds": -5}}, {"spec": {"hostNetwork": True}},
    {"spec": {"initContainers": [{"name": "c", "image": "x"}]}}, {"spec": {"initContainers": [{"name": "i", "image": "x", "restartPolicy": "Always"}]}},
    containers(image="y"), containers(image=""), containers(name="N_"), containers(resources={"claims": [{"name": "gpu"}]}),
    containers(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}), containers(env=[{"name": "a=b"}]),
    containers(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]), containers(resources={"requests": {"memory": "100m"}}),
    containers(ports=[{"containerPort": 80, "hostPort": 8080}, {"containerPort": 81, "hostPort": 8080}]),
    containers(ports=[{"containerPort": 80, "hostPort": 80}]), containers(ports=[{"containerPort": 80, "hostPort": 70000}]),
    containers(readinessProbe={"tcpSocket": {"port": 80}}), containers(volumeMounts=[MOUNT]), mounts(MOUNT), mounts(MOUNT, MOUNT),
    mounts({**MOUNT, "subPath": "../x"}), mounts({**MOUNT, "mountPropagation": "Bidirectional"}), mounts({**MOUNT, "mountPropagation": "Foo"}),
    {"spec": {"volumes": [{"name": "v", "emptyDir": {}}], "containers": [{**CONTAINER, "volumeDevices": [{"name": "v", "devicePath": "/d"}]}]}},
]
SELECTORS = [{"selector": None}, {"selector": {"matchLabels": None}}, {"selector": {"matchLabels": {"z": "y"}}},
             {"selector": {"matchLabels": {"a": "b!"}}}, {"selector": {"matchExpressions": [{"key": "a", "operator": "Foo"}]}},
             {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
             {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}]


def numbers(*names):
    return [{name: value} for name in names for value in (-1, 0, 3)]


ROLLING = [{"maxSurge": 0, "maxUnavailable": 0}, {"maxSurge": 1, "maxUnavailable": 1}, {"maxSurge": "x"}, {"maxSurge": -1},
           {"maxSurge": "200%", "maxUnavailable": "0%"}, {"maxUnavailable": "150%"}, {"maxUnavailable": 0}, {"partition": -1}, {"partition": 2}]
VOLUME = {"metadata": {"name": "v"}, "spec": RIGHT["persistentvolumeclaims"]["spec"]}
# Of the spec of each kind.
OF_SPEC = {
    "deployments": SELECTORS + numbers("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds") + [
        {"strategy": {"rollingUpdate": one}} for one in ROLLING[:-2]] + [
        {"strategy": {"type": "Recreate"}}, {"strategy": {"type": "Recreate", "rollingUpdate": None}}, {"strategy": {"type": "Foo"}},
        {"progressDeadlineSeconds": 5, "minReadySeconds": 5}, {"paused": True}],
    "replicasets": SELECTORS + numbers("replicas", "minReadySeconds"),
    "statefulsets": SELECTORS + numbers("replicas", "minReadySeconds") + [
        {"updateStrategy": {"rollingUpdate": one}} for one in ROLLING if "maxSurge" not in one] + [
        {"updateStrategy": {"type": "OnDelete"}}, {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}},
        {"updateStrategy": {"type": "Foo"}}, {"podManagementPolicy": "Parallel"}, {"podManagementPolicy": "Foo"},
        {"serviceName": "t"}, {"serviceName": "N_"}, {"serviceName": None}, {"ordinals": {"start": -1}}, {"ordinals": {"start": 1}},
        {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Foo"}}, {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}},
        {"volumeClaimTemplates": [VOLUME]}, {"volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": {}}]}],
    "daemonsets": SELECTORS + numbers("minReadySeconds", "revisionHistoryLimit") + [
        {"updateStrategy": {"rollingUpdate": one}} for one in ROLLING[:-2]] + [
        {"updateStrategy": {"type": "OnDelete"}}, {"updateStrategy": {"type": "Foo"}}],
    "replicationcontrollers": [{"selector": None}, {"selector": {"z": "y"}}, {"selector": {"a b": "c"}}] + numbers("replicas", "minReadySeconds"),
    "jobs": SELECTORS + numbers("parallelism", "completions", "backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds") + [
        {"completionMode": "Indexed"}, {"completionMode": "Foo"}, {"completionMode": "Indexed", "completions": 3, "parallelism": 200000},
        {"suspend": True}, {"manualSelector": True}, {"manualSelector": True, "selector": SELECTOR}, {"podReplacementPolicy": "Foo"},
        {"podReplacementPolicy": "Failed"}, {"backoffLimitPerIndex": 1}, {"maxFailedIndexes": 1}, {"managedBy": "x"}, {"managedBy": "a.b/c"},
        {"podFailurePolicy": {"rules": [{"action": "Foo"}]}}, {"podFailurePolicy": {"rules": []}}],
    "cronjobs": [{"schedule": one} for one in (
        "", "foo", "* * * *", "@hourly", "@foo", "61 * * * *", "TZ=UTC * * * * *", "*/5 * * * *", "a * * * *", "5-1 * * * *")] + [
        {"concurrencyPolicy": "Foo"}, {"concurrencyPolicy": "Forbid"}, {"timeZone": ""}, {"suspend": True},
        {"jobTemplate": {"spec": {"manualSelector": True}}}, {"jobTemplate": {"spec": {"selector": SELECTOR}}},
        {"jobTemplate": {"spec": {"completionMode": "Indexed"}}}, {"jobTemplate": {"spec": {"parallelism": -1}}}, {"jobTemplate": None}] + numbers(
        "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"),
    "persistentvolumeclaims": [
        {"accessModes": []}, {"accessModes": ["Foo"]}, {"accessModes": ["ReadWriteOnce", "ReadWriteOncePod"]}, {"volumeMode": "Foo"},
        {"storageClassName": "N_"}, {"resources": {"requests": {"storage": "0"}}}, {"resources": None}],
}
# Of an object whose members are not below a spec.
OF_OBJECT = {"secrets": [
    {"data": {"a b": "eA=="}}, {"data": {"..": "eA=="}}, {"data": None}, {"stringData": {"c": "d"}}, {"stringData": {"c/d": "e"}}, {"immutable": True},
    {"type": "kubernetes.io/tls"}, {"type": "example.com/x"},
    {"type": "kubernetes.io/basic-auth"}, {"type": "kubernetes.io/ssh-auth"}, {"type": "kubernetes.io/dockercfg"},
    {"type": "kubernetes.io/service-account-token"}]}


def below(path, fragment):
    for key in reversed(path):
        fragment = {key: fragment}
    return fragment


def draw_fragment(draw, plural):
    """A merge patch of a whole object."""
    if plural in OF_OBJECT:
        return draw.choice(OF_OBJECT[plural])
    of_spec = OF_SPEC.get(plural, [])
    if of_spec and (plural == "persistentvolumeclaims" or chance(draw, 50)):
        return {"spec": draw.choice(of_spec)}
    return below(TEMPLATE_AT.get(plural, ("spec", "template")), draw.choice(OF_TEMPLATE))


def draw_workload(draw, plural, name):
    body = RIGHT[plural]
    for _ in range(draw.choice([0, 1, 1, 2, 2, 3])):
        body = merged(body, draw_fragment(draw, plural))
    if chance(draw, 20):
        body = broken(draw, body)
    version, kind = KINDS[plural]
    return {"apiVersion": version, "kind": kind, **body, "metadata": {"name": name}}
