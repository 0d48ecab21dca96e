#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# compare.sh - does bprobe print what the kernel's own tracer prints?
#
#   compare.sh [-b BPROBE] [-w WL] [-a ATTACH] KERNEL...       (names that kernels.sh knows)
#
# One boot per kernel: kprobe_events and bprobe trace the same calls with the same definitions
# at the same time, and the lines are compared (compare.guest runs there, compare.awk judges).
# TAP on stdout; after each kernel a line with its count and the seconds from boot to result.
#
# With -a auto the cases CTXRES* are left out: they hit a function again from the interrupt of a hit, which
# a trampoline's guard against recursion counts as missed. -a kprobe has them.
#
# The cases, cases/*.tsv, have five columns: id, the oldest kernel (or OLDEST-NEWEST), definition, workload, departure.
#   definition   its event `e` gets the case's id for a name, so that all can run at once;
#                SYM+@N is the N-th place inside SYM that the kernel accepts, {{PLACE}} its address;
#                "BPROBE'S <=> KERNEL'S" where the kernel does not know what bprobe does
#   workload     an operation of workload.c; the lines of its process are compared. After "any: "
#                the lines of every task are, idle ones included
#   departure    `-`, or the argument part that bprobe prints on each kernel, if the kernel's
#                own is a defect (doc/differences.md lists them)
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwa "$@"
shift "$suite_shift"
echo "$attach" > "$work/attach"

# The guest gets: id, event (empty: the generated name), who, departure, workload, definition.
prepare() {
	cat "$here"/../rows/cases/*.tsv | awk -F '\t' -v OFS='\t' -v attach="$attach" -v rank="$(suite_rank "$kernel")" -v names="$("$rig/kernels.sh" order)" '
		BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) order[name[i]] = i }
		/^#/ || (attach == "auto" && /^CTXRES/) { next }
		{ all = $2 }
		{ until_kernel = sub(/-.*/, "", $2) ? substr(all, index(all, "-") + 1) : "" }
		NF != 5 || !($2 in order) { printf "not ok - malformed case: %s\n", $0; next }
		until_kernel != "" && order[until_kernel] < rank { printf "ok - %s # skip the kernel takes this until %s: %s\n", $1, until_kernel, $3; next }
		order[$2] > rank { printf "ok - %s # skip needs kernel %s: %s\n", $1, $2, $3; next }
		{
			event = "-"		# an empty field would vanish in the shell
			who = sub(/^any: /, "", $4) ? "any" : "own"
			sub(/^[pr]:e /, substr($3, 1, 2) $1 " ", $3)
			if (match($3, / <=> [pr]:e /))
				$3 = substr($3, 1, RSTART + 6) $1 substr($3, RSTART + 8)
			if ($3 ~ /^[pr]:/) {
				event = substr($3, 3)
				sub(/ .*/, "", event)
				sub(/.*[\/.]/, "", event)
			}
			print $1, event, who, $5, $4, $3 > "'"$work"'/cases"
		}'
}

tests() {
	rm -f "$work/cases"
	prepare
	suite_guest -f "$wl=/bin/wl" -f "$work/cases=/cases" -f "$work/attach=/attach" "$here/compare.guest" |
		LC_ALL=C awk -v kernel="$kernel" -v attach="$attach" -f "$here/compare.awk" | tee "$work/results"
	# A case without a result has failed, whether its guest died or not.
	sed -nE "s/^(not )?ok - case ([A-Za-z0-9]+):.*/\\2/p" "$work/results" > "$work/judged"
	cut -f 1 "$work/cases" | grep -vxFf "$work/judged" | sed "s/.*/not ok - case &: no result/"
}
suite_kernels tests "$@"
