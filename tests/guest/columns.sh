#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# columns.sh - headers, columns and clocks beside the kernel's own, on each KERNEL given
#
#   columns.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in columns.guest.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl

while getopts b:w: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

tap=$(mktemp) || exit 1
trap 'rm -f "$tap"' EXIT
trap 'exit 1' INT TERM HUP

failed=0
for kernel; do
	start=$(date +%s)
	{
		"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" \
			"$here/columns.guest" 2>&1
		# Tests that went missing with their guest have failed.
		[ $? -ne 125 ] || echo "not ok - the guest ended early"
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$tap"
	cat "$tap"
	! grep -q '^not ok' "$tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tap") passed, $(grep -c '^not ok' "$tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
