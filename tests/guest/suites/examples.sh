#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - the examples of the kernel's Documentation/trace/histogram.rst, as kept events and beside the kernel, on each KERNEL given
#
#   examples.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in examples.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/examples.guest"; }
suite_kernels tests "$@"
