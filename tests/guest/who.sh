#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# who.sh - which tasks are traced, and how much of what they do, on each KERNEL given
#
#   who.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in who.guest.
set -u
. "$(dirname "$0")/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/who.guest"; }
suite_kernels tests "$@"
