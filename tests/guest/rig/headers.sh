#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# headers.sh - what a module for a kernel in the cache of kernels.sh is built with, from Debian's linux-headers and linux-kbuild
#
#   headers.sh fetch NAME        put it into the cache, unless it is there
#   headers.sh path NAME         print the directory to give `make -C`
#
# NAME is 6.1 or 6.12, whose programs run on Debian 12. The packages name each other by paths below /usr, which are changed to the
# cache's own: nothing is installed. 100 MB stay. The mirror is that of kernels.sh.
set -u

action=${1:-} name=${2:-}
set -- functions
. "$(dirname "$0")/kernels.sh"
headers=${cache%/*}/headers

suites_of() {
	case $1 in
	6.1|6.12) echo 'bookworm +bookworm-security' ;;
	*)	return 1 ;;
	esac
}

complete_headers() { [ -e "$1/build/Makefile" ] && cmp -s "$1/version" "$cache/$name/version"; }

field() {	# field NAME PACKAGE: of the package's description
	own_apt apt-cache show "$2" | sed -n "s/^$1: //p" | head -n 1
}

fetch_headers() {
	suites=$(suites_of "$1") || die "no headers of a kernel '$1'" "known: 6.1 6.12"
	complete "$cache/$1" || die "kernel $1 is not in the cache" "fetch it first: tests/guest/rig/kernels.sh fetch $1"
	complete_headers "$headers/$1" && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$headers" || die "cannot make $headers"
	root=$(mktemp -d "$headers/.fetch-$1.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	release=$(cat "$cache/$1/version")
	echo "headers.sh: fetching the headers of $release" >&2
	apt_root $suites
	version=$(field Version "linux-headers-$release")
	[ -n "$version" ] || die "the archive has no linux-headers-$release any more" \
		"have a newer kernel: rm -r $cache/$1; tests/guest/rig/kernels.sh fetch $1"
	unpack "linux-headers-$release"
	# It depends on what all flavours share, and on the programs, whose name has the release or only the series.
	for package in $(field Depends "linux-headers-$release" | tr ',' '\n' | sed -n 's/^ *\(linux-\(headers\|kbuild\)-[^ ]*\).*/\1/p'); do
		unpack "$package=$version"
	done
	new=$root/new
	mkdir "$new" && mv "$root/fs" "$new/fs" || exit 1
	# The Makefile includes another one by a path below /usr. BTF would be made with pahole, if vmlinux was there.
	sed -i 's|^include /usr/src/|include $(dir $(realpath $(firstword $(MAKEFILE_LIST))))../|' "$new/fs/usr/src/linux-headers-$release/Makefile" || exit 1
	rm -f "$new/fs/usr/src/linux-headers-$release/vmlinux"
	ln -s "fs/usr/src/linux-headers-$release" "$new/build" && cp "$cache/$1/version" "$new/" || exit 1
	replace "$new" "$headers/$1" complete_headers
	rm -rf "$root"
	trap - EXIT
}

case $action in
fetch)
	fetch_headers "$name" ;;
path)
	suites_of "$name" > /dev/null || die "path NAME, where NAME is 6.1 or 6.12"
	complete_headers "$headers/$name" || die "the headers of kernel $name are not in the cache" "fetch them: $0 fetch $name"
	echo "$headers/$name/build" ;;
*)
	sed -n '6,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
