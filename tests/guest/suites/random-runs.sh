#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# random-runs.sh - random runs of bprobe on calls that are known: do their numbers add up? On each KERNEL given
#
#   random-runs.sh [-b BPROBE] [-w WL] [-n ROWS] [-r FIRST] KERNEL...
#
# ROWS (40) rows of tests/random/runs.py from number FIRST (0) on, on one processor and on four. FIRST can be "next": those that were not run in
# this build folder yet. A row that fails is made smaller, step by step, as long as it fails, and the smallest is printed. (In a batch of
# check.sh it is not made smaller.) TAP on stdout. runs.guest says what must be true.
#
# It has found a planted fault: of the losses at the end only those of the last definition were told ('=' in place of '+=' in
# stream_last_losses(), user/stream/stream.c). Of rows 0 to 39 on four processors four failed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=40		# suite_options calls the number of -n so
suite_options bwnr "$@"
shift "$suite_shift"
. "$rig/random.sh"
random=$here/../../random/runs.py

judged() {	# judged DIRECTORY CPUS
	GUEST_SECONDS=2400 suite_guest -p "$2" -f "$wl=/bin/wl" -f "$1=/rows" -f "$here/runs.awk=/runs.awk" "$here/runs.guest"
}
judged_made() { judged "$work/made" "$random_with"; }
make_smaller() { python3 "$random" smaller "$work/made" "$1"; }
row_of() { sed -n "s/^\[\"$1\", \(.*\)\]$/\1/p" "$work/made/rows.json"; }

tests() {
	random_rows "random-runs.$kernel"
	half=$((kills / 2))
	python3 "$random" make "$first" "$half" "$work/1"
	python3 "$random" make $((first + half)) $((kills - half)) "$work/4"
	for random_with in 1 4; do
		judged "$work/$random_with" $random_with > "$work/first"
		cat "$work/first"
		[ -z "${BATCH:-}" ] || continue
		for name in $(failed_rows "$work/first" | head -n 5); do
			rm -rf "$work/made"
			cp -r "$work/$random_with" "$work/made"
			echo "# $name, $random_with processors: $(row_of "$name")"
			smallest "$(row_of "$name")"
		done
	done
	echo "# rows $first to $((first + kills - 1))"
	random_ran "$kills"
}
suite_kernels tests "$@"
