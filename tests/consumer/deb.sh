#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Debian packages of a build, reads what they say, unpacks them, and uses both from there.
#
#   deb.sh <cpack> <build folder> <folder to work in> <source of a program> <compiler and its flags...>
set -eu

cpack=$1 build=$2 folder=$3 source_file=$4
shift 4
die() { echo "deb: $*" >&2; exit 1; }

# has <text> <pattern> <what>
has() { case $1 in *$2*) ;; *) die "$3: no '$2' in: $1" ;; esac; }

rm -rf "$folder"
mkdir -p "$folder/unpacked" "$folder/home"
(umask 077 && cd "$folder" && "$cpack" -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=none -B "$folder" --config "$build/CPackConfig.cmake" >"$folder/cpack.log") ||
  die "$(tail -n 5 "$folder/cpack.log")"
dev=$(echo "$folder"/libweft-dev_*_*.deb) lab=$(echo "$folder"/weft-lab_*_all.deb)
for package in "$dev" "$lab"; do
  [ -f "$package" ] || die "no package $package"
  has "$(dpkg-deb -f "$package" Maintainer)" "The weft authors" "maintainer of $package"
  has "$(dpkg-deb -f "$package" Version)" "$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")/\1/p' "$build/CPackConfig.cmake")" "version of $package"
  dpkg-deb -x "$package" "$folder/unpacked"
  case $(dpkg-deb -c "$package" | cut -c 8) in *-*) die "not everybody may read all of $package" ;; esac
done
has "$(dpkg-deb -f "$lab" Depends)" "python3-venv" "dependencies of weft-lab"
has "$(dpkg-deb -f "$lab" Recommends)" "libtbb-dev" "what weft-lab recommends"
case $(dpkg-deb -c "$lab") in *__pycache__* | */commands/test.py* | */commands/docs.py*) die "weft-lab holds what only a checkout needs" ;; esac
if grep -q "Requires:.*hwloc" "$(find "$folder/unpacked" -name weft-base.pc)"; then
  has "$(dpkg-deb -f "$dev" Depends)" "libhwloc-dev" "dependencies of libweft-dev"
  has "$(dpkg-deb -f "$dev" Depends)" "pkg-config" "dependencies of libweft-dev"
fi

# The library, from where it was unpacked.
PKG_CONFIG_PATH=$(dirname "$(find "$folder/unpacked/usr" -name weft.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags weft-tasks) libraries=$(pkg-config --libs weft-tasks)
has "$flags" "$folder/unpacked/usr/" "include folder"
# shellcheck disable=SC2086  # several options in each
"$@" -std=c++20 $flags "$source_file" $libraries -o "$folder/program"
"$folder/program"

# The lab, for a user who owns nothing but a home.
weft() { env -i PATH="$PATH" HOME="$folder/home" PYTHONDONTWRITEBYTECODE=1 "$@"; }
before=$(find "$folder/unpacked" | sort | cksum)
has "$(weft "$folder/unpacked/usr/bin/weft" --version)" "weft " "the version"
[ -z "$(ls -A "$folder/home")" ] || die "a question for the version wrote into the home"
ln -s "$folder/unpacked/usr/bin/weft" "$folder/weft"
has "$(cd "$folder/home" && weft "$folder/weft" list)" "suite stl" "the list of names"
has "$(cd "$folder/home" && weft "$folder/weft" doctor --json)" "\"checkout\": \"$folder/home/.local/share/weft\"" "the doctor"
[ "$before" = "$(find "$folder/unpacked" | sort | cksum)" ] || die "the lab wrote beside its installed sources"

# A newer package takes the place of the copy, and what was built there is kept.
mkdir -p "$folder/home/.local/share/weft/build/kept"
echo "# newer" >>"$folder/unpacked/usr/share/weft/README.md"
(cd "$folder/home" && weft "$folder/weft" list >"$folder/list.txt")
grep -q "^# newer" "$folder/home/.local/share/weft/README.md" || die "the copy is still the older one"
[ -d "$folder/home/.local/share/weft/build/kept" ] || die "what was built is gone"
