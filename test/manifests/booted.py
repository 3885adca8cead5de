"""A Debian root with a running systemd, in namespaces of its own; only the network is the machine's."""
import os
import pathlib
import subprocess
import unittest

from cluster import soon
from tools import DEADLINE, run

# Mounts what systemd expects of a container, and becomes systemd. Arguments: the root, and where cgroups are mounted.
BOOT = r"""
root=$1 cgroups=$2
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
# The kernel lets a unit mount its own /proc only if a /proc without hidden parts is mounted somewhere.
mkdir -p whole
mount -t proc proc whole
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t sysfs -o ro sysfs sys
case $cgroups in
  */systemd)
    mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
    mkdir sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
    ;;
  *) mount -t cgroup2 cgroup2 sys/fs/cgroup ;;
esac
pivot_root . mnt
umount -l /mnt
mount --make-rshared /  # systemd passes credentials to units by mounting them
exec /usr/bin/env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
"""


def hierarchy():
    """Where a cgroup for systemd can be made: systemd's own of version 1, or that of version 2."""
    for folder in ("/sys/fs/cgroup/systemd", "/sys/fs/cgroup"):
        if os.access(f"{folder}/cgroup.procs", os.W_OK):
            return pathlib.Path(folder)
    raise unittest.SkipTest("no cgroup can be made for systemd here")


class Booted:
    def __init__(self, root):
        self.group = hierarchy() / f"dcm-test-{os.getpid()}"
        self.group.mkdir()
        self.process = subprocess.Popen(
            ["sh", "-ec", f"echo $$ >{self.group}/cgroup.procs; exec \"$@\"", "enter", "unshare", "--mount", "--pid",
             "--cgroup", "--ipc", "--uts", "--fork", "--kill-child", "sh", "-ec", BOOT, "boot", root, self.group.parent],
            stdin=subprocess.DEVNULL)
        soon("systemd is up", lambda: self.state() in ("running", "degraded"))

    def init(self):
        """The process id of systemd, or 0."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def state(self):
        assert self.process.poll() is None, "systemd has ended"
        return self.run("systemctl", "is-system-running", check=False).stdout.strip() if self.init() else ""

    def run(self, *command, check=True):
        return run("nsenter", "--target", self.init(), "--mount", "--pid", *command, check=check)

    def stop(self):
        self.process.kill()
        self.process.wait(DEADLINE)
        groups = [self.group, *(path for path in self.group.rglob("*") if path.is_dir())]
        for group in sorted(groups, reverse=True):
            soon(f"{group} is empty", lambda group=group: not (group / "cgroup.procs").read_text())
            group.rmdir()
