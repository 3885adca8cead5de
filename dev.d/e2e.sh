# shellcheck shell=bash
#: e2e [NAME…]       scenes on a real cluster with kubelet and containerd, as root: pods with devices, workloads,
#:                   taints, crashes, the move from kube-controller-manager. --manager reference: with
#:                   kube-controller-manager's own two controllers; --manager none: without a manager; every scene
#:                   must fail; --node hollow: with dra-hollow-node; --keep leaves the cluster up; --name NAME: of
#:                   the cluster, for two runs at once
#:                   --side-by-side [NAME…]: compares a real and a hollow node in other scenes;
#:                   --compare: compares the recordings of an earlier run

source dev.d/lib/node_programs.sh

readonly node_packages=(runc containernetworking-plugins busybox-static iproute2)
# One scene of each kind, about ten seconds each; ./dev e2e has all.
readonly quick_scenes=(Pods.each_has_devices Pods.containers_and_pods Workloads.a_deployment Taints.a_rule_evicts
  Nodes.each_has_its_devices)

e2e_programs() {
  build release dra-controller-manager dra-hollow-node kit_driver
  node_drivers
  gpu_driver
}

e2e_layer() {
  local why
  ((EUID != 0)) || setup "${node_packages[@]}"
  if ! why=$(test/realnode/realnode available 2>&1); then
    not_run e2e "$why"
    return
  fi
  e2e_programs
  test/realnode/realnode build
  layer e2e test/e2e/run.py --name test "${quick_scenes[@]}"
}

cmd_e2e() {
  local side_by_side=test/e2e/side_by_side/run.py
  [[ ${1:-} != --side-by-side || " $* " != *" --compare "* ]] || exec "$side_by_side" "${@:2}"
  setup "${node_packages[@]}"
  test/realnode/realnode available || exit
  if [[ ${1:-} == --side-by-side ]]; then
    build release dra-controller-manager dra-hollow-node kit_driver
    exec "$side_by_side" "${@:2}"
  fi
  e2e_programs
  exec test/e2e/run.py "$@"
}
