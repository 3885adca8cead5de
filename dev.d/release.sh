# shellcheck shell=bash
#: release           all files of a release page, in build/dist: images, packages, chart,
#:                   manifests, SBOM, notes, checksums. --key PEM signs them; --links URL: where the files of
#:                   the tag can be read, for links in notes and pages; --arch amd64: that one only

source dev.d/lib/commit.sh
source dev.d/package.sh
source dev.d/image.sh

# One architecture's part of a release.
release_parts() {
  local flags=()
  [[ $1 == "$(dpkg --print-architecture)" ]] || flags=(--arch "$1")
  cmd_package "${flags[@]}"
  cmd_image "${flags[@]}"
}

cmd_release() {
  local architectures=(amd64 arm64) key=() links=() parts=() architecture version name=dra-controller-manager
  while (($#)); do
    case $1 in
      --key) key=(--key "$(realpath -s "${2:?--key needs a file}")"); shift ;;
      --links) links=(--links "${2:?--links needs an address}"); shift ;;
      --arch) architectures=("${2:?--arch needs a name}"); shift ;;
      *) die "release takes --key PEM, --links URL and --arch NAME" ;;
    esac
    shift
  done
  [[ -z $(git status --porcelain --untracked-files=no) ]] || die "release: commit your changes first"
  use_time_of_commit
  version=$(version_of_project)
  packaging/release.py "$version" --check "${key[@]}"
  for architecture in "${architectures[@]}"; do
    release_parts "$architecture"
    parts+=(--package "build/package/${name}_${version}_$architecture.deb"
      --image "build/image/${name}_${version}_$architecture.tar")
  done
  packaging/release.py "$version" build/dist "${key[@]}" "${links[@]}" "${parts[@]}"
  (cd build/dist && sha256sum -- *)
}
