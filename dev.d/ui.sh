# shellcheck shell=bash
#: ui [NAME…]        the live page of the playground in a headless Chromium

# The live page; without chromium its tests are skipped, with a message.
cmd_ui() {
  setup chromium fonts-dejavu-core
  build release dra-controller-manager dra-playground
  ! "$controlplane" available >/dev/null 2>&1 || "$controlplane" build
  layer ui test/ui/run.py "$@"
  verdict
}
