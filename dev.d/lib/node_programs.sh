# shellcheck shell=bash
# Programs of others on a node's side, built from Go modules into build/node.

# node_drivers: the example driver, built from its own Go module.
node_drivers() {
  command -v go >/dev/null || die "demo: the example driver is built by Go 1.26"
  mkdir -p build/node
  (cd test/node/example_driver && go build -mod=readonly -o ../../../build/node/ tool)
}

# node_peers: kubelet's managers and a driver made with the Go helper, in build/node.
node_peers() {
  command -v go >/dev/null || die "kubelet's managers are built by Go 1.26"
  (cd test/node/peers && go build -mod=readonly -o ../../../build/node/ ./... tool) && node_drivers
}
