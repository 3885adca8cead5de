# shellcheck shell=bash
#: cluster up        starts a real etcd and kube-apiserver on this machine and prints a kubeconfig. --nodes 1:
#:                   a whole cluster with a real node, as root: kube-scheduler, kube-controller-manager (without
#:                   the two controllers of this project; --controllers on: with them), kubelet, containerd
#:                   [--feature-gates A=true,B=true: of all these]
#: cluster env       prints shell lines that point kubectl at it:  eval "$(./dev cluster env)"
#: cluster down      stops it. Each takes --name NAME, and without a node --version 1.34
#: cluster COMMAND   with a node: run COMMAND…, load IMAGE…, controllers on|off, start|stop|kill PART

readonly realnode=test/realnode/realnode

# node_arguments ARGUMENT…: sets name and with_node; `others` gets the arguments that do not select
# a cluster.
node_arguments() {
  name=default with_node= others=()
  while (($#)); do
    case $1 in
      --name) name=${2:?--name needs a name} && shift ;;
      --nodes) [[ ${2:-} == 1 ]] || die "a cluster has one real node: --nodes 1" && with_node=1 && shift ;;
      --nodes=*) [[ $1 == --nodes=1 ]] || die "a cluster has one real node: --nodes 1" && with_node=1 ;;
      *) others+=("$1") ;;
    esac
    shift
  done
  [[ ! -d ${XDG_STATE_HOME:-$HOME/.local/state}/dra-controller-manager/realnode/$name ]] || with_node=1
}

cluster_with_node() {
  [[ $1 != up ]] || setup runc containernetworking-plugins busybox-static iproute2
  "$realnode" "$1" --name "$name" "${@:2}"
}

cmd_cluster() {
  local command=${1:-} name with_node others
  case $command in
    up | down | env) shift && node_arguments "$@" ;;
    run | load | controllers | start | stop | kill) exec "$realnode" "$@" ;;
    '') die "cluster needs one of up, env and down" ;;
    *) unknown "command of cluster" "$command" up env down run load controllers start stop kill ;;
  esac
  if [[ -n $with_node ]]; then
    cluster_with_node "$command" "${others[@]}"
  else
    "$controlplane" "$command" --name "$name" "${others[@]}"
  fi
}
