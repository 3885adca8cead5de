# shellcheck shell=bash
# Configures and builds presets of CMakePresets.json.

# CMake refuses build folders of a checkout that was somewhere else; ccache makes new ones quick.
drop_builds_of_former_place() {
  local cache_file folder
  [[ -d build && $(cat build/.place 2>/dev/null) != "$PWD" ]] || return 0
  find build -name CMakeCache.txt | while read -r cache_file; do
    folder=$(dirname "$cache_file")
    ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/$folder" "$cache_file" || continue
    echo "dev: this checkout has moved: recreating $folder"
    rm -rf --one-file-system "$folder"
  done
  echo "$PWD" >build/.place
}

configure() {
  mkdir -p build
  [[ -f build/$1/build.ninja ]] || echo "dev: configuring build/$1"
  [[ -f build/$1/build.ninja ]] || cmake --preset "$1" "-DDCM_LTO_CACHE=$cache/lto" >build/configure.log 2>&1 ||
    { cat build/configure.log >&2; die "configuring failed"; }
}

# show_progress PRESET
show_progress() {
  local is_terminal=0
  [[ ! -t 1 ]] || is_terminal=1
  awk -v terminal="$is_terminal" -v misfits="build/$1/misfits" -f dev.d/lib/progress.awk
}

# build PRESET [TARGET…]
build() {
  local preset=$1 targets=()
  shift
  for target in "$@"; do targets+=(--target "$target"); done
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=time_macros
  configure "$preset"
  local start=$SECONDS
  NINJA_STATUS='[%f/%t %e] ' cmake --build --preset "$preset" "${targets[@]}" | show_progress "$preset"
  ((SECONDS - start < 10)) || echo "dev: building build/$preset took $((SECONDS - start)) s"
}
