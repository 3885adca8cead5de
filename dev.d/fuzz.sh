# shellcheck shell=bash
#: fuzz [NAME]       lists the fuzz targets, or builds and runs one: [--time 10m], or FILE… to replay;
#:                   --minutes N: all targets, N minutes each

fuzz_targets() { sed -n 's/^dcm_add_fuzz_target(\([a-z0-9_]*\) .*/\1/p' test/fuzz/CMakeLists.txt; }

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

# As fuzz_run, with a one-line verdict.
fuzz_one_of_all() {
  local log=build/logs/fuzz-$1.log
  if fuzz_run "$1" "$2" >"$log" 2>&1; then
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, no finding"
  else
    echo "$1: FAILED, see $log"
    return 1
  fi
}

# As many targets at a time as there are cores. Runs all of them even if one fails: findings are in
# build/fuzz/findings.
fuzz_all() {
  local name
  for name in $(fuzz_targets); do build fuzz "fuzz_$name"; done
  mkdir -p build/logs
  export cache
  export -f fuzz_run fuzz_one_of_all
  fuzz_targets | xargs -P "$(nproc)" -I{} bash -c "fuzz_one_of_all {} $(($1 * 60))"
}

cmd_fuzz() {
  (($#)) || { fuzz_targets; return; }
  if [[ $1 == --minutes ]]; then
    [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "--minutes needs a number"
    setup
    fuzz_all "$2"
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
