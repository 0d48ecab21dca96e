#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# random-applies.sh - random files for --apply: does the store become what they say? On each KERNEL given
#
#   random-applies.sh [-b BPROBE] [-w WL] [-n ROWS] [-r FIRST] KERNEL...
#
# ROWS (40) rows of tests/random/applies.py from number FIRST (0) on. FIRST can be "next": those that were not run in this build folder yet. A row
# that fails is made smaller, step by step, as long as it fails, and the smallest is printed. (In a batch of check.sh it is not made
# smaller.) TAP on stdout. random-applies.guest says what must be true.
#
# It has found a fault: if a file changed an event's state and its triggers, the new programs had the old state (rows 7 and 8).
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=40		# suite_options calls the number of -n so
suite_options bwnr "$@"
shift "$suite_shift"
. "$rig/random.sh"
random=$here/../../random/applies.py

judged() {	# judged DIRECTORY
	GUEST_SECONDS=2400 suite_guest -f "$wl=/bin/wl" -f "$1=/rows" "$here/random-applies.guest"
}
judged_made() { judged "$work/made"; }
make_smaller() { python3 "$random" smaller "$work/made" "$1"; }
row_of() { sed -n "s/^\[\"$1\", \(.*\)\]$/\1/p" "$work/made/rows.json"; }

tests() {
	random_rows "random-applies.$kernel"
	rm -rf "$work/rows"
	python3 "$random" make "$first" "$kills" "$work/rows"
	judged "$work/rows" > "$work/first"
	cat "$work/first"
	echo "# rows $first to $((first + kills - 1))"
	random_ran "$kills"
	[ -z "${BATCH:-}" ] || return
	for name in $(failed_rows "$work/first" | head -n 5); do
		rm -rf "$work/made"
		cp -r "$work/rows" "$work/made"
		echo "# $name: $(row_of "$name")"
		smallest "$(row_of "$name")"
	done
}
suite_kernels tests "$@"
