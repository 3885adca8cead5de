# shellcheck shell=bash
#: sim               the whole manager in simulated worlds of faults, each a function of its seed:
#:                   [--seeds N] [--first N] [--coverage: decisions that no world takes],
#:                   or one world with its timeline: --seed N [--faults 0,3] [--no-faults] [--pods N],
#:                   as it was at a commit: [--commit COMMIT]; --go-on: worlds that were not run yet, which
#:                   test/simulation/seeds.tsv keeps

# simulate [--seeds N] [--first N]: worlds, every second one in a process of its own.
simulate() {
  local seeds=100 first=1 status=0 pids=() half
  while (($#)); do
    case $1 in
      --seeds) seeds=${2:?--seeds needs a number} ;;
      --first) first=${2:?--first needs a number} ;;
      *) die "sim: unknown option $1" ;;
    esac
    shift 2
  done
  for half in 0 1; do
    ((seeds > half)) || break
    build/release/bin/simulation --seeds $(((seeds + 1 - half) / 2)) --first $((first + half)) --step 2 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=1; done
  return $status
}

# at_commit COMMIT COMMAND…: ./dev of that commit, in a separate tree.
at_commit() {
  local commit tree
  commit=$(git rev-parse --verify --short=12 "${1%+}^{commit}") || die "no such commit: $1"
  tree=build/commits/$commit
  [[ -d $tree ]] || git worktree add --quiet --detach "$tree" "$commit"
  cd "$tree"
  exec ./dev "${@:2}"
}

cmd_sim() {
  setup
  if [[ " $* " == *" --coverage "* ]]; then
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    exec test/simulation/coverage.py "$@"
  fi
  [[ ${1:-} != --commit ]] || at_commit "${2:?--commit needs a value}" sim "${@:3}"
  build release simulation
  if [[ " $* " == *" --seed "* ]]; then exec build/release/bin/simulation "$@"; fi
  local begin=$SECONDS status=0 log=build/logs/sim.log first=''
  if [[ ${1:-} == --go-on ]]; then
    shift
    first=$(test/simulation/seeds.py next)
  fi
  mkdir -p build/logs
  simulate "$@" ${first:+--first "$first"} | tee "$log" | awk '
    /^\[       OK \]/ { ok++ } /^\[  FAILED  \]/ { failed++ }
    /^\[ / { if ((ok + failed) % 100 == 0) printf "%d worlds, %d failed\n", ok + failed, failed }
    !/^\[ / { print } { fflush() }' || status=1
  local worlds
  worlds=$(grep -c '^\[ ' "$log")
  echo "$worlds worlds, $(grep -c '^\[  FAILED' "$log" || true) failed, in $((SECONDS - begin)) s" \
    "($((worlds * 60 / (SECONDS - begin + 1))) a minute)"
  [[ -z $first ]] || test/simulation/seeds.py record --first "$first" --log "$log"
  return $status
}
