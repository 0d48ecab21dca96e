#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# numbers.sh - --host: does each hit have a number, in an event or in a gap? On each KERNEL given
#
#   numbers.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in numbers.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "$here/numbers.awk=/numbers.awk" "$here/numbers.guest"; }
suite_kernels tests "$@"
