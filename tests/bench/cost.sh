#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cost.sh - instructions to parse and to resolve definitions, counted by callgrind.
#
# Needs valgrind and a kallsyms listing with addresses (default: this machine's,
# as root). Prints instructions a definition, and the whole of 10,000 with the
# reading of symbols and BTF; fails above the limits.
set -eu
cd "$(dirname "$0")/../.."
: "${O:=build}" "${KALLSYMS:=/proc/kallsyms}" "${BTFDIR:=/sys/kernel/btf}"
command -v valgrind > /dev/null || { echo "cost.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
limit_parse=60000 limit_resolve=3000000000

# With the modules as bprobe has them: build first.
gcc -O2 -g -std=gnu11 -D_GNU_SOURCE -static -Iuser -Iinclude -o "$tmp/bench" tests/bench/bench_parse.c \
	$(for room in base elf arch lang kernel plan attach; do find "user/$room" -name '*.c'; done | sed "s|\(.*\)c$|$O/\1o|" | xargs ls 2> /dev/null) $(pkg-config --static --libs libdw 2> /dev/null) $(pkg-config --static --libs libbpf libelf zlib) \
	$(pkg-config --static --libs libzstd 2> /dev/null) $([ ! -e "$(gcc -print-file-name=libiberty.a)" ] || echo -liberty) "$O/compat.a"

# Functions with a name of their own, as many as are wanted; all kinds of arguments.
cp "$KALLSYMS" "$tmp/kallsyms"
awk '$2 == "T" && NF == 3 && $3 ~ /^[a-z][a-z0-9_]*$/ { print $3 }' "$tmp/kallsyms" | sort | uniq -u |
	head -n 10000 | awk '{
		if (NR % 4 == 0) print "r:e" NR " " $1 " $retval:s32"
		else if (NR % 4 == 1) print "p:e" NR " " $1 " a=%di:s32 b=+0(%si):string c=+8(+16(%dx)):x64"
		else if (NR % 4 == 2) print "p:e" NR " " $1 " $arg1 $stack2 $comm"
		else print "p:g/e" NR " " $1 "+0 v=%ax w=@_stext:u64 x=+u0(%r8):ustring"
	}' > "$tmp/defs"
nr=$(wc -l < "$tmp/defs")

count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
		awk '/Collected/ { print $4 }'
}

: > "$tmp/none"
parse=$(( ($(count "$tmp/bench" parse "$tmp/defs") - $(count "$tmp/bench" parse "$tmp/none")) / nr ))
resolve=$(count "$tmp/bench" resolve "$tmp/defs" "$tmp/kallsyms" "$BTFDIR")
"$tmp/bench" resolve "$tmp/defs" "$tmp/kallsyms" "$BTFDIR"
echo "parse: $parse instructions a definition (at most $limit_parse)"
echo "resolve: $resolve instructions for $nr definitions, symbols and BTF included (at most $limit_resolve)"
[ "$parse" -le "$limit_parse" ] && [ "$resolve" -le "$limit_resolve" ]
