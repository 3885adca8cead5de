"""Workload controllers: each of their pods has its own claim, and leaves none."""
from objects import SHOW, job, of_pods, template, thing, workload
from world import Scene, World, soon


class Workloads(Scene):
    def test_an_indexed_job_tries_again_with_a_new_claim(self):
        """The first pod of each index fails."""
        self.needs_containers("runs no programs that fail once")
        pods = of_pods(command=SHOW + "test $FAILURES -ge 1")
        pods["spec"]["containers"][0]["env"] = [{"name": "FAILURES", "valueFrom": {"fieldRef": {
            "fieldPath": "metadata.annotations['batch.kubernetes.io/job-index-failure-count']"}}}]
        self.create(template(), job("j", pods, completions=3, parallelism=3, completionMode="Indexed",
                                    backoffLimitPerIndex=2))
        soon(self.say, lambda: "Complete" in [each["type"] for each in self.get("Job", "j")["status"].get(
            "conditions", ()) if each["status"] == "True"])
        status = self.get("Job", "j")["status"]
        self.assertEqual((status["succeeded"], status["failed"]), (3, 3))
        self.wait_for_claims(0)

    def test_a_deployment_rolls_out(self):
        self.create(template(), workload("Deployment", "d", of_pods(), replicas=3))
        self.wait_for_phases(*["Running"] * 3)
        before = {each["metadata"]["name"] for each in self.pods()}
        self.patch("Deployment", "d", {"spec": {"template": {"metadata": {"annotations": {"to": "2"}}}}})
        soon(self.say, lambda: self.phases() == ["Running"] * 3 and not before & {
            each["metadata"]["name"] for each in self.pods()})
        self.wait_for_claims(3)
        self.delete("Deployment", "d", propagationPolicy="Background")
        self.wait_for_claims(0)

    def test_a_stateful_set_makes_its_pods_again_under_their_names(self):
        self.create(template(), workload("StatefulSet", "s", of_pods(), replicas=2, serviceName="s",
                                         podManagementPolicy="Parallel"))
        self.wait_for_phases("Running", "Running")
        before = {each["metadata"]["uid"] for each in self.claims()}
        self.delete("Pod", "s-0")
        soon(self.say, lambda: self.phases() == ["Running"] * 2 and len(
            {each["metadata"]["uid"] for each in self.claims()} & before) == 1 and len(self.claims()) == 2)
        self.delete("StatefulSet", "s", propagationPolicy="Background")
        self.wait_for_claims(0)

    def test_a_daemon_set_looks_at_all_devices_while_others_use_them(self):
        self.patch_namespace({"resource.kubernetes.io/admin-access": "true"})
        wanted = {"allocationMode": "All", "adminAccess": True}
        watching = template("all", **wanted)
        del watching["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]
        self.create(template(count=8), watching, thing("Pod", "p", of_pods()["spec"], "v1"))
        self.wait_for("p", "Running")
        self.create(workload("DaemonSet", "watch", of_pods({"gpu": {"resourceClaimTemplateName": "all"}})))
        self.wait_for_phases("Running", "Running")
        self.assertEqual(len(self.allocated()), 16)
        self.delete("DaemonSet", "watch", propagationPolicy="Background")
        self.wait_for_claims(1)

    def patch_namespace(self, labels):
        done = World.cluster.kubectl("label", "namespace", self.namespace, *(f"{key}={value}"
                                                                           for key, value in labels.items()))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_deleted_namespace_takes_pods_and_claims_along(self):
        self.create(template(), workload("Deployment", "d", of_pods(), replicas=2))
        self.wait_for_phases("Running", "Running")
        self.end()
        soon("no claim of it holds a device", lambda: not any(
            each["metadata"]["namespace"] == self.namespace for each in World.items(
                "/apis/resource.k8s.io/v1/resourceclaims")))
        self.setUp()


del Scene
