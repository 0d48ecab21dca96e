#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# timeline.sh - files of events on a time axis, of known calls, on each KERNEL given
#
#   timeline.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. What the guest does is in timeline.guest. Files come out of it; tests/timeline/slices.py knows which slices must be in
# them. KEEP=DIR: the files stay there.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"
dir=$work/files

tests() {
	rm -rf "$dir"
	mkdir "$dir"
	suite_guest -f "$wl=/bin/wl" "$here/timeline.guest" | suite_unpack "$dir"
	python3 "$here/../../timeline/slices.py" "$here/../../../user/timeline/pftrace.proto" "$dir"
	[ -z "${KEEP:-}" ] || cp "$dir"/* "$KEEP"
}
suite_kernels tests "$@"
