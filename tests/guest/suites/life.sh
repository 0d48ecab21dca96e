#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# life.sh - how a bprobe starts and ends, and how it works beside other tracers, on each KERNEL given
#
#   life.sh [-M] [-b BPROBE] [-w WL] [-c BPFCOUNT] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in life.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwc "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" -f "$build/tests/setcaps=/bin/setcaps" "$here/life.guest"; }
suite_kernels tests "$@"
