#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# parsers.sh DIR - each parser and decoder of user/ has a row in parsers.tsv, and is in the fuzz target that the row names. DIR: the targets. TAP on
# stdout
#
# A parser is what a header declares with "parse", "decode", "unpack" or "demangle" in its name; the table also has some with other names. That a
# function is linked into a target does not mean that an input reaches it: tests/long/coverage.sh tells that, by the same table.
#
# The planted fault: a row less, and a row whose target does not have the function. Both must be told.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
grep -v '^#' tests/fuzz/parsers.tsv | grep . > "$tmp/table"
find user -name '*.h' -exec grep -hoE '^[a-z].*[ *][a-z0-9_]+\(' {} + | grep -v '^static' | grep -oE '[a-z0-9_]+\($' | tr -d '(' |
	grep -E '(^|_)(parse|decode|unpack|demangle)(_|$)' | sort -u > "$tmp/parsers"
for target in $(cut -f 2 "$tmp/table" | sort -u | grep -v '^-'); do
	nm "$1/fuzz_$target" 2> /dev/null | awk -v target="$target" '$2 ~ /^[Tt]$/ { print $3 "\t" target }'
done > "$tmp/linked"

# What is wrong with TABLE.
troubles() {
	cut -f 1 "$1" | sort > "$tmp/rows"
	comm -13 "$tmp/rows" "$tmp/parsers" | sed 's/$/: no row/'
	uniq -d "$tmp/rows" | sed 's/$/: two rows/'
	awk -F '\t' 'FILENAME == ARGV[1] { linked[$1, $2]; next }
		NF != 3 { print $1 ": not three columns" }
		$2 != "-" && !(($1, $2) in linked) { print $1 ": not in fuzz_" $2 }' "$tmp/linked" "$1"
}
is() {	# is NUMBER TEXT WANTED TABLE
	troubles "$4" > "$tmp/got"
	if [ "$(cat "$tmp/got")" = "$3" ]; then echo "ok $1 - $2"; else
		echo "not ok $1 - $2"
		sed 's/^/# /' "$tmp/got"
	fi
}

is 1 "each of the $(wc -l < "$tmp/parsers") parsers is in the target that parsers.tsv names" "" "$tmp/table"
grep -v '^pair_parse	' "$tmp/table" > "$tmp/less"
is 2 "... a row that is missing is told" "pair_parse: no row" "$tmp/less"
sed 's/^pair_parse	pair	/pair_parse	insn	/' "$tmp/table" > "$tmp/wrong"
is 3 "... a target that does not have the function is told" "pair_parse: not in fuzz_insn" "$tmp/wrong"
for target in $(basename -s .c -a tests/fuzz/fuzz_*.c); do
	cut -f 2 "$tmp/table" | grep -qx "${target#fuzz_}" || echo "$target"
done > "$tmp/idle"
if [ -s "$tmp/idle" ]; then echo "not ok 4 - each target has a row"; sed 's/^/# /' "$tmp/idle"; else echo "ok 4 - each target has a row"; fi
echo 1..4
