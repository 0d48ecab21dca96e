#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# decode.sh [KERNEL] - machine instructions to decode one of a kernel's .text (default 6.12)
#
# Counted by callgrind over the whole section, the loop around the decoder included.
# Needs valgrind and readelf; fails above the limit.
set -eu
cd "$(dirname "$0")/../.."
kernel=${1:-6.12} limit=60
command -v valgrind > /dev/null || { echo "decode.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tests/guest/rig/kernels.sh fetch "$kernel"
vmlinux=$(tests/guest/rig/kernels.sh vmlinux "$kernel")
set -- $(readelf -SW "$vmlinux" | sed -n 's/^.*\] \.text  *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) *\([0-9a-f]*\) .*/\1 \2/p')
[ $# -eq 2 ] || { echo "decode.sh: $vmlinux has no .text" >&2; exit 1; }

gcc -O2 -std=gnu11 -D_GNU_SOURCE -Iuser -o "$tmp/bench" tests/bench/bench_decode.c user/arch/x86_64/insn*.c

count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tmp/bench" "$vmlinux" "$@" 2>&1 |
		awk '/Collected/ { print $4 }'
}

said=$("$tmp/bench" "$vmlinux" "0x$1" "0x$2")
nr=${said%% *}
all=$(($(count "0x$1" "0x$2") - $(count "0x$1" 0)))
tenths=$((all * 10 / nr))
echo "decode: $said"
echo "decode: $((tenths / 10)).$((tenths % 10)) machine instructions for one of $kernel's .text (at most $limit)"
[ "$tenths" -le "${limit}0" ]
