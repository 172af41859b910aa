# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by ./weft after steps.sh: the verbs that need no Python package, and the questions that Python alone answers.
# The caller sets `here` to the checkout, `state` to its .weft, and `commands` to the folder of the lab's verbs.

version() { sed -n 's/^__version__ = "\(.*\)"/weft \1/p' "$here/python/weft_lab/__init__.py"; }

# The verbs are the files of the lab's commands folder; the first line of each one's docstring says what it does.
help() {
  echo "usage: ./weft VERB [options]     (./weft VERB --help says more)"
  echo
  for file in "$commands"/[a-z]*.py; do
    verb=${file##*/}
    # shellcheck disable=SC2016  # Markdown's backquotes
    printf '  %-10s %s\n' "${verb%.py}" "$(sed -n '/^"""/{s/^"""\(`weft [a-z]*`: \)*\([^"]*\).*/\2/p;q;}' "$file")"
  done
  echo "  setup      Installs what the lab needs and measures nothing; --from FILE: from a bundle, without a network."
  echo "  bundle     Packs sources and packages into one file for machines without a network: ./weft bundle FILE"
  echo "  clean      Removes what was built and installed here (build/, .weft/); --results: the results too."
  echo
  echo "  ./weft --version, doctor, list and VERB --help install nothing."
}

clean() {
  results=
  for option in "$@"; do
    case $option in
      --results) results=$here/results ;;
      --help) help; exit 0 ;;
      *) die "clean: unknown option $option; it knows --results" 2 ;;
    esac
  done
  [ -f "$here/packaging/python/report.lock" ] || die "$here is no weft checkout; nothing removed"
  if [ -d "$state" ]; then lock; fi
  for folder in "$here/build" "$state" ${results:+"$results"}; do
    [ -e "$folder" ] || continue
    rm -rf -- "$folder"
    say "  removed $folder"
  done
}

# ---- questions ----

# is_question <verb> <arguments...>: true if the answer needs no package of the lab; what follows `--` is a program of the user.
is_question() {
  case $1 in doctor | list) return 0 ;; esac
  for argument in "$@"; do
    case $argument in --help) return 0 ;; --) return 1 ;; esac
  done
  return 1
}

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# answer <verb> <arguments...>: by Python alone. Ends the process.
answer() {
  python=$(find_python is_recent) || die "no Python 3.11 or newer. Install one (Debian: python3), or name it: WEFT_PYTHON=/path/to/python3 ./weft ..."
  exec env -u PYTHONHOME PYTHONPATH="$here/python" PYTHONDONTWRITEBYTECODE=1 "$python" -P -m weft_lab.bare "$@"
}

# ---- without a network ----

# setup [--from <bundle>]: everything the verbs would install when they first need it; from a bundle, without a network.
setup() {
  case ${1-} in
    --from) [ -n "${2-}" ] || die "setup: --from needs the file that ./weft bundle made" 2; take_wheels "$2" ;;
    --from=*) take_wheels "${1#--from=}" ;;
    --help) help; exit 0 ;;
    '') packages base build ;;
    *) die "setup: unknown option $1; it knows --from FILE" 2 ;;
  esac
  environment report
  headers onedpl && headers cccl
}

# take_wheels <bundle>: puts its Python packages, and nothing else of it, where pip_get looks. The hashes of the lock files decide what is installed.
take_wheels() {
  [ -f "$1" ] || die "setup: there is no file $1; ./weft bundle makes one, on a machine with a network" 2
  [ -z "${WEFT_UNLOCKED:-}" ] || die "setup: --from installs only what the hashes of the lock files match; unset WEFT_UNLOCKED" 2
  # shellcheck disable=SC2034  # ./weft reads it
  only_wheels=yes
  lock
  unpacked=$state/unpacked
  rm -rf "$unpacked"
  mkdir -p "$unpacked"
  # What is unpacked belongs to this user, with this user's umask: the bundle may come from someone else.
  tar -xf "$1" --force-local -C "$unpacked" --no-same-owner --no-same-permissions --wildcards --no-wildcards-match-slash '*/.weft/wheels/*.whl' \
    2>"$state/unpacked.log" || no_bundle "$1" "$(head -n 1 "$state/unpacked.log")"
  set -- "$1" "$unpacked"/*/.weft/wheels
  [ $# = 2 ] || no_bundle "$1" "it has more than one folder"
  [ -z "$(find "$unpacked" ! -type f ! -type d)" ] || no_bundle "$1" "it has packages that are no files"
  rm -rf "$state/wheels"
  mv "$2" "$state/wheels"
  rm -rf "$unpacked" "$state/unpacked.log"
  unlock
}

# no_bundle <file> <why>
no_bundle() {
  rm -rf "$unpacked" "$state/unpacked.log"
  die "$1 is no bundle: $2"
}

# bundle [<file>]: this checkout and the packages that its lock files name, for this system and this Python.
bundle() {
  root=$(version | tr ' ' -)
  case ${1-} in --help) help; exit 0 ;; -*) die "bundle: unknown option $1; it takes the name of a file" 2 ;; esac
  target=${1:-$root-bundle.tar}
  if [ -e "$target" ] && { [ ! -f "$target" ] || [ "${target%.tar}" = "$target" ]; }; then
    die "bundle: $target exists and is no bundle; nothing was written" 2
  fi
  folder=$(cd -- "$(dirname -- "$target")" 2>/dev/null && pwd -P) || die "bundle: there is no folder $(dirname -- "$target")" 2
  environment report
  lock
  rm -rf "$state/wheels.new"
  for lock_name in report onedpl cccl; do
    step "bundle-$lock_name" "packages of $lock_name.lock" "check the network and pip's index" \
      pip_get download "$lock_name" --dest "$state/wheels.new" || exit 3
  done
  rm -rf "$state/wheels"
  mv "$state/wheels.new" "$state/wheels"
  unlock
  itself=$folder/${target##*/}
  case $itself in "$here"/*) set -- --exclude=".${itself#"$here"}" --exclude=".${itself#"$here"}.new" ;; *) set -- ;; esac
  tar -cf "$target.new" --force-local -C "$here" --transform "s,^\.,$root,S" --anchored --no-wildcards "$@" --no-anchored --wildcards \
    --exclude-vcs --exclude=__pycache__ --exclude=.mypy_cache --exclude=.pytest_cache --exclude=.ruff_cache \
    --exclude=./build --exclude=./results --exclude='./.weft/[!w]*' --exclude='./.weft/w[!h]*' .
  mv "$target.new" "$target"
  say "  $target: unpack it and start ./weft there, or ./weft setup --from $target in a checkout"
}
