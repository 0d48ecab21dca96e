#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - what `make check-lines` does: places and variables of two kernels and of their modules, beside perf probe
#
# First perf.py compares what both say of places, in vmlinux and three modules, and programs.sh in 29 builds of a program. This needs no
# guest, so all are compared at the same time. addresses.sh compares lines of addresses with addr2line. Then values.sh compares what the
# definitions fetch, in guests, one after the other. All of it is 25 minutes.
#
# Each difference is judged by the debug information itself (scopes.c): bprobe is better if that says what bprobe says. The last lines have the
# sums: equal, better, worse, different. worse and different must be 0.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${O:-build}
kernels='6.12 6.1'
# Other places are drawn each time; LINES_SEED=N draws those of a run before.
seed=${LINES_SEED:-$(($(od -An -tu2 -N2 /dev/urandom)))}
echo "# the places are drawn with LINES_SEED=$seed"

missing=
for program in perf python3 nm qemu-system-x86_64 dwz; do
	command -v "$program" > /dev/null || missing="$missing $program"
done
cat >&2 << 'END'
check.sh needs perf (Debian: linux-perf), python3, binutils and QEMU, and the debug information of 6.12 and 6.1: a download of 600 MB
  if it is not in the cache, of which 1.5 GB stay there (tests/guest/rig/debuginfo.sh); 3 GB of memory, 300 MB in $TMPDIR, 25 minutes
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
	for file in vmlinux xfs.ko nf_tables.ko btrfs.ko; do
		# Its last line has the verdict; without one it has failed, too.
		nice python3 tests/lines/perf.py "$build/tests/places" "$build/tests/scopes" "$dir/$file" 140 "$seed"
		[ $? -le 1 ] || echo "not ok - $1/$file: perf.py has ended early"
	done
}
for kernel in $kernels; do
	perf_of "$kernel" > "$work/perf.$kernel" 2>&1 &
done
nice env O="$build" tests/lines/programs.sh -n 16 -s "$seed" > "$work/perf.programs" 2>&1 &
wait
for kernel in $kernels; do
	nice env LINES_SEED="$seed" tests/lines/addresses.sh "$build/tests" "$(tests/guest/rig/debuginfo.sh path "$kernel")/vmlinux"
done > "$work/addresses" 2>&1
cat "$work"/perf.* "$work/addresses"
O=$build tests/lines/values.sh $kernels | tee "$work/values"

# So much must have been compared.
sum() {	# sum OF VERDICT
	sed -n "s/.*$1: \([^;]*\);.*/\1/p" "$work"/perf.* | sed -n "s/.*\(^\|[^0-9]\)\([0-9][0-9]*\) $2.*/\2/p" | awk '{ n += $1 } END { print n + 0 }'
}
enough() {	# enough N LEAST WHAT
	[ "$1" -ge "$2" ] && echo "ok - $1 $3, at least $2" || echo "not ok - $1 $3, should be at least $2"
}
values() {	# values PATTERN: the sum of the numbers before the pattern
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$work/values" | awk '{ n += $1 } END { print n + 0 }'
}
all() {
	echo "# $1: $(sum $1 equal) equal, $(sum $1 better) better, $(sum $1 worse) worse, $(sum $1 different) different"
}
{
	all places
	all variables
	enough $(($(sum places equal) + $(sum places better))) 600 'places compared'
	enough $(($(sum variables equal) + $(sum variables better))) 1000 'variables compared'
	enough "$(grep -c 'places: ' "$work/perf.programs")" 25 'builds of programs'
	enough "$(values 'places have the values that the kernel')" 100 'places are hit'
	enough "$(values 'variables at [0-9]* places have the values')" 300 'variables have the values that perf probe'"'"'s definitions fetch'
} > "$work/enough"
cat "$work/enough" "$work"/perf.* "$work/addresses" "$work/values" > "$work/tap"
cat "$work/enough"
skipped=$(grep -c '^ok - # SKIP' "$work/tap")
echo "$(($(grep -c '^ok' "$work/tap") - skipped)) passed, $(grep -c '^not ok' "$work/tap") failed, $skipped skipped"
! grep -q '^not ok' "$work/tap"
