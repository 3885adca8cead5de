# shellcheck shell=bash
# shellcheck disable=SC2034  # the exit codes are for the other parts
# Common functions of `controlplane`: messages, exit codes, polling. Sourced, never run.
#
# Standard output carries results only (paths, export lines), so that a caller can read it; all that is
# said to people goes to standard error.

readonly exit_usage=2        # wrong arguments
readonly exit_unavailable=3  # this machine cannot run a control plane, or lacks that binary: callers skip

say() { printf 'controlplane: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

unavailable() {
  say "$*"
  exit "$exit_unavailable"
}

usage_error() {
  say "$* (see: controlplane help)"
  exit "$exit_usage"
}

# poll SECONDS COMMAND...: runs the command ten times a second until it succeeds; 1 when the time is over.
poll() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}
