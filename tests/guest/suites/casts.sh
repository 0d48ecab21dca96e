#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# casts.sh - casts and $current, on each KERNEL given
#
#   casts.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in casts.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/casts.guest"; }
suite_kernels tests "$@"
