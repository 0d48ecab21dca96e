#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# seeds.sh TARGET - the texts that a fuzz target begins with: from the corpora (tests/corpus/*.tsv), and the tables of the unit tests, whose
# texts are right and wrong in many ways. Each is in the third column of a line.
#
# Prints nothing for a target that has seeds of its own only.
set -u
cd "$(dirname "$0")/.." || exit 1

column=0
case $1 in
fuzz_kprobe|fuzz_dialect|fuzz_plan)	column=3 want='^[^s]' tests='kprobe legacy funcev dialect' ;;
fuzz_synthetic)			column=3 want='^s:' tests=synthetic ;;
fuzz_trigger)			column=4 want=. tests=trigger ;;
fuzz_filter)			column=4 want=' if ' tests=filter ;;
*)				exit 0 ;;
esac
cat corpus/kernel.tsv corpus/hist.tsv | awk -F '\t' -v column=$column -v want="$want" '
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
# A text is the first member of a row; ^ marks where the caret of an error is.
for test in $tests; do cat "unit/test_$test.c"; done | awk '
	match($0, /^[ \t]+[{] "([^"\\]|\\["\\])*"[, ]/) {
		text = substr($0, RSTART, RLENGTH)
		sub(/^[ \t]+[{] "/, "", text); sub(/"[, ]$/, "", text)
		gsub(/\\"/, "\"", text); gsub(/\\\\/, "\\", text); gsub(/\^/, "", text)
		if (text != "" && !seen[text]++) print "-\t-\t" text
	}'
