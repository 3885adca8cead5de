# shellcheck shell=bash
# What a release takes from its commit.

version_of_project() { sed -n 's/^project(.* VERSION \([^ ]*\).*/\1/p' CMakeLists.txt; }

# Times are the commit's, so that the same commit and packages give the same image and package.
use_time_of_commit() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
  export SOURCE_DATE_EPOCH
}
