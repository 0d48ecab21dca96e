#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# random-loads.sh - random definitions on random functions: what the kernel's own tracer takes, the verifier must take; on each KERNEL given
#
#   random-loads.sh [-b BPROBE] [-a ATTACH] [-n ROWS] [-r FIRST] KERNEL...
#
# ROWS (300) definitions of tests/random/definitions.py from number FIRST (0) on. FIRST can be "next": those that were not run in this build folder
# yet. TAP on stdout: a line for each hundred, and for each definition that is refused.
#
# It has found a planted fault: the first shift of a bit-field without its width (emit_bit_field(), user/gen/emit.c), which the verifier refuses
# at offset 0. Of definitions 0 to 99 four failed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=300		# suite_options calls the number of -n so
suite_options banr "$@"
shift "$suite_shift"
. "$rig/random.sh"
echo "$attach" > "$work/attach"
[ "$attach" = auto ] && kinds=all || kinds=kprobes

tests() {
	random_rows "random-loads-$attach.$kernel"
	python3 "$here/../../random/definitions.py" load "$first" "$kills" "$kernel" "$("$rig/kernels.sh" vmlinux "$kernel")" "$build/tests/dw" "$kinds" > "$work/definitions"
	GUEST_SECONDS=2400 suite_guest -m 2048 -f "$work/definitions=/definitions" -f "$work/attach=/attach" -f "$build/tests/dw=/dw/wl" "$here/random-loads.guest"
	echo "# rows $first to $((first + kills - 1))"
	random_ran "$kills"
}
suite_kernels tests "$@"
