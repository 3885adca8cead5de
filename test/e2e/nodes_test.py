"""A cluster of two real nodes, with a driver on each."""
import signal
import subprocess
import unittest

from nodes import FIRST, Node
from objects import SHOW, pod, taint_rule, template
from world import HOLLOW, ROOT, Cluster, Scene, World

SECOND = Node(1)


class Nodes(Scene):
    @classmethod
    def setUpClass(cls):
        if World.node == HOLLOW:
            raise unittest.SkipTest("a hollow node has no kubelet beside it")
        cls.others = World.cluster, World.api
        World.cluster = Cluster(f"{World.cluster.name}-nodes")
        cls.addClassCleanup(cls.end_cluster)
        World.up(World.manager, count=2)

    @classmethod
    def end_cluster(cls):
        World.down()
        World.cluster, World.api = cls.others

    def test_each_has_its_devices(self):
        """A claim is allocated where its pod goes, and prepared by the kubelet there."""
        self.create(template(count=8))
        for node in (FIRST, SECOND):
            self.create(pod(node.name, nodeSelector={"kubernetes.io/hostname": node.name}))
        for node in (FIRST, SECOND):
            self.wait_for(node.name, "Running")
            self.assertEqual(len(self.shown(node.name)), 8)
            self.assertEqual([namespace for namespace, _ in World.entries(node)], [self.namespace])
        # A rule for the devices of one node evicts there.
        self.create(taint_rule(self.namespace, pool=SECOND.name))
        self.wait_for(SECOND.name, "gone", "Failed")
        self.assertEqual(self.phase(FIRST.name), "Running")
        # `./dev cluster run` runs a command there, which ends with it.
        run = subprocess.Popen([ROOT / "test/realnode/realnode", "run", "--name", World.cluster.name, "--node", "1", "sh",
                                "-c", "echo started; exec sleep 4321"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.stdout.readline(), "started\n")
        run.terminate()
        self.assertEqual(run.communicate()[0], "")  # only a process that has ended lets go of the pipe

    def test_one_can_be_down(self):
        self.create(template(count=1))
        World.cluster.end(SECOND.own("kubelet"), signal.SIGKILL)
        self.addCleanup(lambda: World.cluster.process(SECOND.own("kubelet")) or World.start_part(SECOND.own("kubelet")))
        self.create(pod("here", command=SHOW, restartPolicy="Never", nodeSelector={"kubernetes.io/hostname": FIRST.name}),
                    pod("there", command=SHOW, restartPolicy="Never", nodeSelector={"kubernetes.io/hostname": SECOND.name}))
        self.wait_for("here", "Succeeded")
        self.assertEqual(self.phase("there"), "Pending")
        World.start_part(SECOND.own("kubelet"))
        self.wait_for("there", "Succeeded")
