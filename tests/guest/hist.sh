#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hist.sh - triggers and histograms beside the kernel's own, on each KERNEL given
#
#   hist.sh [-b BPROBE] [-r ROW]... KERNEL...       (names that kernels.sh knows)
#
# Each row of tests/corpus/hist.tsv in one boot: both see the same run of the workload tw. hist-departures.tsv lists the rows where
# bprobe's answer is another on purpose. TAP on stdout.
set -u
rows=
[ "${1:-}" != -r ] || { rows=$2; shift 2; }
. "$(dirname "$0")/suite.sh"
suite_options b "$@"
shift "$suite_shift"
corpus=$here/../corpus/hist.tsv

write_rows() {
	mkdir -p "$work/rows"
	awk -F '\t' -v dir="$work/rows" -v only=" $rows " '
		function unescape(s) { gsub(/\^t/, "\t", s); return s }
		NR == 1 || (only !~ /^ *$/ && index(only, " " $1 " ") == 0) { next }
		/@run/ { next }
		{
			print $1 > (dir "/list")
			n = split($3, part, / \|\| /)
			for (i = 1; i <= n; i++)
				print unescape(part[i]) > (dir "/" $1 ".defs")
			n = split($4, part, / \|\| /)
			for (i = 1; i <= n; i++)
				print unescape(part[i]) > (dir "/" $1 ".triggers")
			close(dir "/" $1 ".defs")
			close(dir "/" $1 ".triggers")
		}' "$corpus"
}

tests() {
	write_rows
	suite_guest -f "$build/tests/tw=/bin/tw" -f "$work/rows=/rows" "$here/hist.guest" > "$work/said"
	cp "$work/said" "$build/hist.$kernel.log"
	awk -v departures="$here/hist-departures.tsv" -f "$here/hist.awk" "$work/said"
}
suite_kernels tests "$@"
