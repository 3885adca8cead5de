# shellcheck shell=bash
#: explore [NAME…]   every order of messages in small worlds: [--deviations N] (2: how often an order may
#:                   leave the usual one); --order 0,2,1: one of them, with its timeline

cmd_explore() {
  setup
  build release explore
  exec build/release/bin/explore "$@"
}
