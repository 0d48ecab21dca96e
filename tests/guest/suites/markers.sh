#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# markers.sh - arguments of USDT markers, of every width, sign, part of a register, index and constant, on each KERNEL given
#
#   [ORACLE_SEED=N] markers.sh [-b BPROBE] [-n MARKERS] KERNEL...       (names that kernels.sh knows)
#
# tests/oracle/oracle.py makes a program with markers at known values, and says what must be printed of them, by every type that has room.
# The seed is 1; ORACLE_SEED= (empty) takes a new one. What it has found: a wider type read the neighbour's bytes, and %ah of a signed
# argument had no sign. TAP on stdout.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bn "$@"
shift "$suite_shift"
[ "$kills" != 500 ] || kills=60
oracle=$here/../../oracle/oracle.py seed=${ORACLE_SEED-1}

tests() {
	rm -rf "$work/made" && mkdir "$work/made" && "$oracle" markers ${seed:+--seed "$seed"} --functions "$kills" "$work/made" &&
		${CC:-gcc} -O1 -static -w -o "$work/made/orac" "$work/made/orac.c" || {
		echo "not ok - building the program"
		return
	}
	sed 's|@:|/bin/orac:|' "$work/made/defs" > "$work/definitions"
	suite_guest -f "$work/made/orac=/bin/orac" -f "$work/definitions=/definitions" "$here/markers.guest" > "$work/out"
	grep -v '^@' "$work/out"
	sed -n 's/^@//p' "$work/out" | "$oracle" check "$work/made"
}
suite_kernels tests "$@"
