#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# text.sh - machine instructions to format a hit's line, as text and as JSON
#
# Counted by callgrind. Needs valgrind; fails above the limit.
set -eu
cd "$(dirname "$0")/../.."
limit=${TEXT_LIMIT:-500} lines=10000
command -v valgrind > /dev/null || { echo "text.sh: valgrind counts the instructions: apt-get install valgrind" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

printf '%s\n' 'ffffffff81000000 T _stext' 'ffffffff81408a40 T do_sys_openat2' 'ffffffff81408b20 T next' \
	'ffffffff83000000 B _end' > "$tmp/kallsyms"
# With the modules as bprobe has them: build first.
gcc -O2 -g -std=gnu11 -D_GNU_SOURCE -static -Iuser -Iinclude -o "$tmp/bench" tests/bench/bench_text.c \
	$(for room in base elf arch lang kernel plan attach print dat; do find "${O:-build}/user/$room" -name '*.o'; done) $(pkg-config --static --libs libdw 2> /dev/null) $(pkg-config --static --libs libbpf libelf zlib) \
	$(pkg-config --static --libs libzstd 2> /dev/null) $([ ! -e "$(gcc -print-file-name=libiberty.a)" ] || echo -liberty) "${O:-build}/compat.a"

count() {
	valgrind --tool=callgrind --callgrind-out-file="${PROFILE:-/dev/null}" "$tmp/bench" "$tmp/kallsyms" "$@" 2>&1 |
		awk '/Collected/ { print $4 }'
}

failed=0
for form in '' json; do			# JSON's line of the hit is twice as long
	[ -z "$form" ] || limit=${JSON_LIMIT:-1500}
	"$tmp/bench" "$tmp/kallsyms" 1 $form
	each=$((($(count $((lines + 1)) $form) - $(count 1 $form)) / lines))
	echo "${form:-text}: $each machine instructions for that line (at most $limit)"
	[ "$each" -le "$limit" ] || failed=1
done
exit $failed
