# shellcheck shell=bash
#: placements        the same scenes to the playground's small scheduler and to kube-scheduler: placed
#:                   alike, or refused by the name of a field. [--seeds N] [--first N]

placements() {
  test/placement/compare.py --playground build/release/bin/dra-playground \
    --kube-scheduler "$(dirname "$("$controlplane" path kubectl)")/kube-scheduler" "$@"
}

placements_layer() { controlplane_layer placements placements --seeds 60; }

cmd_placements() {
  setup
  build release dra-playground
  need_controlplane
  placements "$@"
}
