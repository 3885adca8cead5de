"""Components killed in the middle of work, and a node that goes away."""
import re
import signal

import life
from objects import claim, pod, template
from world import NODE, OURS, Scene, World, soon

# One big file, then small ones: a file system reserves some blocks.
FILL = "cd /var/lib/kubelet; mkdir full; cd full; cat /dev/zero >0; i=1; while printf %9999s >$i; do i=$((i + 1)); done"


class Crashes(Scene):
    def restart(self, part):
        World.cluster.end(part, signal.SIGKILL)
        World.start_part(part)

    def test_the_manager_is_killed_while_pods_wait(self):
        self.create(template(), *(pod(f"p{number}") for number in range(6)))
        World.end_manager()
        World.start_manager()
        self.wait_for_phases(*["Running"] * 6)
        self.wait_for_claims(6)
        World.end_manager()
        for number in range(6):
            self.delete("Pod", f"p{number}")
        self.wait_for_phases()
        World.start_manager()
        self.wait_for_claims(0)

    def test_the_leader_is_killed_and_the_other_instance_goes_on(self):
        if World.manager != OURS:
            self.skipTest("kube-controller-manager runs alone here")
        World.start_manager(name="second")
        self.addCleanup(World.cluster.end, "second")
        World.end_manager()
        self.addCleanup(World.start_manager)
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")

    def test_kubelet_is_killed_while_pods_start_and_stop(self):
        self.create(template(), *(pod(f"p{number}") for number in range(4)))
        self.wait_for_claims(4)
        self.restart("kubelet")
        self.wait_for_phases(*["Running"] * 4)
        for number in range(4):
            self.delete("Pod", f"p{number}")
        self.restart("kubelet")
        self.wait_for_claims(0)

    def test_a_driver_that_is_killed_keeps_its_pods_until_it_is_back(self):
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        World.cluster.end("driver", signal.SIGKILL)
        self.create(pod("later"))
        self.delete("Pod", "p")
        # kubelet records no event about a claim that it cannot unprepare.
        soon(lambda: str(self.explained("p")), lambda: "NotUnprepared" in self.explained("p"))
        World.start_driver()
        self.wait_for("p", "gone")
        self.wait_for("later", "Running")

    def test_a_driver_rolls_over(self):
        """The second instance exists before the first ends; kubelet calls the newest."""
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        World.cluster.end("driver")
        World.start_driver("first", "gpu.example.com", "--pod-uid", "uid-1")
        World.start_driver("second", "gpu.example.com", "--pod-uid", "uid-2")
        World.cluster.end("first")
        self.addCleanup(World.start_driver)
        self.addCleanup(World.cluster.end, "second")
        self.create(pod("later"))
        self.wait_for("later", "Running")
        self.assertIn("Prepar", World.log("second"))
        self.delete("Pod", "p")
        self.wait_for("p", "gone")

    def test_the_api_server_restarts_while_pods_start(self):
        self.create(template(), *(pod(f"p{number}") for number in range(4)))
        life.control_plane(World.cluster, "kill")
        life.control_plane(World.cluster, "resume")
        self.wait_for_phases(*["Running"] * 4)
        self.wait_for_claims(4)

    def test_a_deleted_node_takes_its_pods_and_the_devices_are_free(self):
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        World.cluster.end("kubelet", signal.SIGKILL)
        World.api.remove(f"/api/v1/nodes/{NODE}")
        soon(self.say, lambda: self.phases() == [], 180)
        self.wait_for_claims(0)
        World.start_part("kubelet")
        soon("the node is back", lambda: life.is_ready(World.cluster))
        World.cluster.end("driver")
        World.start_driver()
        self.create(pod("later"))
        self.wait_for("later", "Running")

    def test_a_node_that_loses_its_power_prepares_its_pods_again(self):
        self.needs_containers("restarts pods with --booted: test/node")
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        World.lose_power()
        World.start_part("containerd")
        World.start_part("kubelet")
        World.start_driver()

        def restarted():
            statuses = self.get("Pod", "p")["status"].get("containerStatuses", ())
            return statuses and statuses[0]["restartCount"] > 0 and "running" in statuses[0]["state"]
        soon(self.say, restarted, 180)
        self.wait_for_claims(1)

    def test_a_full_disk_under_the_checkpoint_delays_pods_until_there_is_room(self):
        self.needs_containers("makes no folders of pods: writes that fail are in test/unit/node")
        self.small_disk()
        self.create(template(), pod("p"))
        self.wait_for("p", "Running")
        World.cluster.run("sh", "-c", FILL, check=False, capture_output=True)
        self.create(pod("later"))
        soon("kubelet says so", lambda: re.search(
            f'no space left on device" pod="{self.namespace}/later"', World.log("kubelet", None)))
        self.assertEqual(self.phases(), ["Pending", "Running"])
        World.cluster.run("rm", "-r", "/var/lib/kubelet/full")
        self.wait_for("later", "Running")
        for name in ("p", "later"):
            self.delete("Pod", name)
        self.wait_for_claims(0)

    def small_disk(self):
        """kubelet's folder on a disk of 64 MiB, until the scene ends."""
        image = World.cluster.folder / "disk"
        self.stop_node()
        World.cluster.run("sh", "-euc", f"truncate -s 64M {image}; mkfs.ext4 -q {image}; "
                          f"mount -o loop {image} /var/lib/kubelet; mkdir /var/lib/kubelet/plugins_registry")
        self.addCleanup(self.start_node)
        self.addCleanup(World.cluster.run, "umount", "-l", "/var/lib/kubelet")
        self.addCleanup(self.stop_node)
        self.start_node()

    @staticmethod
    def stop_node():
        for part in ("driver", "kubelet"):
            World.cluster.end(part)

    @staticmethod
    def start_node():
        World.start_part("kubelet")
        World.start_driver()

    def test_a_claim_that_users_share_outlives_a_restart_of_everything(self):
        self.needs_containers("has no containerd")
        shared = {"gpu": {"resourceClaimName": "gpu"}}
        self.create(claim(), pod("a", shared), pod("b", shared))
        self.wait_for_phases("Running", "Running")
        for part in ("containerd", "kubelet"):
            self.restart(part)
        self.restart("kube-scheduler")
        World.end_manager()
        World.start_manager()
        self.delete("Pod", "a")
        self.delete("Pod", "b")
        soon("the device is free", lambda: self.allocated() == [])


del Scene
