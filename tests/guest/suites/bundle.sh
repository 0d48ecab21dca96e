#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bundle.sh - many definitions behind one link, on each KERNEL given
#
#   bundle.sh [-M] [-b BPROBE] [-w WL] [-c BPFCOUNT] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in bundle.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bwc "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" "$here/bundle.guest"; }
suite_kernels tests "$@"
