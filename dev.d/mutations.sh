# shellcheck shell=bash
#: mutations [NAME…] puts mistakes into a copy of the manager; reports which world and which order
#:                   finds each. [--seeds N] [--jobs N] [--check]

# Mistakes put into a copy of the manager, and whether the simulation finds each.
cmd_mutations() {
  setup
  mkdir -p build/mutations
  export CCACHE_BASEDIR=$PWD/build/mutations CCACHE_NOHASHDIR=1
  exec test/simulation/mutations.py "$@"
}
