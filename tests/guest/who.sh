#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# who.sh - which tasks are traced, and how much of what they do, on each KERNEL given
#
#   who.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in who.guest.
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
		"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-600}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/who.guest" 2>&1
		[ $? -ne 125 ] || echo "not ok - the guest ended early"
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$tap"
	cat "$tap"
	! grep -q '^not ok' "$tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tap") passed, $(grep -c '^not ok' "$tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
