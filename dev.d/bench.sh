# shellcheck shell=bash
#: bench [NAME]      waiting, known, finished, churn: claims, next to kube-controller-manager; evict: evictions,
#:                   and what a change of a rule or slice costs. These take --before=FILE (a manager of
#:                   another build, measured too), --no-reference, and --picture FILE (an SVG with the figures
#:                   as bars); waiting and known take --pods=N. net: kube-controller-manager with all controllers,
#:                   and both processes after it is relieved of the two: [--pods N]; node: pods on a node, next to
#:                   kubelet's own managers: [--pods N]; lists: GETs of the playground's API server beside LISTs:
#:                   [--pods N] [--gzip] [--table]; scale: clusters of any size, generated: [SCENE…]
#:                   [--nodes N,N,…] [--before=FILE] [--picture FILE];
#:                   servers: the playground's API server next to kube-apiserver and etcd, under the same
#:                   clients: [--pods N] [--custom]; allocate: allocator and CEL next to Kubernetes' own in Go: [SCENE];
#:                   latency: what users wait for, by percentile, from the API server's audit log: [SCENE…]
#:                   [--before=FILE] [--no-reference] [--picture FILE]; placing: the playground's scheduler, pods
#:                   whose claims carry selectors and a matchAttribute next to pods without: [--pods N] [--nodes N]

source dev.d/lib/node_programs.sh

# what_is_measured: the first line of a benchmark's figures, for a picture of them.
what_is_measured() {
  printf '{"date": "%s", "commit": "%s", "cores": %d}\n' "$(date -u +%F)" \
    "$(git describe --always --dirty --exclude '*')" "$(nproc)"
}

# The two contestants' claims and evictions: waiting, known, finished, churn and evict, or all of them.
bench_contest() {
  local name='' figures=''
  [[ ${1:--} == -* ]] || { name=$1; shift; }
  build release
  [[ -n $name && $name != evict ]] || build/release/bin/bench_evict_changes
  need_controlplane
  if [[ -n $picture ]]; then
    mkdir -p build/bench
    figures=build/bench/figures.json
    what_is_measured >"$figures"
    set -- --json="$figures" "$@"
  fi
  [[ $name == evict ]] || build/release/bin/bench_claims ${name:+"$name"} "$@"
  [[ -n $name && $name != evict ]] || build/release/bin/bench_evict "$@"
  [[ -z $picture ]] || test/bench/picture.py "$figures" >"$picture"
}

cmd_bench() {
  local picture='' words=()
  while (($#)); do
    case $1 in
      --picture) picture=${2:?--picture needs a file}; shift ;;
      --picture=*) picture=${1#*=} ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  set -- "${words[@]}"
  if [[ -n $picture ]]; then
    [[ ${1:-} != @(net|node|lists|servers|allocate|placing) ]] || die "bench: $1 has no picture"
    [[ -d $(dirname "$picture") ]] || die "bench: there is no folder for $picture"
  fi
  setup
  case ${1:-} in
    '' | -* | waiting | known | finished | churn | evict) bench_contest "$@" ;;
    net)
      build release dra-controller-manager
      need_controlplane
      exec test/bench/net.py "$manager" "${@:2}"
      ;;
    node)
      build release node_subject
      node_peers
      exec test/node/bench.py --programs build/node --subject build/release/bin/node_subject "${@:2}"
      ;;
    lists)
      build release dra-playground
      exec test/bench/lists.py --playground "$playground" "${@:2}"
      ;;
    scale)
      build release dra-controller-manager bench_crowd dcm-step-shim
      exec test/bench/scale.py "$manager" --crowd build/release/bin/bench_crowd \
        --shim build/release/bin/libdcm-step-shim.so ${picture:+"--picture=$picture"} "${@:2}"
      ;;
    servers)
      build release dra-playground
      need_controlplane
      exec test/bench/servers.py --playground "$playground" "${@:2}"
      ;;
    allocate)
      build release allocation-judge
      exec test/bench/allocate.py build/release/bin/allocation-judge "${@:2}"
      ;;
    latency)
      build release dra-controller-manager
      need_controlplane
      exec test/bench/latency.py "$manager" ${picture:+"--picture=$picture"} "${@:2}"
      ;;
    placing)
      build release dra-playground
      exec test/bench/placing.py --playground "$playground" "${@:2}"
      ;;
    *) unknown benchmark "$1" waiting known finished churn evict net node lists scale servers allocate latency placing ;;
  esac
}
