#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dat.sh - machine instructions of bprobe itself to put a hit into a trace.dat (without the rings and the kernel's write)
#
# Counted by callgrind. Needs valgrind; fails above the limit.
set -eu
cd "$(dirname "$0")/../.."
limit=${DAT_LIMIT:-420} hits=10000 build=${O:-build}
command -v valgrind > /dev/null || { echo "dat.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# With the modules as bprobe has them: build first.
gcc -O2 -g -std=gnu11 -D_GNU_SOURCE -static -Iuser -Iinclude -I"$build" -o "$tmp/bench" tests/bench/bench_dat.c \
	$(find "$build/user" -name '*.o' ! -name main.o) $(pkg-config --static --libs libdw 2> /dev/null) $(pkg-config --static --libs libbpf libelf zlib) \
	$(pkg-config --static --libs libzstd 2> /dev/null) $([ ! -e "$(gcc -print-file-name=libiberty.a)" ] || echo -liberty) "$build/compat.a"

count() {
	valgrind --tool=callgrind --callgrind-out-file="${PROFILE:-/dev/null}" "$tmp/bench" "$@" "$tmp/file.dat" 2>&1 |
		awk '/Collected/ { print $4 }'
}

each=$((($(count $((hits + 1))) - $(count 1)) / hits))
echo "$each machine instructions for that hit (at most $limit)"
[ "$each" -le "$limit" ]
