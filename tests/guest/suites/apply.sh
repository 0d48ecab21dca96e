#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# apply.sh - --apply: the store becomes what files say, on each KERNEL given
#
#   apply.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in apply.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/apply.guest"; }
suite_kernels tests "$@"
