#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# columns.sh - headers, columns and clocks beside the kernel's own, on each KERNEL given
#
#   columns.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in columns.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/columns.guest"; }
suite_kernels tests "$@"
