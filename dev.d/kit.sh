# shellcheck shell=bash
#: kit [NAME…]       installs the kit, builds the examples in C++ against it out of the tree, runs the controller's
#:                   tests, and its binary on the API server in memory and on a real one

# What others build on: the kit installed, and the example out of the tree against it.
kit_layer() {
  build release kit dcm-test-apiserver
  layer kit test/kit/kit_test.py
}

cmd_kit() {
  setup doxygen
  build release kit dcm-test-apiserver
  exec test/kit/kit_test.py "$@"
}
