#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Explores every state of the models beside it: the true protocols hold, and each mutant breaks them.
# usage: check.sh <C compiler>
set -eu

here=$(cd "$(dirname "$0")" && pwd)
compiler=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A search looks up states at random in half a gigabyte: with huge pages it takes three quarters of the time.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# errors_of <model> <define...>: how many errors the search finds, "" unless it was complete.
errors_of() {
  model=$1
  shift
  folder=$(mktemp -d "$scratch/XXXXXX")
  cp "$here"/*.pml "$folder"
  (
    cd "$folder"
    spin -a "$@" "$model.pml" >spin.log && "$compiler" -O0 -w -DSAFETY -o search pan.c && ./search -m100000 >search.log
  ) || { echo "$model $*: no search was made" >&2; cat "$folder"/*.log >&2; return 0; }
  if grep -q 'max search depth too small' "$folder/search.log"; then return 0; fi
  sed -n 's/.*errors: //p' "$folder/search.log"
}

failed=0
expect() {
  wanted=$1
  shift
  found=$(errors_of "$@")
  case $wanted:$found in
    holds:0) echo "$*: holds in every state" ;;
    breaks:[1-9]*) echo "$*: breaks, as it must" ;;
    *) echo "$*: expected that it $wanted, but the search found ${found:-no} errors" >&2; failed=1 ;;
  esac
}

expect holds steal
expect breaks steal -DLOWER_SPLIT
expect breaks steal -DLATE_READ

expect holds forced_publish
expect breaks forced_publish -DNO_BARRIER
expect breaks forced_publish -DNO_ACKNOWLEDGEMENT
expect breaks forced_publish -DNO_RECHECK

expect holds claim_inside
expect breaks claim_inside -DNO_BARRIER
expect breaks claim_inside -DNO_ACKNOWLEDGEMENT
expect breaks claim_inside -DTRUST_INSIDE

expect holds park
expect breaks park -DNO_BARRIER
expect breaks park -DNO_RECHECK
expect breaks park -DSPLIT_LOOK

expect holds park -DFENCED
expect breaks park -DFENCED -DNO_RECHECK
expect breaks park -DFENCED -DEARLY_LOOK
expect breaks park -DFENCED -DSPLIT_LOOK

expect holds park -DOUTSIDER
expect breaks park -DOUTSIDER -DNO_RECHECK
expect breaks park -DOUTSIDER -DCHECK_BEFORE_PUSH

exit "$failed"
