#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stacks.sh - stacks beside those of the kernel's own stacktrace trigger, and of perf, on each KERNEL given
#
#   stacks.sh [-b BPROBE] [-w WL] KERNEL...	(names that kernels.sh knows)
#
# TAP on stdout. The tests are in stacks.guest and userstacks.guest. A file comes out of it, and here trace-cmd report is asked for the same stack.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

# trace-cmd prints the name of a symbol, and the address.
report() {
	trace-cmd report "$work/t.dat" 2> /dev/null | awk '/^=> / { print $2 }' > "$work/got"
	sed -n 's/^ => \([^+]*\).*/\1/p' "$work/t.txt" > "$work/want"
	if [ -s "$work/want" ] && cmp -s "$work/want" "$work/got"; then
		echo "ok - trace-cmd report: the $(wc -l < "$work/want") frames of kernel_stack"
	else
		echo "not ok - trace-cmd report: the frames of kernel_stack"
		sed 's/^/# want /' "$work/want"
		sed 's/^/# got /' "$work/got"
	fi
}

# perf comes from the cache of the benchmarks.
user_stacks() {
	local perf programs=$here/../../bench/programs.sh
	if ! "$programs" fetch perf-12 2> /dev/null || ! perf=$("$programs" path perf-12); then
		echo "ok - # SKIP perf could not be fetched"
		return
	fi
	suite_guest -m 3072 -f "$perf/lib=/lib" -f "$perf/lib64=/lib64" -f "$perf/bin/perf" -f "$build/tests/frames=/bin/frames" -f "$wl=/bin/wl" \
		"$here/userstacks.guest"
}

tests() {
	rm -f "$work"/t.*
	suite_guest -f "$wl=/bin/wl" "$here/stacks.guest" | suite_unpack "$work"
	user_stacks
	if command -v trace-cmd > /dev/null; then report; else echo "ok - # SKIP there is no trace-cmd (package trace-cmd)"; fi
}
suite_kernels tests "$@"
