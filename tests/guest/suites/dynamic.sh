#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dynamic.sh - user probes, `t`, `e` and `f`: does bprobe print what the kernel's own tracer prints?
#
#   dynamic.sh [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# One boot per kernel: uprobe_events and dynamic_events, and bprobe, trace the same calls with the same definitions at the same time.
# The rows are in dynamic.tsv, whose head explains them; dynamic.guest traces, dynamic.awk compares. TAP on stdout.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"
programs=$build/tests
odd="/tmp/o:d,d=@[1]~'x+/dw"			# a path with odd characters

# places TAG FILE PATH: lines "{TAG:SYMBOL} PATH:OFFSET", "{TAG+SYMBOL} OFFSET" and "{TAG@SYMBOL} ADDRESS" of each symbol
places() {
	local address kind symbol at start size segments
	segments=$(readelf -lW "$2" | awk '$1 == "LOAD" { print $2, $3, $5 }')
	nm "$2" 2> /dev/null | awk 'NF == 3 && $3 ~ /^dw_/' | while read -r address kind symbol; do
		while read -r at start size; do
			((16#$address >= start && 16#$address < start + size)) || continue
			printf '{%s:%s}\t%s:0x%x\n' "$1" "$symbol" "$3" $((16#$address - start + at))
			printf '{%s+%s}\t0x%x\n' "$1" "$symbol" $((16#$address - start + at))
		done <<< "$segments"
		printf '{%s@%s}\t0x%x\n' "$1" "$symbol" $((16#$address))
	done
}

{
	places dw "$programs/dw" /bin/dw
	places odd "$programs/dw" "$odd"
	places pie "$programs/dwpie" /pie/dw
	places lib "$programs/libdw.so" /pie/libdw.so
} > "$work/places"

# The guest gets: id, kind, does the kernel know it, command, definition, the kernel's definition, departure, want.
prepare() {
	awk -F '\t' -v OFS='\t' -v rank="$(suite_rank "$kernel")" -v names="$("$rig/kernels.sh" order)" '
		BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) order[name[i]] = i }
		FILENAME ~ /places$/ { place[$1] = $2; next }
		/^#/ || /^$/ { next }
		NF != 6 || !($2 in order) || $1 in ids { print "not ok - malformed row: " $0; next }
		{
			ids[$1]
			knows = order[$2] <= rank ? "yes" : "no"
			for (rest = $3; match(rest, /\{[a-z]+[:+@][A-Za-z_0-9]+\}/); rest = substr(rest, RSTART + RLENGTH)) {
				word = substr(rest, RSTART, RLENGTH)
				if (!(word in place)) {
					print "not ok - row " $1 ": no such place: " word
					next
				}
			}
			for (word in place)
				while ((at = index($3, word)))
					$3 = substr($3, 1, at - 1) place[word] substr($3, at + length(word))
			# A departure from a kernel on
			if (match($5, /^[0-9a-z.]+\+ /)) {
				since = substr($5, 1, RLENGTH - 2)
				if (!(since in order)) print "not ok - malformed row: " $0
				$5 = order[since] <= rank ? substr($5, RLENGTH + 1) : "-"
			}
			definition = $3
			gsub(/:e /, ":dyn/" $1 " ", definition)
			theirs = definition
			if ((at = index(definition, " <=> "))) {
				theirs = substr(definition, at + 5)
				definition = substr(definition, 1, at - 1)
			}
			if (knows == "no" && $6 == "-") {
				skipped++
				next
			}
			print $1, substr($3, 1, 1), knows, $4, definition, theirs, $5, $6 > "'"$work"'/rows"
		}
		END { print "# " skipped + 0 " rows need a later kernel" }' "$work/places" "$here/../rows/dynamic.tsv"
}

tests() {
	rm -f "$work/rows"
	prepare
	suite_guest -f "$programs/dw=/bin/dw" -f "$programs/dwpie=/pie/dw" -f "$programs/libdw.so=/pie/libdw.so" \
		-f "$(ldd "$programs/dwpie" | awk '$1 == "libc.so.6" { print $3 }')=/lib/libc.so.6" \
		-f "$(realpath /lib64/ld-linux-x86-64.so.2)=/lib64/ld-linux-x86-64.so.2" \
		-f "$work/rows=/rows" "$here/dynamic.guest" |
		LC_ALL=C awk -v kernel="$kernel" -f "$here/dynamic.awk" | tee "$work/results"
	# A row without a result has failed, whether its guest died or not.
	sed -nE 's/^(not )?ok - row ([A-Za-z0-9]+):.*/\2/p' "$work/results" > "$work/judged"
	cut -f 1 "$work/rows" | grep -vxFf "$work/judged" | sed 's/.*/not ok - row &: no result/'
}
suite_kernels tests "$@"
