# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by ./weft after steps.sh: build folders that were made for another place, the stages of ./weft test, and what a verb does.
# The caller sets `here` to the checkout.

# forget_moved: deletes CMake's cache in build folders that were configured at another path, for example before a move.
forget_moved() {
  [ -d "$here/build" ] || return 0
  find "$here/build/" -maxdepth 4 -name CMakeCache.txt | while read -r cache; do
    folder=${cache%/*}
    made=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache")
    if [ "$(readlink -f -- "$made")" != "$(readlink -f -- "$folder")" ]; then
      say "  configuring $folder anew: it was made for $made"
      rm -rf -- "$cache" "$folder/CMakeFiles"
    fi
  done
}

# stages: the functions of noxfile.py that are stages of ./weft test.
stages() { sed -n '/^@nox.session/{n;s/^def \([a-z_]*\).*/\1/p;}' "$here/noxfile.py"; }

# refuse_unknown_stages <arguments...>: before anything is installed for them.
refuse_unknown_stages() (
  known=$(stages | while read -r name; do printf '%s ' "$name"; done)
  set -f
  IFS=', '
  while [ $# -gt 0 ]; do
    case $1 in --only=*) names=${1#--only=} ;; --only) names=${2-} ;; *) names= ;; esac
    for name in $names; do
      [ "$name" ] || continue
      case " $known" in *" $name "*) ;; *) die "no test stage '$name'; the stages are $known" 2 ;; esac
    done
    shift
  done
)

# only_asks <arguments...>: true if the verb will measure and build nothing.
only_asks() {
  for argument in "$@"; do
    case $argument in --help | --list) return 0 ;; esac
  done
  return 1
}

# runs_stage <name> <arguments...>: true if --only names the stage of --all, or --all is given without --only.
runs_stage() {
  stage=$1
  shift
  case " $* " in *" --only"*"$stage"*) return 0 ;; *" --only"*) return 1 ;; *" --all "*) return 0 ;; esac
  return 1
}

# builds_site <verb> <arguments...>: true if the verb builds the documentation site.
builds_site() {
  verb=$1
  shift
  if only_asks "$@"; then return 1; fi
  case $verb in
    docs) return 0 ;;
    test) runs_stage docs "$@" --all || runs_stage browser "$@" --all ;; # all stages unless --only names some
    *) return 1 ;;
  esac
}
