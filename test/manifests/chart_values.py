"""The effect of each value of the Helm chart."""
import json

import yaml

import render

NAME = "dra-controller-manager"
DIGEST = "sha256:" + "0123456789abcdef" * 4
PEER = [{"ipBlock": {"cidr": "10.0.0.0/28"}}]
VOLUME = {"name": "extra", "configMap": {"name": "extra"}}
MOUNT = {"name": "extra", "mountPath": "/extra"}
RELABEL = [{"targetLabel": "cluster", "replacement": "east"}]
CERTIFICATE = "servingCertificate.secretName=dcm-serving"
UNVERIFIED = "tlsConfig.insecureSkipVerify=true"


def as_json(value, content):
    return ["--set-json", f"{value}={json.dumps(content)}"]


def one(kind):
    """The only object of that kind."""
    def find(objects):
        fitting = [o for o in objects if o["kind"] == kind]
        assert len(fitting) == 1, f"{len(fitting)} objects of kind {kind}"
        return fitting[0]
    return find


def field(find, *path):
    def read(objects):
        value = find(objects)
        for step in path:
            value = value[step]
        return value
    return read


def pod(*path):
    return field(one("Deployment"), "spec", "template", *path)


def container(*path):
    return pod("spec", "containers", 0, *path)


def configuration(objects):
    """The text of the configuration file."""
    return pod("metadata", "annotations")(objects)["dra-controller-manager.dev/configuration"]


def argument(flag):
    """The value of the flag; None if it is absent."""
    return lambda objects: dict(a.partition("=")[::2] for a in container("args")(objects)).get(flag)


def names(kind):
    return lambda objects: sorted(o["metadata"]["name"] for o in objects if o["kind"] == kind)


def service_monitor(*path):
    return field(one("ServiceMonitor"), "spec", "endpoints", 0, *path)


def pod_monitor(*path):
    return field(one("PodMonitor"), "spec", "podMetricsEndpoints", 0, *path)


def with_service_monitor(setting):
    return ["--set", f"serviceMonitor.enabled=true,serviceMonitor.{UNVERIFIED},serviceMonitor.{setting}"]


def with_pod_monitor(setting):
    return ["--set", f"podMonitor.enabled=true,podMonitor.{UNVERIFIED},podMonitor.{setting}"]


def egress(objects):
    return one("NetworkPolicy")(objects)["spec"]["egress"]


POLICY = ["--set", "networkPolicy.enabled=true"]
# By the value's name: flags of `helm template`, the property to check, and its expected value.
EFFECTS = {
    "replicaCount": (["--set", "replicaCount=3"], field(one("Deployment"), "spec", "replicas"), 3),
    "image.repository": (["--set", "image.repository=registry.example/dcm"], container("image"),
                         "registry.example/dcm:0.1.0"),
    "image.tag": (["--set", "image.tag=v1"], container("image"), f"{NAME}:v1"),
    "image.digest": (["--set", f"image.tag=v1,image.digest={DIGEST}"], container("image"), f"{NAME}@{DIGEST}"),
    "image.pullPolicy": (["--set", "image.pullPolicy=Always"], container("imagePullPolicy"), "Always"),
    "imagePullSecrets": (["--set", "imagePullSecrets[0].name=pull"], pod("spec", "imagePullSecrets"),
                         [{"name": "pull"}]),
    "nameOverride": (["--set", "nameOverride=dcm"],
                     field(one("Deployment"), "metadata", "labels", "app.kubernetes.io/name"), "dcm"),
    "fullnameOverride": (["--set", "fullnameOverride=dcm"],
                         lambda objects: {o["metadata"]["name"] for o in objects}, {"dcm"}),
    "commonLabels": (["--set", "commonLabels.team=hardware"],
                     lambda objects: {o["metadata"]["labels"].get("team") for o in objects}, {"hardware"}),
    "podLabels": (["--set", "podLabels.team=hardware"], pod("metadata", "labels", "team"), "hardware"),
    "podAnnotations": (["--set", "podAnnotations.sidecar=no"], pod("metadata", "annotations"), {"sidecar": "no"}),
    "serviceAccount.create": (["--set", "serviceAccount.create=false,serviceAccount.name=mine"],
                              names("ServiceAccount"), []),
    "serviceAccount.name": (["--set", "serviceAccount.name=mine"],
                            lambda objects: {s["name"] for o in objects for s in o.get("subjects", [])}, {"mine"}),
    "serviceAccount.annotations": (["--set", "serviceAccount.annotations.role=r"],
                                   field(one("ServiceAccount"), "metadata", "annotations"), {"role": "r"}),
    "serviceAccount.automount": (["--set", "serviceAccount.automount=true"],
                                 field(one("ServiceAccount"), "automountServiceAccountToken"), True),
    "controllers": (["--set", "controllers={*,-device-taint-eviction-controller}"], argument("--controllers"),
                    "*,-device-taint-eviction-controller"),
    "featureGates": (["--set", "featureGates.DRADeviceTaintRules=false,podGroups.enabled=true"],
                     argument("--feature-gates"),
                     "DRADeviceTaintRules=false,DRAWorkloadResourceClaims=true,GenericWorkload=true"),
    "config": (["--set", "config.clientConnection.qps=300"],
               lambda objects: yaml.safe_load(configuration(objects)),
               {"apiVersion": "dra-controller-manager.dev/v1alpha1", "kind": "ControllerManagerConfiguration",
                "clientConnection": {"qps": 300}}),
    "extraArgs": (["--set", "extraArgs={--kube-api-qps=400}"], argument("--kube-api-qps"), "400"),
    "extraVolumes": (as_json("extraVolumes", [VOLUME]), pod("spec", "volumes"), [VOLUME]),
    "extraVolumeMounts": (as_json("extraVolumeMounts", [MOUNT]), container("volumeMounts"), [MOUNT]),
    "logging.format": (["--set", "logging.format=text"], argument("--logging-format"), "text"),
    "logging.verbosity": (["--set", "logging.verbosity=2"], argument("-v"), "2"),
    "evictionMode": (["--set", "evictionMode=evict"], argument("--device-taint-eviction-mode"), "evict"),
    "podGroups.enabled": (["--set", "podGroups.enabled=true"], argument("--feature-gates"),
                          "DRAWorkloadResourceClaims=true,GenericWorkload=true"),
    "poolStatus.enabled": (["--set", "poolStatus.enabled=true"], argument("--feature-gates"),
                           "DRAResourcePoolStatus=true"),
    "priorityClassName": (["--set", "priorityClassName="],
                          lambda objects: "priorityClassName" in pod("spec")(objects), False),
    "nodeSelector": (["--set", "nodeSelector.disk=ssd"], pod("spec", "nodeSelector"), {"disk": "ssd"}),
    "tolerations": (["--set", "tolerations[0].operator=Exists"], pod("spec", "tolerations"), [{"operator": "Exists"}]),
    "affinity": (as_json("affinity", {"nodeAffinity": {}}), pod("spec", "affinity"), {"nodeAffinity": {}}),
    "topologySpreadConstraints": (as_json("topologySpreadConstraints", [{"maxSkew": 2}]),
                                  pod("spec", "topologySpreadConstraints"), [{"maxSkew": 2}]),
    "resources": (["--set", "resources.limits.memory=1Gi"], container("resources", "limits"), {"memory": "1Gi"}),
    "podSecurityContext": (["--set", "podSecurityContext.fsGroup=7"], pod("spec", "securityContext", "fsGroup"), 7),
    "securityContext": (["--set", "securityContext.privileged=false"],
                        container("securityContext", "privileged"), False),
    "podDisruptionBudget.enabled": (["--set", "podDisruptionBudget.enabled=false"], names("PodDisruptionBudget"), []),
    "podDisruptionBudget.maxUnavailable": (["--set", "podDisruptionBudget.maxUnavailable=50%"],
                                           field(one("PodDisruptionBudget"), "spec", "maxUnavailable"), "50%"),
    "servingCertificate.secretName": (["--set", CERTIFICATE], argument("--tls-cert-file"),
                                      "/etc/dra-controller-manager/serving/tls.crt"),
    "servingCertificate.certManager.enabled": (
        ["--set", "servingCertificate.certManager.enabled=true,servingCertificate.certManager.issuerRef.name=ca"],
        field(one("Certificate"), "spec", "secretName"), f"{NAME}-serving"),
    "servingCertificate.certManager.issuerRef": (
        ["--set", "servingCertificate.certManager.enabled=true,servingCertificate.certManager.issuerRef.name=ca"],
        field(one("Certificate"), "spec", "issuerRef"), {"name": "ca"}),
    "networkPolicy.enabled": (POLICY, names("NetworkPolicy"), [NAME]),
    "networkPolicy.from": ([*POLICY, *as_json("networkPolicy.from", PEER)],
                           field(one("NetworkPolicy"), "spec", "ingress", 0, "from"), PEER),
    "networkPolicy.apiServer.to": ([*POLICY, *as_json("networkPolicy.apiServer.to", PEER)],
                                   lambda objects: [rule.get("to") for rule in egress(objects)], [PEER, None]),
    "networkPolicy.apiServer.ports": ([*POLICY, "--set", "networkPolicy.apiServer.ports={8443}"],
                                      lambda objects: [p["port"] for p in egress(objects)[0]["ports"]], [8443, 53, 53]),
    "serviceMonitor.enabled": (["--set", f"serviceMonitor.enabled=true,{CERTIFICATE}"], service_monitor("tlsConfig"),
                               {"ca": {"secret": {"name": "dcm-serving", "key": "ca.crt"}},
                                "serverName": f"{NAME}.kube-system.svc"}),
    "serviceMonitor.labels": (with_service_monitor("labels.release=stack"),
                              field(one("ServiceMonitor"), "metadata", "labels", "release"), "stack"),
    "serviceMonitor.interval": (with_service_monitor("interval=1m"), service_monitor("interval"), "1m"),
    "serviceMonitor.scrapeTimeout": (with_service_monitor("scrapeTimeout=5s"), service_monitor("scrapeTimeout"), "5s"),
    "serviceMonitor.relabelings": ([*with_service_monitor("interval=30s"),
                                    *as_json("serviceMonitor.relabelings", RELABEL)],
                                   service_monitor("relabelings"), RELABEL),
    "serviceMonitor.metricRelabelings": ([*with_service_monitor("interval=30s"),
                                          *as_json("serviceMonitor.metricRelabelings", RELABEL)],
                                         service_monitor("metricRelabelings"), RELABEL),
    "serviceMonitor.tlsConfig": (with_service_monitor("interval=30s"), service_monitor("tlsConfig"),
                                 {"insecureSkipVerify": True}),
    "serviceMonitor.scraper": (
        with_service_monitor("scraper.name=prom"),
        lambda objects: render.the("ClusterRoleBinding", objects, f"{NAME}-metrics")["subjects"][0]["name"], "prom"),
    "podMonitor.enabled": (["--set", f"podMonitor.enabled=true,{CERTIFICATE}"], pod_monitor("tlsConfig", "serverName"),
                           f"{NAME}.kube-system.svc"),
    "podMonitor.labels": (with_pod_monitor("labels.release=stack"),
                          field(one("PodMonitor"), "metadata", "labels", "release"), "stack"),
    "podMonitor.interval": (with_pod_monitor("interval=1m"), pod_monitor("interval"), "1m"),
    "podMonitor.scrapeTimeout": (with_pod_monitor("scrapeTimeout=5s"), pod_monitor("scrapeTimeout"), "5s"),
    "podMonitor.relabelings": ([*with_pod_monitor("interval=30s"), *as_json("podMonitor.relabelings", RELABEL)],
                               pod_monitor("relabelings"), RELABEL),
    "podMonitor.metricRelabelings": ([*with_pod_monitor("interval=30s"),
                                      *as_json("podMonitor.metricRelabelings", RELABEL)],
                                     pod_monitor("metricRelabelings"), RELABEL),
    "podMonitor.tlsConfig": (with_pod_monitor("interval=30s"), pod_monitor("tlsConfig"), {"insecureSkipVerify": True}),
    "alerts.enabled": (["--set", "alerts.enabled=true"], names("PrometheusRule"), [NAME]),
    "alerts.labels": (["--set", "alerts.enabled=true,alerts.labels.release=stack"],
                      field(one("PrometheusRule"), "metadata", "labels", "release"), "stack"),
    "alerts.evictionSurge": (["--set", "alerts.enabled=true,alerts.evictionSurge=1234"],
                             lambda objects: "> 1234" in repr(one("PrometheusRule")(objects)), True),
    "alerts.failingNamespaces": (["--set", "alerts.enabled=true,alerts.failingNamespaces=1"],
                                 lambda objects: ">= 1 and" in repr(one("PrometheusRule")(objects)), True),
    "alerts.runbooks": (
        ["--set", "alerts.enabled=true,alerts.runbooks=https://docs.example/dcm"],
        lambda objects: {rule["annotations"]["runbook_url"].partition("#")[0]
                         for group in one("PrometheusRule")(objects)["spec"]["groups"] for rule in group["rules"]},
        {"https://docs.example/dcm"}),
    "explain.readsOthers": (["--set", "explain.readsOthers=true"],
                            lambda objects: f"{NAME}-explain" in names("ClusterRole")(objects), True),
    "driverSlices.accounts": (["--set", "driverSlices.accounts={system:serviceaccount:gpu:driver}"],
                              names("ValidatingAdmissionPolicy"), [f"{NAME}-driver-slices"]),
}
