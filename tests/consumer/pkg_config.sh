#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs a program with nothing but a compiler and what `pkg-config --cflags --libs` says.
#
#   pkg_config.sh static|shared <prefix> <its folder of libraries> <package> <source> <program> <compiler and its flags...>
#
# If the compiler is called by ccache, an installation with the same headers elsewhere compiles nothing again.
set -eu

kind=$1 prefix=$2 folder=$2/$3 package=$4 source_file=$5 program=$6
shift 6
PKG_CONFIG_PATH=$folder/pkgconfig
CCACHE_BASEDIR=$prefix CCACHE_NOHASHDIR=true CCACHE_DEPEND=true
export PKG_CONFIG_PATH CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_DEPEND
cd "$prefix"

compiler=$*
cflags=$(pkg-config --cflags "$package") libs=$(pkg-config --libs "$package")
# shellcheck disable=SC2086  # several options in each
$compiler -std=c++20 $cflags -MD -c "$source_file" -o "$program.o"
# shellcheck disable=SC2086
$compiler "$program.o" $libs -o "$program"
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
