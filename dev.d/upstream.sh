# shellcheck shell=bash
#: upstream          Kubernetes' own integration tests of DRA with the manager in place of its two
#:                   controllers. --quick: the most important ones; --memory: all, on the API server in
#:                   memory; perf: its scheduler_perf; --allocator: its allocator, tables and CEL next to
#:                   ours: [--worlds N] [--expressions N] [--seed S] [--suite NAME]
#: upstream --definitions   its integration tests of CustomResourceDefinitions on the API server in memory
#: upstream --e2e    its end-to-end tests of DRA on a real cluster, as root: [--manager ours|reference|none]
#:                   [--nodes N] [--procs N] [--name NAME] [--keep] [FOCUS…], as test/upstream/e2e/run.py has them

cmd_upstream() {
  if [[ ${1:-} == --allocator ]]; then
    setup
    build release allocation-judge
    exec test/allocation/upstream/judge.py build/release/bin/allocation-judge "${@:2}"
  fi
  if [[ ${1:-} == --e2e ]]; then
    setup runc containernetworking-plugins busybox-static iproute2
    test/realnode/realnode available || exit
    build release dra-controller-manager
    exec test/upstream/upstream --manager "$manager" --logs build/logs/upstream "$@"
  fi
  if [[ ${1:-} == --definitions ]]; then
    setup
    build release dcm-test-apiserver
    exec test/upstream/upstream --server build/release/bin/dcm-test-apiserver --logs build/logs/definitions "$@"
  fi
  local mode=()
  case "${*:-all}" in
    all) ;;
    --quick) mode=(--quick) ;;
    --memory) mode=(--server build/release/bin/dcm-test-apiserver) ;;
    perf) mode=(--perf) ;;
    *) die "upstream takes --quick, --memory, --allocator, --definitions, --e2e, perf or nothing" ;;
  esac
  setup
  build release dra-controller-manager
  [[ ${1:-} != --memory ]] || build release dcm-test-apiserver
  exec test/upstream/upstream --manager "$manager" --logs build/logs/upstream "${mode[@]}"
}
