#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hist.sh - triggers and histograms beside the kernel's own, on each KERNEL given
#
#   hist.sh [-b BPROBE] [-r 'ROW...'] KERNEL...       (names that kernels.sh knows)
#
# Each row of tests/corpus/hist.tsv and of hist-more.tsv in one boot: both tracers see the same run of the workload tw. On 6.12 both
# must print the same; on the other kernels bprobe must take or refuse the row as 6.12 does, since its language is 6.12's.
# hist-departures.tsv lists the rows where bprobe's answer is another on purpose. TAP on stdout.
#
# With HIST_KEPT=yes in the environment (hist-kept.sh) the events are kept, and no bprobe runs while they count:
# hist-kept-departures.tsv has more departures.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options br "$@"
shift "$suite_shift"
corpus="$here/../../corpus/hist.tsv $here/../rows/hist-more.tsv"

# rows/list, and for each row ROW.defs and ROW.triggers: one definition or trigger a line.
write_rows() {
	mkdir -p "$work/rows"
	awk -F '\t' -v dir="$work/rows" -v only=" $rows " '
		function put(file, text, n, part, i) {
			n = split(text, part, / \|\| /)
			for (i = 1; i <= n; i++) {
				gsub(/\^t/, "\t", part[i])
				print part[i] > file
			}
			close(file)
		}
		/^#/ || $1 == "id" || (only !~ /^ *$/ && index(only, " " $1 " ") == 0) { next }
		{
			print $1 > (dir "/list")
			put(dir "/" $1 ".defs", $3)
			put(dir "/" $1 ".triggers", $4)
		}' $corpus
}

tests() {
	rm -rf "$work/rows"
	[ -x "$build/tests/tw" ] || { echo "not ok - the workload $build/tests/tw is not built"; return; }
	write_rows
	[ "$kernel" = 6.12 ] || : > "$work/rows/verdicts"
	[ -z "${HIST_KEPT:-}" ] || : > "$work/rows/kept"
	suite_guest -f "$build/tests/tw=/bin/tw" -f "$work/rows=/rows" "$here/hist.guest" > "$work/said"
	cp "$work/said" "$build/hist.$kernel.log"
	cat "$here/../rows/hist-departures.tsv" ${HIST_KEPT:+"$here/../rows/hist-kept-departures.tsv"} > "$work/departures"
	cat $corpus | awk -v kernel="$kernel" -v departures="$work/departures" -f "$here/hist.awk" - "$work/said"
}
suite_kernels tests "$@"
