# What the scripts share: messages, quiet steps, building a preset. Sourced, not run; the caller has set -euo pipefail.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NAME=$(basename "$0")
LOGS="$ROOT/build/log"
JOBS=$(nproc 2>/dev/null || echo 2)

# The scripts never ask; neither may what they start.
export GIT_TERMINAL_PROMPT=0

say() {
  printf '%s: %s\n' "$NAME" "$*" >&2
}

die() {
  say "$*"
  exit 1
}

# For a command line that makes no sense.
misuse() {
  say "$*"
  exit 2
}

# quietly LOG COMMAND...: runs the command with its output in build/log/LOG, which is shown only if it fails.
quietly() {
  local log="$LOGS/$1"
  shift
  mkdir -p "$LOGS"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    say "failed: $*"
    say "the whole output is in $log"
    return 1
  fi
}

# build PRESET TARGET...: configures and builds; all targets where none is named.
build() {
  local preset=$1
  shift
  local -a targets=()
  if (($# > 0)); then
    targets=(--target "$@")
  fi
  say "building $preset${*:+ ($*)}"
  (cd "$ROOT" && quietly "configure-$preset.log" cmake --preset "$preset") || return 1
  (cd "$ROOT" && quietly "build-$preset.log" cmake --build --preset "$preset" -j "$JOBS" ${targets[@]+"${targets[@]}"})
}
