# Shows ninja's steps as one line that counts, with the time that is left, and what compilers say as it is.
# Variables: terminal (1: the line is rewritten in place), misfits (a file: functions that the profile no longer fits,
# which test/manifests/profile_test.py counts).
function left(seconds) { return seconds < 90 ? int(seconds) " s" : int(seconds / 60 + 0.5) " min" }
/^\[[0-9]+\/[0-9]+ [0-9.]+\]/ {
  split(substr($1, 2), steps, "/")
  share = int(10 * steps[1] / steps[2])
  line = sprintf("dev: built %d of %d, about %s left", steps[1], steps[2],
                 left(($2 + 0) / steps[1] * (steps[2] - steps[1])))
  if (terminal) { printf "\r\033[K%s", line; shown = 1 }
  else if (share > last && steps[2] > 20) { print line }
  last = share; fflush(); next
}
/^ninja: / { next }
/\(hash mismatch\) .*\[-Wbackend-plugin\]$/ { print >>misfits; next }
/^[0-9]+ warnings? generated\.$/ { next }
{ if (shown) { printf "\r\033[K"; shown = 0 } print; fflush() }
END { if (shown) printf "\r\033[K" }
