#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# debuginfo.sh - the debug information of a kernel in the cache of kernels.sh, from Debian's -dbg package
#
#   debuginfo.sh fetch NAME      put it into the cache, unless it is there
#   debuginfo.sh path NAME       print the directory that fetch made
#
# NAME is 6.1 or 6.12. A directory holds vmlinux, the modules that the tests use (*.ko), and version. The package is a download of about
# 300 MB, and needs 2 GB while it is unpacked; about 700 MB stay. The mirror is that of kernels.sh.
set -u

action=${1:-} name=${2:-}
set -- functions
. "$(dirname "$0")/kernels.sh"
debuginfo=${cache%/*}/debuginfo
debug_modules='xfs nf_tables btrfs'

suites_of() {
	case $1 in
	6.1|6.12) echo 'bookworm +bookworm-security' ;;
	*)	return 1 ;;
	esac
}

complete_debuginfo() {
	for module in $debug_modules; do
		[ -s "$1/$module.ko" ] || return 1
	done
	[ -s "$1/vmlinux" ] && [ -f "$1/version" ] && cmp -s "$1/version" "$cache/$name/version"
}

fetch_debuginfo() {
	suites=$(suites_of "$1") || die "no debug information of a kernel '$1'" "known: 6.1 6.12"
	complete "$cache/$1" || die "kernel $1 is not in the cache" "fetch it first: tests/guest/rig/kernels.sh fetch $1"
	complete_debuginfo "$debuginfo/$1" && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$debuginfo" || die "cannot make $debuginfo"
	root=$(mktemp -d "$debuginfo/.fetch-$1.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	release=$(cat "$cache/$1/version")
	echo "debuginfo.sh: fetching the debug information of $release" >&2
	apt_root $suites
	unpack "linux-image-$release-dbg"
	new=$root/new
	mkdir "$new" || exit 1
	mv "$root/fs/usr/lib/debug/boot/vmlinux-$release" "$new/vmlinux" || die "linux-image-$release-dbg has no vmlinux"
	for module in $debug_modules; do
		find "$root/fs/usr/lib/debug" -name "$module.ko*" -exec mv {} "$new/" \;
	done
	cp "$cache/$1/version" "$new/" || exit 1
	replace "$new" "$debuginfo/$1" complete_debuginfo
	rm -rf "$root"
	trap - EXIT
}

case $action in
fetch)
	fetch_debuginfo "$name" ;;
path)
	suites_of "$name" > /dev/null || die "path NAME, where NAME is 6.1 or 6.12"
	complete_debuginfo "$debuginfo/$name" || die "the debug information of kernel $name is not in the cache" "fetch it: $0 fetch $name"
	echo "$debuginfo/$name" ;;
*)
	sed -n '6,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
