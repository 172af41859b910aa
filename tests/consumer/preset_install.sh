#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configures the preset `install`: it has nothing but the library, and links no hwloc and no Highway if they are turned off.
#
#   preset_install.sh <cmake> <checkout> <folder to work in>
set -eu

cmake=$1 checkout=$2 folder=$3
die() { echo "preset_install: $*" >&2; exit 1; }

# configure <folder> <options...>
configure() {
  build=$folder/$1
  shift
  (cd "$checkout" && "$cmake" --preset install -B "$build" "$@" >"$folder/cmake.log" 2>&1) || die "$(tail -n 5 "$folder/cmake.log")"
}

rm -rf "$folder"
mkdir -p "$folder"
configure default
for what in TESTS LAB TOOLS EXAMPLES; do
  grep -q "^WEFT_BUILD_$what:[A-Z]*=OFF$" "$build/CMakeCache.txt" || die "the preset does not turn off WEFT_BUILD_$what"
done
programs=$(sed -n 's/^build \([^:]*\): CXX_EXECUTABLE_LINKER.*/\1/p' "$build/build.ninja")
[ -z "$programs" ] || die "the preset builds programs: $programs"

configure without -DWEFT_HWLOC=OFF -DWEFT_HIGHWAY=OFF
linked=$(find "$build" -name '*.pc' -exec grep -lE 'hwloc|hwy' {} + || :)
[ -z "$linked" ] || die "pkg-config files name what was turned off: $linked"
grep -q topology_no_hwloc "$build/build.ninja" || die "the build lacks what stands in for hwloc"
if grep -qE 'topology_hwloc|WEFT_HAS_HIGHWAY' "$build/build.ninja"; then die "the build uses what was turned off"; fi
