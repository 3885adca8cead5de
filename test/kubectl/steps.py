"""The script: kubectl commands in the order in which both servers get them.

Each is a row, and depends on what earlier rows have left. Intended differences are listed here with
their reasons, and in apiserver/README.md.
"""
import shlex

import manifests
from custom_kinds import CUSTOM_KINDS
from other_kinds import OTHER_KINDS
from step import Except, Step


def patch(text):
    return shlex.quote(" ".join(text.split()))


OTHER_GROUPS = Except(
    r"(?:admissionregistration|apiextensions|apiregistration|apps|authentication|authorization"
    r"|autoscaling|batch|certificates|discovery|events|flowcontrol|networking|node|rbac|scheduling"
    r"|storage|storagemigration)(\.\S*)?/v\d",
    "the in-memory server has no other groups")
OTHER_CORE_KINDS = Except(
    r"^(bindings|componentstatuses|endpoints|limitranges|persistentvolume|podtemplates"
    r"|replicationcontrollers|resourcequotas|secrets|service)",
    "the in-memory server has no other kinds")

# kube-apiserver repairs the address of its own Service, and logs if it was late.
ABOUT_ITS_SERVICE = Except(
    r"  service/kubernetes  ", "the in-memory server has no other kinds", at_times=True)

GO_VALUE = Except(r'^[-+ ]*("|@@|$)', "a text that shows a Go value")

DISCOVERY = [
    Step("version", "version"),
    Step("api versions", "api-versions", excepts=(OTHER_GROUPS,)),
    Step("resources of DRA", "api-resources --api-group=resource.k8s.io -o wide"),
    Step("resources of core", "api-resources --api-group= -o wide", excepts=(OTHER_CORE_KINDS,)),
    Step("resources of policy by name", "api-resources --api-group=policy -o name"),
    Step("resources of a category", "api-resources --categories=all --api-group= -o name"),
    Step("may everything", "auth can-i create pods"),
    Step("health", "get --raw /readyz"),
    Step("explain a claim", "explain resourceclaim.spec.devices.requests"),
    Step("explain a pod", "explain pod.spec.resourceClaims"),
    Step("explain a whole class", "explain deviceclass --recursive"),
    Step("explain what there is not", "explain resourceclaim.spec.nothing"),
    Step("a kind that there is not", "get unicorns"),
]

NAMESPACES = [
    Step("create a namespace", "create namespace team"),
    Step("create it again", "create namespace team"),
    Step("get namespaces", "get namespaces"),
    Step("a namespace as yaml", "get namespace team -o yaml"),
    Step("describe a namespace", "describe namespace team"),
]

CONFIG_MAPS = [
    Step("create a config map", "create configmap plain --from-literal=a=1 --from-literal=b=2"),
    Step("create a config map again", "create configmap plain --from-literal=a=1"),
    Step("create a config map elsewhere", "create configmap plain -n team"),
    Step("create a config map nowhere", "create configmap plain -n nowhere"),
    Step("dry run of the client", "create configmap dry --dry-run=client -o yaml"),
    Step("dry run of the server", "create configmap dry --dry-run=server -o yaml"),
    Step("what a dry run has left", "get configmap dry"),
    Step("apply", "apply -f -", manifests.SETTINGS),
    Step("apply the same", "apply -f -", manifests.SETTINGS),
    Step("what apply remembers", "apply view-last-applied configmap settings"),
    Step("apply less", "apply -f -", manifests.SETTINGS.replace('  rate: "0.1"\n', "")),
    Step("what is left of it", "get configmap settings -o jsonpath={.data}"),
    Step("diff of nothing", "diff -f -", manifests.SETTINGS.replace('  rate: "0.1"\n', "")),
    Step("diff of something", "diff -f -", manifests.SETTINGS),
    Step("dry run of apply", "apply --dry-run=server -f -", manifests.SETTINGS),
    Step("get config maps", "get configmaps"),
    Step("get config maps in pages", "get configmaps --chunk-size=1"),
    Step("get config maps of all namespaces", "get configmaps -A -l app=trainer"),
    Step("config maps as json", "get configmap plain -o json"),
    Step("get by file", "get -f - -o name", manifests.SETTINGS),
    Step("label", "label configmap settings team=vision"),
    Step("label again", "label configmap settings team=audio"),
    Step("label over", "label configmap settings team=audio --overwrite"),
    Step("show labels", "get configmaps --show-labels"),
    Step("labels as columns", "get configmaps -L team,app"),
    Step("select by label", "get configmaps -l 'team in (audio),app!=other' -o name"),
    Step("a selector that is none", "get configmaps -l 'a=='"),
    Step("annotate", "annotate configmap settings note=kept"),
    Step("take a label away", "label configmap settings team-"),
    Step("merge patch", """patch configmap plain --type=merge -p '{"data": {"a": null, "c": "3"}}'"""),
    Step("strategic patch", """patch configmap plain -p '{"data": {"$patch": "replace", "z": "9"}}'"""),
    Step("json patch", "patch configmap plain --type=json "
         """-p '[{"op": "test", "path": "/data/z", "value": "9"}, """
         """{"op": "add", "path": "/data/y", "value": "8"}]'"""),
    Step("json patch that does not apply", "patch configmap plain --type=json "
         """-p '[{"op": "remove", "path": "/data/nothing"}]'"""),
    Step("patch without effect", """patch configmap plain -p '{"data": {"z": "9"}}'"""),
    Step("patch what there is not", """patch configmap nothing -p '{"data": {"z": "9"}}'"""),
    Step("data after the patches", "get configmap plain -o go-template='{{.data}}'"),
    Step("replace", "replace -f -", manifests.SETTINGS.replace("10", "20")),
    Step("replace an old version", "replace -f -",
         manifests.SETTINGS.replace("metadata:", 'metadata:\n  resourceVersion: "1"')),
    Step("replace what there is not", "replace -f -", manifests.SETTINGS.replace("settings", "none")),
    Step("replace by force", "replace --force -f -", manifests.SETTINGS.replace("10", "20")),
    Step("label all", "label configmaps --all seen=yes"),
    Step("list annotations", "annotate configmap plain --list"),
    Step("edit", "edit configmap settings", env=(("KUBE_EDITOR", "sed -i /epochs/s/20/30/"),)),
    Step("data after the edit", "get configmap settings -o jsonpath={.data.epochs}"),
]

VALIDATION = [
    Step("an unknown field", "create -f -", manifests.UNKNOWN_FIELD),
    Step("an unknown field with a warning", "create --validate=warn -f -", manifests.UNKNOWN_FIELD),
    Step("an unknown field ignored", "apply --validate=ignore -f -",
         manifests.UNKNOWN_FIELD.replace("name: unknown", "name: unknown-2")),
    Step("what became of the unknown field", "get configmap unknown -o yaml"),
    Step("a kind without a match", "create -f -", manifests.SETTINGS.replace("ConfigMap", "Config")),
    Step("a name that is none", "create -f -", manifests.SETTINGS.replace("settings", "No_Name")),
    Step("a claim without a class", "create -f -",
         manifests.CLAIM.replace("deviceClassName: gpu.example.com", "count: 1")),
    Step("an unknown field deep in a claim", "create -f -",
         manifests.CLAIM.replace("deviceClassName:", "deviceClass: x\n        deviceClassName:")),
]

SERVER_SIDE = [
    Step("apply on the server", "apply --server-side -f -", manifests.LEASE),
    Step("apply on the server again", "apply --server-side -f -", manifests.LEASE),
    Step("apply as another", "apply --server-side --field-manager=other -f -",
         manifests.LEASE.replace("holderIdentity: a", "holderIdentity: b")),
    Step("apply by force", "apply --server-side --field-manager=other --force-conflicts -f -",
         manifests.LEASE.replace("holderIdentity: a", "holderIdentity: b")),
    Step("who owns which field", "get lease leader -o yaml --show-managed-fields"),
    Step("get leases", "get leases"),
    Step("from client-side to server-side", "apply --server-side --force-conflicts -f -",
         manifests.SETTINGS),
    Step("an apply patch on the server that fails", "apply --server-side -f -",
         manifests.LEASE.replace("15", "-15")),
    Step("diff on the server", "diff --server-side --field-manager=other -f -",
         manifests.LEASE.replace("15", "20")),
]

DEVICES = [
    Step("create a class", "create -f -", manifests.CLASS),
    Step("create a slice", "create -f -", manifests.SLICE),
    Step("create a claim", "create -f -", manifests.CLAIM),
    Step("create a template", "apply -f -", manifests.TEMPLATE),
    Step("apply a template again", "apply -f -", manifests.TEMPLATE),
    Step("create a taint rule", "create -f -", manifests.RULE),
    Step("get all of DRA",
         "get deviceclasses,resourceslices,resourceclaims,resourceclaimtemplates,devicetaintrules"),
    Step("get all of DRA, wide", "get -o wide "
         "deviceclasses,resourceslices,resourceclaims,resourceclaimtemplates,devicetaintrules"),
    Step("a class as yaml", "get deviceclass gpu.example.com -o yaml"),
    Step("a slice as yaml", "get resourceslice rack-1-gpus -o yaml"),
    Step("a template as yaml", "get resourceclaimtemplate one-gpu -o yaml"),
    Step("a taint rule as yaml", "get devicetaintrule broken -o yaml"),
    Step("slices of a driver",
         "get resourceslices --field-selector spec.driver=gpu.example.com -o name"),
    Step("slices of no driver", "get resourceslices --field-selector spec.driver=other"),
    Step("a field that cannot be selected by", "get resourceclaims --field-selector spec.a=b"),
    Step("change what is immutable", "patch resourceclaim shared --type=merge -p " + patch(
        '{"spec": {"devices": {"requests": []}}}')),
    Step("allocate a claim", "patch resourceclaim shared --subresource=status --type=merge -p "
         + patch(manifests.ALLOCATION)),
    Step("get an allocated claim", "get resourceclaims"),
    Step("reserve a claim",
         "patch resourceclaim shared --subresource=status -p " + patch(manifests.RESERVATION)),
    Step("get a reserved claim", "get resourceclaim shared"),
    Step("the status alone", "get resourceclaim shared --subresource=status -o "
         "jsonpath={.status.reservedFor[*].name}"),
    Step("a claim as yaml", "get resourceclaim shared -o yaml"),
    Step("describe a claim", "describe resourceclaim shared"),
    Step("describe a slice", "describe resourceslice rack-1-gpus"),
    Step("allocate it otherwise", "patch resourceclaim shared --subresource=status --type=merge -p "
         + patch(manifests.ALLOCATION.replace("gpu-0", "gpu-1"))),
]

NODES = [
    Step("create a node", "create -f -", manifests.NODE),
    Step("get nodes", "get nodes"),
    Step("status of a node",
         "patch node rack-1 --subresource=status -p " + patch(manifests.NODE_STATUS)),
    Step("get nodes, wide", "get nodes -o wide"),
    Step("cordon", "cordon rack-1"),
    Step("get a cordoned node", "get node rack-1"),
    Step("uncordon", "uncordon rack-1"),
    Step("taint a node", "taint node rack-1 example.com/broken=fan:NoSchedule"),
    Step("take the taints of a node away", "taint node rack-1 example.com/broken- "),
]

PODS = [
    Step("no pods", "get pods"),
    Step("create a pod", "create -f -", manifests.POD),
    Step("run a pod", "run worker --image=registry.example.com/work:1 --labels=app=worker"),
    Step("get pods", "get pods"),
    Step("get pods, wide", "get pods -o wide"),
    Step("get pods without heads", "get pods --no-headers"),
    Step("get pods by field", "get pods --field-selector spec.nodeName=rack-1,status.phase=Pending"),
    Step("get pods of all namespaces", "get pods -A"),
    Step("get pods sorted", "get pods --sort-by=.metadata.name"),
    Step("get pods in own columns",
         "get pods -o custom-columns=NAME:.metadata.name,CLAIMS:.spec.resourceClaims[*].name"),
    Step("get pods in columns of the client", "get pods --server-print=false"),
    Step("get everything", "get all -o name", excepts=(
        Except("^service/kubernetes", "the in-memory server has no other kinds"),)),
    Step("a pod as yaml", "get pod trainer-0 -o yaml"),
    Step("a pod that there is not", "get pod nothing"),
    Step("a pod that there need not be", "get pod nothing --ignore-not-found"),
    Step("wait for a pod to be there", "wait --for=create pod/worker"),
    Step("wait in vain", "wait --for=condition=Ready pod/worker --timeout=0"),
    Step("watch pods", "get pods -w --field-selector metadata.name=trainer-0", ready="trainer-0",
         meanwhile=("patch pod trainer-0 --subresource=status -p " + patch(manifests.RUNNING),),
         until="Running"),
    Step("wait for a condition", "wait --for=condition=Ready pod/trainer-0"),
    Step("wait for a field",
         "wait --for=jsonpath='{.status.phase}'=Succeeded pod/worker",
         meanwhile=("patch pod worker --subresource=status --type=merge -p "
                    """'{"status": {"phase": "Succeeded"}}'""",)),
    Step("get running pods", "get pods -o wide"),
    Step("create an event", "create -f -", manifests.EVENT),
    Step("get events", "get events", excepts=(ABOUT_ITS_SERVICE,)),
    Step("get events, wide", "get events -o wide", excepts=(ABOUT_ITS_SERVICE,)),
    Step("events of a pod", "events --for pod/trainer-0"),
    Step("describe a pod", "describe pod trainer-0"),
    Step("describe a node", "describe node rack-1"),
    Step("change the image", "set image pod/trainer-0 train=registry.example.com/train:2"),
    Step("change what a pod may not change", "patch pod trainer-0 --type=merge -p "
         """'{"spec": {"nodeName": "rack-2"}}'""", excepts=(GO_VALUE,)),
    Step("finish a pod", "patch pod trainer-0 --subresource=status -p " + patch(manifests.SUCCEEDED)),
    Step("get finished pods", "get pods"),
    Step("drain a node", "drain rack-1 --force"),
    Step("what a drained node is like", "get nodes,pods"),
]

DELETES = [
    Step("create a pod again", "create -f -", manifests.POD),
    Step("delete a running pod without waiting", "delete pod trainer-0 --wait=false"),
    Step("get a pod that ends", "get pods"),
    Step("delete a pod at once", "delete pod trainer-0 --grace-period=0 --force"),
    Step("delete a finished pod", "delete pod worker"),
    Step("wait for a deletion that has happened", "wait --for=delete pod/worker"),
    Step("create a pod with a budget", "run guarded --image=i --labels=app=guarded"),
    Step("create a budget", "create poddisruptionbudget guard --selector=app=guarded --min-available=1"),
    Step("get budgets", "get poddisruptionbudgets"),
    Step("delete by label", "delete pod -l app=guarded --wait=false"),
    Step("delete what there is not", "delete pod trainer-0"),
    Step("delete what there need not be", "delete pod trainer-0 --ignore-not-found"),
    Step("delete a reserved claim", "delete resourceclaim shared --wait=false"),
    Step("delete a file", "delete -f -", manifests.TEMPLATE),
    Step("delete without dependents",
         "delete deviceclass gpu.example.com --cascade=orphan --wait=false"),
    Step("delete with dependents", "delete resourceslice rack-1-gpus --cascade=foreground --wait=false"),
    Step("delete a taint rule", "delete devicetaintrule broken"),
    Step("delete all", "delete configmap --all"),
    Step("delete as a dry run", "delete lease leader --dry-run=server"),
    Step("what a dry run has deleted", "get lease leader -o name"),
    Step("delete a namespace", "delete namespace team --wait=false"),
    Step("get a namespace that ends", "get namespace team"),
    Step("delete a namespace that must stay", "delete namespace default --wait=false"),
]

STEPS = (DISCOVERY + NAMESPACES + CONFIG_MAPS + VALIDATION + SERVER_SIDE + DEVICES + NODES + PODS
         + DELETES + CUSTOM_KINDS + OTHER_KINDS)
