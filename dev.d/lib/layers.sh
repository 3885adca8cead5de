# shellcheck shell=bash
# A layer is a part of the tests with a verdict of one line; the last line has the counts of all layers.

passed=0 failed=0 skipped=0

layer() {
  local name=$1 log status=0 ok bad skip p f s d
  shift
  mkdir -p build/logs
  log=build/logs/$name.log
  local start=$SECONDS
  "$@" >"$log" 2>&1 || status=$?
  # ctest shows what a failed test printed, GoogleTest's own verdict among it.
  if grep -q '^Test project ' "$log"; then
    ok='[0-9]+/[0-9]+ Test .*   Passed ' bad='[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Exception|Timeout)'
    skip='[0-9]+/[0-9]+ Test .*\*\*\*Skipped'
  else
    ok='^\[       OK \]' bad='^\[  FAILED  \] .*\([0-9]+ ms\)$' skip='^\[  SKIPPED \] .*\([0-9]+ ms\)$'
  fi
  p=$(grep -cE "$ok" "$log" || true)
  f=$(grep -cE "$bad" "$log" || true)
  s=$(grep -cE "$skip" "$log" || true)
  # Cases may declare that kube-controller-manager differs.
  d=$(grep -c '^\[  DIFFERS \]' "$log" || true)
  f=$((f - d))
  # A run that died before it named a failed test counts as one failure.
  ((status == 0 || f > 0)) || f=1
  ((p + f + s > 0)) || f=1
  printf '%-28s %5d passed, %d failed, %d skipped%s, %d s\n' "$name" "$p" "$f" "$s" \
    "$( ((d == 0)) || echo ", $d differ as described")" $((SECONDS - start))
  ((f == 0)) || { show_failures "$log"; echo "dev: full log: $log"; }
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# A log's lines about failed cases, from GoogleTest's "RUN" or the verdict before to its "FAILED", up to 40 lines of
# each; its end if it has none.
show_failures() {
  awk '/^\[ RUN      \]/ { block = ""; lines = 0 }
       /^\[       OK \]/ { block = ""; lines = 0; next }
       lines++ < 40 || /^(---|\[  FAILED  \])/ { block = block $0 "\n" }
       /^\[  FAILED  \] .*ms\)$/ { printf "%s", block; found = 1; block = ""; lines = 0 }
       END { exit !found }' "$1" || tail -n 60 "$1"
}

# not_run NAME WHY
not_run() {
  echo "$1: not run: $2"
  skipped=$((skipped + 1))
}

# need_controlplane: builds the real control plane if it is missing; exits with the reason if this machine cannot.
need_controlplane() {
  "$controlplane" available || exit
  "$controlplane" build
}

# controlplane_layer NAME COMMAND…: a layer on the real control plane, or the reason why it is not run.
controlplane_layer() {
  local why
  if ! why=$("$controlplane" available 2>&1); then
    not_run "$1" "$why"
    return
  fi
  "$controlplane" build
  layer "$@"
}

# Ends a command of tests: with the counts of its layers, and 1 if a case has failed.
verdict() {
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}
