#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh quick|distro|short|full - runs the tests and adds them up
#
# Each suite writes TAP into $O/tests/NAME.tap. Shown are failures, skips with their reasons, one
# line a suite, and at the end 'N passed, N failed, N skipped'. Suites that boot kernels run
# two at a time: quick has none of them; two of them for tests/distros.sh, all on one kernel, all on all.
# $O: where things were built (default build).
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
bprobe=$O/bprobe
size=$1
taps=$O/tests
mkdir -p "$taps"
rm -f "$taps"/*.tap "$taps/seconds"

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
	echo "$((SECONDS - start)) $name" >> "$taps/seconds"
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
	compat_where_missing
	echo 1..2
}

# user/compat has what libelf.a may lack: it is in bprobe if this libelf.a calls it without having it, and only then.
compat_where_missing() {
	local lacks has=no
	lacks=$(nm "$(${CC:-gcc} -print-file-name=libelf.a)" 2> /dev/null | awk '
		$NF == "eu_search_tree_init" { if ($(NF - 1) == "U") called = 1; else defined = 1 }
		END { print called && !defined ? "yes" : "no" }')
	! nm "$bprobe" | grep -q ' eu_trees_lock$' || has=yes
	if [ "$has" = "$lacks" ]; then
		echo "ok 2 - libelf.a lacks its search trees: $lacks; bprobe has them of its own: $has"
	else
		echo "not ok 2 - libelf.a lacks its search trees: $lacks; bprobe has them of its own: $has"
	fi
}

demonstration() {
	if tests/guest/demo.sh "$bprobe"; then echo "ok 1 - make demo traces a kernel"; else echo "not ok 1 - make demo"; fi
	echo 1..1
}

# SIGKILLs of the storm on kept probes, each half a second to a second: 400 in all. "full" has none on 6.1, between 5.10 and 6.12.
kills() {	# kills KERNEL FLAVOUR
	case $size-$1-$2 in
	full-6.12-*)	echo 200 ;;
	full-6.1-*)	echo 0 ;;
	full-*)		echo 100 ;;
	*)		echo 40 ;;
	esac
}

# The flavour of guest (guest.sh) for life, keep and who. A machine takes half as much time again for life and keep, and five times
# as much for who, which starts bprobe most often. Both flavours of one kernel would take "full" beyond its 40 minutes, so the bare
# guests of the kernels beside stand for the one that a machine takes the place of.
flavours() {	# flavours SUITE KERNEL: one or more
	case $size-$2-$1 in
	full-6.12-*|full-6.1-life|full-6.1-keep)	echo machine ;;
	*)		echo bare ;;
	esac
}

# in_flavours SUITE KERNEL OPTION...
in_flavours() {
	local suite=$1 kernel=$2 flavour words
	shift 2
	for flavour in $(flavours "$suite" "$kernel"); do
		words=
		[ "$flavour" = bare ] || words=-M
		[ "$suite" != keep ] || words="$words -n $(kills "$kernel" "$flavour")"
		suite "$suite-$kernel-$flavour" "tests/guest/$suite.sh" "$@" $words "$kernel"
	done
}

# What a kernel is asked for, one guest at a time.
kernel_suites() {
	local kernel=$1
	# Before 5.12 there are kprobes only, so "auto" would be the same again, without some cases.
	[ "$kernel" = 5.10 ] || suite "compare-$kernel" tests/guest/compare.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	# 6.18 lies between two that have all suites: what the kernel prints, and how a bprobe lives.
	[ "$kernel" = 6.18 ] || suite "kprobe-$kernel" tests/guest/compare.sh -b "$bprobe" -w "$O/tests/wl" -a kprobe "$kernel"
	in_flavours life "$kernel" -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount"
	[ "$kernel" != 6.18 ] || return 0
	suite "filter-$kernel" tests/guest/filter.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	in_flavours keep "$kernel" -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount"
	suite "dat-$kernel" tests/guest/dat.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	in_flavours who "$kernel" -b "$bprobe" -w "$O/tests/wl"
	suite "load-$kernel" tests/guest/load.sh -b "$bprobe" "$kernel"
	# Before 5.12 there are no trampolines. All functions, for an hour: tests/guest/hooks.sh -w all
	[ "$kernel" = 5.10 ] ||
		suite "hooks-$kernel" tests/guest/hooks.sh -x "$O/tests/hooks" -o "$O/hooks" -p 4 -w short "$kernel"
	# Minutes in the function tracer: one kernel without IBT, one with it. The others by hand.
	case $kernel in 5.10|6.12)
		suite "xref-$kernel" tests/guest/xref.sh -x "$O/tests/xrefcheck" -i "$O/tests/imgrefs" -w "$O/tests/wl" "$kernel" ;;
	esac
	suite "verdict-$kernel" tests/guest/verdict.sh -p "$O/tests/verdict" -n 1000 "$kernel"
	suite "dialects-$kernel" tests/guest/dialects.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "columns-$kernel" tests/guest/columns.sh -b "$bprobe" -w "$O/tests/wl" "$kernel"
	suite "kmem-$kernel" tests/guest/kmem.sh -b "$bprobe" -k "$O/tests/kmemcheck" "$kernel"
	# The kernel whose output the README and the manual show.
	case $kernel in 6.12)
		suite "shown-$kernel" tests/guest/shown.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	esac
}

# fetch_kernels: those that are there, one a line. One that its archive dropped is a skip, any other that is missing a failure.
fetch_kernels() {
	local kernel
	for kernel in $(tests/guest/kernels.sh names); do
		tests/guest/kernels.sh fetch "$kernel"
		case $? in
		0)	echo "$kernel" ;;
		3)	echo "ok - kernel $kernel # SKIP its archive does not have it any more" >> "$taps/kernels.tap" ;;
		*)	echo "not ok - fetching kernel $kernel" >> "$taps/kernels.tap" ;;
		esac
	done
}

suite layers tests/layers.sh
suite names tests/names.sh
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
distro)
	tests/guest/kernels.sh fetch 6.12
	suite demo demonstration
	suite life-6.12 tests/guest/life.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" 6.12 ;;
short)
	tests/guest/userland.sh fetch && tests/guest/kernels.sh fetch 6.12 && kernel_suites 6.12
	suite parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl" ;;
full)
	tests/guest/userland.sh fetch || echo "not ok - fetching the user land" > "$taps/userland.tap"
	export -f suite kernel_suites kills flavours in_flavours
	export bprobe taps O size
	# 6.12 has the most suites: it begins, so that nobody waits for it in the end.
	fetch_kernels | awk '$1 == "6.12"; $1 != "6.12" { rest = rest $1 "\n" } END { printf "%s", rest }' > "$taps/kernels"
	xargs -P 2 -I % bash -c 'kernel_suites %' < "$taps/kernels"
	cat "$taps/kernels.tap" "$taps/userland.tap" 2> /dev/null
	suite parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl"
	suite corpus tests/guest/corpus.sh -b "$bprobe" -w "$O/tests/wl" ;;
esac

sort -rn "$taps/seconds" | awk '{ sum += $1; list = list (NR > 1 ? ", " : "") $2 " " $1 }
	END { printf "seconds, the slowest first: %s; all: %d\n", list, sum }'
cat "$taps"/*.tap | awk '
	/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
	/^ok/ { passed++ }
	/^not ok/ { failed++ }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || !passed }'
