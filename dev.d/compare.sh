# shellcheck shell=bash
#: compare           random requests to the in-memory API server and to a real one, answers compared:
#:                   [--seeds N] [--first N] [--length N] [--steps 3,17] [--parallel N] [--most N]
#:                   --policies: random admission policies and writes instead
#:                   --definitions: random CustomResourceDefinitions and objects instead
#:                   --workloads: random workloads, Secrets and PersistentVolumeClaims instead

# The fixed seeds of the comparison.
compare_layer() {
  controlplane_layer compare test/compare/compare.py --seeds 100
  controlplane_layer compare-policies test/compare/policies.py --seeds 3
  controlplane_layer compare-workloads test/compare/workloads.py --seeds 20
}

cmd_compare() {
  setup
  build release dcm-test-apiserver
  need_controlplane
  case ${1:-} in
    --policies | --definitions | --workloads) exec "test/compare/${1#--}.py" "${@:2}" ;;
  esac
  exec test/compare/compare.py "$@"
}
