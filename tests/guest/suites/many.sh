#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# many.sh - a hundred definitions at once: attaching them, and detaching them in the background, on each KERNEL given
#
#   many.sh [-M] [-b BPROBE] [-w WL] [-c BPFCOUNT] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in many.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwc "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" "$here/many.guest"; }
suite_kernels tests "$@"
