#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deaths.sh - bprobes that end at random moments and in all ways leave nothing behind: on each KERNEL given
#
#   deaths.sh [-b BPROBE] [-w WL] [-c BPFCOUNT] [-n GROUPS] [-r FIRST] KERNEL...
#
# GROUPS (20) groups of three bprobes, from number FIRST (0) on, on four processors. FIRST can be "next": those that were not run in this build folder
# yet. TAP on stdout. deaths.guest has the verbs, the ways, and what must be true.
#
# It has found a planted fault: what a killed --keep had begun was not removed by the next one (sweep(), user/keep/store.c). Of groups 0 to 13 two
# failed, and the events that are kept at the beginning.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=20		# suite_options calls the number of -n so
suite_options bwcnr "$@"
shift "$suite_shift"
. "$rig/random.sh"

tests() {
	random_rows "deaths.$kernel"
	{ echo "first=$first groups=$kills"; cat "$here/deaths.guest"; } > "$work/deaths"
	GUEST_SECONDS=2400 suite_guest -p 4 -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" "$work/deaths"
	echo "# groups $first to $((first + kills - 1))"
	random_ran "$kills"
}
suite_kernels tests "$@"
