#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# programs.sh - bprobe's peers, with the libraries they need, to run in a guest
#
#   programs.sh fetch [NAME...]   put them (default: all) into the cache, unless they are there
#   programs.sh path NAME         print the directory that fetch made
#
# A directory holds bin/PROGRAM, lib/*.so*, lib64/ld-linux-x86-64.so.2 and version (one line).
# The cache and the mirror are those of tests/guest/rig/kernels.sh.
set -u

action=${1:-}
[ $# -eq 0 ] || shift
names="bpftrace-12 bpftrace-sid perf-12 trace-cmd-12"
wanted=${*:-$names}
set -- functions
. "$(dirname "$0")/../guest/rig/kernels.sh"
programs=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/programs

program_recipe() {	# package, program in it, suites
	case $1 in
	bpftrace-12)	echo 'bpftrace usr/bin/bpftrace bookworm' ;;
	bpftrace-sid)	echo 'bpftrace usr/bin/bpftrace sid' ;;
	perf-12)	echo 'linux-perf usr/bin/perf bookworm' ;;
	trace-cmd-12)	echo 'trace-cmd usr/bin/trace-cmd bookworm' ;;
	*)	die "no program is called '$1'" "known: $names" ;;
	esac
}

fetch_program() {
	name=$1
	recipe=$(program_recipe "$name") || exit 1
	[ ! -f "$programs/$name/version" ] || return 0
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$programs" || die "cannot make $programs"
	root=$(mktemp -d "$programs/.fetch-$name.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	echo "programs.sh: fetching $name" >&2
	package=${recipe%% *} file=${recipe#* }
	apt_root ${file#* }
	file=${file%% *}
	own_apt apt-get install -y --no-install-recommends --download-only -o Debug::NoLocking=1 "$package" > "$root/log" 2>&1 ||
		die "cannot download $package and what it depends on" "$(tail -n 3 "$root/log")"
	for deb in "$root"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$root/fs" || die "cannot unpack $deb (disk full?)" "it needs about 1 GB under $programs"
	done
	new=$root/new
	mkdir -p "$new/bin" "$new/lib" "$new/lib64"
	[ -f "$root/fs/$file" ] || die "$package has no $file"
	cp -L "$root/fs/$file" "$new/bin/" || exit 1
	keep_libraries "$new/bin/${file##*/}" "$new/lib" || exit 1
	mv "$new/lib/ld-linux-x86-64.so.2" "$new/lib64/" 2> /dev/null || cp -L "$(library ld-linux-x86-64.so.2)" "$new/lib64/" || exit 1
	dpkg-deb -f "$root/cache/archives/${package}"_*.deb Version > "$new/version"
	mv -T "$new" "$programs/$name" 2> /dev/null || [ -f "$programs/$name/version" ] || die "cannot make $programs/$name"
	echo "programs.sh: $name is $(cat "$programs/$name/version")" >&2
	rm -rf "$root"
	trap - EXIT
}

case $action in
fetch)
	for arg in $wanted; do fetch_program "$arg"; done ;;
path)
	program_recipe "$wanted" > /dev/null || exit 1
	[ -f "$programs/$wanted/version" ] || die "$wanted is not in the cache" "fetch it: $0 fetch $wanted"
	echo "$programs/$wanted" ;;
*)
	sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
