#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# buffers.sh - bytes(LENGTH) and hex(LENGTH), on each KERNEL given
#
#   buffers.sh [-M] [-b BPROBE] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in buffers.guest. A trace.dat comes out of the guest, and here `trace-cmd report` must print the bytes
# that bprobe printed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"

dir=$work/files

data() { sed -nE "s/.*: $1: +\\([^)]*\\) data=([^ ]*).*/\\1/p" "$2"; }	# data EVENT FILE: the values of data

tests() {
	rm -rf "$dir"
	mkdir "$dir"
	suite_guest -f "$build/tests/bw=/bin/bw" "$here/buffers.guest" | suite_unpack "$dir"
	if ! command -v trace-cmd > /dev/null; then
		echo "ok - # SKIP there is no trace-cmd (package trace-cmd)"
		return
	fi
	trace-cmd report -i "$dir/types.dat" > "$dir/lines" 2> "$dir/said"
	[ ! -s "$dir/said" ]
	check $? "trace-cmd report: without a warning" "$dir/said"
	for event in digits four; do		# a mark is not in the bytes, and a fault has none
		data $event "$dir/types.txt" | sed 's/\.\.\.$//; s/^(fault)$//' > "$dir/want"
		data $event "$dir/lines" > "$dir/got"
		[ -s "$dir/want" ] && cmp -s "$dir/want" "$dir/got"
		check $? "trace-cmd report: the same $(wc -l < "$dir/want") values of $event" "$dir/want" "$dir/got"
	done
	data digits "$dir/lines" > "$dir/want"
	data all "$dir/lines" > "$dir/got"	# of the same calls, so the same bytes
	cmp -s "$dir/want" "$dir/got"
	check $? "trace-cmd report: bytes are printed as hex" "$dir/want" "$dir/got"
	"$bprobe" --read -q "$dir/types.dat" 2> "$dir/said" | grep -v '^#' > "$dir/got"
	grep -v '^#' "$dir/types.txt" | diff - "$dir/got" > "$dir/diff"
	check $? "--read on another kernel: the same lines" "$dir/diff"
}
suite_kernels tests "$@"
