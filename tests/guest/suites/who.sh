#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# who.sh - which tasks are traced, and how many of their hits, on each KERNEL given
#
#   who.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in who.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/who.guest"; }
suite_kernels tests "$@"
