# shellcheck shell=bash
#: soak              the manager through a churn of pods and faults; ends with a verdict on its memory:
#:                   [--minutes 30] [--rate 10] [--fault-every 100] [--picture FILE] [--name NAME]

cmd_soak() {
  setup
  build release dra-controller-manager dra-playground
  exec test/soak/soak.py "$@" "$manager" "$playground" build/soak
}
