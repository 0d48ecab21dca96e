#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# count.sh - what programs count in tables, on each KERNEL given
#
#   count.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in count.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

# Its addresses differ from process to process.
"${CC:-gcc}" -O2 -static-pie -o "$work/uw" "$here/../tools/uw.c" || { echo "not ok - uw.c cannot be built"; exit 1; }
tests() { suite_guest -p 4 -f "$wl=/bin/wl" -f "$work/uw=/bin/uw" "$here/count.guest"; }
suite_kernels tests "$@"
