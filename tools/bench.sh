# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ./mw bench: bench/NAME.py (run by the Python of a peer, named in its line `# peer: ENV`) or, without
# one, the program bench_NAME (mw_bench). Sourced by mw after setup.sh.

list_benches() {
  local file
  for file in "${root:?}"/bench/*.{py,cc}; do
    [[ ! -e $file ]] || basename "${file%.*}"
  done | sort -u
}

run_bench() {
  [[ $# -gt 0 ]] || { list_benches; return; }
  local name=$1 script=$root/bench/$1.py
  shift
  list_benches | grep -qx -- "$name" || die "there is no bench '$name'" './mw bench lists them'
  ensure_program
  source "$root/tools/test.sh"
  prepare_tests
  [[ ! -e $root/bench/$name.cc ]] || run_ninja "bench_$name"
  [[ -e $script ]] || exec "$build/bin/bench_$name" "$@"
  local peer
  peer=$(sed -n 's/^# peer: *//p' "$script" | head -n 1)
  ensure_packages peer python3
  "$root/tools/peers/setup" "${peer:-jax}" >/dev/null || exit 1
  exec "$root/tools/peers/python" "${peer:-jax}" "$script" "$@"
}
