# shellcheck shell=bash
#: kubectl [NAME…]   kubectl commands on the in-memory API server and on a real one, compared

# kubectl_run NAME…: the script of kubectl commands, on servers of its own.
kubectl_run() {
  local kubeconfig status=0
  (cd test/kubectl && python3 -m unittest -q compare_test) || return 1
  kubeconfig=$("$controlplane" up --name kubectl-test | sed -n 's/^kubeconfig: //p')
  [[ -n $kubeconfig ]] || return 1
  test/kubectl/compare.py --kubectl "$("$controlplane" path kubectl)" --real "$kubeconfig" \
    --apiserver build/release/bin/dcm-test-apiserver "$@" || status=1
  "$controlplane" down --name kubectl-test || status=1
  return $status
}

kubectl_layer() { controlplane_layer kubectl kubectl_run; }

cmd_kubectl() {
  setup
  build release dcm-test-apiserver
  need_controlplane
  kubectl_run "$@"
}
