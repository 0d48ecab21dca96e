#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kmem.sh - the kernel's memory by /proc/kcore and by BPF, on each KERNEL given
#
#   kmem.sh [-c KMEMCHECK] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in kmem.guest and kmemcheck.c.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
kmemcheck=$build/tests/kmemcheck

while getopts c: option; do
	case $option in
	c)	kmemcheck=$OPTARG ;;
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
		"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-300}" -f "$kmemcheck=/bin/kmemcheck" "$here/kmem.guest" 2>&1
		# Tests that went missing with their guest have failed.
		[ $? -ne 125 ] || echo "not ok - the guest ended early"
	} | sed "s/^\(not ok\|ok\) [0-9 ]*- /\1 - $kernel /; /^1\.\./d" > "$tap"
	cat "$tap"
	! grep -q '^not ok' "$tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tap") passed, $(grep -c '^not ok' "$tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
