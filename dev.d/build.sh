# shellcheck shell=bash
#: build             installs what is missing and builds the release:
#:                   build/release/bin/dra-controller-manager and dra-playground

cmd_build() {
  setup
  build release
  echo "dev: built $manager and $playground"
}
