#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# truth.sh - values of public reports that other tracers, or an earlier bprobe, had wrong, on each KERNEL given
#
#   truth.sh [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in truth.guest; what is right is what truth.c does.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"

tests() {
	${CC:-gcc} -O1 -static -o "$work/truth" "$here/../tools/truth.c" &&
		${CC:-gcc} -m32 -nostdlib -static -o "$work/truth32" "$here/../tools/truth32.S" || {
		echo "not ok - building the program"
		return
	}
	suite_guest -f "$work/truth=/bin/truth" -f "$work/truth32=/bin/truth32" "$here/truth.guest"
}
suite_kernels tests "$@"
