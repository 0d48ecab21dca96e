#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh BPROBE BTFDIR [CASE...] - what bprobe prints and returns, against tests/golden/*.case.
# Cases name BTFDIR, which holds the BTF of btf.c under the name vmlinux, as $BTF, and the directory
# beside it with the kernel that image.S is (vmlinux, kallsyms) as $IMAGE. $TMP is a directory for files.
#
# A case file holds any number of:
#
#	$ bprobe ARGUMENTS		run by sh in this directory, BPROBE being bprobe
#	what it prints (standard output and error together)
#	exit N
#
# Lines that begin with '# ' are comments. TAP on standard output.
set -u
bprobe=$(realpath "$1")
BTF=$(realpath "$2")
IMAGE=$(dirname "$BTF")/image
export BTF IMAGE
shift 2
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- *.case
n=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ln -s "$bprobe" "$tmp/bprobe"
mkdir "$tmp/files"
export TMP=$tmp/files
PATH=$tmp:$PATH

check() { # file, command; the expectation is in $tmp/want
	local command=$2
	n=$((n + 1))
	[ -z "${SANITIZED:-}" ] || command=$(printf '%s\n' "$2" | sed 's/ulimit -v [0-9]*; *//')	# ASan maps more
	sh -c "$command" > "$tmp/got" 2>&1 < /dev/null
	echo "exit $?" >> "$tmp/got"
	if cmp -s "$tmp/want" "$tmp/got"; then
		echo "ok $n - $1: $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1: $2"
		diff -u --label want --label got "$tmp/want" "$tmp/got" | sed 's/^/# /'
	fi
}

for file; do
	command=
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'# '*) ;;
		'$ '*)
			command=${line#'$ '}
			: > "$tmp/want"
			;;
		*)
			[ -n "$command" ] || continue
			printf '%s\n' "$line" >> "$tmp/want"
			case $line in 'exit '*)
				check "${file%.case}" "$command"
				command= ;;
			esac
			;;
		esac
	done < "$file"
	[ -z "$command" ] || { n=$((n + 1)); failed=$((failed + 1)); echo "not ok $n - $file: no 'exit' after: $command"; }
done
echo "1..$n"
[ "$failed" -eq 0 ]
