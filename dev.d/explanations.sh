# shellcheck shell=bash
#: explanations      pods without devices on a real control plane: what explain says must be done is
#:                   done, and kube-scheduler must place the pod

explanations() { test/explain/oracle.py --manager build/release/bin/dra-controller-manager; }

explanations_layer() { controlplane_layer explanations explanations; }

cmd_explanations() {
  setup
  build release dra-controller-manager
  need_controlplane
  explanations
}
