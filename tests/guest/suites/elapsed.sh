#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# elapsed.sh - $elapsed: each duration is that of its own call, on each KERNEL given
#
#   elapsed.sh [-b BPROBE] [-w WL] [-n CALLS] KERNEL...	(names that kernels.sh knows)
#
# CALLS (1000000) calls in all, on four processors. TAP on stdout. The tests are in elapsed.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=1000000				# suite_options calls the number of -n so
suite_options bwn "$@"
shift "$suite_shift"

{ echo "calls=$kills"; cat "$here/elapsed.guest"; } > "$work/elapsed"
{ echo "calls=$kills missed=yes"; cat "$here/elapsed.guest"; } > "$work/missed"
check=$build/tests/elapsedcheck
tests() {
	suite_guest -p 4 -f "$wl=/bin/wl" -f "$check=/bin/elapsedcheck" "$work/elapsed"
	suite_guest -p 4 -a preempt=full -f "$wl=/bin/wl" -f "$check=/bin/elapsedcheck" "$work/missed"
	suite_guest -i -f "$wl=/bin/wl" -f "$check=/bin/elapsedcheck" "$here/elapsed-cost.guest"
}
suite_kernels tests "$@"
