#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# corpus.sh - every row of the corpus under the kernel's own tracer and under bprobe, on each KERNEL given
#
#   corpus.sh [-b BPROBE] [-w WL] [-r 'ROW...'] KERNEL...       (names that kernels.sh knows)
#
# The corpus is tests/corpus/kernel.tsv ($CORPUS: elsewhere). On 6.12 both
# tracers see the same run of the row's workload, and compared are acceptance and each line of
# the workload's process from the event's name on. On the other kernels only acceptance counts: what
# the grammar decides must be as on 6.12, what the build decides (symbols, boundaries, notrace) as
# that kernel's own tracer says. corpus-departures.tsv lists the rows where bprobe's answer is another
# on purpose. TAP on stdout, a count for each kernel at the end.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwr "$@"
shift "$suite_shift"
corpus=${CORPUS:-$here/../../corpus/kernel.tsv}
departures=$here/../rows/corpus-departures.tsv

# One processor: with two, lines of the same time could come in either order.
tests() {
	[ -f "$corpus" ] || { echo "not ok - the corpus: $corpus is not there"; return; }
	rm -rf "$work/guest"
	mkdir -p "$work/guest/rows"
	cut -f 3,14 "$corpus" | tr -c 'A-Za-z0-9_.' '\n' | sort -u > "$work/symbols"
	: > "$work/guest/mode"
	[ "$kernel" = 6.12 ] || echo verdicts > "$work/guest/mode"
	LC_ALL=C awk -v dir="$work/guest" -v only="$rows" -v kernel="$kernel" -f "$here/corpus-rows.awk" "$departures" "$corpus" || return
	start=$(date +%s)
	suite_guest -p 1 -f "$wl=/bin/wl" -f "$work/guest/rows=/rows" -f "$work/guest/mode=/mode" -f "$work/guest/places=/places" \
		-f "$work/guest/likely=/likely" -f "$work/guest/groups=/groups" -f "$work/symbols=/symbols" "$here/corpus.guest" |
		tr "\000" "\376" > "$work/guest/out"	# awk ends a line at a zero byte; no row prints the other one
	echo "=seconds $(($(date +%s) - start))" >> "$work/guest/out"
	# If the guest has died, why.
	sed -n '/^=end/d; /^guest\.sh: /,$s/^/# /p' "$work/guest/out"
	LC_ALL=C awk -v kernel="$kernel" -f "$here/corpus.awk" "$departures" "$corpus" \
		"$work/guest/judged" "$work/guest/out" | cat -v
}
suite_kernels tests "$@"
