#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# unwritten.sh - no byte of a record or a file comes from memory that nobody wrote, on each KERNEL given
#
#   unwritten.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. unwritten.guest fills the rings and bprobe's memory with a pattern before each hit, and unwritten.py looks for it.
#
# It has found two planted faults: the marks of a record are not cleared (emit.c), and a value behind an address that could not be read is not
# (emit_fault()). They come out in each trace.dat, but in no text and no JSON.
#
# A fault planted in emit_no_string() is not found: the length of such a string is 0, so no reader looks at its bytes. A gap of one or two
# bytes is not looked for. What a page of a trace.dat had before is not this pattern, but older records: unit/test_dat.c looks for that.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

tests() {
	rm -rf "$work/files"
	mkdir "$work/files"
	suite_guest -f "$wl=/bin/wl" "$here/unwritten.guest" | suite_unpack "$work/files"
	python3 "$here/../../random/unwritten.py" "$work/files"
}
suite_kernels tests "$@"
