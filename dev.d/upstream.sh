# shellcheck shell=bash
#: upstream          Kubernetes' own integration tests of DRA with the manager in place of its two
#:                   controllers. --quick: those that matter most; --memory: all, on the API server in
#:                   memory; perf: its scheduler_perf

cmd_upstream() {
  local mode=()
  case "${*:-all}" in
    all) ;;
    --quick) mode=(--quick) ;;
    --memory) mode=(--server build/release/bin/dcm-test-apiserver) ;;
    perf) mode=(--perf) ;;
    *) die "upstream takes --quick, --memory, perf or nothing" ;;
  esac
  setup
  build release dra-controller-manager
  [[ ${1:-} != --memory ]] || build release dcm-test-apiserver
  exec test/upstream/upstream --manager "$manager" --logs build/logs/upstream "${mode[@]}"
}
