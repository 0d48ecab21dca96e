#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# reproducible.sh - two builds of this commit, in different folders and at different times, are the same bytes. TAP on stdout
#
# The planted fault: a build without the option that hides its folder (MAPPED in the Makefile) must differ.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS O
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

build() {	# build FOLDER OBJECTS WORD...: its sum, or why it failed
	local folder=$1 objects=$2
	shift 2
	[ -d "$folder" ] || git clone -q . "$folder" || return
	(cd "$folder" && make O="$objects" -j"$(nproc)" "$@" all) > "$tmp/said" 2>&1 || { tail -n 5 "$tmp/said"; return; }
	(cd "$folder/$objects" 2> /dev/null || cd "$objects" && sha256sum bprobe bprobe.spdx.json)
}
is() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		printf '%s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

mkdir "$tmp/deeper"
first=$(build "$tmp/one" build)
second=$(TZ=Asia/Tokyo LC_ALL=C.UTF-8 build "$tmp/deeper/other name" "$tmp/objects")
is "$(echo "$first" | grep -o '^[0-9a-f]* *bprobe$'): built in two folders" "$second" "$first"
third=$(build "$tmp/two" build MAPPED=)
[ "$(echo "$third" | head -n 1)" != "$(echo "$first" | head -n 1)" ] && echo "$third" | grep -q ' bprobe$'
is "a build that has the name of its folder in it is found" $? 0
echo "1..$n"
