#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Resolves the *.in files of this folder into lock files: exact versions for Python 3.11 and newer, with the hashes of their wheels.
#   packaging/python/lock.sh              keeps the versions locked now as far as they fit
#   packaging/python/lock.sh --upgrade    takes the newest
set -eu
cd "$(dirname -- "$0")"

# lock <name> [uv options...]
lock() {
  name=$1
  shift
  [ -f "$name.lock" ] || : >"$name.lock"
  ../../.weft/venv/bin/uv pip compile --quiet --universal --python-version 3.11 --only-binary :all: --generate-hashes \
    --no-header --no-annotate --no-emit-index-url --output-file "$name.lock" "$@" "$name.in"
  { echo "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    echo "# Written by lock.sh from $name.in; edit that and run lock.sh again."
    cat "$name.lock"; } >"$name.new"
  mv "$name.new" "$name.lock"
}

lock report "$@"
lock test --constraint report.lock "$@"
lock docs --constraint report.lock --constraint test.lock "$@"
lock onedpl --no-deps "$@"
lock cccl --no-deps "$@"
