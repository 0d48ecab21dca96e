#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# random-definitions.sh - random definitions beside the kernel's own tracer, on each KERNEL given
#
#   random-definitions.sh [-b BPROBE] [-w WL] [-a ATTACH] [-n ROWS] [-r FIRST] KERNEL...
#
# ROWS (100) definitions of tests/random/definitions.py from number FIRST (0) on trace the same calls as the kernel's, and their values
# are compared: kprobes, user probes, event probes, tracepoints, functions, and filters. With -a they are kprobes alone. What the kernel takes must be
# taken. FIRST can be "next": those that were not run in this build folder yet. A row that fails is made smaller, step by step, as long as it
# fails, and the smallest is printed. (In a batch of check.sh it is not made smaller.) TAP on stdout.
#
# It has found three planted faults: that of random-loads.sh; the marks of an array in a second word are left out (emit_collected_marks(),
# user/gen/emit_array.c; of 10 rows with arrays 2 failed); the mark of bit 32 is not looked at (event_marked(), user/print/decode.c; 4 of 10).
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=100		# suite_options calls the number of -n so
suite_options bwanr "$@"
shift "$suite_shift"
. "$rig/random.sh"
random=$here/../../random/definitions.py
echo "$attach" > "$work/attach"
[ "$attach" = auto ] && kinds=all || kinds=kprobes
: > "$work/random"

# So many in a guest. With some hundred the kernel needs minutes to print its trace.
part=100

judged() {	# judged CASES
	rm -rf "$work/parts" && mkdir "$work/parts"
	split -l $part "$1" "$work/parts/cases."
	for cases in "$work"/parts/cases.*; do
		GUEST_SECONDS=2400 suite_guest -f "$wl=/bin/wl" -f "$build/tests/dw=/dw/wl" -f "$cases=/cases" -f "$work/attach=/attach" \
			-f "$work/random=/random" "$here/compare.guest" |
			LC_ALL=C awk -v kernel="$kernel" -f "$here/random-definitions.awk" | sed 's/^\(not ok\|ok\) - case /\1 - /'
	done > "$work/results"
	cat "$work/results"
	# A row without a result has failed.
	sed -nE 's/^(not )?ok - ([DS][0-9]+)([: ].*)?$/\2/p' "$work/results" > "$work/judged"
	cut -f 1 "$1" | grep -vxFf "$work/judged" | sed 's/.*/not ok - &: no result/'
}
judged_made() { judged "$work/made/rows"; }
make_smaller() {
	mkdir "$work/made" && python3 "$random" smaller "$1" > "$work/made/rows" && cut -f 1 "$work/made/rows" > "$work/made/list"
}
row_of() { grep "^$1	" "$work/made/rows"; }

tests() {
	random_rows "random-definitions-$attach.$kernel"
	vmlinux=$("$rig/kernels.sh" vmlinux "$kernel")
	python3 "$random" trace "$first" "$kills" "$kernel" "$vmlinux" "$build/tests/dw" "$kinds" > "$work/cases"
	judged "$work/cases" > "$work/first"
	# A tick between the two tracers of a hit can change what they read, such as the flags of a task. So what differs runs again, and must differ again.
	failed_rows "$work/first" > "$work/again"
	if [ -s "$work/again" ]; then
		grep "^\($(paste -sd '|' "$work/again" | sed 's/|/\\|/g')\)	" "$work/cases" > "$work/cases.again"
		judged "$work/cases.again" > "$work/second"
		awk -v again="$(failed_rows "$work/second" | paste -sd ' ')" '
			BEGIN { n = split(again, row, " "); for (i = 1; i <= n; i++) failed[row[i]] }
			/^(not )?ok - D/ {
				name = $0
				sub(/^(not )?ok - /, "", name)
				sub(/[: ].*/, "", name)
				once = /^not / && !(name in failed)
				if (once) { print "ok - " name "\n# " name " differed once" }
			}
			/^(not )?ok - / && !/ - D/ { once = 0 }
			!once' "$work/first" > "$work/both"
		mv "$work/both" "$work/first"
	fi
	cat "$work/first"
	echo "# rows $first to $((first + kills - 1))"
	random_ran "$kills"
	[ -z "${BATCH:-}" ] || return
	for name in $(failed_rows "$work/first" | head -n 5); do
		echo "# $name:"
		smallest "$(grep "^$name	" "$work/cases")"
	done
}
suite_kernels tests "$@"
