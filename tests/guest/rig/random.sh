# SPDX-License-Identifier: GPL-2.0-only
#
# random.sh - what the drivers of random rows share; they source it after suite.sh
#
# A driver has three functions:
#
#	make_smaller ROW	writes the rows that are one step smaller than ROW to $work/made, with their names in $work/made/list
#	judged_made		TAP of the rows in $work/made
#	row_of NAME		the row of that name in $work/made, as make_smaller takes it

# random_rows NAME: $first is the first row: that of -r (0), or with "next" one that was not run in this build folder yet.
random_rows() {
	first=${rows:-0} next=
	[ "$first" = next ] || return
	mkdir -p "$build/long"
	next=$build/long/$1
	first=$(cat "$next" 2> /dev/null || echo 1000)
}

random_ran() { [ -z "$next" ] || echo $((first + $1)) > "$next"; }	# random_ran NUMBER: these rows have run

failed_rows() { sed -n 's/^not ok - \([A-Z][0-9]*\)\([: ].*\)\{0,1\}$/\1/p' "$1"; }

# smallest ROW: makes it smaller as long as it fails, and prints the smallest, as comments
smallest() {
	small=$1
	: > "$work/shown"
	for step in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -rf "$work/made"
		make_smaller "$small" || return
		[ -s "$work/made/list" ] || break
		judged_made > "$work/smaller"
		row=$(failed_rows "$work/smaller" | head -n 1)
		[ -n "$row" ] || break
		small=$(row_of "$row")
		awk -v row="$row" '/^(not )?ok/ { shown = $0 ~ "^not ok - " row "([: ]|$)" } shown' "$work/smaller" > "$work/shown"
	done
	echo "# smallest: $small"
	sed 's/^not ok/# not_ok/' "$work/shown" | head -n 12
}
