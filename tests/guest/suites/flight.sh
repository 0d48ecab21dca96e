#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# flight.sh - the flight recorder, on four processors, on each KERNEL given
#
#   flight.sh [-b BPROBE] [-w WL] KERNEL...	(names that kernels.sh knows)
#
# TAP on stdout. The tests are in flight.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() { suite_guest -p 4 -f "$wl=/bin/wl" -f "$build/tests/ringcheck=/bin/ringcheck" "$here/flight.guest"; }
suite_kernels tests "$@"
