#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - what `make check-lines` does: places and variables of two kernels and of their modules, beside perf probe
#
# First perf.py compares what both say of places. It needs no guest, so the two kernels are compared at the same time.
#
# It needs perf (Debian: linux-perf), and downloads the debug information of 6.1 and 6.12: 600 MB, of which 1.5 GB stay in the cache
# (tests/guest/debuginfo.sh). perf needs 1 s for a place, or two: all of this is 10 minutes.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${O:-build}
command -v perf > /dev/null || { echo "check.sh: perf is missing (Debian: linux-perf)" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/check-lines.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
for kernel in 6.12 6.1; do
	tests/guest/kernels.sh fetch "$kernel" && tests/guest/debuginfo.sh fetch "$kernel" || exit 1
done

perf_of() {	# perf_of KERNEL: TAP
	dir=$(tests/guest/debuginfo.sh path "$1") || exit 1
	for file in vmlinux xfs.ko nf_tables.ko; do
		nice python3 tests/lines/perf.py "$build/tests/places" "$build/tests/scopes" "$dir/$file" 140 1 ||
			echo "not ok - $1: $file is not as perf probe has it"
	done
}
for kernel in 6.12 6.1; do
	perf_of "$kernel" > "$work/perf.$kernel" 2>&1 &
done
wait
cat "$work"/perf.*

# What was compared must be as much as was asked for.
enough() {	# enough COUNT LEAST WHAT
	[ "$1" -ge "$2" ] && echo "ok - $1 $3, at least $2" || echo "not ok - $1 $3, should be at least $2"
}
sum() {		# sum PATTERN: of the numbers before it
	cat "$work"/perf.* | sed -n "s/.*[ :]\([0-9][0-9]*\) $1.*/\1/p" | awk '{ n += $1 } END { print n + 0 }'
}
{
	enough "$(sum 'places have the')" 300 'places have the addresses that perf probe has'
	enough "$(sum 'variables;')" 300 'variables have the fetch arguments that perf probe has'
} | tee "$work/enough"
cat "$work"/perf.* "$work/enough" > "$work/tap"
echo "$(grep -c '^ok' "$work/tap") passed, $(grep -c '^not ok' "$work/tap") failed, 0 skipped"
! grep -q '^not ok' "$work/tap"
