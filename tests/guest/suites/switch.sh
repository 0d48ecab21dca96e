#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# switch.sh - triggers that programs run: beside the kernel's own, on each KERNEL given
#
#   switch.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in switch.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/switch.guest"; }
suite_kernels tests "$@"
