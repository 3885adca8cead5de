# shellcheck shell=bash
#: cluster up        starts a real etcd and kube-apiserver on this machine and prints a kubeconfig. --nodes N:
#:                   a whole cluster with 1 to 9 real nodes, as root: kube-scheduler, kube-controller-manager (without
#:                   the two controllers of this project; --controllers on: with them), kubelet, containerd
#:                   [--feature-gates A=true,B=true: of all these]
#: cluster env       prints shell lines that point kubectl at it:  eval "$(./dev cluster env)"
#: cluster down      stops it. Each takes --name NAME, and without a node --version 1.34
#: cluster COMMAND   with nodes: run [--node N] COMMAND…, load ARCHIVE…, controllers on|off, start|stop|kill PART

readonly realnode=test/realnode/realnode
readonly cluster_commands=(up down env run load controllers start stop kill)

# node_arguments ARGUMENT…: sets name, and nodes to their number if the cluster has any; `others` gets
# the arguments that do not select a cluster.
node_arguments() {
  name=default nodes= others=()
  while (($#)); do
    case $1 in
      --name) name=${2:?--name needs a name} && shift ;;
      --nodes) nodes=${2:?--nodes needs a number} && shift ;;
      --nodes=*) nodes=${1#*=} && [[ -n $nodes ]] || die "--nodes needs a number" ;;
      *) others+=("$1") ;;
    esac
    shift
  done
  local folder=${XDG_STATE_HOME:-$HOME/.local/state}/dra-controller-manager/realnode/$name
  [[ -n $nodes || ! -d $folder ]] || nodes=$(cat "$folder/nodes" 2>/dev/null || echo 1)
}

cluster_with_node() {
  local count=()
  if [[ $1 == up ]]; then
    setup runc containernetworking-plugins busybox-static iproute2
    count=(--nodes "$nodes")
  fi
  "$realnode" "$1" --name "$name" "${count[@]}" "${@:2}"
}

cmd_cluster() {
  local command=${1:-} name nodes others
  case $command in
    up | down | env) shift && node_arguments "$@" ;;
    run | load | controllers | start | stop | kill) exec "$realnode" "$@" ;;
    '') die "cluster needs one of: ${cluster_commands[*]}" ;;
    *) unknown "command of cluster" "$command" "${cluster_commands[@]}" ;;
  esac
  if [[ -n $nodes ]]; then
    cluster_with_node "$command" "${others[@]}"
  else
    "$controlplane" "$command" --name "$name" "${others[@]}"
  fi
}
