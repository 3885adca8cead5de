# shellcheck shell=bash
#: cluster up        starts a real etcd and kube-apiserver on this machine and prints a kubeconfig
#: cluster env       prints shell lines that point kubectl at it:  eval "$(./dev cluster env)"
#: cluster down      stops it. Each takes --name NAME and --version 1.34

cmd_cluster() {
  case "${1:-}" in
    up | down | env) "$controlplane" "$@" ;;
    '') die "cluster needs one of up, env and down" ;;
    *) unknown "command of cluster" "$1" up env down ;;
  esac
}
