#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# metrics.sh - --metrics: kept events in the text format of Prometheus, on each KERNEL given
#
#   metrics.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in metrics.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" -f "$here/metrics.awk=/metrics.awk" "$here/metrics.guest"; }
suite_kernels tests "$@"
