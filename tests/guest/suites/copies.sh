#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# copies.sh - functions with copies that the compiler made, on each KERNEL given
#
#   copies.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in copies.guest. A machine (-M) has modules with such functions, too.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/copies.guest"; }
suite_kernels tests "$@"
