#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dialects.sh - the examples of the documents and the dialects' values, on each KERNEL given
#
#   dialects.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. Three scripts run in one guest: the examples of the documents (rows/documents), the shell lines of
# doc/kept.md, and the rest. What each example printed is written as a table to dialects-KERNEL.md beside the binary, without what differs
# between kernels: the table in doc/dialects.md must be each kernel's.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"
sed -n '/^| tracefs | bprobe |/,/^$/p' "$here/../../../doc/kept.md" > "$work/forms"

scripts='documents shell-forms dialects'
for script in $scripts; do echo "sh /scripts/$script.guest || echo \"not ok - $script ended with status \$?\""; done > "$work/payload"

tests() {
	table=$(dirname "$bprobe")/dialects-$kernel.md
	set --
	for script in $scripts; do set -- "$@" -f "$here/$script.guest=/scripts/$script.guest"; done
	suite_guest -f "$wl=/bin/wl" -f "$here/../rows/documents=/documents" -f "$work/forms=/shell-forms" "$@" "$work/payload" > "$work/said"
	grep -v '^=row' "$work/said"
	{
		printf '| document | example | runs | prints | where not as it is printed there |\n|---|---|---|---|---|\n'
		sed -n 's/^=row //p' "$work/said"
	} > "$table"
	if sed -n '/^| document | example /,/^$/{ /./p; }' "$here/../../../doc/dialects.md" | diff - "$table" > "$work/differs"; then
		echo "ok - the table in doc/dialects.md is what was printed"
	else
		echo "not ok - the table in doc/dialects.md is what was printed: see $table"
		sed 's/^/# /' "$work/differs"
	fi
}
suite_kernels tests "$@"
