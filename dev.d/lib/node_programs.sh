# shellcheck shell=bash
# Third-party programs of a node, built from Go modules into build/node.

# node_drivers: the example driver, built from its own Go module.
node_drivers() {
  command -v go >/dev/null || die "the example driver needs Go 1.26"
  mkdir -p build/node
  (cd test/node/example_driver && go build -mod=readonly -o ../../../build/node/ tool)
}

# node_peers: kubelet's managers and a driver made with the Go helper, in build/node.
node_peers() {
  command -v go >/dev/null || die "kubelet's managers need Go 1.26"
  (cd test/node/peers && go build -mod=readonly -o ../../../build/node/ ./... tool) && node_drivers
}

# gpu_driver: examples/gpu-driver, out of the tree against the installed kit; its program is build/node/gpu-driver.
gpu_driver() {
  build release kit
  cmake --install build/release --component kit --prefix build/node/kit >/dev/null &&
    cmake -S examples/gpu-driver -B build/node/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_PREFIX_PATH="$PWD/build/node/kit" >/dev/null &&
    cmake --build build/node/gpu --target gpu-driver >/dev/null && cp build/node/gpu/gpu-driver build/node/
}
