#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# soak.sh - what only a long run shows: on each KERNEL given
#
#   soak.sh [-b BPROBE] [-w WL] [-c BPFCOUNT] [-r THEME] [-n AMOUNT] KERNEL...
#
# THEME (rate):	rate	AMOUNT seconds of the highest rate that the guest holds: every call is a line or is counted, memory stays as it is
#		cycles	AMOUNT times attach and detach: no cache of the kernel grows
#		day	100 kept probes for AMOUNT hours, in a guest whose clock does not wait for idle time
#
# TAP on stdout. The tests are in soak.guest.
#
# It has found planted faults:
#
#   rate 40	each record number 50,000 is dropped; 4 KiB leak at each 1,000th record (stream_take_record(), stream/stream.c)
#   cycles 700	the lock in /run/bprobe stays (registry_dir_release(), registry/registry_dir.c): 530 dentries more
#   day 2	the time of a line is modulo 4,096 seconds (print/text.c)
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=60			# suite_options calls the number of -n so
suite_options bwcnr "$@"
shift "$suite_shift"
theme=${rows:-rate}

tests() {
	{ echo "theme=$theme amount=$kills"; cat "$here/soak.guest"; } > "$work/script"
	GUEST_SECONDS=${GUEST_SECONDS:-5400}
	[ "$theme" = day ] && how=-i || how='-p 2'
	suite_guest $how -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" "$work/script"
}
suite_kernels tests "$@"
