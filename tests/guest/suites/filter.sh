#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# filter.sh - do the kernel's filters and bprobe's accept the same calls, on each KERNEL given?
#
#   filter.sh [-b BPROBE] [-w WL] [-a ATTACH] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The cases are in filters.tsv, what runs them in filter.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwa "$@"
shift "$suite_shift"
echo "$attach" > "$work/attach"

tests() {
	rm -f "$work/cases"
	awk -F '\t' -v OFS='\t' -v rank="$(suite_rank "$kernel")" -v names="$("$rig/kernels.sh" order)" -v cases="$work/cases" '
		BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) order[name[i]] = i }
		/^#/ { next }
		{ id = sprintf("F%03d", ++n) }
		order[$1] > rank { print "ok - " id " # skip this filter is not known to kernels before " $1 ": " $3; next }
		{ print id, $2, $3, $4 > cases }' "$here/../rows/filters.tsv" | tee "$work/results"
	suite_guest -f "$wl=/bin/wl" -f "$work/cases=/cases" -f "$work/attach=/attach" "$here/filter.guest" | tee -a "$work/results"
	# A case without a result has failed.
	while IFS='	' read -r id _; do
		grep -q "ok - $id:" "$work/results" || echo "not ok - $id: no result"
	done < "$work/cases"
}
suite_kernels tests "$@"
