#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh short|full - runs the tests and adds them up
#
# Each suite writes TAP into $O/tests/NAME.tap. Shown are failures, skips with their reasons, one
# line a suite, and at the end 'N passed, N failed, N skipped'. Suites that boot kernels run
# two at a time. $O: where things were built (default build).
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
bprobe=$O/bprobe
size=$1
taps=$O/tests
mkdir -p "$taps"
rm -f "$taps"/*.tap

# suite NAME COMMAND...: a suite that prints no test at all, or dies, has failed.
suite() {
	local name=$1 start=$SECONDS tap=$taps/$1.tap status
	shift
	"$@" > "$tap" 2> "$tap.err" < /dev/null
	status=$?
	if ! grep -qE '^(ok|not ok)' "$tap" || { [ $status -ne 0 ] && ! grep -q '^not ok' "$tap"; }; then
		echo "not ok - $name: ended with status $status" >> "$tap"
		tail -n 20 "$tap.err" | sed 's/^/# /' >> "$tap"
	fi
	awk -v name="$name" -v seconds=$((SECONDS - start)) '
		/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; print "  " $0; next }
		/^ok/ { passed++; shown = 0; next }
		/^not ok/ { failed++; shown = 1; print "  " $0; next }
		/^# kernel/ || /^# .*: [0-9]+ equal/ || (/^#/ && shown) { print "  " $0 }
		END { printf "%-16s %4d passed, %d failed, %d skipped, %d s\n", name, passed, failed, skipped, seconds }' "$tap"
}

static_binary() {
	if readelf -d "$bprobe" 2>&1 | grep -q 'There is no dynamic section'; then
		echo "ok 1 - $bprobe is static"
	else
		echo "not ok 1 - $bprobe is not static"
		readelf -d "$bprobe" | grep NEEDED | sed 's/^/# /'
	fi
	echo 1..1
}

# SIGKILLs of the storm on kept probes: minutes where there are many.
kills() {
	case $size-$1 in
	full-6.12)	echo 500 ;;
	full-*)		echo 100 ;;
	*)		echo 40 ;;
	esac
}

# What a kernel is asked for, one guest at a time.
kernel_suites() {
	local kernel=$1
	suite "compare-$kernel" tests/guest/compare.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "kprobe-$kernel" tests/guest/compare.sh -b "$bprobe" -w "$O/tests/wl" -a kprobe "$kernel"
	suite "filter-$kernel" tests/guest/filter.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "life-$kernel" tests/guest/life.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" "$kernel"
	suite "keep-$kernel" tests/guest/keep.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" -n "$(kills "$kernel")" "$kernel"
	suite "dat-$kernel" tests/guest/dat.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "who-$kernel" tests/guest/who.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	# Minutes in the function tracer: one kernel without IBT, one with it. The others by hand.
	case $kernel in 5.10|6.12)
		suite "xref-$kernel" tests/guest/xref.sh -x "$O/tests/xrefcheck" -i "$O/tests/imgrefs" -w "$O/tests/wl" "$kernel" ;;
	esac
	suite "verdict-$kernel" tests/guest/verdict.sh -p "$O/tests/verdict" -n 1000 "$kernel"
	suite "dialects-$kernel" tests/guest/dialects.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "columns-$kernel" tests/guest/columns.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "kmem-$kernel" tests/guest/kmem.sh -b "$bprobe" -k "$O/tests/kmemcheck" "$kernel"
}

suite layers tests/layers.sh
suite static static_binary
suite unit tests/unit/run.sh "$taps"/unit/test_*
suite fuzz tests/fuzz/run.sh "$O"/tests/fuzz
suite golden tests/golden/run.sh "$bprobe" "$O/tests/btf"
suite insn tests/insn/proof.sh --short
# The 1 GB that is promised: tests/dat/big.sh -m 1024
suite dat tests/dat/big.sh -x "$O/tests/big"
suite man tests/man.sh "$bprobe"
suite completion tests/completion.sh "$bprobe" "$O/tests/btf"
suite package tests/package.sh

case $1 in
short)
	tests/guest/kernels.sh fetch 6.12 && kernel_suites 6.12
	suite parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl" ;;
full)
	tests/guest/kernels.sh fetch || echo "not ok - fetching the kernels" > "$taps/kernels.tap"
	export -f suite kernel_suites kills
	export bprobe taps O size
	tests/guest/kernels.sh names | tr ' ' '\n' | xargs -P 2 -I % bash -c 'kernel_suites %'
	suite parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl"
	suite corpus tests/guest/corpus.sh -b "$bprobe" -w "$O/tests/wl" ;;
esac

cat "$taps"/*.tap | awk '
	/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
	/^ok/ { passed++ }
	/^not ok/ { failed++ }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || !passed }'
