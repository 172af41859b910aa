# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by ./weft: messages, steps with a log and a duration, and the lock that lets one start at a time set things up.
# The caller sets `state` to the folder that holds logs and lock.

if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then erase='\r\033[K'; else erase=; fi
case ${erase:+tty}${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  tty*UTF-8 | tty*utf8) tick='✔' cross='✘' ;;
  *) tick=ok cross=failed ;;
esac

say() { printf '%s\n' "$*" >&2; }

# die <message> [exit code]
die() {
  say "weft: $1"
  exit "${2:-3}"
}

# step <log name> <title> <what to do if it fails> <command...>: runs the command with its output in a log; false if it failed.
step() {
  log=$state/log/$1.log title=$2 remedy=$3
  shift 3
  mkdir -p "$state/log"
  started=$(date +%s)
  if [ -n "$erase" ]; then printf '  … %s' "$title" >&2; else say "  $title ..."; fi
  if "$@" >"$log" 2>&1 </dev/null; then
    printf "$erase  %s %-48s %4d s\n" "$tick" "$title" "$(($(date +%s) - started))" >&2
    return 0
  fi
  printf "$erase  %s %s\n" "$cross" "$title" >&2
  tail -n 8 "$log" | sed 's/^/      /' >&2
  say "    whole log:  $log"
  say "    what to do: $remedy"
  return 1
}

# is_alive <pid>: also true for another user's process, which must not be signalled.
is_alive() { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ]; }

# lock: waits until no other start is setting up. A lock whose owner is gone, or never signed it, is taken over.
lock() {
  mkdir -p "$state"
  told='' unsigned=0
  until mkdir "$state/lock" 2>/dev/null; do
    owner=$(cat "$state/lock/pid" 2>/dev/null) || owner=
    [ -n "$owner" ] || unsigned=$((unsigned + 1))
    if [ "$unsigned" -gt 5 ] || { [ -n "$owner" ] && ! is_alive "$owner"; }; then
      unsigned=0
      mv "$state/lock" "$state/lock.$$" 2>/dev/null && rm -rf "$state/lock.$$"
      continue
    fi
    [ -n "$told" ] || say "  another ./weft (process ${owner:-unknown}) is setting up; waiting"
    told=yes
    sleep 1
  done
  echo $$ >"$state/lock/pid"
  trap unlock EXIT
  trap 'exit 130' INT HUP TERM
}

unlock() {
  rm -rf "$state/lock"
  trap - EXIT INT HUP TERM
}
