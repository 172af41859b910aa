# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by ./weft after steps.sh: which Debian packages a verb lacks, installed where that is allowed, explained where not.
# The caller sets `here` to the checkout; the sets are packaging/apt/<set>.txt.

# packages_of <set...>: the packages that no command on PATH stands in for.
packages_of() {
  for set in "$@"; do
    while read -r package command _; do
      case $package in '' | '#'*) continue ;; esac
      case $command in '' | '#'*) ;; *) if command -v "$command" >/dev/null; then continue; fi ;; esac
      echo "$package"
    done <"$here/packaging/apt/$set.txt"
  done
}

# missing_of <set...>: those of them that dpkg does not know as installed; all of them where there is no dpkg.
missing_of() {
  packages_of "$@" | while read -r package; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) echo "$package" ;;
    esac
  done
}

apt_get() { LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@"; }

apt_plan() { apt_get install --assume-no --no-install-recommends "$@" 2>&1 9>&-; }

# A mirror drops old versions, so the lists can be out of date although they name the package: one more try with new ones.
apt_install() {
  apt_get install --yes --no-install-recommends "$@" && return
  apt_get update && apt_get install --yes --no-install-recommends "$@"
}

advise() {
  say "  not installed: $*"
  say "    as root:       apt-get install --no-install-recommends $*"
  say "    on a cluster:  module load gcc cmake   (module avail tells the names there)"
  say "    without root:  python3 -m venv ~/tools && ~/tools/bin/pip install cmake ninja tbb-devel"
  say "  going on with what is there; ./weft doctor says what each one is for"
}

# offered <package...>: those that the system's package lists know; says which it leaves out.
offered() {
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then echo "$package"; else say "  this system offers no package $package"; fi
  done
}

# packages <set...>: installs what is missing if it may, else says how to get it. Never fails: the lab says what it cannot do.
packages() {
  # shellcheck disable=SC2046  # package names hold no blanks
  set -- $(missing_of "$@")
  [ $# -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] || [ -n "${WEFT_NO_APT:-}" ] || ! command -v apt-get >/dev/null; then
    advise "$@"
    return 0
  fi
  lock
  case $(apt_plan "$@") in
    *'Unable to locate'* | *'no installation candidate'*)
      step apt-update "package lists" "check the network and the apt sources" apt_get update || :
      ;;
  esac
  # shellcheck disable=SC2046
  set -- $(offered "$@")
  if [ $# -gt 0 ]; then
    size=$(apt_plan "$@" | sed -n 's/^Need to get \(.*\) of archives.*/ (\1)/p')
    say "  installing with apt-get (WEFT_NO_APT=1 forbids it): $*"
    step apt "system packages  $# new$size" "run: apt-get install $*" apt_install "$@" || :
  fi
  unlock
}
