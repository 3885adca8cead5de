"""Devices tainted by rules of admins and by their drivers, and the evicted pods."""
import os
import signal

from objects import DRIVER, RESOURCE, SHOW, job, of_pods, pod, taint_rule, template
from world import NODE, OURS, Scene, World, soon


class Taints(Scene):
    def test_a_rule_evicts_who_does_not_tolerate_it(self):
        toleration = {"tolerations": [{"operator": "Exists", "effect": "NoExecute"}]}
        self.create(template(), template("stays", **toleration), pod("leaves"),
                    pod("stays", {"gpu": {"resourceClaimTemplateName": "stays"}}))
        self.wait_for("leaves", "Running")
        self.wait_for("stays", "Running")
        self.create(taint_rule(self.namespace, pool=NODE))
        self.wait_for("leaves", "gone")
        self.assertEqual(self.phases(), ["Running"])
        self.wait_for_claims(1)
        soon("the event", lambda: any(each["reason"] == "DeviceTaintManagerEviction" for each in World.items(
            f"/api/v1/namespaces/{self.namespace}/events")))

    def test_a_rule_counts_down_the_seconds_of_a_toleration(self):
        limited = {"tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3}]}
        self.create(template(**limited), pod("p"))
        self.wait_for("p", "Running")
        self.create(taint_rule(self.namespace, pool=NODE))
        self.wait_for("p", "gone")

    def test_the_taint_of_a_driver_evicts(self):
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        driver = World.cluster.process("driver")
        os.kill(driver, signal.SIGSTOP)  # it would immediately remove a taint that is not its own
        try:
            self.taint(self.allocated()[0])
            soon(self.say, lambda: self.phases() in ([], ["Terminating"]))
        finally:
            os.kill(driver, signal.SIGCONT)
        self.wait_for("p", "gone")
        self.wait_for_claims(0)

    def taint(self, device):
        """As published by the driver: kubelet and the scheduler cannot tell the difference."""
        found = next(each for each in World.items(f"{RESOURCE}/resourceslices") if each["spec"]["driver"] == DRIVER)
        for each in found["spec"]["devices"]:
            if each["name"] == device:
                each["taints"] = [{"key": "example.com/broken", "effect": "NoExecute"}]
        World.api.send("PUT", f"{RESOURCE}/resourceslices/{found['metadata']['name']}", found)

    def test_a_jobs_pod_failure_policy_ignores_the_eviction(self):
        pods = of_pods(command=SHOW + "trap 'exit 1' TERM; while :; do sleep 1 & wait $!; done")
        self.create(template(), job("j", pods, backoffLimit=0, podFailurePolicy={"rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}))
        self.wait_for_phases("Running")
        first = self.pods()[0]["metadata"]["name"]
        self.create(taint_rule(self.namespace, pool=NODE))
        soon(self.say, lambda: first not in {each["metadata"]["name"] for each in self.pods()} or first in self.evicted())
        self.delete("DeviceTaintRule", self.namespace)
        soon(self.say, lambda: any(each["metadata"]["name"] != first and each["status"]["phase"] == "Running"
                                   for each in self.pods()))

    def test_a_drained_node_gives_its_devices_back(self):
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        self.addCleanup(World.cluster.kubectl, "uncordon", NODE)
        done = World.cluster.kubectl("drain", NODE, "--force", "--ignore-daemonsets", "--delete-emptydir-data",
                                     "--pod-selector=!none", "--timeout=60s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.wait_for_claims(0)
        self.create(pod("later"))
        self.wait_for_claims(1)
        self.assertEqual(self.phase("later"), "Pending")
        World.cluster.kubectl("uncordon", NODE)
        self.wait_for("later", "Running")

    def test_an_eviction_waits_for_the_budget(self):
        if World.manager != OURS:
            self.skipTest("only this manager asks budgets")
        World.end_manager()
        self.addCleanup(World.start_manager)
        self.addCleanup(World.end_manager)
        self.grant_evictions()
        World.start_manager("--device-taint-eviction-mode=evict", "--v=4")
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
                  "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "it"}}}}
        guarded = pod("p")
        guarded["metadata"]["labels"] = {"app": "it"}
        self.create(budget, template(), guarded)
        self.wait_for("p", "Running")
        soon("the budget counts it", lambda: self.get("PodDisruptionBudget", "b")["status"].get("currentHealthy") == 1)
        self.create(taint_rule(self.namespace, pool=NODE))
        held = 'holds a pod" controller="device-taint-eviction-controller" '
        soon("the manager says who waits", lambda: f'{held}pod="{self.namespace}/p"' in World.log("manager"))
        self.assertEqual(self.phase("p"), "Running")
        self.delete("PodDisruptionBudget", "b")
        self.wait_for("p", "gone")

    @staticmethod
    def grant_evictions():
        """Like components/eviction-api."""
        account = "system:serviceaccount:kube-system:dra-controller-manager"
        for arguments in (("clusterrole", "e2e-evict", "--verb=create", "--resource=pods/eviction"),
                          ("clusterrolebinding", "e2e-evict", "--clusterrole=e2e-evict", f"--user={account}")):
            World.cluster.kubectl("create", *arguments)


del Scene
