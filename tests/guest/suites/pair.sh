#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# pair.sh - --pair: each duration is the time between two lines, on each KERNEL given
#
#   pair.sh [-b BPROBE] [-w WL] [-c BPFCOUNT] [-n CALLS] KERNEL...	(names that kernels.sh knows)
#
# CALLS (1000000) calls in all, on four processors. TAP on stdout. The tests are in pair.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=1000000				# suite_options calls the number of -n so
suite_options bwcn "$@"
shift "$suite_shift"

{ echo "calls=$kills"; cat "$here/pair.guest"; } > "$work/pair"
{ echo "calls=$kills missed=yes"; cat "$here/pair.guest"; } > "$work/missed"
check=$build/tests/elapsedcheck
tests() {
	suite_guest -p 4 -f "$wl=/bin/wl" -f "$check=/bin/elapsedcheck" -f "$bpfcount=/bin/bpfcount" "$work/pair"
	suite_guest -p 4 -a preempt=full -f "$wl=/bin/wl" -f "$check=/bin/elapsedcheck" -f "$bpfcount=/bin/bpfcount" "$work/missed"
}
suite_kernels tests "$@"
