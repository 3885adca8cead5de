# shellcheck shell=bash
# shellcheck disable=SC2154  # state and binaries: set by the caller
# Starting and stopping one server program of a cluster. Sourced by `controlplane`.
#
# $state/<program>.pid has the process id and the program's path. A recorded id is believed only while that
# process still runs that program with this cluster's folder among its arguments: ids are reused, and we
# must never signal somebody else's process.

# running PROGRAM: sets pid.
running() {
  local recorded current
  [[ -f $state/$1.pid ]] || return 1
  { read -r pid && read -r recorded; } <"$state/$1.pid" || return 1
  current=$(readlink "/proc/$pid/exe") || return 1
  [[ ${current% (deleted)} == "$recorded" ]] && grep -qzF -- "$state/" "/proc/$pid/cmdline" 2>/dev/null
}

# Sockets that listen on TCP port $1 of any address, as inode numbers.
listening_sockets() {
  awk -v port="$(printf ':%04X$' "$1")" '$4 == "0A" && $2 ~ port { print $10 }' \
    /proc/net/tcp /proc/net/tcp6 2>/dev/null || true
}

# A port nobody listens on, below the range the kernel takes for outgoing connections. Another process may
# take it before our server does: launch_program tries again then.
free_port() {
  local port
  while port=$(shuf -i 20000-29999 -n 1) && [[ -n $(listening_sockets "$port") ]]; do :; done
  echo "$port"
}

# listens PORT: whether the process $pid itself does. An answer on the port is no proof: it could come from
# another cluster's server.
listens() {
  local inode
  for inode in $(listening_sockets "$1"); do
    [[ -z $(find "/proc/$pid/fd" -lname "socket:\[$inode\]" -print -quit 2>/dev/null) ]] || return 0
  done
  return 1
}

# The servers outlive us: a session of their own, and none of our open files (a caller that reads our output
# to its end must not wait for them; 9 is the cluster's lock).
spawn() {
  local program=$1
  shift
  printf '%s\0' "$@" >"$state/$program.arguments"
  setsid "$binaries/$program" "$@" >>"$state/$program.log" 2>&1 </dev/null 9>&- &
  child=$!
  printf '%s\n%s\n' "$child" "$(readlink -f "$binaries/$program")" >"$state/$program.pid"
}

fail_with_log() {
  tail -n 20 "$state/$1.log" >&2
  die "$2; its log is $state/$1.log"
}

# Between fork and exec the child is not yet the program.
started_or_gone() { running "$1" || ! kill -0 "$child" 2>/dev/null; }

listening_or_gone() { ! running "$1" || listens "$2"; }

# wait_until_listening PROGRAM PORT: 1 when the port was taken by another; any other failure is final.
wait_until_listening() {
  poll 10 started_or_gone "$1" || fail_with_log "$1" "$1 did not start"
  poll 60 listening_or_gone "$1" "$2" || fail_with_log "$1" "$1 does not listen on port $2"
  running "$1" && return 0
  grep -q 'address already in use' "$state/$1.log" && return 1
  fail_with_log "$1" "$1 ended at its start"
}

# launch_program PROGRAM START: START is a function that picks ports, spawns the program and sets port.
launch_program() {
  local attempt
  for attempt in 1 2 3 4 5; do
    "$2"
    wait_until_listening "$1" "$port" && return 0
    say "a port of $1 was taken meanwhile (attempt $attempt)"
  done
  fail_with_log "$1" "$1 found no free port"
}

not_running() { ! running "$1"; }

# kill_program PROGRAM: without any warning, as when it crashes; returns when it has ended.
kill_program() {
  local pid
  running "$1" || die "$1 does not run"
  kill -KILL "$pid"
  poll 10 not_running "$1" || die "$1 (process $pid) cannot be ended"
  rm -f "$state/$1.pid"
}

# stop_program PROGRAM: returns when it has ended. Nothing to do where it is gone already.
stop_program() {
  local pid
  if running "$1"; then
    kill -TERM "$pid" 2>/dev/null || true
    if ! poll 20 not_running "$1"; then
      say "$1 did not end by itself, it is killed"
      kill -KILL "$pid" 2>/dev/null || true
      poll 10 not_running "$1" || die "$1 (process $pid) cannot be ended"
    fi
  fi
  rm -f "$state/$1.pid"
}
