#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lines.sh - machine instructions and memory to find the places of lines in 6.12's vmlinux, with perf probe beside it
#
# Counted by callgrind: of bprobe the process that reads the debug information (build/tests/places). Needs valgrind and perf. It fails above
# these limits: 0.3 of perf's instructions, and half of its memory; with more than 2,000 places 0.6 of its memory, since libdw keeps the lines
# of each unit. Of a compressed vmlinux half of perf's instructions: all of it is uncompressed by both. 1,000 definitions may take twice the
# instructions of one, and 35 million more for each: those of its own units' entries and lines.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${O:-build}
for program in valgrind perf nm; do
	command -v $program > /dev/null || { echo "lines.sh: $program is missing: apt-get install valgrind linux-perf binutils" >&2; exit 1; }
done
[ -x "$build/tests/places" ] || { echo "lines.sh: there is no $build/tests/places: make $build/tests/places" >&2; exit 1; }
tests/guest/rig/kernels.sh fetch 6.12 && tests/guest/rig/debuginfo.sh fetch 6.12 || exit 1
vmlinux=$(tests/guest/rig/debuginfo.sh path 6.12)/vmlinux
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

count() {	# count COMMAND...: millions of instructions; its output is in $tmp/out
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 > "$tmp/out" < "$tmp/in" | awk '/Collected/ { printf "%d", $4 / 1e6 }'
}

memory() {	# memory COMMAND...: MB
	/usr/bin/time -f %M "$@" 2>&1 > /dev/null < "$tmp/in" | awk 'END { printf "%d", $1 / 1000 }'
}

below() {	# below VALUE LIMIT WHAT
	[ "$1" -le "$2" ] || { echo "lines.sh: $3 is above the limit: $1, at most $2" >&2; failed=1; }
}

printf '%-26s %7s  %8s %8s %6s   %6s %6s\n' place places bprobe perf of-it bprobe perf
compare() {	# compare PLACE FILE NAME PERCENT-OF-INSTRUCTIONS PERCENT-OF-MEMORY: sets $ours
	echo "$1" > "$tmp/in"
	ours=$(count "$build/tests/places" -t "$2") nr=$(grep -c + "$tmp/out")
	theirs=$(count perf probe -k "$2" --max-probes 10000 -D "$1")
	mb=$(memory "$build/tests/places" -t "$2") their_mb=$(memory perf probe -k "$2" --max-probes 10000 -D "$1")
	printf '%-26s %7d  %8d %8d %6.2f   %6d %6d\n' "$3" "$nr" "$ours" "$theirs" "$(echo "$ours $theirs" | awk '{ print $1 / $2 }')" "$mb" "$their_mb"
	below "$ours" $((theirs * $4 / 100)) "$3: millions of instructions"
	below "$mb" $((their_mb * $5 / 100)) "$3: MB"
}
compare vfs_read:11 "$vmlinux" vfs_read:11 30 50
one=$ours
for place in rb_erase_cached:9 put_task_struct:0 raw_atomic_long_read:0; do
	compare $place "$vmlinux" $place 30 50
done
compare get_current:0 "$vmlinux" get_current:0 30 60
objcopy --compress-debug-sections=zlib "$vmlinux" "$tmp/compressed"
compare vfs_read:11 "$tmp/compressed" 'vfs_read:11, compressed' 50 100
rm "$tmp/compressed"
nm "$vmlinux" | awk '$2 == "T" && $3 ~ /^[a-z][a-z0-9_]*$/ { n++; if (n % 9 == 0 && nr++ < 1000) print $3 ":" n % 7 }' > "$tmp/in"
ours=$(count "$build/tests/places" -t "$vmlinux")
printf '%-26s %7d  %8d                           %6d\n' "$(grep -c . "$tmp/in") definitions" "$(grep -c + "$tmp/out")" "$ours" \
	"$(memory "$build/tests/places" -t "$vmlinux")"
echo 'in millions of instructions, and MB'
below "$ours" $((2 * one + 35 * $(grep -c . "$tmp/in"))) "the definitions: millions of instructions"
exit $failed
