#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# xref.sh - which functions nothing can call: bprobe's verdict, compared with objdump's and the tracer's
#
#   xref.sh [-x XREFCHECK] [-i IMGREFS] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. objdump's result is made once for each kernel and kept in $O/tests/xref.
# ROUNDS=N: how often the guest does the work that shows which functions run (1).
set -u

here=$(dirname "$0")
rig=$here/../rig
build=${O:-$here/../../../build}
xrefcheck=$build/tests/xrefcheck imgrefs=$build/tests/imgrefs wl=$build/tests/wl
cache=$build/tests/xref

while getopts x:i:w: option; do
	case $option in
	x)	xrefcheck=$OPTARG ;;
	i)	imgrefs=$OPTARG ;;
	w)	wl=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))

mkdir -p "$cache" && tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
echo "${ROUNDS:-1}" > "$tmp/rounds"

failed=0
for kernel; do
	start=$(date +%s)
	dir=$("$rig/kernels.sh" path "$kernel") || exit 1
	list=$cache/$(cat "$dir/version").never
	symbols=
	# It does not exist yet, or was made in another way.
	[ "$list" -nt "$imgrefs" ] && [ "$list" -nt "$here/../../xref/never.sh" ] || symbols="-f $tmp/rounds=/etc/symbols"
	"$rig/guest.sh" -k "$kernel" -a nokaslr -t "${GUEST_SECONDS:-1200}" -f "$tmp/rounds=/etc/rounds" $symbols \
		-f "$xrefcheck=/bin/xrefcheck" -f "$wl=/bin/wl" "$here/xref.guest" > "$tmp/out" 2> "$tmp/err" ||
		sed 's/^/# /' "$tmp/err"
	if [ -n "$symbols" ]; then
		sed -n 's/^sym //p' "$tmp/out" > "$tmp/kallsyms"
		nice "$here/../../xref/never.sh" "$("$rig/kernels.sh" vmlinux "$kernel")" "$tmp/kallsyms" "$imgrefs" \
			> "$tmp/never" && mv "$tmp/never" "$list" || : > "$list"
	fi
	awk -v name="$kernel" -f "$here/../../xref/compare.awk" "$list" "$tmp/out" > "$tmp/tap"
	grep '^#' "$tmp/out"
	cat "$tmp/tap"
	! grep -q '^not ok' "$tmp/tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$tmp/tap") passed, $(grep -c '^not ok' "$tmp/tap") failed in $(($(date +%s) - start)) s"
done
exit $failed
