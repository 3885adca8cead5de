# shellcheck shell=bash
# The C++ files of the project.

sources() { git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp'; }
