# shellcheck shell=bash
# shellcheck disable=SC2154  # binaries, rbac, version_flags and server_flags: set by the caller
# One cluster: etcd and kube-apiserver with their order, their flags and the manager's permissions. Sourced
# by `controlplane`. A cluster's folder ($state) has its kubeconfig, certificates, tokens, process ids, logs
# and data; it goes away with the cluster, but stays after a start that failed, for its logs.

use_cluster() {
  [[ $1 =~ ^[a-z0-9][a-z0-9_-]*$ ]] || usage_error "not a cluster name: '$1'"
  state=${XDG_STATE_HOME:-$HOME/.local/state}/dra-controller-manager/cluster/$1
}

# Held until we end. Beside the folder, because the folder is removed under it. `down` removes the lock file
# as well: who waited for the removed one takes the new one instead.
lock_cluster() {
  mkdir -p "$(dirname "$state")"
  until [[ /proc/self/fd/9 -ef $state.lock ]]; do
    exec 9>"$state.lock"
    flock 9
  done
}

# A discovery cache of the cluster's own: kubectl keys its cache by address, and a later cluster may get the
# same port with other APIs.
kubectl_as() {
  KUBECACHEDIR=$state/kubectl-cache "$binaries/kubectl" --kubeconfig "$state/kubeconfig" --context "$@"
}

start_etcd() {
  local peer_port
  port=$(free_port)
  peer_port=$(free_port)
  etcd_url=http://127.0.0.1:$port
  printf '%s\n' "$etcd_url" >"$state/etcd_url"
  spawn etcd --data-dir "$state/etcd/" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "$etcd_url" --advertise-client-urls "$etcd_url" \
    --listen-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port"
}

# ServiceAccount admission is off, unless a flag turns it on, because no controller makes the accounts that it
# would ask for. Without the endpoint reconciler the server needs no address but loopback. With the watch grace
# period it ends open watches when it is stopped; else it waits a minute for them. The caller's flags come last,
# so they win; of feature gates and APIs, those that both name.
start_apiserver() {
  local admission=(--disable-admission-plugins ServiceAccount)
  [[ " ${server_flags[*]}" != *ServiceAccount* ]] || admission=()
  port=${wanted_port:-$(free_port)}
  spawn kube-apiserver --etcd-servers "$etcd_url" --bind-address 127.0.0.1 --secure-port "$port" \
    --advertise-address 127.0.0.1 --endpoint-reconciler-type none \
    --shutdown-watch-termination-grace-period 1s \
    --tls-cert-file "$state/certs/server.crt" --tls-private-key-file "$state/certs/server.key" \
    --client-ca-file "$state/certs/ca.crt" --token-auth-file "$state/tokens.csv" \
    --authorization-mode RBAC "${admission[@]}" \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$state/certs/service-account.pub" \
    --service-account-signing-key-file "$state/certs/service-account.key" \
    --service-cluster-ip-range 10.0.0.0/24 "${version_flags[@]}" "${server_flags[@]}"
}

# As it was started before, on the same port: clients find it where it was.
start_apiserver_again() {
  local arguments
  mapfile -d '' -t arguments <"$state/kube-apiserver.arguments"
  port=$(sed -nE 's#^ *server: https://127\.0\.0\.1:([0-9]+)$#\1#p' "$state/kubeconfig")
  spawn kube-apiserver "${arguments[@]}"
}

is_ready() { kubectl_as admin get --raw /readyz --request-timeout 5s >/dev/null 2>&1; }
ready_or_gone() { ! running kube-apiserver || is_ready; }
has_namespaces() { kubectl_as admin get namespace default kube-system >/dev/null 2>&1; }
manager_is_allowed() { kubectl_as manager auth can-i list resourceclaims.resource.k8s.io -A >/dev/null 2>&1; }

# /readyz does not wait for the first namespaces, and the authorizer reads new bindings through a watch.
wait_until_usable() {
  poll 120 ready_or_gone || fail_with_log kube-apiserver "kube-apiserver is not ready after 120 s"
  running kube-apiserver || fail_with_log kube-apiserver "kube-apiserver ended before it was ready"
  poll 30 has_namespaces || fail_with_log kube-apiserver "the first namespaces are missing after 30 s"
  kubectl_as admin apply --server-side -f "$rbac" >/dev/null || die "$rbac was not accepted"
  poll 30 manager_is_allowed || die "the manager's permissions are not in force after 30 s"
}

is_up() { running etcd && running kube-apiserver; }

# The API server first: without etcd it takes a minute to end.
stop_cluster() {
  stop_program kube-apiserver
  stop_program etcd
  rm -rf "$state"
}

# An `up` that fails or is interrupted leaves no process behind.
stop_half_started() {
  stop_program kube-apiserver
  stop_program etcd
}

start_cluster() {
  umask 077
  mkdir -p "$state"
  printf '%s\n' "$binaries" >"$state/binaries"
  create_certificates
  create_tokens
  trap stop_half_started EXIT
  say "starting etcd"
  launch_program etcd start_etcd
  say "starting kube-apiserver"
  launch_program kube-apiserver start_apiserver
  write_kubeconfig "$port"
  wait_until_usable
  trap - EXIT
}

require_up() { is_up || die "cluster '$1' is not up"; }

# etcd goes on, so nothing is lost. The log of what was there before goes on, too.
resume_apiserver() {
  running etcd || die "the cluster's etcd does not run"
  ! running kube-apiserver || die "kube-apiserver runs already"
  binaries=$(<"$state/binaries")
  launch_program kube-apiserver start_apiserver_again
  wait_until_usable
}

# Asks etcd to forget all versions before the newest, as the API server does every five minutes. Over etcd's
# JSON gateway: etcdctl is not built.
compact_etcd() {
  local url revision
  url=$(<"$state/etcd_url")
  revision=$(etcd_call "$url/v3/kv/range" '{"key": "AA=="}' | sed -nE 's/.*"revision":"([0-9]+)".*/\1/p')
  [[ -n $revision ]] || die "etcd does not say its revision"
  etcd_call "$url/v3/kv/compaction" "{\"revision\": \"$revision\", \"physical\": true}" >/dev/null
}

etcd_call() { curl --silent --show-error --fail --noproxy '*' --max-time 30 "$1" --data "$2"; }

# Shell lines for eval.
print_exports() {
  printf 'export KUBECONFIG=%q\n' "$state/kubeconfig"
  printf 'export KUBECACHEDIR=%q\n' "$state/kubectl-cache"
  # shellcheck disable=SC2016  # $PATH is for the shell that evaluates the line
  printf 'export PATH=%q:"$PATH"\n' "$(<"$state/binaries")"
}
