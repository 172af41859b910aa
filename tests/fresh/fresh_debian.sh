#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tries ./weft as a newcomer would: a clone of this tree in a new minimal Debian 12, as root, in a clean environment.
#
#   tests/fresh/fresh_debian.sh [--keep] [command...]     default: ./weft report --quick
#
# Needs root and debootstrap, and 4 GB under ${TMPDIR:-/tmp}. Package sources, certificates, proxies and pip's settings are the
# host's, found when it runs. Not part of ./weft test: it takes minutes. --keep leaves the system for a second try and says where;
# FRESH_SYSTEM=folder uses one that was kept.
set -eu

die() { echo "fresh_debian: $*" >&2; exit 3; }

keep=
if [ "${1:-}" = --keep ]; then keep=yes; shift; fi
[ $# -gt 0 ] || set -- ./weft report --quick
[ "$(id -u)" = 0 ] || die "needs root: debootstrap and mount do"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
tree=$(git -C "$(dirname -- "$(readlink -f -- "$0")")" rev-parse --show-toplevel)
folder=$(mktemp -d "${TMPDIR:-/tmp}/fresh.XXXXXX")
system=${FRESH_SYSTEM:-$folder/system}

# shellcheck disable=SC2317  # called by the trap
clean_up() { if [ -n "$keep" ]; then echo "kept: FRESH_SYSTEM=$system"; else rm -rf --one-file-system "$folder"; fi; }
trap clean_up EXIT
trap 'exit 130' INT HUP TERM

# copy_from_host <path...>: what exists of the host's settings, at the same place.
copy_from_host() {
  for path in "$@"; do
    [ -e "$path" ] || continue
    mkdir -p "$system$(dirname "$path")"
    cp -aL "$path" "$system$(dirname "$path")/"
  done
}

if [ -z "${FRESH_SYSTEM:-}" ]; then
  # shellcheck disable=SC2016  # apt-get fills in the names
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
  [ -n "$mirror" ] || die "the host's apt names no source of Debian 12 (bookworm); run apt-get update first"
  echo "== minimal Debian 12"
  debootstrap --variant=minbase bookworm "$system" "$mirror" >"$folder/debootstrap.log" || die "$(tail -n 3 "$folder/debootstrap.log")"
  rm -rf "$system/etc/apt/sources.list" "$system/var/lib/apt/lists"/*
  copy_from_host /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/auth.conf.d /etc/apt/keyrings \
    /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates /etc/pip.conf /etc/resolv.conf /etc/hosts \
    "${HOME:-/root}/.config/pip" "${HOME:-/root}/.pip" "${PIP_FIND_LINKS:-/nowhere}"
  rm -f "$system/etc/apt/apt.conf.d/"*docker*
  git clone --quiet --no-hardlinks "$tree" "$system/opt/weft"
fi

# The host's pip may be told where its index is by the environment; nothing else of it is let in.
set -- env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  ${PIP_INDEX_URL:+"PIP_INDEX_URL=$PIP_INDEX_URL"} ${PIP_EXTRA_INDEX_URL:+"PIP_EXTRA_INDEX_URL=$PIP_EXTRA_INDEX_URL"} \
  ${PIP_CERT:+"PIP_CERT=$PIP_CERT"} ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
  ${no_proxy:+"no_proxy=$no_proxy"} "$@"

echo "== $tree, commit $(git -C "$system/opt/weft" rev-parse --short HEAD)"
started=$(date +%s)
status=0
# The mounts live in a namespace of their own and end with it, so that nothing of the host can be removed through them.
# shellcheck disable=SC2016  # the inner shell expands
unshare --mount --propagation private sh -euc '
  system=$1; shift
  mount -t proc proc "$system/proc"
  mount --rbind /sys "$system/sys"
  mount --rbind /dev "$system/dev"
  exec chroot "$system" sh -c "cd /opt/weft && exec \"\$@\"" weft "$@"
' namespace "$system" "$@" || status=$?
echo "== exit code $status after $(($(date +%s) - started)) s"
exit "$status"
