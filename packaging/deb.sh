# shellcheck shell=bash
# shellcheck disable=SC2154  # root, output, name, version: set by the caller
# What both packages share: files placed in $tree, and a package of it that is the same byte for byte for the same
# files and commit. Sourced by `package` and `kit-package`.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
architecture=$(dpkg --print-architecture)
umask 022
mkdir -p "$tree"

# place MODE PATH: standard input becomes that file.
place() {
  mkdir -p "$(dirname "$tree/$2")"
  cat >"$tree/$2"
  chmod "$1" "$tree/$2"
}

# In KiB, by Debian's rule, which does not depend on the file system that it is on here.
installed_size() {
  find "$tree" -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }'
}

# place_control DEPENDS SECTION, with the description as standard input
place_control() {
  local description
  description=$(cat)
  place 644 DEBIAN/control <<EOF
Package: $name
Version: $version
Architecture: $architecture
Maintainer: The dra-controller-manager maintainers <maintainers@dra-controller-manager.invalid>
Installed-Size: $(installed_size)
Depends: $1
Section: $2
Priority: optional
Description: $description
EOF
}

# Times are the commit's, owners root's. Prints the package's path.
build_package() {
  (cd "$tree" && find . -path ./DEBIAN -prune -o -path ./etc -prune -o -type f -printf '%P\0' | sort -z |
    xargs -0 md5sum) | place 644 DEBIAN/md5sums
  find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  local package=$output/${name}_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
  echo "$package"
}
