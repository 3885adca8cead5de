# shellcheck shell=bash
#: explanations      follows the advice of explain for pending pods on a real control plane; kube-scheduler must
#:                   then place the pods

explanations() { test/explain/oracle.py --manager build/release/bin/dra-controller-manager; }

explanations_layer() { controlplane_layer explanations explanations; }

cmd_explanations() {
  setup
  build release dra-controller-manager
  need_controlplane
  explanations
}
