#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# values.sh - do bprobe's definitions of lines fetch the values that perf's do?
#
#   values.sh KERNEL...       (6.1, 6.12)
#
# For each kernel: a guest says which functions a workload hits; values.py draws places in them, and asks perf and bprobe for their
# definitions, outside; in a second guest the kernel's tracer has perf's, bprobe its own, and one run of the workload hits both. The
# guests run one after the other, the drawing of all kernels at the same time. TAP on stdout. VALUES_DIR=DIR keeps what was made.
set -u
here=$(dirname "$0")
build=${O:-$here/../../build}
places=${PLACES:-120} seed=${SEED:-1}
work=${VALUES_DIR:-}
if [ -z "$work" ]; then
	work=$(mktemp -d "${TMPDIR:-/tmp}/values.XXXXXX") || exit 1
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM HUP
fi

guest() {	# guest KERNEL [WORD OF guest.sh]...
	name=$1
	shift
	"$here/../guest/rig/guest.sh" -k "$name" -t 900 -m 2048 -f "$build/tests/wl=/bin/wl" "$@" "$here/values.guest" 2>&1 ||
		echo "not ok - $name: the guest ended early"
}

for kernel; do
	mkdir -p "$work/$kernel"
	guest "$kernel" > "$work/$kernel/hits"
	grep '^not ok' "$work/$kernel/hits"
done
for kernel; do
	vmlinux=$("$here/../guest/rig/debuginfo.sh" path "$kernel")/vmlinux || exit 1
	nice python3 "$here/values.py" draw "$build/tests/places" "$build/tests/scopes" "$build/bprobe" "$vmlinux" \
		"$work/$kernel" "$places" "$seed" > "$work/$kernel/drawn" 2>&1 || echo "not ok - no places are drawn" >> "$work/$kernel/drawn" &
done
wait
for kernel; do
	echo "# kernel $kernel"
	cat "$work/$kernel/drawn"
	[ -s "$work/$kernel/theirs" ] || continue
	guest "$kernel" -f "$build/bprobe=/bin/bprobe" -f "$work/$kernel/theirs=/theirs" -f "$work/$kernel/ours=/ours" > "$work/$kernel/out"
	python3 "$here/values.py" compare "$work/$kernel" || echo "not ok - the values were not compared"
done
