#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# privileges.sh - the tables of doc/privileges.md, on each KERNEL given
#
#   privileges.sh [-M] [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in privileges.guest. What the filter refuses is tested without a kernel of its own, in
# tests/unit/test_rights.c; and each script in a guest fails if bprobe needed a call that the filter refused (rig/lib.sh).
#
# Planted: CAP_SYS_ADMIN in the row of maps (rows of the second table fail); a filter without close(2) (rig/lib.sh tells it).
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() {
	suite_guest -f "$build/tests/setcaps=/bin/setcaps" -f "$wl=/bin/wl" -f "$here/../../../doc/privileges.md=/privileges.md" \
		"$here/privileges.guest"
}
suite_kernels tests "$@"
