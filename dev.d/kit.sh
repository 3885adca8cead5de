# shellcheck shell=bash
#: kit [NAME…]       installs the kit, builds the examples against it out of the tree, runs their tests and
#:                   their binaries on the API server in memory and on a real one

# What others build on: the kit installed, and the examples out of the tree against it.
kit_layer() {
  build release kit dcm-test-apiserver
  layer kit test/kit/kit_test.py
}

cmd_kit() {
  setup doxygen
  build release kit dcm-test-apiserver
  exec test/kit/kit_test.py "$@"
}
