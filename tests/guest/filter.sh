#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# filter.sh - do the kernel's filters and bprobe's let the same calls pass, on each KERNEL given?
#
#   filter.sh [-b BPROBE] [-w WL] [-a ATTACH] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The cases are in filters.tsv, what runs them in filter.guest.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl attach=auto

while getopts b:w:a: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	a)	attach=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

work=$(mktemp -d "${TMPDIR:-/tmp}/filter.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
echo "$attach" > "$work/attach"

failed=0
for kernel; do
	start=$(date +%s)
	rank=$(echo 5.10 6.1 6.12 sid | tr ' ' '\n' | grep -nxF "$kernel" | cut -d: -f1)
	rm -f "$work/cases"
	{
		awk -F '\t' -v OFS='\t' -v rank="${rank:-4}" -v cases="$work/cases" '
			BEGIN { order["5.10"] = 1; order["6.1"] = 2; order["6.12"] = 3 }
			/^#/ { next }
			{ id = sprintf("F%03d", ++n) }
			order[$1] > rank { print "ok - " id " # skip this filter is not known to kernels before " $1 ": " $3; next }
			{ print id, $2, $3, $4 > cases }' "$here/filters.tsv"
		"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" \
			-f "$work/cases=/cases" -f "$work/attach=/attach" "$here/filter.guest" 2>&1
		[ $? -ne 125 ] || echo "not ok - the guest ended early"
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$work/tap"
	# A case without a result has failed.
	while IFS='	' read -r id _; do
		grep -q "ok - $kernel $id:" "$work/tap" || echo "not ok - $kernel $id: no result"
	done < "$work/cases" >> "$work/tap"
	cat "$work/tap"
	! grep -q '^not ok' "$work/tap" || failed=1
	awk -v kernel="$kernel" -v seconds=$(($(date +%s) - start)) '
		/^ok .*# skip/ { skipped++; next } /^ok/ { passed++ } /^not ok/ { failed++ }
		END { printf "# kernel %s: %d passed, %d failed, %d skipped in %d s\n", kernel, passed, failed, skipped, seconds }' "$work/tap"
done
exit $failed
