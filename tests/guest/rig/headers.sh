#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# headers.sh - what a module for a kernel in the cache of kernels.sh is built with, from Debian's linux-headers and linux-kbuild
#
#   headers.sh fetch NAME        put it into the cache, unless it is there
#   headers.sh path NAME         print the directory to give `make -C`
#
# NAME is 5.10, 6.1, 6.12 or newest. The packages name each other by paths below /usr, which are changed to the cache's own: nothing is
# installed. The programs of a suite that is newer than this machine get that suite's C library. 100 MB stay. The mirror is that of
# kernels.sh.
set -u

action=${1:-} name=${2:-}
set -- functions
. "$(dirname "$0")/kernels.sh"
headers=${cache%/*}/headers

suites_of() {
	case $1 in
	5.10)	echo 'bullseye +bullseye-security' ;;
	6.1|6.12) echo 'bookworm +bookworm-security' ;;
	newest)	echo 'trixie-backports sid' ;;
	*)	return 1 ;;
	esac
}

# What the programs need whose C library is newer than this machine's.
libraries_of() {
	case $1 in
	newest)	echo 'libc6 libelf1t64 zlib1g libzstd1' ;;
	esac
}

# Gives libraries to the programs that build a module. They name the loader by a path: that of the cache.
add_libraries() {	# add_libraries NEW_DIRECTORY PATH_IN_THE_CACHE
	mkdir "$1" || exit 1
	find "$root"/fs/usr/lib/linux-kbuild-* -type f -perm -1 \( -path '*/scripts/basic/*' -o -path '*/scripts/mod/*' -o -path '*/tools/*' \
		-o -name recordmcount \) > "$root/programs"
	while read -r program; do
		readelf -h "$program" > /dev/null 2>&1 || continue
		keep_libraries "$program" "$1" || exit 1
		patchelf --set-interpreter "$2/ld-linux-x86-64.so.2" --set-rpath "$2" "$program" || die "cannot change $program"
	done < "$root/programs"
	cp -L "$(library ld-linux-x86-64.so.2)" "$1/" || exit 1
}

complete_headers() { [ -e "$1/build/Makefile" ] && cmp -s "$1/version" "$cache/$name/version"; }

field() {	# field NAME PACKAGE: of the package's description
	own_apt apt-cache show "$2" | sed -n "s/^$1: //p" | head -n 1
}

fetch_headers() {
	suites=$(suites_of "$1") || die "no headers of a kernel '$1'" "known: 5.10 6.1 6.12 newest"
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
	mkdir "$new" || exit 1
	libraries=$(libraries_of "$1")
	for package in $libraries; do unpack "$package"; done
	[ -z "$libraries" ] || add_libraries "$new/lib" "$headers/$1/lib"
	mv "$root/fs" "$new/fs" || exit 1
	# The Makefile names directories below /usr. BTF would be made with pahole, if vmlinux was there.
	sed -i 's|/usr/src/|$(dir $(realpath $(firstword $(MAKEFILE_LIST))))../|' "$new/fs/usr/src/linux-headers-$release/Makefile" || exit 1
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
	suites_of "$name" > /dev/null || die "path NAME, where NAME is 5.10, 6.1, 6.12 or newest"
	complete_headers "$headers/$name" || die "the headers of kernel $name are not in the cache" "fetch them: $0 fetch $name"
	echo "$headers/$name/build" ;;
*)
	sed -n '6,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
