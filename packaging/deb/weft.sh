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

if ! is_current; then
  mkdir -p "$own"
  exec 9>>"$own/lock"
  flock 9
  if ! is_current; then # nobody else made the copy meanwhile
    rm -f "$own/stamp"
    for entry in "$sources"/*; do
      rm -rf "${own:?}/${entry##*/}"
      cp -R "$entry" "$own/" # with new times: programs of an older version are built again
    done
    echo "$stamp" >"$own/stamp"
  fi
  exec 9>&-
fi
exec "$own/weft" "$@"
