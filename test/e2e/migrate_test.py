"""From kube-controller-manager to this manager and back, by the commands of docs/migrate.md and of the pages it names."""
import re

import life
import parts
from installed import NAME, SYSTEM, Installed
from objects import pod, template
from world import World, soon

DISABLED = [f'"Warning: controller is disabled" controller="{name}"' for name in parts.OUR_CONTROLLERS]
FIRST, SECOND = "first-control-plane", "second-control-plane"


class Migrate(Installed):
    def setUp(self):
        super().setUp()
        life.set_controllers(World.cluster, "on")
        self.addCleanup(life.set_controllers, World.cluster, "off")
        # The permissions of the other scenes' manager would hide what the pages forget.
        self.kubectl("delete", "--ignore-not-found", "-f", life.RBAC)
        self.addCleanup(self.kubectl, "-n", SYSTEM, "delete", "--ignore-not-found", "deployment", NAME,
                        f"{NAME}-shadow", check=False)

    def test_shadow(self):
        self.run_on_node(self.commands("operate.md", "A token, and the leader's port")[0])
        *start, compare, end = self.commands("migrate.md", "1. Shadow")
        for command in start:
            self.run_on_node(command)
        self.create(template(), *(pod(f"p{number}") for number in range(3)))
        self.wait_for_phases(*["Running"] * 3)
        for number in range(3):
            self.delete("Pod", f"p{number}")
        self.wait_for_claims(0)
        shown = soon("the dry run says what it compared", lambda: (
            said if self.written(said := self.run_on_node(compare)) >= 6 else None))
        self.assertNotIn("open_disagreements", shown)
        self.run_on_node(end)

    @staticmethod
    def written(metrics):
        return sum(map(float, re.findall(r"(?m)^dra_controller_manager_dry_run_writes_total\S* (\S+)$", metrics)))

    @staticmethod
    def times_disabled(name):
        """How often a kube-controller-manager has logged, as the page quotes it, that it runs
        neither controller."""
        return min(World.log(name, None).count(line) for line in DISABLED)

    def install(self):
        self.follow("install.md")
        self.follow("install.md", "Apply")
        self.assertEqual(self.names(), [])

    def switch(self):
        """Only kube-controller-manager's flag is not in the page's commands: each distribution sets
        it differently."""
        before = self.times_disabled("kube-controller-manager")
        life.set_controllers(World.cluster, "off")
        soon("both are off", lambda: self.times_disabled("kube-controller-manager") > before)
        self.create(pod("during"))
        self.follow("migrate.md", "3. Switch over")
        self.assertEqual(len(self.shown("during")), 1)

    def test_switch(self):
        self.create(template(), pod("before"))
        self.wait_for("before", "Running")
        claim = self.claims()[0]["metadata"]["uid"]
        self.install()
        self.switch()
        self.assertIn(self.leader(), self.follow("migrate.md", "4. Watch for ten minutes"))
        self.assertIn(claim, [each["metadata"]["uid"] for each in self.claims()])
        self.assertEqual(self.phases(), ["Running", "Running"])
        self.assertIn(NAME, self.follow("operate.md", "A token, and the leader's port"))
        self.delete("Pod", "before")
        self.delete("Pod", "during")
        self.wait_for_claims(0)

    def test_back(self):
        self.create(template())
        self.install()
        self.switch()
        self.follow("migrate.md", "Back")
        self.assertEqual((self.names(), self.holder()), ([], ""))
        self.create(pod("later"))
        life.set_controllers(World.cluster, "on")
        self.assertEqual(len(self.shown("later")), 1)
        self.follow("install.md", "Uninstall")
        self.assertEqual(self.kubectl("get", "clusterrole", NAME, "--ignore-not-found"), "")
        self.wait_for_claims(2)

    def test_switch_with_two_control_plane_nodes(self):
        """The leader's flag last, so that no instance with the two controllers leads after one
        without them."""
        World.cluster.end("kube-controller-manager")
        self.addCleanup(World.cluster.end, FIRST)
        self.addCleanup(World.cluster.end, SECOND)
        self.control_plane(FIRST, "on", 10301)
        leader = soon("it leads", self.leading_control_plane)
        self.control_plane(SECOND, "on", 10302)
        self.control_plane(SECOND, "off", 10302)
        self.create(template(), pod("before"))
        self.wait_for("before", "Running")
        self.control_plane(FIRST, "off", 10301)
        soon("another leads", lambda: self.leading_control_plane() not in (leader, ""))
        self.create(pod("during"))
        soon("both are off", lambda: self.times_disabled(FIRST) + self.times_disabled(SECOND) > 0)
        self.assertEqual(len(self.claims()), 1)
        self.install()
        self.follow("migrate.md", "3. Switch over")
        self.assertEqual(len(self.shown("during")), 1)
        self.wait_for_claims(2)

    def control_plane(self, name, ours, port):
        """The kube-controller-manager of a control plane node, in place of the running one."""
        World.cluster.end(name)
        (World.cluster.folder / "controllers").write_text(parts.controllers(ours))
        World.cluster.spawn(name, [*parts.COMMANDS["kube-controller-manager"](
            World.cluster.folder, World.cluster.certificates), "--leader-elect", f"--secure-port={port}"])

    def leading_control_plane(self):
        return self.kubectl("-n", SYSTEM, "get", "lease", "kube-controller-manager", "--ignore-not-found",
                            "-o", "jsonpath={.spec.holderIdentity}")


del Installed
