#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - what `make check-lines` does: places and variables of two kernels and of their modules, beside perf probe
#
# First perf.py compares what both say of places, in vmlinux and two modules. This needs no guest, so both kernels are compared at the
# same time. Then values.sh compares what the definitions fetch, in guests, one after the other. All of it is 20 minutes.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${O:-build}
kernels='6.12 6.1'
# Other places are drawn each time; LINES_SEED=N draws those of a run before.
seed=${LINES_SEED:-$(($(od -An -tu2 -N2 /dev/urandom)))}
echo "# the places are drawn with LINES_SEED=$seed"

missing=
for program in perf python3 nm qemu-system-x86_64; do
	command -v "$program" > /dev/null || missing="$missing $program"
done
cat >&2 << 'END'
check.sh needs perf (Debian: linux-perf), python3, binutils and QEMU, and the debug information of 6.12 and 6.1: a download of 600 MB
  if it is not in the cache, of which 1.5 GB stay there (tests/guest/rig/debuginfo.sh); 3 GB of memory, 300 MB in $TMPDIR, 20 minutes
END
[ -z "$missing" ] || { echo "check.sh: missing:$missing" >&2; exit 1; }
for program in bprobe tests/places tests/scopes tests/wl; do
	[ -x "$build/$program" ] || { echo "check.sh: there is no $build/$program: run make check-lines" >&2; exit 1; }
done
for kernel in $kernels; do
	tests/guest/rig/kernels.sh fetch "$kernel" && tests/guest/rig/debuginfo.sh fetch "$kernel" || exit 1
done

work=$(mktemp -d "${TMPDIR:-/tmp}/check-lines.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

perf_of() {	# perf_of KERNEL: TAP
	dir=$(tests/guest/rig/debuginfo.sh path "$1") || exit 1
	for file in vmlinux xfs.ko nf_tables.ko; do
		# Its last line has the verdict; without one it has failed, too.
		nice python3 tests/lines/perf.py "$build/tests/places" "$build/tests/scopes" "$dir/$file" 140 "$seed"
		[ $? -le 1 ] || echo "not ok - $1/$file: perf.py has ended early"
	done
}
for kernel in $kernels; do
	perf_of "$kernel" > "$work/perf.$kernel" 2>&1 &
done
wait
cat "$work"/perf.*
O=$build tests/lines/values.sh $kernels | tee "$work/values"

# So much must have been compared.
enough() {	# enough LEAST PATTERN WHAT: the sum of the numbers before the pattern
	n=$(sed -n "s/.*[^0-9]\([0-9][0-9]*\) $2.*/\1/p" "$work"/perf.* "$work/values" | awk '{ n += $1 } END { print n + 0 }')
	[ "$n" -ge "$1" ] && echo "ok - $n $3, at least $1" || echo "not ok - $n $3, should be at least $1"
}
{
	enough 300 'places have the [0-9]* addresses that perf' 'places have the addresses that perf probe has'
	enough 300 'variables; [0-9]* places are none' 'variables have the fetch arguments that perf probe has'
	enough 100 'places have the values that the kernel' 'places are hit'
	enough 300 'variables at [0-9]* places have the values' 'variables have the values that perf probe'"'"'s definitions fetch'
} > "$work/enough"
cat "$work/enough" "$work"/perf.* "$work/values" > "$work/tap"
cat "$work/enough"
echo "$(grep -c '^ok' "$work/tap") passed, $(grep -c '^not ok' "$work/tap") failed, 0 skipped"
! grep -q '^not ok' "$work/tap"
