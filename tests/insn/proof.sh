#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# proof.sh [--short] - the lengths of the instruction decoder, against objdump and Zydis
#
# Every instruction of every executable section of the four kernels, at the addresses that objdump
# finds; then strings of bytes that no compiler made, against Zydis alone: 100 million random, as
# many that begin like instructions, and every opcode. --short: 6.12's .text, 2 million strings.
# Disagreements of the two among themselves are in known.tsv. TAP; what was counted, as comments.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
proof=$O/tests/proof known=tests/insn/known.tsv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make --no-print-directory WERROR= O="$O" "$proof" > "$tmp/make" 2>&1 || {
	echo "not ok - the proof builds (libzydis-dev has the header and library: tests/setup.sh installs it)"
	sed 's/^/# /' "$tmp/make"
	exit 1
}

# sweep NAME KERNEL [OPTION...]: what objdump with these options finds in the kernel
sweep() {
	local name=$1 elf
	elf=$(tests/guest/rig/kernels.sh vmlinux "$2") || { echo "not ok - $name: there is no vmlinux"; return 1; }
	shift 2
	nice objdump -d -w -z -M intel64 "$@" "$elf" | nice "$proof" sweep "$name" "$elf" "$known"
}

# Both cores are used: jobs run beside each other, their output is printed in order.
jobs=0
job() {
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	jobs=$((jobs + 1))
	{ "$@"; echo $? > "$tmp/$jobs.status"; } > "$tmp/$jobs.out" &
}

if [ "${1:-}" = --short ]; then
	tests/guest/rig/kernels.sh fetch 6.12
	# From the middle, wherever that is in an instruction: objdump is in step soon, and all are asked alike.
	job sweep '6.12, lower half' 6.12 -j .text --stop-address=0xffffffff81800000
	job sweep '6.12, upper half' 6.12 -j .text --start-address=0xffffffff81800000
	job "$proof" random 1000000 1
	job "$proof" shaped 1000000 1
else
	tests/guest/rig/kernels.sh fetch
	for kernel in $(tests/guest/rig/kernels.sh names); do job sweep "$kernel" "$kernel"; done
	job nice "$proof" random 100000000 1
	job nice "$proof" shaped 100000000 1
	job nice "$proof" every
fi
wait
failed=0
for i in $(seq $jobs); do
	cat "$tmp/$i.out"
	status=$(cat "$tmp/$i.status")
	[ "$status" = 0 ] || failed=1
	[ "$status" = 0 ] || grep -q '^not ok' "$tmp/$i.out" || echo "not ok - job $i: ended with status $status"
done
exit $failed
