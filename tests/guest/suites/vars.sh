#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vars.sh - variables, actions and synthetic events that programs work out, on each KERNEL given
#
#   vars.sh [-b BPROBE] [-w WL] [-n CALLS] KERNEL...       (names that kernels.sh knows)
#
# CALLS (20000): of each of eight tasks, on four processors. TAP on stdout. The tests are in vars.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=20000				# suite_options calls the number of -n so
suite_options bwn "$@"
shift "$suite_shift"

{ echo "calls=$kills"; cat "$here/vars.guest"; } > "$work/vars"
tests() { suite_guest -p 4 -f "$wl=/bin/wl" "$work/vars"; }
suite_kernels tests "$@"
