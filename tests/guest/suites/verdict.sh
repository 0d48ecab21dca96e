#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# verdict.sh - compares bprobe's verdict on random places with the kernel's, on each KERNEL given
#
#   verdict.sh [-n PAIRS] [-s SEED] [-p PROGRAM] KERNEL...	(names that kernels.sh knows)
#
# TAP on stdout. verdict.c describes what is compared; 20,000 pairs need about five minutes for each kernel.
set -u

here=$(dirname "$0")
rig=$here/../rig
program=${O:-$here/../../../build}/tests/verdict
pairs=1000 seed=1

while getopts n:s:p: option; do
	case $option in
	n)	pairs=$OPTARG ;;
	s)	seed=$OPTARG ;;
	p)	program=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# A module's functions are drawn too.
cat > "$work/payload" <<END
mount -t debugfs debugfs /sys/kernel/debug
insmod /modules/dummy.ko
cat /proc/kallsyms > /tmp/kallsyms
verdict $pairs $seed /tmp/kallsyms
END

failed=0
for kernel; do
	start=$(date +%s)
	{
		# The removal of each kprobe waits for RCU: without the expedited mode this needs an hour.
		"$rig/guest.sh" -k "$kernel" -t $((120 + pairs / 10)) -a rcupdate.rcu_expedited=1 \
			-f "$program=/bin/verdict" "$work/payload" 2>&1
		[ $? -ne 125 ] || echo "not ok - the guest ended early"
	} | sed "s/^\(not ok\|ok\) [0-9 ]*- /\1 - $kernel /; /^1\.\./d" > "$work/tap"
	cat "$work/tap"
	! grep -q '^not ok' "$work/tap" || failed=1
	echo "# kernel $kernel: $pairs pairs in $(($(date +%s) - start)) s"
done
exit $failed
