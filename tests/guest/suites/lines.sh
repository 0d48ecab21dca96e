#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lines.sh - lines of the source, variables and inlined functions, on each KERNEL given
#
#   lines.sh [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in lines.guest, the program is lw.c.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"

tests() {
	sed -n 's/.*@\([a-z_]*\) \*\/$/\1/p' "$here/../tools/lw.c" | while read -r name; do
		echo "$name=$(grep -n "@$name \\*/" "$here/../tools/lw.c" | cut -d: -f1)"
	done > "$work/lines"
	id=$(readelf -n "$build/tests/lw-stripped" | sed -n 's/.*Build ID: //p')
	debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
	for name in gcc5 gcc4 packed stripped clang5 clang4 split split4 shared; do
		echo "-f $build/tests/lw-$name=/bin/lw-$name"
	done > "$work/files"
	# Programs name these by the directory where they were built, and beside themselves.
	for name in split split4; do
		echo "-f $build/tests/lw-$name-lw.dwo=$(cd "$build/tests" && pwd)/lw-$name-lw.dwo"
	done >> "$work/files"
	echo "-f $build/tests/lw-shared.common=/bin/lw-shared.common -f $here/../tools/lw.c=/src/guest/tools/lw.c" >> "$work/files"
	suite_guest $(cat "$work/files") -f "$build/tests/lw-stripped.debug=$debug" -f "$work/lines=/lines" "$here/lines.guest"
}
suite_kernels tests "$@"
