"""kubectl with defined kinds: definitions similar to those of common operators, written for this
test, and their objects."""
from step import Step

# Modelled on a driver's domain: cluster-wide texts in an enum, an immutable spec, a status of
# nodes.
DOMAIN = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fabricdomains.fabric.example.com}
spec:
  group: fabric.example.com
  scope: Namespaced
  names: {plural: fabricdomains, kind: FabricDomain, shortNames: [fd]}
  versions:
  - name: v1beta1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Nodes, type: integer, jsonPath: .spec.numNodes}
    - {name: Status, type: string, jsonPath: .status.status}
    - {name: First, type: string, jsonPath: ".status.nodes[0].name", priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A FabricDomain prepares a set of nodes to run a workload together.
        properties:
          spec:
            type: object
            description: What is wished for.
            required: [numNodes]
            x-kubernetes-validations:
            - {rule: self == oldSelf, message: A fabric domain spec is immutable}
            properties:
              numNodes: {type: integer, minimum: 1, description: How many nodes there are.}
              channel:
                type: object
                default: {}
                properties:
                  allocationMode: {type: string, enum: [All, Single], default: Single}
          status:
            type: object
            properties:
              status: {type: string, enum: [Ready, NotReady], default: NotReady}
              nodes:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, ipAddress: {type: string}}
"""

# Modelled on a set of jobs: opaque templates, lists that are maps, a scale.
JOB_SET = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: batchsets.batch.example.com}
spec:
  group: batch.example.com
  scope: Namespaced
  names: {plural: batchsets, kind: BatchSet, categories: [all]}
  versions:
  - name: v1alpha2
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas,
              labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.queue}]
    additionalPrinterColumns:
    - {name: Done, type: string, jsonPath: '.status.conditions[?(@.type=="Done")].status'}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, format: int32, default: 1}
              queue: {type: string}
              suspend: {type: boolean}
              maxUnavailable: {x-kubernetes-int-or-string: true}
              replicatedJobs:
                type: array
                maxItems: 10
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name, template]
                  properties:
                    name: {type: string, maxLength: 63, pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$'}
                    replicas: {type: integer, default: 1, minimum: 0}
                    template: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties: {type: {type: string}, status: {type: string}}
"""

# Modelled on a queue: cluster-scoped, in two versions.
QUEUE = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: quotaqueues.queue.example.com}
spec:
  group: queue.example.com
  scope: Cluster
  names: {plural: quotaqueues, kind: QuotaQueue, shortNames: [qq]}
  versions:
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: &schema
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cohort: {type: string}
              flavors: {type: object, maxProperties: 8, additionalProperties: {type: string, maxLength: 20}}
            x-kubernetes-validations:
            - {rule: "!has(self.flavors) || self.flavors.all(f, f.startsWith('on-'))",
               messageExpression: "'flavors begin with on-'", fieldPath: .flavors}
  - name: v1beta2
    served: true
    storage: true
    schema: *schema
"""

OBJECTS = """
apiVersion: fabric.example.com/v1beta1
kind: FabricDomain
metadata: {name: pair, namespace: default}
spec: {numNodes: 2}
---
apiVersion: batch.example.com/v1alpha2
kind: BatchSet
metadata: {name: train, namespace: default}
spec:
  queue: team-a
  replicatedJobs:
  - {name: workers, template: {spec: {parallelism: 2, template: {spec: {containers: [{name: c, image: i}]}}}}}
---
apiVersion: queue.example.com/v1beta2
kind: QuotaQueue
metadata: {name: team-a}
spec: {cohort: all, flavors: {on-demand: fast}}
"""

CUSTOM_KINDS = [
    Step("define a domain", "create -f -", DOMAIN),
    Step("define a set of jobs", "apply -f -", JOB_SET),
    Step("define a queue", "apply --server-side -f -", QUEUE),
    Step("wait for the definitions", "wait --for=condition=Established --timeout=20s "
         "crd/fabricdomains.fabric.example.com crd/batchsets.batch.example.com "
         "crd/quotaqueues.queue.example.com"),
    Step("a definition's conditions", "get crd batchsets.batch.example.com "
         "-o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason}{\"\\n\"}{end}'"),
    Step("a definition that is wrong", "create -f -",
         DOMAIN.replace("fabric", "broken").replace("type: integer, minimum", "type: int, minimum")),
    Step("a rule that does not compile", "create -f -",
         DOMAIN.replace("fabric", "broken").replace("self == oldSelf", "self.none == oldSelf")),
    Step("a definition again", "create -f -", DOMAIN),
    Step("a definition without a change", "apply -f -", JOB_SET),
    Step("resources of a defined group", "api-resources --api-group=batch.example.com -o wide"),
    Step("versions of a defined group", "get --raw /apis/queue.example.com"),
    # A real server publishes schemas a moment after it serves their kinds.
    Step("explain a defined kind", "explain fabricdomain", not_yet="couldn't find resource"),
    Step("explain its fields", "explain fabricdomain.spec.channel --recursive"),
    Step("objects of all of them", "create -f -", OBJECTS),
    Step("objects of all of them again", "apply -f -", OBJECTS),
    Step("get by a short name", "get fd"),
    Step("get with all columns", "get fd -o wide"),
    Step("get with a time", "get batchsets"),
    Step("get what is for the cluster", "get qq"),
    Step("get in the older version", "get quotaqueues.v1beta1.queue.example.com team-a -o yaml"),
    Step("an object as yaml", "get batchset train -o yaml"),
    Step("change what stays", "patch fd pair --type=merge -p '{\"spec\": {\"numNodes\": 3}}'"),
    Step("set a status", "patch fd pair --type=merge --subresource=status "
         "-p '{\"status\": {\"status\": \"Ready\", \"nodes\": [{\"name\": \"n1\"}]}}'"),
    Step("get with a status", "get fd -o wide"),
    Step("a status that is wrong", "patch fd pair --type=merge --subresource=status "
         "-p '{\"status\": {\"status\": \"Perhaps\"}}'"),
    Step("scale", "scale batchset train --replicas=3"),
    Step("what scaling has left", "get batchset train -o jsonpath={.spec.replicas}"),
    Step("select by a field", "get batchsets --field-selector=spec.queue=team-a -o name"),
    Step("select by another field", "get batchsets --field-selector=spec.replicas=3"),
    Step("an unknown field of a defined kind", "create -f -",
         OBJECTS.split("---")[0].replace("pair", "other").replace("numNodes: 2", "numNodes: 2, x: 1")),
    Step("a refused value", "create -f -",
         OBJECTS.split("---")[0].replace("pair", "other").replace("numNodes: 2", "numNodes: 0")),
    Step("a rule that does not hold", "apply -f -",
         OBJECTS.split("---")[2].replace("on-demand", "spot")),
    Step("apply another's field", "apply --server-side --field-manager=other -f -",
         OBJECTS.split("---")[1].replace("team-a", "team-b")),
    Step("apply it by force", "apply --server-side --field-manager=other --force-conflicts -f -",
         OBJECTS.split("---")[1].replace("team-a", "team-b")),
    Step("strategic patch of a defined kind", "patch batchset train -p '{\"spec\": {\"queue\": \"x\"}}'"),
    Step("label a defined object", "label batchset train tier=one"),
    Step("get all, with a category", "get batchsets -l tier=one -o name"),
    Step("delete an object", "delete fd pair"),
    Step("delete a definition", "delete crd batchsets.batch.example.com"),
    Step("what it has left", "get batchsets"),
    Step("delete the others", "delete crd fabricdomains.fabric.example.com quotaqueues.queue.example.com"),
]
