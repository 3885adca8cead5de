# shellcheck shell=bash
#: conformance       black-box cases: [--server memory|real] [--manager reference] [--version 1.34]
#:                   [--format json|protobuf] [--http 1.1|2] [--compare] [NAME…]
#:                   [-- FLAG of kube-apiserver…]

conformance_pids=()
stop_conformance() {
  for pid in "${conformance_pids[@]}"; do
    kill -- "-$pid" 2>/dev/null || continue
    wait "$pid" || true
    "$controlplane" down --name "conformance-$pid" 2>/dev/null || true
  done
}

# conformance_run SERVER WHO NAME…: runs the cases against one server, and also writes results as
# JSON. Cases mostly wait, so several shards, each with its own server, run in parallel.
conformance_run() {
  local server=$1 who=$2 filter status=0 shards=3 pids=() prefix=build/logs/conformance-$1$version-$2
  trap stop_conformance EXIT
  shift 2
  filter=$(IFS=: && echo "${*/%/*}")
  [[ $server == real ]] || shards=4
  (($# == 0)) || shards=1
  rm -f "$prefix"-*
  for ((shard = 0; shard < shards; shard++)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      setsid build/release/bin/conformance_test \
      --server="$server" --manager="$who" ${version:+"--version=$version"} ${format:+"--format=$format"} ${http:+"--http=$http"} \
      "${server_flags[@]/#/--apiserver-flag=}" \
      --gtest_filter="${filter:-*}" \
      --gtest_output="json:$prefix-$shard.json" >"$prefix-$shard.out" 2>&1 &
    pids+=($!)
  done
  conformance_pids=("${pids[@]}")
  for pid in "${pids[@]}"; do wait "$pid" || status=1; done
  conformance_pids=()
  for ((shard = 0; shard < shards; shard++)); do cat "$prefix-$shard.out"; done
  return $status
}

# Runs the cases on a server, or says why not.
conformance_layer() {
  local server=$1 who=$2 why
  shift 2
  if [[ $server == real ]]; then
    if ! why=$("$controlplane" available ${version:+--version "$version"} 2>&1); then
      not_run "conformance-$server$version-$who" "$why"
      return
    fi
    "$controlplane" build ${version:+--version "$version"}
    prometheus_tools
    if [[ $who == reference ]] && ! why=$("$controlplane" path kube-controller-manager \
      ${version:+--version "$version"} 2>&1); then
      not_run "conformance-$server$version-$who" "$why"
      return
    fi
  fi
  layer "conformance-$server$version-$who" conformance_run "$server" "$who" "$@"
}

cmd_conformance() {
  local servers=() who=ours version='' format='' http='' compare=0 names=() server_flags=()
  while (($#)); do
    case $1 in
      --) server_flags=("${@:2}"); break ;;
      --server) servers=("${2:?--server needs a value}"); shift ;;
      --manager) who=${2:?--manager needs a value}; shift ;;
      --version) version=${2:?--version needs a value}; shift ;;
      --format) format=${2:?--format needs a value}; shift ;;
      --http) http=${2:?--http needs a value}; shift ;;
      --compare) compare=1 ;;
      -*) die "conformance: unknown option $1" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  [[ $who == ours || $who == reference ]] || die "--manager ours or --manager reference"
  # kube-controller-manager and --version run only on the real server.
  if ((${#servers[@]} == 0)); then
    servers=(memory real)
    [[ $who == ours && -z $version && $compare == 0 ]] || servers=(real)
  fi
  setup
  build release conformance_test
  for server in "${servers[@]}"; do conformance_layer "$server" "$who" "${names[@]}"; done
  if ((compare)); then
    conformance_layer real reference
    test/conformance/compare.py "build/logs/conformance-real$version-"{ours,reference} \
      "${version:-1.37}" >docs/compared-with-kube-controller-manager.md
    echo "dev: wrote docs/compared-with-kube-controller-manager.md"
  fi
  verdict
}
