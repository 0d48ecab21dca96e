#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# keep.sh - kept probes: compared with the kernel's own, and under SIGKILLs, on each KERNEL given
#
#   keep.sh [-M] [-b BPROBE] [-w WL] [-c BPFCOUNT] [-n KILLS] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in keep.guest, and in storm.guest with KILLS (500; 0: none).
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwcn "$@"
shift "$suite_shift"
{ echo "kills=$kills"; cat "$here/storm.guest"; } > "$work/storm"

tests() {
	suite_guest -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" -f "$here/../../../doc/bprobe-modules.rules=/bprobe-modules.rules" \
		"$here/keep.guest"
	[ "$kills" -eq 0 ] || suite_guest -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" "$work/storm"
}
suite_kernels tests "$@"
