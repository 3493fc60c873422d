# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ./mw docs: build the documentation site of mkdocs.yml, or serve it. Sourced by mw after setup.sh.

run_docs() {  # run_docs [--serve [PORT]]
  case ${1:-} in
    '') build_docs ;;
    --serve) serve_docs "${2:-8000}" ;;
    *) die "docs: unknown argument '$1'" './mw docs [--serve [PORT]]' ;;
  esac
}

# Not --quiet: that hides warnings from --strict.
build_docs() {
  mkdocs build --strict 2>&1 | sed '/^INFO /d' >&2 || die 'the documentation has errors (see above)'
  say "built ${root:?}/build/docs/index.html; to search, ./mw docs --serve"
}

serve_docs() {  # serve_docs PORT
  say "serving at http://127.0.0.1:$1 until Ctrl-C; pages reload when they change"
  mkdocs serve --quiet --livereload --dev-addr "127.0.0.1:$1"
}

mkdocs() {
  ensure_packages peer python3
  "$root/tools/peers/setup" docs >/dev/null || exit 1
  (cd "$root" && NO_MKDOCS_2_WARNING=1 "$root/tools/peers/python" docs -m mkdocs "$@")
}
