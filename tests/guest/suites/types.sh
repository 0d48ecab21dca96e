#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# types.sh - types that bprobe has and the kernel's tracer has not, on each KERNEL given
#
#   types.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in types.guest. A trace.dat comes out of the guest, and here `trace-cmd report` must print the
# values that bprobe printed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"
bprobe=$(realpath "$bprobe")
dir=$work/files

# Between @@ NAME and @@ are files; the rest are the guest's own lines.
unpack() {
	awk -v dir="$dir" '
		/^@@ / { file = dir "/" $2; printf "" > file; next }
		/^@@$/ { close(file); file = ""; next }
		file { print > file; next }
		{ print; fflush() }'
}

# What stands behind the place, of both. trace-cmd prints a string that could not be read with quotes.
values() { grep -v '^#\|^cpus=\|^version' | sed -E 's/.*: ([a-z]+): +\([^)]*\) /\1 /; s/"\(fault\)"/(fault)/g'; }

tests() {
	rm -rf "$dir"
	mkdir "$dir"
	suite_guest -f "$wl=/bin/wl" "$here/types.guest" | unpack
	if ! command -v trace-cmd > /dev/null; then
		echo "ok - # SKIP there is no trace-cmd (package trace-cmd)"
		return
	fi
	base64 -d "$dir/types.b64" | gzip -dc > "$dir/types.dat"
	values < "$dir/types.txt" > "$dir/want"
	trace-cmd report -i "$dir/types.dat" 2> "$dir/said" | values > "$dir/got"
	diff "$dir/want" "$dir/got" > "$dir/diff" && [ -s "$dir/want" ]
	check $? "trace-cmd report: the same $(wc -l < "$dir/want") values" "$dir/diff"
	[ ! -s "$dir/said" ]
	check $? "trace-cmd report: without a warning" "$dir/said"
	"$bprobe" --read -q "$dir/types.dat" 2> "$dir/said" | grep -v '^#' > "$dir/got"
	grep -v '^#' "$dir/types.txt" | diff - "$dir/got" > "$dir/diff"
	check $? "--read on another kernel: the same lines" "$dir/diff"
}
suite_kernels tests "$@"
