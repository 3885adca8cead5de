# shellcheck shell=bash
#: manifests [NAME…] manifests, chart, alerts, dashboard, package, image and docs on a real control plane.
#:                   Arm64: package and image for arm64, built first

source dev.d/lib/arm64.sh

# Tests that need a missing program are skipped, and say so.
manifests_layer() {
  ! "$controlplane" available >/dev/null 2>&1 || "$controlplane" build
  prometheus_tools
  helm_tool
  debian_root
  image_tools
  layer manifests test/manifests/run.py "$@"
}

cmd_manifests() {
  setup
  build release dra-controller-manager conformance_test
  [[ " $* " != *' Arm64'* ]] || build_arm64
  manifests_layer "$@"
  verdict
}
