#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# names.sh - every name() that a comment or a document cites is a function of this tree, or one in names.txt
#
# names.txt has those of the kernel and of libraries. TAP on standard output.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sources() { find user bpf include tests -name '*.[chS]' -print0 | sort -z | xargs -0 cat; }
names() { grep -oE '\b[a-z_][a-z0-9_]*\(\)' | tr -d '()' | sort -u; }

sources | perl -0pe 's|/\*.*?\*/||gs; s|//.*||g' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u - tests/names.txt > "$tmp/known"
{ sources | perl -0ne 'print "$&\n" while m|/\*.*?\*/|gs'; cat ./*.md doc/*.md doc/bprobe.1 tests/*.md; } | names > "$tmp/cited"
comm -23 "$tmp/cited" "$tmp/known" > "$tmp/stale"
if [ -s "$tmp/stale" ]; then
	echo "not ok 1 - names that nothing has"
	while read -r name; do grep -rnF "$name()" user bpf include tests doc ./*.md | sed 's/^/# /'; done < "$tmp/stale"
else
	echo "ok 1 - the $(wc -l < "$tmp/cited") functions that comments and documents cite are there"
fi
sort -c tests/names.txt 2> /dev/null && [ -z "$(comm -13 "$tmp/cited" tests/names.txt)" ]
[ $? -eq 0 ] && echo "ok 2 - names.txt is sorted and has none that nobody cites" || {
	echo "not ok 2 - names.txt: sort it, and leave out what nobody cites"
	comm -13 "$tmp/cited" tests/names.txt | sed 's/^/# /'
}
echo 1..2
