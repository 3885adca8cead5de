# shellcheck shell=bash
#: compare           random requests to the in-memory API server and to a real one, answers compared:
#:                   [--seeds N] [--first N] [--length N] [--steps 3,17] [--parallel N] [--most N]

# The fixed seeds of the comparison.
compare_layer() { controlplane_layer compare test/compare/compare.py --seeds 100; }

cmd_compare() {
  setup
  build release dcm-test-apiserver
  need_controlplane
  exec test/compare/compare.py "$@"
}
