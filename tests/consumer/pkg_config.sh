#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs a program with nothing but a compiler and what `pkg-config --cflags --libs` says.
#
#   pkg_config.sh static|shared <installation's folder of libraries> <package> <source> <program> <compiler and its flags...>
set -eu

kind=$1 folder=$2 package=$3 source_file=$4 program=$5
shift 5
PKG_CONFIG_PATH=$folder/pkgconfig
export PKG_CONFIG_PATH

compiler=$*
cflags=$(pkg-config --cflags "$package") libs=$(pkg-config --libs "$package")
# shellcheck disable=SC2086  # several options in each
$compiler -std=c++20 $cflags "$source_file" $libs -o "$program"
LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
"$program"
if [ "$kind" = shared ]; then
  # Every library of weft that a shared installation links is a shared object.
  case $(ldd "$program") in
    *libweft_base.so*) ;;
    *) echo "$program links no shared weft" >&2; exit 1 ;;
  esac
fi
