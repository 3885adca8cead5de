# shellcheck shell=bash
#: image             a container image, without a container engine, in build/image, from the release build.
#:                   --from-scratch: made in a clean Debian root, as the Dockerfile does; --arch arm64

source dev.d/lib/arm64.sh
source dev.d/lib/commit.sh

# image_root KIND: creates the image's content in build/image/rootfs.
image_root() {
  case $1 in
    from-scratch)
      setup
      debian_root
      [[ -n ${DEBIAN_ROOT:-} ]] || die "no clean Debian root (as root, with Debian's mirror)"
      packaging/image/clean-root "$DEBIAN_ROOT" build/image/rootfs >build/image/log 2>&1 ||
        { tail -n 20 build/image/log >&2; die "full log: build/image/log"; } ;;
    arm64)
      build_arm64
      packaging/inside "$arm64_root" packaging/image/build rootfs "$arm64_manager" build/image/rootfs ;;
    *)
      setup
      build release dra-controller-manager
      packaging/image/build rootfs "$manager" build/image/rootfs ;;
  esac
}

cmd_image() {
  local name=dra-controller-manager version archive here architecture kind=
  here=$(dpkg --print-architecture)
  architecture=$here
  case $* in
    '') ;;
    --from-scratch) kind=from-scratch ;;
    '--arch arm64') architecture=arm64 ;;
    *) die "image takes --from-scratch, --arch arm64 or nothing" ;;
  esac
  [[ $architecture == "$here" ]] || kind=$architecture
  use_time_of_commit
  mkdir -p build/image
  rm -rf build/image/rootfs build/image/log
  image_root "$kind"
  version=$(version_of_project)
  archive=build/image/${name}_${version}_$architecture.tar
  DCM_COMMIT=$(git rev-parse HEAD) packaging/image/oci.py build/image/rootfs "$architecture" "$name:$version" "$archive"
  cp build/image/rootfs/usr/share/sbom/$name.spdx.json "${archive%.tar}.spdx.json"
  echo "$archive"
}
