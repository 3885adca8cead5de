# shellcheck shell=bash
#: package           a Debian package with a systemd unit, in build/package. --arch arm64; --kit: dcm-kit-dev,
#:                   the kit for controllers and drivers of other projects, with the reference of its headers

source dev.d/lib/arm64.sh
source dev.d/lib/commit.sh

cmd_package() {
  [[ $# == 0 || $* == '--arch arm64' || $* == --kit ]] || die "package takes --arch arm64, --kit or nothing"
  use_time_of_commit
  mkdir -p build/package
  if [[ $* == --kit ]]; then
    setup doxygen
    build release kit
    packaging/kit-package build/release build/package
    return
  fi
  if [[ ${2:-$(dpkg --print-architecture)} == "$(dpkg --print-architecture)" ]]; then
    setup
    build release dra-controller-manager
    packaging/package "$manager" build/package
  else
    build_arm64
    packaging/inside "$arm64_root" packaging/package "$arm64_manager" build/package
  fi
}
