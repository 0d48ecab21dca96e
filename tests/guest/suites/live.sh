#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# live.sh - the live view in a guest, on each KERNEL given
#
#   live.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. What the guest does is in live.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "${wl%/*}/ptyplay=/bin/ptyplay" "$here/live.guest"; }
suite_kernels tests "$@"
