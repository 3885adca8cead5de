# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # variables shared with the other parts
# Where the programs come from: $KUBEBUILDER_ASSETS (ready-made binaries, as elsewhere in the ecosystem)
# or a build of the Go module in v<version>/, kept in the user's cache. Sourced by `controlplane`.
#
# All that depends on a Kubernetes version (its patch release, the etcd that goes with it, the Go it
# needs) is read from that folder's go.mod, and what its API server must be told from apiserver_flags.

# program=Go package, in the order of the build.
readonly program_packages=(
  etcd=go.etcd.io/etcd/server/v3
  kube-apiserver=k8s.io/kubernetes/cmd/kube-apiserver
  kubectl=k8s.io/kubernetes/cmd/kubectl
  kube-controller-manager=k8s.io/kubernetes/cmd/kube-controller-manager
  kube-scheduler=k8s.io/kubernetes/cmd/kube-scheduler
)
# Without these there is no cluster; ready-made sets lack the others.
readonly needed_programs=(etcd kube-apiserver kubectl)

has_assets() { [[ -n ${KUBEBUILDER_ASSETS:-} ]]; }

newest_version() {
  local folders=("$here"/v*/)
  printf '%s\n' "${folders[@]}" | sed -E 's#.*/v(.*)/$#\1#' | sort -V | tail -n 1
}

# use_version VERSION: sets module, full_version, version_flags and binaries for all below; '' is the newest we have.
use_version() {
  local wanted=${1:-$(newest_version)}
  module=$here/v$wanted
  [[ -f $module/go.mod ]] || usage_error "there is no module for Kubernetes $wanted in $here"
  full_version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$module/go.mod")
  version_flags=()
  [[ ! -f $module/apiserver_flags ]] ||
    mapfile -t version_flags < <(grep -E '^--' "$module/apiserver_flags")
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/dra-controller-manager/controlplane/${full_version#v}
  if has_assets; then
    [[ -d $KUBEBUILDER_ASSETS ]] || unavailable "KUBEBUILDER_ASSETS is not a folder: $KUBEBUILDER_ASSETS"
    binaries=$(cd "$KUBEBUILDER_ASSETS" && pwd)
  else
    binaries=$cache/bin
  fi
}

# The pins a build was made from: a changed go.mod makes the cached binaries old.
module_fingerprint() { cat "$module/go.mod" "$module/go.sum" | sha256sum; }

# An older build lacks programs that were added to the list later.
is_built() {
  local entry
  for entry in "${program_packages[@]}"; do
    [[ -x $binaries/${entry%%=*} ]] || return 1
  done
  [[ -f $binaries/.module && $(<"$binaries/.module") == "$(module_fingerprint)" ]]
}

require_assets() {
  local program
  for program in "${needed_programs[@]}"; do
    [[ -x $binaries/$program ]] || unavailable "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS has no $program"
  done
}

# GOTOOLCHAIN=local: to be asked whether it is new enough must not make Go download a newer one.
require_go() {
  local needed found
  needed=$(awk '$1 == "go" { print $2; exit }' "$module/go.mod")
  local otherwise="or KUBEBUILDER_ASSETS with etcd, kube-apiserver and kubectl"
  command -v go >/dev/null || unavailable "no Go here: Go $needed or newer is needed, $otherwise"
  found=$(cd / && GOTOOLCHAIN=local go env GOVERSION)
  printf '%s\n%s\n' "$needed" "${found#go}" | sort -CV ||
    unavailable "$found is too old: Go $needed or newer is needed, $otherwise"
}

require_available() {
  command -v openssl >/dev/null || unavailable "openssl is needed for the certificates"
  if has_assets; then
    require_assets
  else
    is_built || require_go
  fi
}

# build_program PROGRAM PACKAGE FOLDER. Without the version flags the servers take themselves for v0.0.0.
# Go's output (mostly downloads) is shown only where the build fails.
build_program() {
  local symbols=k8s.io/component-base/version major minor log=$3/.log
  IFS=. read -r major minor _ <<<"${full_version#v}"
  if ! (cd "$module" && CGO_ENABLED=0 GOWORK=off go build -mod=readonly -trimpath -o "$3/$1" -ldflags \
    "-s -w -X $symbols.gitVersion=$full_version -X $symbols.gitMajor=$major -X $symbols.gitMinor=$minor" \
    "$2") >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "building $1 failed"
  fi
  rm "$log"
}

# Builds into a folder beside the final one and renames it when complete: nobody sees half a build. In a
# subshell, so that its trap and its lock end with it; the lock makes a second build wait and find the first.
build_all() (
  mkdir -p "$cache"
  exec 8>"$cache/lock"
  flock 8
  is_built && exit 0
  staging=$(mktemp -d "$cache/bin.XXXXXX")
  trap 'rm -rf "$staging"' EXIT
  count=0
  for entry in "${program_packages[@]}"; do
    count=$((count + 1))
    say "building ${entry%%=*} for Kubernetes $full_version ($count of ${#program_packages[@]})"
    build_program "${entry%%=*}" "${entry#*=}" "$staging"
  done
  module_fingerprint >"$staging/.module"
  rm -rf "$binaries"
  mv "$staging" "$binaries"
)

ensure_binaries() {
  require_available
  has_assets || is_built || build_all
}
