# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ./mw test: build the selected tests and run them. Sourced by mw after setup.sh.

# From setup.sh.
: "${root:?}" "${build:?}" "${preset:?}"

labels_known='unit device golden e2e peer aot long'
labels_default='unit device golden e2e peer aot'

# Prints the rows of tests.txt (cmake/Tests.cmake) with one of the labels and, if patterns are given, a
# name that matches one of them.
select_tests() {  # select_tests "LABEL..." "REGEX..."
  awk -v labels=" $1 " -v patterns="$2" '
    BEGIN { n = split(patterns, pattern, " ") }
    index(labels, " " $2 " ") {
      hit = (n == 0)
      for (i = 1; i <= n; i++) if ($1 ~ pattern[i]) hit = 1
      if (hit) print
    }' "$build/tests.txt"
}

prepare_tests() {
  ensure_packages program g++ cmake ninja python3
  ensure_packages test git
  ensure_plugin
  ensure_configured tests
  run_ninja build.ninja  # there may be new files and tests
}

run_tests() {
  local labels='' patterns='' word
  for word in "$@"; do
    [[ $word != -* ]] || die "test: unknown option '$word'" './mw test [LABEL|REGEX...]'
    if [[ " $labels_known " == *" $word "* ]]; then labels+=" $word"; else patterns+=" $word"; fi
  done
  [[ -n $labels ]] || labels=$labels_default
  prepare_tests
  local selected
  selected=$(select_tests "$labels" "$patterns")
  [[ -n $selected || " $labels " == *' long '* ]] || die "no test with one of the labels${labels} matches '${patterns# }'" \
    "ctest --test-dir build/$preset -N lists them all"
  local peers
  peers=$(awk '$4 != "-" { print $4 }' <<<"$selected" | sort -u)
  [[ -z $peers ]] || ensure_packages peer python3
  ensure_peers "$peers" &  # mostly downloads, in parallel with the compiler
  build_tests "$selected"
  wait
  local failed=0
  run_ctest "$(awk '{ print $1 }' <<<"$selected")" || failed=1
  if [[ " $labels " == *' long '* && -z $patterns ]]; then lint_everything || failed=1; fi
  return $failed
}

build_tests() {
  local targets
  targets=$(awk '{ print $3 }' <<<"$1" | tr ',' '\n' | sed '/^-$/d' | sort -u | xargs)
  # shellcheck disable=SC2086  # a list of targets
  [[ -z $targets ]] || run_ninja $targets
}

# A peer that cannot be set up is not fatal: its tests report themselves as skipped, which fails CI.
ensure_peers() {
  local peer
  for peer in $1; do
    case $peer in
      headers)  # no environment: the official C headers
        thrice "$root/tools/fetch_xla" headers >/dev/null || say "no official headers: their tests will be skipped"
        ;;
      *)
        thrice "$root/tools/peers/setup" "$peer" >/dev/null || say "no Python environment '$peer': its tests will be skipped"
        ;;
    esac
  done
}

thrice() {  # thrice COMMAND...: package indexes are sometimes unreachable
  "$@" || { sleep 5; "$@"; } || { sleep 20; "$@"; }
}

run_ctest() {  # run_ctest "NAME..."
  local names options=(--test-output-size-passed 1000000 --test-output-size-failed 1000000)
  [[ -n $1 ]] || return 0
  names=$(tr '\n' '|' <<<"$1")
  rm -f "$build/junit.xml"
  # The summary replaces ctest's output and reads its verdict from the report.
  ctest --test-dir "$build" -R "^(${names%|})\$" -j "$(nproc)" "${options[@]}" \
    --output-junit "$build/junit.xml" >"$build/ctest.log" 2>&1 || true
  local allowed=()
  [[ ${CI:-} != true ]] || allowed=(--allowed-skips "$root/tools/allowed_skips.txt")
  python3 "$root/tools/ctest_summary" "${allowed[@]}" "$build"
}

# clang-tidy needs the command of each source, which a unity build does not have.
prepare_lint() {
  local preset=lint build=$root/build/lint
  ensure_packages lint clang-tidy clang-format shellcheck
  prepare_tests
  run_ninja git_commit
}

lint_everything() {
  prepare_lint
  "$root/tools/lint" --all
}
