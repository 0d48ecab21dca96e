#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# random-triggers.sh - random triggers beside the kernel's own, on each KERNEL given
#
#   random-triggers.sh [-b BPROBE] [-n ROWS] [-r FIRST] KERNEL...
#
# ROWS (200) rows of tests/random/triggers.py from number FIRST (0) on, which run as those of hist.sh do. FIRST can be "next": those that
# were not run in this build folder yet. A row that fails is made smaller, step by step, as long as it fails, and the smallest is printed.
# (In a batch of check.sh it is not made smaller.) With HIST_KEPT=yes in the environment the events are kept. TAP on stdout.
# It is for 6.12, whose triggers are bprobe's language (hist.sh).
#
# It has found a planted fault: '>' compiled as '>=' (jump_op() in user/gen/filter_code.c). Of rows 0 to 199 four failed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=200		# suite_options calls the number of -n so
suite_options bnr "$@"
shift "$suite_shift"
. "$rig/random.sh"
random=$here/../../random/triggers.py

# rows/list, and for each row of $work/made/rows.tsv ROW.defs and ROW.triggers
write_rows() {
	rm -rf "$work/rows"
	mkdir -p "$work/rows"
	awk -F '\t' -v dir="$work/rows" '
		function put(file, text, n, part, i) {
			n = split(text, part, / \|\| /)
			for (i = 1; i <= n; i++) print part[i] > file
			close(file)
		}
		{
			print $1 > (dir "/list")
			put(dir "/" $1 ".defs", $3)
			put(dir "/" $1 ".triggers", $4)
		}' "$work/made/rows.tsv"
	[ -z "${HIST_KEPT:-}" ] || : > "$work/rows/kept"
}

judged() {	# TAP of the rows in $work/made
	write_rows
	GUEST_SECONDS=2400 suite_guest -f "$build/tests/tw=/bin/tw" -f "$work/rows=/rows" "$here/hist.guest" > "$work/said"
	awk -v kernel="$kernel" -v departures="$work/made/departures.tsv" -v random=1 -f "$here/hist.awk" - "$work/said" < "$work/made/rows.tsv"
	grep '^not ok - the guest' "$work/said"
}

judged_made() { judged; }
make_smaller() {
	python3 "$random" smaller "$work/made" "$1" && cut -f 1 "$work/made/rows.tsv" > "$work/made/list"
}
row_of() { awk -F '\t' -v row="$1" '$1 == row { print $3 "\t" $4 }' "$work/made/rows.tsv"; }

tests() {
	[ "$kernel" = 6.12 ] || { echo "ok - random triggers # SKIP the language is 6.12's: hist.sh has verdicts for other kernels"; return; }
	random_rows "random-triggers${HIST_KEPT:+-kept}.$kernel"
	python3 "$random" make "$first" "$kills" "$work/made"
	cp "$work/made/rows.tsv" "$work/all.tsv"
	judged > "$work/first"
	cat "$work/first"
	echo "# rows $first to $((first + kills - 1))"
	# If some did not run, all come again.
	[ "$(grep -c '^=row ' "$work/said")" != "$kills" ] || random_ran "$kills"
	[ -z "${BATCH:-}" ] || return
	for name in $(failed_rows "$work/first" | head -n 5); do
		cp "$work/all.tsv" "$work/made/rows.tsv"
		echo "# $name: $(row_of "$name")"
		smallest "$(row_of "$name")"
	done
}
suite_kernels tests "$@"
