#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# containers.sh - --containers: which container an event is from, on each KERNEL given
#
#   containers.sh [-M] [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# -M: on a machine like a user's (guest.sh). TAP on stdout. The tests are in containers.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -f "$wl=/bin/wl" "$here/containers.guest"; }
suite_kernels tests "$@"
