# shellcheck shell=bash
# Installs packages, and the programs that only some commands need.

readonly packages=(
  build-essential git ca-certificates python3 python3-yaml cmake ninja-build pkg-config ccache mold openssl curl
  clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19 lld-19
  libgtest-dev libgmock-dev libmimalloc-dev)

# setup [PACKAGE…]: installs missing packages, including packages for this command. Quick if none is missing.
setup() {
  local missing=() installed libraries wanted
  mapfile -t libraries < <(grep -v '^#' packaging/libraries)
  wanted=("${packages[@]}" "${libraries[@]}" "$@")
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
    awk '$2 == "installed" { print $1 }' || true)
  for package in "${wanted[@]}"; do
    grep -qx "$package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || die "needs Debian 12 (no apt-get here)"
  local as_root=()
  [[ $EUID == 0 ]] || as_root=(sudo)
  echo "dev: installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -qy --no-install-recommends \
    "${missing[@]}"
}

# unpack FOLDER PACKAGE…: unpacks Debian packages without installing them; FOLDER/log has the errors.
unpack() {
  mkdir -p "$1"
  (cd "$1" && apt-get download -qq "${@:2}" &&
    for package in *.deb; do dpkg-deb -x "$package" .; done && rm ./*.deb) 2>"$1/log"
}

# Prometheus and promtool for tests, unpacked from Debian's package: installed, it would start a server.
prometheus_tools() {
  local folder=$cache/prometheus
  export PROMETHEUS_DIR=$folder/usr/bin
  [[ -x $PROMETHEUS_DIR/promtool ]] || unpack "$folder" prometheus ||
    echo "dev: Prometheus is not available: $(tail -n 1 "$folder/log")"
}

# Helm for tests, built from its Go module.
helm_tool() {
  local version=3.21.4
  [[ -z ${HELM:-} ]] || return 0
  HELM=$cache/helm/$version/helm
  if [[ ! -x $HELM ]] && command -v go >/dev/null; then
    echo "dev: building Helm $version"
    GOBIN=$cache/helm/$version go install "helm.sh/helm/v3/cmd/helm@v$version" 2>"$cache/helm.log" ||
      echo "dev: Helm is not available: $(tail -n 1 "$cache/helm.log")"
  fi
  [[ ! -x $HELM ]] || export HELM
}

# Programs that read images, for tests: unpacked from Debian's packages, with two libraries that they need.
image_tools() {
  local folder=$cache/image-tools
  [[ -x $folder/usr/bin/umoci ]] || unpack "$folder" skopeo umoci libgpgme11 libassuan0 ||
    echo "dev: skopeo and umoci are not available: $(tail -n 1 "$folder/log")"
  [[ ! -x $folder/usr/bin/umoci ]] || export IMAGE_TOOLS=$folder
}

# debian_root [ARCHITECTURE]: a clean Debian for tests of the package and the image, as an archive; needs root
# and Debian's mirror.
debian_root() {
  local archive=$cache/debian-root-bookworm${1:+-$1}.tar work
  if [[ ! -f $archive && $EUID == 0 ]]; then
    echo "dev: making a clean Debian root${1:+ of $1}"
    work=$(mktemp -d)
    (cd "$work" && apt-get download -qq debootstrap && dpkg-deb -x debootstrap_*.deb tools &&
      DEBOOTSTRAP_DIR=$work/tools/usr/share/debootstrap tools/usr/sbin/debootstrap ${1:+"--arch=$1"} --variant=minbase bookworm root &&
      tar -C root --exclude='./dev/*' -cf "$archive.new" . && mv "$archive.new" "$archive") >"$cache/debootstrap.log" 2>&1 ||
      echo "dev: a clean Debian root is not available: $(tail -n 1 "$cache/debootstrap.log")"
    rm -rf --one-file-system "$work"
  fi
  [[ ! -f $archive ]] || export DEBIAN_ROOT=$archive
}
