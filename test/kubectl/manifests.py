"""The objects created by the script of kubectl commands."""

NODE = """
apiVersion: v1
kind: Node
metadata:
  name: rack-1
  labels: {node-role.kubernetes.io/worker: ""}
"""

NODE_STATUS = """{"status": {
  "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                  "message": "up", "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                  "lastTransitionTime": "2026-01-01T00:00:00Z"}],
  "addresses": [{"type": "InternalIP", "address": "10.0.0.1"},
                {"type": "Hostname", "address": "rack-1"}],
  "nodeInfo": {"kubeletVersion": "v1.37.0", "osImage": "Debian GNU/Linux 12", "architecture": "amd64",
               "kernelVersion": "6.1.0", "containerRuntimeVersion": "hollow://1", "machineID": "",
               "systemUUID": "", "bootID": "", "kubeProxyVersion": "", "operatingSystem": "linux"}}}"""

SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app: trainer}
data:
  epochs: "10"
  rate: "0.1"
"""

UNKNOWN_FIELD = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: unknown
date: {a: b}
data: {a: b}
"""

CLASS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
"""

SLICE = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: rack-1-gpus
spec:
  driver: gpu.example.com
  nodeName: rack-1
  pool: {name: rack-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
  - name: gpu-1
"""

CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: shared
  labels: {team: vision}
spec:
  devices:
    requests:
    - name: one
      exactly:
        deviceClassName: gpu.example.com
"""

ALLOCATION = """{"status": {"allocation": {"devices": {"results": [
  {"request": "one", "driver": "gpu.example.com", "pool": "rack-1", "device": "gpu-0"}]}}}}"""

RESERVATION = """{"status": {"reservedFor": [
  {"resource": "pods", "name": "trainer-0", "uid": "5a0c2d5e-0000-4000-8000-000000000001"}]}}"""

TEMPLATE = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-gpu
spec:
  spec:
    devices:
      requests:
      - name: one
        exactly:
          deviceClassName: gpu.example.com
"""

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: trainer-0
  labels: {app: trainer}
spec:
  nodeName: rack-1
  containers:
  - name: train
    image: registry.example.com/train:1
    resources:
      claims:
      - name: gpu
  resourceClaims:
  - name: gpu
    resourceClaimName: shared
"""

RUNNING = """{"status": {"phase": "Running", "podIP": "10.0.0.7", "podIPs": [{"ip": "10.0.0.7"}],
  "startTime": "2026-01-01T00:00:00Z",
  "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
  "containerStatuses": [{"name": "train", "ready": true, "started": true, "restartCount": 0,
    "image": "registry.example.com/train:1", "imageID": "",
    "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}}"""

SUCCEEDED = """{"status": {"phase": "Succeeded", "containerStatuses": [{"name": "train",
  "ready": false, "restartCount": 0, "image": "registry.example.com/train:1", "imageID": "",
  "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}]}}"""

EVENT = """
apiVersion: v1
kind: Event
metadata:
  name: trainer-0.1
type: Warning
reason: FailedScheduling
message: no device left
count: 3
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: {component: scheduler}
involvedObject: {apiVersion: v1, kind: Pod, name: trainer-0, namespace: default}
"""

LEASE = """
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: a, leaseDurationSeconds: 15}
"""

RULE = """
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: broken}
spec:
  deviceSelector: {driver: gpu.example.com, pool: rack-1, device: gpu-1}
  taint: {key: example.com/broken, value: fan, effect: NoExecute}
"""
