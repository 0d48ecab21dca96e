#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cexprs.sh - random C expressions over the types of each KERNEL given, beside the same reads by registers and offsets
#
#   [CEXPRS_SEED=N] cexprs.sh [-b BPROBE] [-w WL] [-n EXPRESSIONS] KERNEL...       (names that kernels.sh knows)
#
# tests/oracle/cexprs.py makes the expressions from the kernel's BTF, and calculates what C makes of what registers and offsets have fetched
# in the same hit. TAP on stdout; an expression with a wrong value is printed with its definition.
#
# The seed is 1, so that a landing does not depend on luck; CEXPRS_SEED= (empty) takes a new one each time. Planted faults that it finds:
# no convert() of what is compared, RSH for ARSH in emit_extend(), an index without the size of its element, bit_off left out of take_bits().
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwn "$@"
shift "$suite_shift"
oracle=$here/../../oracle/cexprs.py seed=${CEXPRS_SEED-1}

tests() {
	vmlinux=$("$rig/kernels.sh" vmlinux "$kernel") && "$oracle" make ${seed:+--seed $seed} --number "$kills" "$vmlinux" "$work" || {
		echo "not ok - making the expressions for $kernel"
		return
	}
	suite_guest -f "$wl=/bin/wl" -f "$work/defs=/defs" "$here/cexprs.guest" > "$work/out"
	grep -v '^@' "$work/out"
	sed -n 's/^@//p' "$work/out" | "$oracle" check "$work"
}
suite_kernels tests "$@"
