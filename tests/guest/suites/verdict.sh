#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# verdict.sh - compares bprobe's verdict on random places with the kernel's, on each KERNEL given
#
#   verdict.sh [-n PAIRS] [-s SEED] [-p PROGRAM] KERNEL...	(names that kernels.sh knows)
#
# TAP on stdout. verdict.c describes what is compared; 20,000 pairs need about five minutes for each kernel.
set -u
. "$(dirname "$0")/../rig/suite.sh"

program=$build/tests/verdict pairs=1000 seed=1
while getopts n:s:p: option; do
	case $option in
	n)	pairs=$OPTARG ;;
	s)	seed=$OPTARG ;;
	p)	program=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

# A module's functions are drawn too. The removal of each kprobe waits for RCU: without the expedited mode 20,000 need an hour.
cat > "$work/payload" <<END
echo 1 > /sys/kernel/rcu_expedited
mount -t debugfs debugfs /sys/kernel/debug
insmod /modules/dummy.ko
cat /proc/kallsyms > /tmp/kallsyms
verdict $pairs $seed /tmp/kallsyms
END
GUEST_SECONDS=$((120 + pairs / 10))
tests() { suite_guest -p 1 -f "$program=/bin/verdict" "$work/payload"; }
suite_kernels tests "$@"
