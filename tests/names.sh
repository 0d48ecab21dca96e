#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# names.sh - every name() and every file that a comment or a document cites is in this tree, or in names.txt or files.txt
#
# names.txt has the functions of the kernel and of libraries, files.txt their files: a line that ends with '/' allows all files below it.
# TAP on standard output.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
places="user bpf include tests doc packaging Makefile ./*.md"

sources() { find user bpf include tests -name '*.[chS]' -print0 | sort -z | xargs -0 cat; }
comments() { sources | perl -0ne 'print "$&\n" while m|/\*.*?\*/|gs'; }
documents() { cat ./*.md doc/*.md doc/bprobe.1 tests/*.md $(find user bpf -name '*.md'); }
script_comments() { grep -hE '^[[:space:]]*#' Makefile $(find packaging tests \( -name '*.sh' -o -name '*.awk' -o -name '*.mk' -o -name '*.guest' -o -name '*.case' -o -name '*.tsv' \)); }
names() { grep -oE '\b[a-z_][a-z0-9_]*\(\)' | tr -d '()' | sort -u; }
# DIR/file.c and NAME.sh stand for any; an asterisk stands for something in the name.
files() { grep -oE '[A-Za-z0-9_*<][A-Za-z0-9_.*/-]*\.([chS]|sh|py|md)\b' | tr -d '<' | grep -vE '(^|[/-])[A-Z]+[./]' | sort -u; }

# The cited ones that are not in the tree: each line of the list is the end of a file's path.
missing_files() {
	find Makefile ./*.md bpf doc include packaging tests user vmlinux -type f | sed 's|^\./||' > "$tmp/tree"
	awk 'FILENAME == ARGV[1] { for (at = $0; ; at = substr(at, index(at, "/") + 1)) { have[at] = 1; if (!index(at, "/")) break }; next }
		!index($0, "*") && !($0 in have)' "$tmp/tree" "$1"
	grep -F '*' "$1" | while read -r glob; do
		pattern=$(printf '%s' "$glob" | sed 's/[.]/\\./g; s/[*]/[^\/]*/g')
		grep -qE "(^|/)$pattern\$" "$tmp/tree" || printf '%s\n' "$glob"
	done
}

check_list() { # number, file, the names that it must not have: nobody cites these
	if sort -c "$2" 2> /dev/null && [ ! -s "$3" ]; then
		echo "ok $1 - ${2#tests/} is sorted and has none that nobody cites"
	else
		echo "not ok $1 - ${2#tests/}: sort it, and leave out what nobody cites"
		sed 's/^/# /' "$3"
	fi
}

sources | perl -0pe 's|/\*.*?\*/||gs; s|//.*||g' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u - tests/names.txt > "$tmp/known"
{ comments; documents; } | names > "$tmp/cited"
comm -23 "$tmp/cited" "$tmp/known" > "$tmp/stale"
if [ -s "$tmp/stale" ]; then
	echo "not ok 1 - names that nothing has"
	while read -r name; do grep -rnF "$name()" user bpf include tests doc ./*.md | sed 's/^/# /'; done < "$tmp/stale"
else
	echo "ok 1 - the $(wc -l < "$tmp/cited") functions that comments and documents cite are there"
fi
comm -13 "$tmp/cited" tests/names.txt > "$tmp/idle"
check_list 2 tests/names.txt "$tmp/idle"

{ comments; documents; script_comments; } | files > "$tmp/cited-files"
missing_files "$tmp/cited-files" > "$tmp/foreign"
awk 'FILENAME == ARGV[1] { if (/\/$/) below[$0] = 1; else exact[$0] = 1; next }
	{ found = $0 in exact; for (b in below) found = found || index($0, b) == 1 } !found' tests/files.txt "$tmp/foreign" > "$tmp/stale"
if [ -s "$tmp/stale" ]; then
	echo "not ok 3 - files that are not there"
	while read -r name; do grep -rnE --exclude=files.txt "(^|[^A-Za-z0-9_./-])$(printf %s "$name" | sed "s/[.*]/\\\\&/g")" $places | sed 's/^/# /'; done < "$tmp/stale"
else
	echo "ok 3 - the $(wc -l < "$tmp/cited-files") files that comments and documents cite are there"
fi
awk 'FILENAME == ARGV[1] { foreign[$0] = 1; next }
	{ used = 0; for (f in foreign) used = used || f == $0 || (/\/$/ && index(f, $0) == 1) } !used' "$tmp/foreign" tests/files.txt > "$tmp/idle"
check_list 4 tests/files.txt "$tmp/idle"

# A clone has no such directory.
if grep -rnE '(^|[^a-z/-])shared/' $places --exclude=names.sh > "$tmp/shared"; then
	echo "not ok 5 - files of shared/ are cited"
	sed 's/^/# /' "$tmp/shared"
else
	echo "ok 5 - nothing cites shared/"
fi

# The first comment of a file is "NAME - what it is".
find user bpf include -name '*.[ch]' -print0 | xargs -0 awk 'FNR == 3 { n = split(FILENAME, path, "/"); if (index($0, " * " path[n] " - ") != 1) print FILENAME ": " $0 }' \
	> "$tmp/heads"
if [ -s "$tmp/heads" ]; then
	echo "not ok 6 - the first comment of a file names another file"
	sed 's/^/# /' "$tmp/heads"
else
	echo "ok 6 - the first comment of each file has its name"
fi
echo 1..6
