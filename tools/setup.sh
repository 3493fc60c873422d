# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Shared by ./mw and .ci/run: packages, plugin, configure, build. Source it with `root` set.
# Each ensure_* returns within milliseconds if there is nothing to do.

stamps=${root:?}/.cache/stamps
preset=${MW_PRESET:-release}
build=$root/build/$preset

say() { printf 'mw: %s\n' "$*" >&2; }

die() {  # die CAUSE [REMEDY]
  say "$1"
  [[ $# -lt 2 ]] || say "remedy: $2"
  exit 1
}

packages_of() { awk -v group="$1" '$1 == group { for (i = 2; i <= NF; i++) print $i }' "$root/tools/packages.txt"; }

missing_packages() {
  local package
  for package in $(packages_of "$1"); do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# The stamp records that all packages were installed once. The tools are looked up each time, so that a
# checkout that moved to another machine is set up again.
ensure_packages() {  # ensure_packages GROUP TOOL...
  local group=$1 stamp=$stamps/packages.$1 tool
  shift
  local present=yes
  for tool in "$@"; do command -v "$tool" >/dev/null || present=no; done
  if [[ $present == yes && $stamp -nt $root/tools/packages.txt ]]; then return; fi
  if command -v dpkg-query >/dev/null; then
    local missing
    missing=$(missing_packages "$group" | xargs)
    [[ -z $missing ]] || install_packages "$missing"
  elif [[ $present == no ]]; then
    die "needed and not found: one of $*" "install what Debian calls: $(packages_of "$group" | xargs)"
  fi
  mkdir -p "$stamps"
  touch "$stamp"
}

install_packages() {  # install_packages "NAME NAME..."
  local command="apt-get install --no-install-recommends $1" sudo=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || die "missing Debian packages: $1 (neither root nor sudo here)" "as root: $command"
    sudo=(sudo)
  fi
  say "these Debian packages are missing and will be installed: $1"
  confirm || die "nothing was installed" "run it yourself: $command"
  local log=$root/.cache/apt.log quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends)
  mkdir -p "$root/.cache"
  # shellcheck disable=SC2086  # the list is meant to be split
  { "${sudo[@]}" "${quiet[@]}" update && "${sudo[@]}" "${quiet[@]}" install $1; } >"$log" 2>&1 </dev/null || {
    tail -n 15 "$log" >&2
    die "apt-get failed (all of its output: $log)" "check the network and the package sources, or: $command"
  }
}

# Asks only on a terminal.
confirm() {
  [[ -t 0 && -t 2 && -z ${MW_YES:-} && -z ${CI:-} ]] || return 0
  local answer
  read -r -p 'mw: go on? [Y/n] ' answer >&2
  [[ -z $answer || $answer == [yY]* ]]
}

ensure_plugin() {  # ensure_plugin [SET]
  local set=${1:-cpu}
  local plugin=$root/.cache/xla/$set/plugin.so stamp=$stamps/plugin.$set
  if [[ -e $plugin && $stamp -nt $root/tools/xla_pins.txt ]]; then return; fi
  python3 "$root/tools/fetch_xla" "$set" >/dev/null || exit 1
  mkdir -p "$stamps"
  touch "$stamp"
}

# Fetches the plugin that `plan` or `compile` with these arguments needs, if they need one that is pinned.
ensure_plugin_to_compile() {  # ensure_plugin_to_compile ARGUMENT...
  local topology='' is_wanted=yes previous='' argument
  for argument in "$@"; do
    case $previous=$argument in
      --topology=*) topology=$argument ;;
      --compile=0) is_wanted=no ;;
    esac
    case $argument in
      --topology=*) topology=${argument#*=} ;;
      --compile=0 | --plugin | --plugin=* | --help | -h) is_wanted=no ;;
    esac
    previous=$argument
  done
  local kind
  kind=$(sed -nE "s/.*(Tpu|Gpu)\{\"${topology%%:*}\",.*/\1/p" "$root/src/meshwright/runtime/named_topology.cc")
  case $is_wanted,$kind in
    yes,Gpu) [[ -e $root/.cache/xla/cuda/plugin.so ]] || ensure_large_plugin cuda-compiler 140 ;;
    yes,Tpu) ensure_large_plugin tpu 205 ;;
  esac
}

ensure_large_plugin() {  # ensure_large_plugin SET MEGABYTES
  if [[ -e $root/.cache/xla/$1/plugin.so ]]; then return; fi
  say "compiling needs the plugin $1, which is downloaded once ($2 MB)"
  confirm || die 'nothing was downloaded' 'to estimate without compiling: plan ... --compile 0'
  ensure_plugin "$1"
}

# Tests need more packages than the program, so the first build leaves them out. A tree that was
# configured with tests keeps them.
ensure_configured() {  # ensure_configured program|tests
  local stamp=$build/.mw_$1 options=()
  [[ $1 == program && -e $build/.mw_tests ]] && stamp=$build/.mw_tests
  if [[ -e $build/build.ninja && $stamp -nt $root/CMakePresets.json ]]; then return; fi
  [[ $stamp == *program ]] && options=(-DMW_TESTS=OFF -DMW_BENCH=OFF)
  say "configuring build/$preset"
  mkdir -p "$build"
  (cd "$root" && cmake --preset "$preset" "${options[@]}") >"$build/configure.log" 2>&1 || {
    grep -A12 'CMake Error' "$build/configure.log" >&2 || tail -n 20 "$build/configure.log" >&2
    die "configuring failed (all of its output: $build/configure.log)"
  }
  touch "$stamp"
}

# Takes a lock: concurrent builds of one tree would disturb each other.
run_ninja() {  # run_ninja TARGET...
  {
    flock 8
    NINJA_STATUS='[%f/%t] ' ninja -C "$build" "$@" 8>&- | show_progress || die "the build failed (see above)" \
      "if the sources are as they should be: rm -rf build/$preset and try again"
  } 8>"$build/.mw_lock"
}

# Condenses ninja's output: one changing line on a terminal, failures in full.
show_progress() {
  local line started=
  while IFS= read -r line; do
    case $line in
      'ninja: no work'* | 'ninja: Entering'* | '-- '* | '['*'] Re-'*) ;;
      '['*/*']'*)
        if [[ -z $started ]]; then
          started=${line#*/}
          say "building (${started%%]*} steps)"
        fi
        [[ ! -t 2 ]] || printf '\r\e[K%.*s' "${COLUMNS:-80}" "$line" >&2
        ;;
      *)
        [[ -z $started || ! -t 2 ]] || printf '\r\e[K' >&2
        printf '%s\n' "$line" >&2
        ;;
    esac
  done
  [[ -z $started || ! -t 2 ]] || printf '\r\e[K' >&2
}

ensure_program() {
  ensure_packages program g++ cmake ninja python3
  ensure_plugin
  ensure_configured program
  run_ninja meshwright
}
