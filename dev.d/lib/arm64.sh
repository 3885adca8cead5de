# shellcheck shell=bash
# The manager for arm64, compiled on amd64.

arm64_root=$cache/arm64-root
arm64_manager=build/arm64/bin/dra-controller-manager

# The kernel starts programs of arm64 by qemu. Where systemd runs, Debian's package has configured that.
emulate_arm64() {
  local kernel=/proc/sys/fs/binfmt_misc
  [[ -e $kernel/register ]] || mount -t binfmt_misc binfmt_misc "$kernel" || return
  [[ -e $kernel/qemu-aarch64 ]] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$kernel/register"
}

# The manager for arm64, compiled here with the libraries of a Debian of arm64, which packs it afterwards.
build_arm64() {
  local log=build/logs/arm64.log
  [[ $EUID == 0 ]] || die "for arm64 on another machine it needs root (debootstrap, chroot)"
  setup qemu-user-static
  emulate_arm64 || die "cannot configure this machine's kernel to start arm64 programs (binfmt_misc)"
  mkdir -p build/logs
  if [[ ! -d $arm64_root ]]; then
    debian_root arm64
    [[ -n ${DEBIAN_ROOT:-} ]] || die "no Debian of arm64"
    rm -rf --one-file-system "$arm64_root.new"
    mkdir "$arm64_root.new"
    tar -C "$arm64_root.new" -xf "$DEBIAN_ROOT"
    sed -i '/ bookworm main/{p;s,/debian ,/debian-security ,;s/bookworm/&-security/}' "$arm64_root.new/etc/apt/sources.list"
    mv "$arm64_root.new" "$arm64_root"
  fi
  { packaging/inside "$arm64_root" packaging/image/build packages sysroot &&
    packaging/image/build compile . build/arm64 "$arm64_root"; } >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; die "full log: $log"; }
  export ARM64_ROOT=$arm64_root
}
