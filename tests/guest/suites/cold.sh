#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cold.sh - strings of system calls that are not in memory when the call begins, on each KERNEL given
#
#   cold.sh [-b BPROBE] [-M] [-n NAMES] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in cold.guest; the truth is what cold.c does. -M: the names are in files of a disk (vfat), and are read from it
# at each call. Without it they are in tmpfs: then their pages are in memory, but not in that of the task, which is the same for a program
# that may not wait.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=200
suite_options bn "$@"
shift "$suite_shift"

tests() {
	${CC:-gcc} -O1 -static -o "$work/cold" "$here/../tools/cold.c" || {
		echo "not ok - building the program"
		return
	}
	echo "$kills" > "$work/names"
	suite_guest -f "$work/cold=/bin/cold" -f "$work/names=/names" "$here/cold.guest"
}
suite_kernels tests "$@"
