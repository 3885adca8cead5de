# shellcheck shell=bash
#: fmt               formats every source, and wraps Markdown

source dev.d/lib/sources.sh

cmd_fmt() {
  setup
  sources | xargs clang-format-19 -i
  git ls-files --cached --others --exclude-standard '*.md' | xargs test/lint/markdown.py
}
