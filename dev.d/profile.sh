# shellcheck shell=bash
#: profile           profiles the manager in the benchmarks, for the optimisation of release builds; writes
#:                   packaging/manager.profdata

# profile_part FLAG…: a benchmark with the manager of the build `profile`; its figures are
# meaningless.
profile_part() {
  LLVM_PROFILE_FILE=$PWD/build/profile/counted/%p.profraw build/release/bin/"$1" "${@:2}" --no-reference \
    --before=build/profile/bin/dra-controller-manager >>build/logs/profile.log
}

# Profiles typical work of a manager on a real control plane, for optimised release builds.
cmd_profile() {
  setup
  need_controlplane
  build release dra-controller-manager bench_claims bench_evict
  build profile dra-controller-manager
  rm -rf build/profile/counted build/release/misfits
  mkdir -p build/profile/counted build/logs
  echo "dev: profiling the manager for about five minutes"
  profile_part bench_claims waiting
  profile_part bench_claims known --pods=5000
  profile_part bench_claims finished
  profile_part bench_evict
  llvm-profdata-19 merge --sparse -o packaging/manager.profdata build/profile/counted/*.profraw
  echo "dev: wrote packaging/manager.profdata"
}
