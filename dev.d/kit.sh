# shellcheck shell=bash
#: kit [NAME…]       installs the kit, builds the examples against it out of the tree, runs their tests and
#:                   their binaries on the API server in memory and on a real one

# What users of the kit do: install it, and build the examples against it out of the tree.
kit_layer() {
  build release kit dcm-test-apiserver
  layer kit test/kit/kit_test.py
}

cmd_kit() {
  setup doxygen
  build release kit dcm-test-apiserver
  exec test/kit/kit_test.py "$@"
}
