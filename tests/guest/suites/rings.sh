#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rings.sh - the stress of the rings, on four processors, on each KERNEL given
#
#   rings.sh [-b BPROBE] [-w WL] [-n HITS] KERNEL...	(names that kernels.sh knows)
#
# HITS (600000) hits in all: getpgid(), opens and ticks. TAP on stdout. The tests are in rings.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=600000				# suite_options calls the number of -n so
suite_options bwn "$@"
shift "$suite_shift"

{ echo "hits=$kills"; cat "$here/rings.guest"; } > "$work/rings"
tests() { suite_guest -p 4 -f "$wl=/bin/wl" -f "$build/tests/ringcheck=/bin/ringcheck" "$work/rings"; }
suite_kernels tests "$@"
