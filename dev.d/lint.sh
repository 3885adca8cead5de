# shellcheck shell=bash
#: lint              formatting, include table, banned calls, line length of Markdown, generated files,
#:                   clang-tidy

source dev.d/lib/sources.sh

cmd_lint() {
  setup
  mkdir -p build
  local status=0 start=$SECONDS
  sources | xargs clang-format-19 --dry-run -Werror || { echo "dev: run ./dev fmt"; status=1; }
  (cd test/lint && python3 -m unittest -q lint_test dev_test) || status=1
  python3 test/lint/lint.py || status=1
  test/upstream/rows.py || status=1
  test/node/cases.py || status=1
  test/simulation/mutations.py --check || status=1
  # Generated files that no build regenerates.
  local made
  for made in docs/architecture.py docs/reference.py manifests/chart_texts.py manifests/monitoring/generate.py; do
    $made --check || status=1
  done
  configure lint
  cmake build/lint >/dev/null  # sources may have moved between groups: nothing is built here that would update them
  dev.d/lib/tidy.py build/lint "$cache/tidy" || status=1
  ((status == 0)) && echo "lint: passed, $((SECONDS - start)) s" || die "lint failed"
}
