# shellcheck shell=bash
#: compare-node      random steps to the node's libraries and to kubelet's own DRA and plugin managers, with
#:                   real drivers, compared: [--seeds N] [--first N] [--length N] [--parallel N] [--keep]

source dev.d/lib/node_programs.sh

# Some of each; ./dev compare-node has all seeds.
node_run() {
  node_peers || return 1
  local programs=(--programs build/node --subject build/release/bin/node_subject)
  test/node/hostile.py "${programs[@]}" && test/node/crash.py "${programs[@]}" &&
    test/node/compare.py "${programs[@]}" --seeds 4 --length 60 &&
    test/node/compare.py "${programs[@]}" --kit build/release/bin/kit_driver --seeds 2 --length 60 &&
    test/node/run.py
}

node_layer() {
  if ! command -v go >/dev/null; then
    not_run node "needs Go 1.26"
    return
  fi
  build release node_subject kit_driver kit_slices dra-playground dra-hollow-node dra-controller-manager
  layer node node_run
}

cmd_compare-node() {
  setup
  build release node_subject kit_driver
  node_peers
  exec test/node/compare.py --programs build/node --subject build/release/bin/node_subject "$@"
}
