# shellcheck shell=bash
#: fuzz [NAME]       lists the fuzz targets, or builds and runs one: [--time 10m], or FILE… to replay;
#:                   --minutes N: all targets, N minutes each; --go-on [N]: for N minutes (30) those that
#:                   test/fuzz/runs.tsv says were run least, one on each core

fuzz_targets() { sed -n 's/^dcm_add_fuzz_target(\([a-z0-9_]*\).*/\1/p' test/fuzz/CMakeLists.txt; }

# seconds_of 90, 90s, 10m or 1h
seconds_of() {
  case $1 in
    *[!0-9smh]* | '' | [smh]*) die "a time like 90, 90s, 10m or 1h, not \"$1\"" ;;
    *s) echo "${1%s}" ;;
    *m) echo $((${1%m} * 60)) ;;
    *h) echo $((${1%h} * 3600)) ;;
    *) echo "$1" ;;
  esac
}

# fuzz_run NAME SECONDS
fuzz_run() {
  local inputs=$cache/fuzz/$1 flags dictionary
  # libFuzzer's own finds stay out of the sources; copy useful ones by hand.
  mkdir -p "$inputs" build/fuzz/findings
  flags=(-max_total_time="$2" -timeout=20 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1)
  case $1 in
    documents | lists | watch_frames) dictionary=test/fuzz/dictionaries/objects.dict ;;
    *) dictionary=test/fuzz/dictionaries/$1.dict ;;
  esac
  [[ ! -e $dictionary ]] || flags+=(-dict="$dictionary")
  "build/fuzz/bin/fuzz_$1" "${flags[@]}" -artifact_prefix="build/fuzz/findings/$1-" \
    "$inputs" "test/fuzz/corpus/$1"
}

# As fuzz_run, with a one-line verdict, which also goes to runs.tsv.
fuzz_one() {
  local log=build/logs/fuzz-$1.log verdict='no finding' inputs status=0
  fuzz_run "$1" "$2" >"$log" 2>&1 || { status=1 verdict="FAILED, see $log"; }
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$1: ${inputs:-?} inputs, $verdict"
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" $(($2 / 60)) "${inputs:-?}" "$commit" "$(date +%F)" \
    "${verdict%%,*}" >>test/fuzz/runs.tsv
  return $status
}

# The targets that were run least, one for each core.
fuzz_least() {
  fuzz_targets | awk 'NR == FNR { minutes[$1] += $2; next } { print minutes[$1] + 0, $1 }' test/fuzz/runs.tsv - |
    sort -ns | head -n "$(nproc)" | cut -d ' ' -f 2
}

# fuzz_each MINUTES NAME…: as many targets at a time as there are cores. Runs all of them even if one
# fails: findings are in build/fuzz/findings.
fuzz_each() {
  local minutes=$1 commit
  shift
  build fuzz "${@/#/fuzz_}"
  mkdir -p build/logs
  commit=$(git rev-parse --short=12 HEAD)
  git diff --quiet HEAD -- . ':!test/fuzz/runs.tsv' || commit+=+
  export cache commit
  export -f fuzz_run fuzz_one
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c "fuzz_one {} $((minutes * 60))"
}

cmd_fuzz() {
  (($#)) || { fuzz_targets; return; }
  if [[ $1 == --minutes || $1 == --go-on ]]; then
    local minutes=${2:-} choose=fuzz_targets targets
    [[ $1 == --minutes ]] || minutes=${2:-30} choose=fuzz_least
    [[ $minutes =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number"
    setup
    mapfile -t targets < <("$choose")
    fuzz_each "$minutes" "${targets[@]}"
    return
  fi
  local name=$1 seconds=600 files=()
  shift
  fuzz_targets | grep -qx "$name" || unknown "fuzz target" "$name" $(fuzz_targets)
  while (($#)); do
    case $1 in
      --time) seconds=$(seconds_of "${2:?--time needs a value}"); shift ;;
      -*) die "fuzz: unknown option $1" ;;
      *) files+=("$1") ;;
    esac
    shift
  done
  setup
  build fuzz "fuzz_$name"
  if ((${#files[@]})); then exec "build/fuzz/bin/fuzz_$name" "${files[@]}"; fi
  fuzz_run "$name" "$seconds"
}
