"""What pods get: devices in real containers, of their own and shared claims."""
from objects import DRIVER, FROM_CLAIM, SHOW, WAIT, claim, container, pod, pod_spec, template
from world import REAL, Scene, World, soon

BOTH = {"gpu": {"resourceClaimTemplateName": "gpu"}, "nic": {"resourceClaimTemplateName": "nic"}}


class Pods(Scene):
    def test_each_has_devices_of_its_own_in_its_container(self):
        self.create(template(count=2), pod("a"), pod("b"))
        shown = self.shown("a") + self.shown("b")
        self.assertEqual((len(shown), len(set(shown))), (4, 4))
        self.assertEqual(sorted(shown), self.allocated())

    def test_containers_and_pods_share_a_claim(self):
        two = pod_spec(FROM_CLAIM)
        two["containers"].append(container("other"))
        self.create(claim(), {**pod("a"), "spec": two}, pod("b", FROM_CLAIM))
        shown = {tuple(self.shown(*where)) for where in (("a",), ("a", "other"), ("b",))}
        self.assertEqual(len(shown), 1)
        soon("both are users", lambda: len(self.claims()[0]["status"].get("reservedFor", ())) == 2)
        self.delete("Pod", "a")
        soon("the other still is one", lambda: [
            user["name"] for user in self.claims()[0]["status"].get("reservedFor", ())] == ["b"])
        self.delete("Pod", "b")
        soon("the device is free", lambda: self.allocated() == [])

    def test_an_init_container_and_a_sidecar_have_it_before_the_container(self):
        self.create(template(), pod("p", initContainers=[
            container("first", SHOW), container("sidecar", restartPolicy="Always")]))
        self.wait_for("p", "Running")
        self.assertEqual(len({tuple(self.shown("p", name)) for name in ("first", "sidecar", "main")}), 1)

    def test_a_container_that_names_no_claim_gets_nothing(self):
        spec = pod_spec()
        spec["containers"].append(container("other", claims=()))
        self.create(template(), {**pod("p"), "spec": spec})
        self.assertEqual((len(self.shown("p")), self.shown("p", "other")), (1, []))

    def test_twelve_pods_take_turns_on_eight_devices(self):
        self.create(template(), *(pod(f"p{number}") for number in range(12)))
        self.wait_for_phases(*["Running"] * 8, *["Pending"] * 4)
        self.assertEqual(len(set(self.allocated())), 8)
        for each in self.pods():
            if each["status"]["phase"] == "Running":
                self.delete("Pod", each["metadata"]["name"])
        self.wait_for_phases(*["Running"] * 4)
        self.wait_for_claims(4)

    def test_a_pod_that_has_finished_gives_its_device_back(self):
        self.create(template(count=8), pod("first", command=SHOW, restartPolicy="Never"), pod("second", command=SHOW,
                                                                                             restartPolicy="Never"))
        for name in ("first", "second"):
            self.wait_for(name, "Succeeded")
            if World.node == REAL:  # a hollow node shows devices only while the pod runs
                self.assertEqual(len(self.shown(name)), 8)
        self.wait_for_claims(0)

    def test_slow_termination_keeps_the_device_until_the_containers_are_gone(self):
        self.needs_containers("runs no programs: stop-after is tested in test/unit/playground")
        slow = SHOW + "trap 'sleep 4; exit 0' TERM; while :; do sleep 1 & wait $!; done"
        self.create(template(count=8), pod("slow", command=slow))
        self.shown("slow")
        self.delete("Pod", "slow")
        self.create(pod("next"))
        soon("it stops", lambda: "Terminating" in self.phases())
        while (phase := self.phase("next")) == "Pending":
            pass
        self.assertEqual(phase, "Running")
        self.assertIn(self.phase("slow"), ("Succeeded", "Failed", "gone"))

    def test_forced_deletion_frees_the_device(self):
        self.create(template(count=8), pod("p", command=SHOW + "trap '' TERM; while :; do sleep 1; done"))
        self.shown("p")
        self.delete("Pod", "p", gracePeriodSeconds=0)
        self.wait_for_claims(0)
        self.create(pod("next"))
        self.assertEqual(len(self.shown("next")), 8)

    def test_an_extended_resource_is_a_device(self):
        main = {**container(claims=()), "resources": {"limits": {"example.com/gpu": 2}}}
        self.create({**pod("p"), "spec": {"containers": [main], "terminationGracePeriodSeconds": 5}})
        self.assertEqual(len(self.shown("p")), 2)
        self.delete("Pod", "p")
        self.wait_for_claims(0)

    def test_two_drivers_serve_one_pod(self):
        from objects import device_class
        World.start_driver("nic", "nic.example.com")
        self.addCleanup(World.cluster.end, "nic")
        self.create(device_class("nic.example.com"), template(), template("nic", device_class="nic.example.com"),
                    pod("p", BOTH))
        self.shown("p")
        drivers = {result["driver"] for each in self.claims()
                   for result in each["status"]["allocation"]["devices"]["results"]}
        self.assertEqual(drivers, {DRIVER, "nic.example.com"})
        self.delete("Pod", "p")
        self.wait_for_claims(0)

    def test_a_hundred_pods_share_a_node(self):
        users = [pod(f"p{number}", FROM_CLAIM, WAIT) for number in range(95)]
        self.create(claim(), *users)
        soon(self.say, lambda: self.phases() == ["Running"] * 95, 300)
        self.assertEqual(len(self.claims()[0]["status"]["reservedFor"]), 95)
        World.api.send("DELETE", self.path("Pod"))
        soon(self.say, lambda: self.phases() == [], 300)
        soon("the device is free", lambda: self.allocated() == [])


del Scene
