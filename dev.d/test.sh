# shellcheck shell=bash
#: test              all tests: unit (with sanitizers), conformance in memory and on a real control plane,
#:                   simulation, manifests, page, a real node. --quick: the unit tests only, without sanitizers

source dev.d/conformance.sh
source dev.d/sim.sh
source dev.d/compare.sh
source dev.d/placements.sh
source dev.d/explanations.sh
source dev.d/kubectl.sh
source dev.d/clients.sh
source dev.d/compare-node.sh
source dev.d/kit.sh
source dev.d/manifests.sh
source dev.d/e2e.sh

unit_tests() { ctest --test-dir "build/$1" -j "$(nproc)" --output-on-failure -L unit; }

cmd_test() {
  mkdir -p build
  if [[ ${1:-} == --quick ]]; then
    setup
    build dev unit_tests
    layer unit unit_tests dev
  else
    setup python3-venv doxygen chromium fonts-dejavu-core
    build asan unit_tests
    build release
    layer unit-sanitized unit_tests asan
    # JSON over HTTP/1.1 on one server, protobuf over HTTP/2 on the other.
    local version='' server_flags=()
    format=json http=1.1 conformance_layer memory ours
    format=protobuf http=2 conformance_layer real ours
    build release simulation
    layer simulation simulate --seeds 300
    build release explore
    layer explore build/release/bin/explore
    compare_layer
    placements_layer
    explanations_layer
    kubectl_layer
    clients_layer
    node_layer
    kit_layer
    manifests_layer
    layer ui test/ui/run.py
    e2e_layer
    ratios
  fi
  verdict
}

# What claims cost next to kube-controller-manager's, in one small run. Speed fails no test.
ratios() {
  build release bench_claims
  build/release/bin/bench_claims waiting --pods=500 || echo "dev: the ratios could not be measured"
}
