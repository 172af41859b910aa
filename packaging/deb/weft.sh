#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command `weft` of the Debian package weft-lab. The lab compiles programs beside its sources, so each user gets a copy of them.
#
# The copy, Python packages and programs lie in $XDG_DATA_HOME/weft (else ~/.local/share/weft); results in results/ of the current folder.
set -eu

sources=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")/share/weft
case ${1---help} in --version | --help | -h | help) exec "$sources/weft" "$@" ;; esac # these write nothing
own=${XDG_DATA_HOME:-${HOME:?weft: neither HOME nor XDG_DATA_HOME is set}/.local/share}/weft
stamp=$(find "$sources/" -type f -printf '%P %s %T@\n' | sort | cksum)

is_current() { [ "$(cat "$own/stamp" 2>/dev/null)" = "$stamp" ]; }

die() {
  echo "weft: $1" >&2
  exit 3
}

# locked <arguments of flock>: false only if another process holds the lock; some file systems have no locks.
locked() { flock "$@" 2>/dev/null || [ $? != 1 ]; }

if is_current && [ ! -w "$own/weft-use.lock" ]; then exec "$own/weft" "$@"; fi # nobody can replace it

# What is replaced below must be a copy of ours, and no folder of the user or of another program. The first start leaves the locks as a mark.
content=$(ls -A "$own" 2>/dev/null || :) # before the mark is asked for, which another start may be making
if [ -n "$content" ] && [ ! -f "$own/weft-copy.lock" ]; then
  die "$own is not empty and no copy that weft made; move it away, or name another folder: XDG_DATA_HOME=..."
fi
mkdir -p "$own"
exec 9<>"$own/weft-copy.lock" 8<>"$own/weft-use.lock"
locked 9
if ! is_current; then
  locked -n 8 || die "another weft of yours still runs from the sources in $own, which are those of another version; wait until it has ended"
  rm -f "$own/stamp"
  for entry in "$sources"/*; do
    rm -rf "${own:?}/${entry##*/}"
    cp -R "$entry" "$own/" # with new times: programs of an older version are built again
  done
  echo "$stamp" >"$own/stamp"
fi
locked -s 8 # until this weft ends
exec 9>&-
exec "$own/weft" "$@"
