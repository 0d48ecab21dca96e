#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# keep.sh - kept probes: their life beside that of the kernel's own, and under fire, on each KERNEL given
#
#   keep.sh [-b BPROBE] [-w WL] [-c BPFCOUNT] [-n KILLS] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in keep.guest, and in storm.guest with KILLS (500; 0: none).
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl bpfcount=$build/tests/bpfcount kills=500

while getopts b:w:c:n: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	c)	bpfcount=$OPTARG ;;
	n)	kills=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

tap=$(mktemp) script=$(mktemp) || exit 1
trap 'rm -f "$tap" "$script"' EXIT
trap 'exit 1' INT TERM HUP

guest() {	# guest SCRIPT
	"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" \
		"$1" 2>&1
	# Tests that went missing with their guest have failed.
	[ $? -ne 125 ] || echo "not ok - the guest ended early"
}

failed=0
for kernel; do
	start=$(date +%s)
	{
		guest "$here/keep.guest"
		if [ "$kills" -gt 0 ]; then
			{ echo "kills=$kills"; cat "$here/storm.guest"; } > "$script"
			guest "$script"
		fi
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$tap"
	cat "$tap"
	! grep -q '^not ok' "$tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tap") passed, $(grep -c '^not ok' "$tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
