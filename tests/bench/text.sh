#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# text.sh - machine instructions to format a hit's line
#
# Counted by callgrind. Needs valgrind; fails above the limit.
set -eu
cd "$(dirname "$0")/../.."
limit=${TEXT_LIMIT:-800} lines=10000
command -v valgrind > /dev/null || { echo "text.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

printf '%s\n' 'ffffffff81000000 T _stext' 'ffffffff81408a40 T do_sys_openat2' 'ffffffff81408b20 T next' \
	'ffffffff83000000 B _end' > "$tmp/kallsyms"
gcc -O2 -g -std=gnu11 -D_GNU_SOURCE -static -Iuser -Iinclude -o "$tmp/bench" tests/bench/bench_text.c \
	user/out/*.c user/plan/layout.c user/lang/*.c user/base/*.c user/kernel/ksyms*.c user/kernel/release.c

count() {
	valgrind --tool=callgrind --callgrind-out-file="${PROFILE:-/dev/null}" "$tmp/bench" "$tmp/kallsyms" "$1" 2>&1 |
		awk '/Collected/ { print $4 }'
}

"$tmp/bench" "$tmp/kallsyms" 1
each=$((($(count $((lines + 1))) - $(count 1)) / lines))
echo "text: $each machine instructions for that line (at most $limit)"
[ "$each" -le "$limit" ]
