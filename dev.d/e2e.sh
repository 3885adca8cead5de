# shellcheck shell=bash
#: e2e [NAME…]       scenes on a real cluster with kubelet and containerd, as root: pods with devices, workloads,
#:                   taints, crashes. --manager reference: with kube-controller-manager's own two controllers;
#:                   --manager none: with nobody, so each scene must fail; --keep leaves the cluster up

source dev.d/lib/node_programs.sh

cmd_e2e() {
  setup runc containernetworking-plugins busybox-static iproute2
  test/realnode/realnode available || exit
  build release dra-controller-manager
  node_drivers
  gpu_driver
  exec test/e2e/run.py "$@"
}
