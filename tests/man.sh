#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# man.sh BPROBE - doc/bprobe.1 renders without a warning, and has the options of --help
#
# The options are compared in both directions, with their values, and with their names in the tables of options; its examples'
# definitions are parsed. TAP on standard output.
set -u
bprobe=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1
page=doc/bprobe.1
n=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# result STATUS TEXT [FILE]: STATUS 0 is passed; FILE is what went wrong.
result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
		[ $# -lt 3 ] || sed 's/^/# /' "$3"
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# silent TEXT COMMAND...: it succeeds and prints nothing.
silent() {
	text=$1
	shift
	"$@" > "$tmp/said" 2>&1 && [ ! -s "$tmp/said" ]
	result $? "$text" "$tmp/said"
}

render() { groff -mandoc -ww -Tascii -P-cbou -rLL=100n "$page" > "$tmp/page"; }
with_man() { LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" > /dev/null; }

if command -v groff > /dev/null; then
	silent "groff -ww renders $page without a warning" render
else
	skip "groff -ww renders $page without a warning" "there is no groff (package groff-base)"
fi
if command -v man > /dev/null && man --version > /dev/null 2>&1; then
	silent "man --warnings shows $page without a warning" with_man
else
	skip "man --warnings shows $page without a warning" "there is no man (package man-db)"
fi
if command -v mandoc > /dev/null; then
	silent "mandoc finds nothing in $page" mandoc -T lint -W warning "$page"
else
	skip "mandoc finds nothing in $page" "there is no mandoc"
fi

# An option's line: its names and what it takes, without blanks, as one word.
"$bprobe" --help | grep -E '^  (-[A-Za-z], |    )--[a-z]' |
	sed -E 's/^ *//; s/   *.*//; s/(\.\.\.\]?) .*/\1/; s/ //g' | sort > "$tmp/help"
sed -nE 's/^\.It (Fl .*)/\1/p' "$page" |
	sed -E 's/Fl /-/g; s/(^| )(Ar|Ns|Cm) /\1/g; s/Op ([^ ]*.*)/[\1]/; s/(Ar|Ns) //g; s/ //g' | sort > "$tmp/man"
diff "$tmp/help" "$tmp/man" > "$tmp/diff"
result $? "$(wc -l < "$tmp/help") options of --help and what they take are those of $page (< help, > page)" "$tmp/diff"

grep -oE -- '--[a-z-]+' "$tmp/help" | sort > "$tmp/long"
{
	sed -nE 's/^\t\{ "([a-z-]+)", (no|required|optional)_argument.*/--\1/p' user/cli/options.c
	sed -nE 's/^\t\{ "([a-z-]+)", .*\},$/--\1/p' user/set/option.c
	sed -nE 's/^\t\.name = "([a-z-]+)", \.does = .*/--\1/p' user/print/*.c
	sed -nE 's/^\t\{ \.option = "(--[a-z-]+)".*/\1/p' user/cli/verbs.c
} | sort -u > "$tmp/code"	# --snapshot is an option, and a verb
diff "$tmp/code" "$tmp/long" > "$tmp/diff"
result $? "the options in the tables of user/cli, user/set and user/print are those of --help (< code, > help)" "$tmp/diff"

# Each way to attach, and each type of bprobe's own, is where users look for it. The program names them when it refuses another word.
"$bprobe" --attach nosuch p 2>&1 | sed -n "s/.* wants \(.*\), not 'nosuch'.*/\1/p" | sed 's/,//g; s/ or / /' | tr ' ' '\n' > "$tmp/ways"
: > "$tmp/missing"
while read -r way; do
	grep -qx "\.It Cm $way" "$page" || echo "$way: $page" >> "$tmp/missing"
	grep -q "^| \`$way\` |" doc/attach.md || echo "$way: doc/attach.md" >> "$tmp/missing"
done < "$tmp/ways"
[ -s "$tmp/ways" ] && [ ! -s "$tmp/missing" ]
result $? "$(wc -l < "$tmp/ways") ways to attach are in $page and doc/attach.md" "$tmp/missing"

"$bprobe" --translate 'p f a=%di:zzzzzzzz' 2>&1 | sed -n 's/.*%pD, //p' | sed 's/,//g' | tr ' ' '\n' > "$tmp/types"
: > "$tmp/missing"
while read -r type; do
	sed -n 's/^\.It Ql //p' "$page" | tr -d ' ' | tr ',' '\n' | grep -qxF "$type" || echo "$type: $page" >> "$tmp/missing"
	sed -n 's/^| \(`[^|]*`\) | .*/\1/p' doc/grammar.md | tr -d '` ' | tr ',' '\n' | grep -qxF "$type" || echo "$type: doc/grammar.md" >> "$tmp/missing"
	"$bprobe" --help | tr -s ' ,' '\n\n' | grep -qxF "$type" || echo "$type: --help" >> "$tmp/missing"
done < "$tmp/types"
[ -s "$tmp/types" ] && [ ! -s "$tmp/missing" ]
result $? "$(wc -l < "$tmp/types") types of bprobe's own are in $page, doc/grammar.md and --help" "$tmp/missing"

# An option that the text names is one.
if [ -s "$tmp/page" ]; then
	grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' "$tmp/page" | grep -oE -- '--.*' | sort -u | comm -23 - "$tmp/long" > "$tmp/unknown"
	[ ! -s "$tmp/unknown" ]
	result $? "the text names no other option" "$tmp/unknown"

	sed -n '/^   Examples/,/^   Options/p' "$tmp/page" | grep -oE "'[pr]:[^']*'" | tr -d "'" > "$tmp/definitions"
	"$bprobe" --translate -f "$tmp/definitions" > "$tmp/translated" 2>&1 &&
		[ "$(wc -l < "$tmp/translated")" -eq "$(wc -l < "$tmp/definitions")" ] && [ -s "$tmp/definitions" ]
	result $? "$(wc -l < "$tmp/definitions") definitions of its examples are definitions" "$tmp/translated"
else
	skip "the text names no other option" "there is no groff (package groff-base)"
	skip "definitions of its examples are definitions" "there is no groff (package groff-base)"
fi

for section in DESCRIPTION DEFINITIONS 'FILTER EXPRESSIONS' 'KEPT PROBES' DIALECTS 'EXIT STATUS' FILES ENVIRONMENT KERNELS; do
	grep -qx "\.Sh $section" "$page"
	result $? "$page has $section"
done
echo "1..$n"
[ "$failed" -eq 0 ]
