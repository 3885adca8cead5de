# shellcheck shell=bash
#: demo              a cluster in memory with the manager and example pods; verifies the outcome.
#:                   --real: on a real etcd, kube-apiserver and kube-scheduler; --record FILE: as an animated
#:                   SVG; --drivers: Kubernetes' example driver, unmodified, serves a node

source dev.d/lib/node_programs.sh

demo_jobs=() demo_cluster=
stop_demo() {
  ((${#demo_jobs[@]} == 0)) || { kill "${demo_jobs[@]}" && wait "${demo_jobs[@]}"; } 2>/dev/null || true
  [[ -z $demo_cluster ]] || "$controlplane" down --name "$demo_cluster" 2>/dev/null || true
}

# Starts the playground, and waits for its nodes and devices. start_playground FLAG…
start_playground() {
  : >build/logs/demo-playground.out
  "$playground" "$@" >build/logs/demo-playground.out 2>build/logs/demo-playground.log &
  demo_jobs+=($!)
  until [[ -s build/logs/demo-playground.out ]]; do
    kill -0 "$!" 2>/dev/null || { cat build/logs/demo-playground.log >&2; die "the playground did not start"; }
    sleep 0.05
  done
}

cmd_demo() {
  if [[ $* == --drivers ]]; then
    setup
    build release dra-playground dra-controller-manager
    node_drivers
    exec test/node/demo.py
  fi
  local kubeconfig=$PWD/build/demo.kubeconfig context=() record=() status=0
  if [[ ${1:-} == --record ]]; then
    record=(playground/demo/record.py "${2:?--record needs a file}")
    shift 2
  fi
  [[ $# == 0 || $* == --real ]] || die "demo takes --real, --drivers or --record FILE"
  setup
  build release dra-playground dra-controller-manager
  mkdir -p build/logs
  trap stop_demo EXIT
  if [[ ${1:-} == --real ]]; then
    need_controlplane
    demo_cluster=demo context=(--context manager)
    kubeconfig=$("$controlplane" up --name demo | sed -n 's/^kubeconfig: //p')
    start_playground --kubeconfig "$kubeconfig" \
      --kube-scheduler "$(dirname "$("$controlplane" path kubectl)")/kube-scheduler"
  else
    start_playground --kubeconfig-out "$kubeconfig"
  fi
  "$manager" --kubeconfig "$kubeconfig" "${context[@]}" --leader-elect=false --secure-port=0 \
    2>build/logs/demo-manager.log &
  demo_jobs+=($!)
  "${record[@]}" "$playground" demo --kubeconfig "$kubeconfig" || status=$?
  ((status != 130)) || exit 130
  ((status == 0)) || die "see build/logs/demo-*.log"
}
