#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xref.sh [KERNEL] - machine instructions to look through a kernel's image for references
#
# For each byte of text and of data (default: 6.12's), for one function and for 10,000,
# counted by callgrind. Needs valgrind; fails above the limit.
set -eu
cd "$(dirname "$0")/../.."
kernel=${1:-6.12} limit=12 failed=0
command -v valgrind > /dev/null || { echo "xref.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tests/guest/rig/kernels.sh fetch "$kernel"
vmlinux=$(tests/guest/rig/kernels.sh vmlinux "$kernel")
gcc -O2 -std=gnu11 -D_GNU_SOURCE -Iuser -o "$tmp/bench" tests/bench/bench_xref.c user/kernel/xref/xref.c user/arch/x86_64/text.c $(ls user/base/*.c | grep -v version.c)

count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tmp/bench" "$vmlinux" "$@" 2>&1 |
		awk '/Collected/ { print $4 }'
}

for nr in 1 10000; do
	none=$(count none $nr)
	for what in text data; do
		said=$("$tmp/bench" "$vmlinux" $what $nr)
		tenths=$((($(count $what $nr) - none) * 10 / ${said%% *}))
		echo "xref: $((tenths / 10)).$((tenths % 10)) machine instructions a byte of $kernel's $what, $nr functions ($said; at most $limit)"
		[ $tenths -le ${limit}0 ] || failed=1
	done
done
exit $failed
