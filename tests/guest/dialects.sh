#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dialects.sh - the examples of the documents and the dialects' values, on each KERNEL given
#
#   dialects.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. A guest each for the documents' examples (documents/), README's shell lines, and the rest. What
# each example printed is written as a table to dialects-KERNEL.md beside the binary, without what differs
# between kernels: the table in doc/dialects.md must be each kernel's.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl

while getopts b:w: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

tap=$(mktemp) && differs=$(mktemp) && forms=$(mktemp) || exit 1
trap 'rm -f "$tap" "$differs" "$forms"' EXIT
trap 'exit 1' INT TERM HUP

sed -n '/^| tracefs | bprobe |/,/^$/p' "$here/../../README.md" > "$forms"
guest() {	# guest SCRIPT
	"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" \
		-f "$here/documents=/documents" -f "$forms=/shell-forms" "$1" 2>&1
	# Tests that went missing with their guest have failed.
	[ $? -ne 125 ] || echo "not ok - the guest ended early"
}

failed=0
for kernel; do
	start=$(date +%s) table=$(dirname "$bprobe")/dialects-$kernel.md
	{
		guest "$here/documents.guest"
		guest "$here/shell-forms.guest"
		guest "$here/dialects.guest"
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$tap"
	{
		printf '| document | example | runs | prints | where not as it is printed there |\n|---|---|---|---|---|\n'
		sed -n 's/^=row //p' "$tap"
	} > "$table"
	if sed -n '/^| document | example /,/^$/{ /./p; }' "$here/../../doc/dialects.md" | diff - "$table" > "$differs"; then
		echo "ok - $kernel the table in doc/dialects.md is what was printed"
	else
		echo "not ok - $kernel the table in doc/dialects.md is what was printed: see $table"
		sed 's/^/# /' "$differs"
	fi >> "$tap"
	grep -v '^=row' "$tap"
	! grep -q '^not ok' "$tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tap") passed, $(grep -c '^not ok' "$tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
