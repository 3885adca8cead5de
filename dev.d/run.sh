# shellcheck shell=bash
#: run [FLAGS]       the manager, without leader election: against $KUBECONFIG if that is on this machine,
#:                   otherwise with --context, or read-only with --dry-run. FLAGS: dra-controller-manager --help

# server_of_kubeconfig [FILE]: prints the API server that a manager would use, or nothing.
server_of_kubeconfig() { python3 dev.d/lib/server_of_kubeconfig.py "${1:-${KUBECONFIG:-$HOME/.kube/config}}"; }

# A manager that writes must not start on whatever cluster a kubeconfig happens to name.
cmd_run() {
  local file='' is_told='' argument last='' server
  for argument in "$@"; do
    case $last$argument in
      --context=?* | --context?* | --server=?* | --server?* | --dry-run | --dry-run=true) is_told=1 ;;
      --kubeconfig=*) file=${argument#*=} ;;
      --kubeconfig?*) file=$argument ;;
    esac
    last=''
    case $argument in --context | --server | --kubeconfig) last=$argument ;; esac
  done
  setup
  if [[ -z $is_told ]]; then
    server=$(server_of_kubeconfig "$file")
    [[ $server =~ ^https?://(127\.[0-9.]+|localhost|\[::1\])(:[0-9]+)?(/|$) ]] ||
      die "run: ${server:-no API server} is not on this machine: name a --context, or look first with --dry-run"
  fi
  build release dra-controller-manager
  exec "$manager" --leader-elect=false "$@"
}
