#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh PLACES - what `make check-lines` does: places and variables of two kernels and of their modules, beside perf probe
#
# It downloads the debug information of 6.1 and 6.12: 600 MB, of which 1.5 GB stay in the cache (tests/guest/debuginfo.sh). perf needs 3 s
# for each of the 600 places: half an hour.
set -u
places=$1
cd "$(dirname "$0")/../.." || exit 1
failed=0 passed=0
command -v perf > /dev/null || { echo "check.sh: perf is missing (Debian: linux-perf)" >&2; exit 1; }
for kernel in 6.12 6.1; do
	tests/guest/kernels.sh fetch "$kernel" && tests/guest/debuginfo.sh fetch "$kernel" || exit 1
	dir=$(tests/guest/debuginfo.sh path "$kernel") || exit 1
	for file in vmlinux xfs.ko nf_tables.ko; do
		if python3 tests/lines/perf.py "$places" "$dir/$file" 100 1; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
