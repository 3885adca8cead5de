# shellcheck shell=bash
#: mutations [NAME…] puts mistakes into a copy of the manager; reports which world and which order
#:                   finds each. [--seeds N] [--jobs N] [--check]; --allocator [NAME…]: into the
#:                   allocator and CEL, found by the suites of `upstream --allocator`:
#:                   [--worlds N] [--expressions N] [--seed S]

# Mistakes put into a copy of the sources, and whether the tests find each.
cmd_mutations() {
  setup
  if [[ " $* " == *" --check "* ]]; then
    test/allocation/mutations.py --check
    exec test/simulation/mutations.py --check
  fi
  local program=test/simulation/mutations.py copy=build/mutations
  if [[ ${1:-} == --allocator ]]; then
    program=test/allocation/mutations.py copy=build/mutations-allocator
    shift
  fi
  mkdir -p "$copy"
  export CCACHE_BASEDIR=$PWD/$copy CCACHE_NOHASHDIR=1
  exec "$program" "$@"
}
