"""The admission policy that restricts a driver to its own node, on a real API server with real
bound tokens."""
import json
import unittest

import cluster
import render

NAMESPACE, ACCOUNT = "dra-driver", "dra-driver"
# A driver's RBAC permissions, which the policy narrows.
OBJECTS = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
    *[{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NAMESPACE}}
      for name in (ACCOUNT, "another")],
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "dra-driver"},
     "rules": [{"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"],
                "verbs": ["get", "list", "create", "update", "patch", "delete", "deletecollection"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
     "metadata": {"name": "dra-driver"},
     "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "dra-driver"},
     "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}
                  for name in (ACCOUNT, "another")]},
]


def pod(account, node):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{account}-{node}", "namespace": NAMESPACE},
            "spec": {"serviceAccountName": account, "nodeName": node,
                     "containers": [{"name": "driver", "image": "example.com/driver"}]}}


def resource_slice(name, pool="node-1", **where):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name},
            "spec": {"driver": "policy.example.com", **where, "devices": [{"name": "dev-0"}],
                     "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1}}}


def taint(name):
    return ("patch", "resourceslice", name, "--type=json", "-p",
            '[{"op": "add", "path": "/spec/devices/0/taints",'
            ' "value": [{"key": "example.com/broken", "effect": "NoSchedule"}]}]')


class DriverSlices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster.apply([*OBJECTS])
        cluster.apply([pod(ACCOUNT, "node-1"), pod("another", "node-1")])
        cls.policy = [o for o in render.composed(components=["driver-slices"])
                      if o["kind"].startswith("ValidatingAdmissionPolicy")]
        cluster.apply(cls.policy)
        cls.driver = cluster.config_of(ACCOUNT, NAMESPACE, "--bound-object-kind=Pod",
                                       f"--bound-object-name={ACCOUNT}-node-1")
        # Admission learns of a policy by a watch.
        cluster.soon("the policy is in force", lambda: "may publish" in cls.write(
            cls.driver, resource_slice("probe", nodeName="node-2"), "--dry-run=server"))

    @classmethod
    def tearDownClass(cls):
        # The namespace would stay half deleted: no controller here finishes that.
        cluster.remove([*cls.policy, *[o for o in OBJECTS if o["kind"] != "Namespace"]])
        cluster.ctl("delete", "resourceslice", "--all", "--wait=false")

    @staticmethod
    def write(config, thing, *flags):
        """The API server's refusal; None if it has accepted."""
        done = cluster.ctl("create", *flags, "-f", "-", stdin=json.dumps(thing), check=False, config=config)
        return done.stderr if done.returncode else ""

    def refusal(self, *arguments, config=None):
        done = cluster.ctl(*arguments, check=False, config=config or self.driver)
        return done.stderr if done.returncode else ""

    def theirs(self, name, node="node-2"):
        """A slice of another node, or in its pool, published by the admin."""
        self.addCleanup(cluster.ctl, "delete", "resourceslice", name, "--ignore-not-found")
        self.assertEqual(self.write(None, resource_slice(name, pool="node-2", nodeName=node)), "")

    def test_lets_a_driver_publish_change_and_withdraw_the_slices_of_its_node(self):
        for pool in ("node-1", "node-1/fabric"):
            with self.subTest(pool):
                self.assertEqual(self.write(self.driver, resource_slice("own", pool, nodeName="node-1")), "")
                self.assertEqual(self.refusal(*taint("own")), "")
                self.assertEqual(self.refusal("delete", "resourceslice", "own"), "")

    def test_refuses_slices_of_other_nodes_or_without_node(self):
        for name, where in {"another-node": {"nodeName": "node-2"}, "all-nodes": {"allNodes": True},
                            "some-nodes": {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
                                {"key": "a", "operator": "Exists"}]}]}}}.items():
            with self.subTest(name):
                self.assertIn("a driver on node node-1 may publish the slices of that node alone",
                              self.write(self.driver, resource_slice(name, **where)))

    def test_refuses_to_taint_or_delete_the_slices_of_other_nodes(self):
        self.theirs("theirs")
        self.assertIn("may publish", self.refusal(*taint("theirs")))
        self.assertIn("may not touch", self.refusal("delete", "resourceslice", "theirs"))
        self.assertIn("may not touch", self.refusal("delete", "--raw",
                                                    "/apis/resource.k8s.io/v1/resourceslices"))
        self.assertNotIn("taints", cluster.get("resourceslice", "theirs")["spec"]["devices"][0])

    # A device is identified by driver, pool and name, whatever its slice's node.
    def test_refuses_slices_of_its_node_in_the_pools_of_others(self):
        for number, pool in enumerate(("node-2", "node-10", "node-1.example.com", "fabric/node-1")):
            with self.subTest(pool):
                self.assertIn("may publish the pools node-1 and node-1/… alone", self.write(
                    self.driver, resource_slice(f"pool-{number}", pool, nodeName="node-1")))
        self.theirs("in-their-pool", node="node-1")
        self.assertIn("may publish the pools", self.refusal(*taint("in-their-pool")))
        self.assertIn("may not touch the pools", self.refusal("delete", "resourceslice", "in-their-pool"))

    def test_refuses_token_without_pod(self):
        self.assertIn("a driver's token must be that of a pod on a node", self.write(
            cluster.config_of(ACCOUNT, NAMESPACE), resource_slice("unbound", nodeName="node-1")))

    def test_affects_nobody_else(self):
        another = cluster.config_of("another", NAMESPACE, "--bound-object-kind=Pod",
                                    "--bound-object-name=another-node-1")
        for number, config in enumerate((None, another)):
            name = f"free-{number}"
            self.assertEqual(self.write(config, resource_slice(name, nodeName="node-2")), "")
            self.assertEqual(self.refusal(*taint(name), config=config or cluster.kubeconfig()), "")
            self.assertEqual(self.refusal("delete", "resourceslice", name,
                                          config=config or cluster.kubeconfig()), "")


if __name__ == "__main__":
    unittest.main()
