#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# seeds.sh TARGET - the texts of the corpora (tests/corpus/*.tsv) that a fuzz target begins with, each in the third column of a line
#
# Prints nothing for a target that has seeds of its own only.
set -u
cd "$(dirname "$0")/../corpus" || exit 1

case $1 in
fuzz_kprobe|fuzz_dialect)	column=3 want='^[^s]' ;;
fuzz_synthetic)			column=3 want='^s:' ;;
fuzz_trigger)			column=4 want=. ;;
fuzz_filter)			column=4 want=' if ' ;;
*)				exit 0 ;;
esac
cat kernel.tsv hist.tsv | awk -F '\t' -v column=$column -v want="$want" '
	$1 == "id" || (column == 4 && NF > 12) { next }
	{
		n = split($column, text, / [|][|] /)
		for (i = 1; i <= n; i++) {
			if (column == 4) sub(/^[^ ]+ /, "", text[i])
			if (text[i] !~ want) continue
			if (want == " if ") sub(/^.* if /, "", text[i])
			gsub(/\^[nt]/, " ", text[i])
			if (!seen[text[i]]++) print "-\t-\t" text[i]
		}
	}'
