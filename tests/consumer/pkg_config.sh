#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs a program with nothing but a compiler and pkg-config. Arguments: folder of weft.pc, source, program, compiler and its flags.
set -eu

PKG_CONFIG_PATH=$1
export PKG_CONFIG_PATH
source_file=$2
program=$3
shift 3

cflags=$(pkg-config --cflags weft)
libs=$(pkg-config --libs weft)
# shellcheck disable=SC2086  # several options in each
"$@" -std=c++20 $cflags "$source_file" $libs -o "$program"
"$program"
