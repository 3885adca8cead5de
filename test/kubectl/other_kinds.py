"""kubectl and the kinds that the in-memory server stores for others: their columns, and what a server adds to them."""
import json
import shlex

from step import Except, Step

TEMPLATE = """
    metadata: {labels: {app: web}}
    spec:
      serviceAccount: robot
      restartPolicy: %s
      nodeSelector: {disk: ssd, arch: amd64}
      volumes:
      - {name: a, configMap: {name: c}}
      - {name: b, hostPath: {path: /dev}}
      - {name: c, secret: {secretName: s}}
      - {name: d, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}
      - {name: e, projected: {sources: [{serviceAccountToken: {path: t}}]}}
      - {name: f}
      initContainers:
      - {name: i, image: "init:1"}
      containers:
      - name: a
        image: "image:1"
        env:
        - {name: EMPTY, value: ""}
        - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
        ports: [{containerPort: 80}]
        resources: {limits: {cpu: "1", memory: 1Gi}}
        livenessProbe: {httpGet: {port: 80}}
        readinessProbe: {exec: {command: ["true"]}, periodSeconds: 0}
        startupProbe: {grpc: {port: 81}}
        lifecycle: {preStop: {httpGet: {port: 80}}}
      - {name: b, image: image}
"""
LONG = TEMPLATE % "Always"
SHORT = TEMPLATE % "Never"


def kind(api, name, spec):
    return f"apiVersion: {api}\nkind: {name}\nmetadata: {{name: other, labels: {{of: test}}}}\n{spec}\n---\n"


WORKLOADS = (
    kind("apps/v1", "Deployment", "spec:\n  selector: {matchLabels: {app: web}}\n  template:" + LONG) +
    kind("apps/v1", "ReplicaSet", "spec:\n  replicas: 0\n  selector: {matchLabels: {app: web}, matchExpressions: "
         "[{key: app, operator: In, values: [web, a]}, {key: free, operator: DoesNotExist}]}\n  template:" + LONG) +
    kind("apps/v1", "StatefulSet", "spec:\n  serviceName: s\n  selector: {matchLabels: {app: web}}\n"
         "  volumeClaimTemplates: [{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], resources: "
         "{requests: {storage: 1Gi}}}}]\n  template:" + LONG) +
    kind("apps/v1", "DaemonSet", "spec:\n  selector: {matchLabels: {app: web}}\n  template:" + LONG) +
    kind("v1", "ReplicationController", "spec:\n  template:" + LONG) +
    kind("apps/v1", "ControllerRevision", "revision: 3\ndata: {a: b}") +
    kind("v1", "PodTemplate", "template:" + LONG.replace("\n    ", "\n  ")) +
    kind("batch/v1", "Job", "spec:\n  parallelism: 3\n  template:" + SHORT) +
    kind("batch/v1", "CronJob", 'spec:\n  schedule: "*/5 * * * *"\n  jobTemplate:\n   spec:\n    template:' +
         SHORT.replace("\n", "\n  ")))

NETWORK = (
    kind("v1", "Service", "spec: {clusterIP: None, selector: {app: web, tier: a}, ports: [{name: a, port: 80}, "
         "{name: b, port: 81, protocol: UDP, targetPort: dns}]}") +
    kind("v1", "Endpoints", "subsets: [{addresses: [{ip: 10.1.1.1}, {ip: 10.1.1.2}], ports: [{name: a, port: 80}, "
         "{name: b, port: 81}]}]") +
    kind("discovery.k8s.io/v1", "EndpointSlice", "addressType: IPv4\nendpoints: [{addresses: [10.1.1.1]}, "
         "{addresses: [10.1.1.2]}]\nports: [{name: a, port: 80}, {name: b}]") +
    kind("networking.k8s.io/v1", "Ingress", "spec: {ingressClassName: other, rules: [{host: a.example.com, http: {paths: "
         "[{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}], tls: [{hosts: [a]}]}") +
    kind("networking.k8s.io/v1", "IngressClass", "spec: {controller: example.com/c, parameters: {kind: ConfigMap, name: "
         "p}}") +
    kind("networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {matchLabels: {app: web}}, ingress: "
         "[{ports: [{port: 80}]}]}"))

STORAGE = (
    kind("v1", "PersistentVolume", "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany, ReadWriteOnce], "
         "hostPath: {path: /v}, storageClassName: slow}") +
    kind("v1", "PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], storageClassName: slow, "
         "resources: {requests: {storage: 1Gi}}}") +
    kind("storage.k8s.io/v1", "StorageClass", "provisioner: example.com/none") +
    kind("storage.k8s.io/v1", "CSIDriver", "spec: {podInfoOnMount: true}") +
    kind("storage.k8s.io/v1", "CSINode", "spec: {drivers: [{name: d, nodeID: one}]}") +
    kind("storage.k8s.io/v1", "CSIStorageCapacity", "storageClassName: slow\ncapacity: 1Gi") +
    kind("storage.k8s.io/v1", "VolumeAttachment", "spec: {attacher: a, nodeName: one, source: "
         "{persistentVolumeName: other}}"))

RULES = (
    kind("node.k8s.io/v1", "RuntimeClass", "handler: runc\noverhead: {podFixed: {cpu: 10m}}") +
    kind("v1", "LimitRange", "spec: {limits: [{type: Container, max: {cpu: '2'}, min: {memory: 1Gi, cpu: '1'}, default: "
         "{memory: 2Gi}}, {type: Pod, max: {cpu: '4'}}]}") +
    kind("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "spec: {priorityLevelConfiguration: {name: other}}") +
    kind("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "spec: {type: Limited, limited: {limitResponse: "
         "{type: Queue, queuing: {}}}}") +
    kind("v1", "Secret", "stringData: {a: b}") +
    kind("v1", "ServiceAccount", "") +
    kind("rbac.authorization.k8s.io/v1", "Role", "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]") +
    kind("rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef: {kind: Role, name: other}\nsubjects: [{kind: "
         "ServiceAccount, name: a, namespace: default}, {kind: User, name: u}, {kind: Group, name: g}]") +
    kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "roleRef: {kind: ClusterRole, name: view}") +
    kind("scheduling.k8s.io/v1", "PriorityClass", "value: 7") +
    kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "spec: {paramKind: {apiVersion: v1, kind: "
         "ConfigMap}, matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], "
         "resources: [bindings]}]}, validations: [{expression: 'true'}]}") +
    kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "spec: {policyName: other, paramRef: "
         "{name: p, parameterNotFoundAction: Allow}, validationActions: [Deny]}"))

# Kinds whose columns are compared, by the manifest that makes one of each.
KINDS = {
    "workloads": (WORKLOADS, "deployment replicaset statefulset daemonset replicationcontroller job cronjob "
                             "controllerrevision podtemplate"),
    "network": (NETWORK, "service/other endpoints/other endpointslice/other ingress ingressclass networkpolicy"),
    "storage": (STORAGE, "persistentvolume persistentvolumeclaim storageclass csidriver csinode csistoragecapacity "
                         "volumeattachment"),
    "rules": (RULES, "runtimeclass limitrange secret serviceaccount/other role rolebinding/other clusterrolebinding/other priorityclass/other "
                     "validatingadmissionpolicy validatingadmissionpolicybinding"),
}


def status(name, what):
    return f"patch {name} other --subresource=status --type=merge -p {shlex.quote(json.dumps({'status': what}))}"


NOT_ENFORCED = Except(r"^Warning: this API server stores objects", "limits of a namespace are stored only")
# What a real server adds to the defaults of a kind.
MISSING_DEFAULTS = {
    "persistentvolume": Except(r"^\s+finalizers:$|pv-protection|lastPhaseTransitionTime", "nothing would end the protection"),
    "persistentvolumeclaim": Except(r"^\s+finalizers:$|pvc-protection", "nothing would end the protection"),
}


def steps_of(name, manifest, kinds):
    yield Step(f"create {name}", "create -f -", manifest, excepts=(NOT_ENFORCED,) if name == "rules" else ())
    for one in kinds.split():
        what = one.replace("/", " ")
        yield Step(f"columns of {what}", f"get {what} -o wide")
        missing = MISSING_DEFAULTS.get(what)
        yield Step(f"defaults of {what}", f"get {what.split()[0]} other -o yaml", excepts=(missing,) if missing else ())


STARTED = {"startTime": "2026-11-01T00:00:00Z", "active": 1, "ready": 1, "succeeded": 2}
OTHER_KINDS = [step for name, (manifest, kinds) in KINDS.items() for step in steps_of(name, manifest, kinds)] + [
    Step("counts of a deployment", status("deployment", {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 3,
                                                         "availableReplicas": 1})),
    Step("columns of a deployment that runs", "get deployments -o wide"),
    Step("start of a job", status("job", STARTED)),
    Step("columns of a job that runs", "get jobs -o wide"),
    Step("delete the workloads", "delete deployment,replicaset,statefulset,daemonset,job,cronjob other --wait=false"),
]
