# shellcheck shell=sh disable=SC2154,SC3013  # dash, bash and busybox have -ef
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
# The command does not inherit the locks: descriptor 9, and 8 of packaging/deb/weft.sh.
step() {
  log=$state/log/$1.log title=$2 remedy=$3
  shift 3
  mkdir -p "$state/log"
  started=$(date +%s)
  if [ -n "$erase" ]; then printf '  … %s' "$title" >&2; else say "  $title ..."; fi
  if "$@" >"$log" 2>&1 </dev/null 9>&- 8>&-; then
    printf "$erase  %s %-48s %4d s\n" "$tick" "$title" "$(($(date +%s) - started))" >&2
    return 0
  fi
  printf "$erase  %s %s\n" "$cross" "$title" >&2
  tail -n 8 "$log" | sed 's/^/      /' >&2
  say "    whole log:  $log"
  say "    what to do: $remedy"
  return 1
}

# lock: waits until no other start is setting up. The kernel releases the lock when this shell ends, however it ends,
# since steps run without the descriptor. `clean` removes the file, so a lock counts only while the file is still there.
lock() {
  if ! mkdir -p "$state" 2>/dev/null || [ ! -w "$state" ]; then
    die "cannot write to $state, where weft installs what it needs; copy the checkout to a writable folder"
  fi
  until [ "$state/setup.lock" -ef /proc/self/fd/9 ]; do
    mkdir -p "$state"
    (umask 077 && : >>"$state/setup.lock") # no other user can hold it
    exec 9>>"$state/setup.lock"
    if flock -n 9; then
      continue
    elif [ $? != 1 ]; then
      say "  no locks here (flock failed): do not start another ./weft until this one has finished installing"
      return 0
    fi
    say "  another ./weft is setting up; waiting"
    flock 9
  done
}

unlock() { exec 9>&-; }
