#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# truth.sh - values of public reports that other tracers, or an earlier bprobe, had wrong, on each KERNEL given
#
#   truth.sh [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in truth.guest; what is right is what truth.c does.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"

# Each instruction of red.c's functions, up to their ret: FUNCTION+OFFSET OFFSET-IN-FILE TIMES, how often a call runs it. In red_loop a jump
# leads behind the nop, and three rounds begin there.
red_places() {	# red_places PROGRAM
	objdump -d --no-show-raw-insn "$1" | awk '
		function number(hex,	n, i) { for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
		/^[0-9a-f]+ <red_[a-z]*>:/ { name = substr($2, 2, length($2) - 3); start = number($1); ended = 0; next }
		/^[0-9a-f]+ <red_[a-z]*_nop>:/ { if (name == "red_loop") inside = 1; next }
		/^[0-9a-f]+ </ { name = ""; next }
		name == "" || ended || !/^ / { next }
		{
			sub(/:$/, "", $1)
			times = 1
			if (name == "red_loop" && inside)
				times = $2 ~ /^nop/ ? 2 : 3
			if (name == "red_loop" && $2 == "mov" && inside)
				inside = 0
			if (name == "red_loop" && !inside)
				times = 1
			print name "+" number($1) - start, times
			ended = $2 ~ /^ret/
		}'
}

tests() {
	${CC:-gcc} -O1 -static -o "$work/truth" "$here/../tools/truth.c" &&
		${CC:-gcc} -O1 -static -o "$work/red" "$here/../tools/red.c" && red_places "$work/red" > "$work/red.places" &&
		${CC:-gcc} -m32 -nostdlib -static -o "$work/truth32" "$here/../tools/truth32.S" || {
		echo "not ok - building the program"
		return
	}
	suite_guest -f "$work/red=/bin/red" -f "$work/red.places=/red.places" -f "$work/truth=/bin/truth" -f "$work/truth32=/bin/truth32" "$here/truth.guest"
}
suite_kernels tests "$@"
