#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh quick|distro|short|full - runs the tests and adds them up
#
# Each suite writes TAP into $O/tests/NAME.tap. Shown are failures, skips with their reasons, one
# line a suite, and at the end 'N passed, N failed, N skipped'. quick has no suite that boots a kernel, distro (for
# tests/distros.sh) two of them, short all on one kernel, full all on all.
#
# The suites are a queue. One more than there are processors run at a time, at most 6: a guest uses one processor, and sleeps a third
# of its time. JOBS=N sets another number. The list of seconds at the end has in brackets how many of them a processor was used.
# $O: where things were built (default build).
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
bprobe=$O/bprobe
size=$1
taps=$O/tests
mkdir -p "$taps"
rm -f "$taps"/*.tap "$taps/seconds" "$taps/queue"

# later NAME COMMAND...: puts a suite into the queue.
later() { printf '%q ' "$@" >> "$taps/queue"; echo >> "$taps/queue"; }

run_queue() {
	local processors
	processors=$(nproc)
	xargs -d '\n' -P "${JOBS:-$((processors < 6 ? processors + 1 : 6))}" -I % bash -c 'suite %' < "$taps/queue"
}

# suite NAME COMMAND...: a suite that prints no test at all, or dies, has failed.
suite() {
	local name=$1 start=$SECONDS tap=$taps/$1.tap status TIMEFORMAT='%U %S'
	shift
	{ time "$@" > "$tap" 2> "$tap.err" < /dev/null; } 2> "$tap.cpu"
	status=$?
	if ! grep -qE '^(ok|not ok)' "$tap" || { [ $status -ne 0 ] && ! grep -q '^not ok' "$tap"; }; then
		echo "not ok - $name: ended with status $status" >> "$tap"
		tail -n 20 "$tap.err" | sed 's/^/# /' >> "$tap"
	fi
	echo "$((SECONDS - start)) $name $(tail -n 1 "$tap.cpu")" >> "$taps/seconds"
	# Suites may end at the same time: the lines of each stay together.
	flock "$taps/seconds" awk -v name="$name" -v seconds=$((SECONDS - start)) '
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
	if tests/guest/suites/demo.sh "$bprobe"; then echo "ok 1 - make demo traces a kernel"; else echo "not ok 1 - make demo"; fi
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

# The flavour of guest (guest.sh) for life, keep, who, types and casts. A machine takes half as much time again for life and keep, and five times
# as much for who, which starts bprobe most often. Both flavours of one kernel would take "full" beyond its 25 minutes, so the bare
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
		later "$suite-$kernel-$flavour" "tests/guest/suites/$suite.sh" "$@" $words "$kernel"
	done
}

# guest_suite NAME KERNEL: the suites for a kernel. None, if a line says so.
guest_suite() {
	local name=$1 kernel=$2
	case $name-$kernel in
	# Before 5.12 there are kprobes only, so "auto" would be the same again, without some cases; and no trampolines.
	compare-5.10|hooks-5.10) return ;;
	# 6.18 is between two kernels that have all suites. It has the suites for what the kernel prints, and life.
	compare-6.18|life-6.18) ;;
	*-6.18)	return ;;
	# Minutes in the function tracer: one kernel without IBT, one with it. The others by hand.
	xref-5.10|xref-6.12) ;;
	xref-*)	return ;;
	# Before 5.12, and after it.
	renew-5.10|renew-6.12) ;;
	renew-*) return ;;
	# Their modules can be built on Debian 12 (tests/guest/rig/headers.sh).
	inlined-6.1|inlined-6.12) ;;
	inlined-*) return ;;
	# The kernel whose output the README and the manual show.
	shown-6.12) ;;
	shown-*) return ;;
	esac
	case $name in
	life)		in_flavours life "$kernel" -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" ;;
	keep)		in_flavours keep "$kernel" -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" ;;
	bundle)		later "bundle-$kernel" tests/guest/suites/bundle.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" "$kernel" ;;
	many)		later "many-$kernel" tests/guest/suites/many.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" "$kernel" ;;
	who)		in_flavours who "$kernel" -b "$bprobe" -w "$O/tests/wl" ;;
	compare)	later "compare-$kernel" tests/guest/suites/compare.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	kprobe)		later "kprobe-$kernel" tests/guest/suites/compare.sh -b "$bprobe" -w "$O/tests/wl" -a kprobe "$kernel" ;;
	dynamic)	later "dynamic-$kernel" tests/guest/suites/dynamic.sh -b "$bprobe" "$kernel" ;;
	hist)		later "hist-$kernel" tests/guest/suites/hist.sh -b "$bprobe" "$kernel" ;;
	switch)		later "switch-$kernel" tests/guest/suites/switch.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	count)		later "count-$kernel" tests/guest/suites/count.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	filter)		later "filter-$kernel" tests/guest/suites/filter.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	dat)		later "dat-$kernel" tests/guest/suites/dat.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	types)		in_flavours types "$kernel" -b "$bprobe" -w "$O/tests/wl" ;;
	# A million calls: tests/guest/suites/elapsed.sh
	elapsed)	later "elapsed-$kernel" tests/guest/suites/elapsed.sh -b "$bprobe" -w "$O/tests/wl" -n 60000 "$kernel" ;;
	# A million hits of the storm: tests/guest/suites/programs.sh
	programs)	later "programs-$kernel" tests/guest/suites/programs.sh -b "$bprobe" -n 240000 "$kernel" ;;
	lines)		later "lines-$kernel" tests/guest/suites/lines.sh -b "$bprobe" "$kernel" ;;
	inlined)	later "inlined-$kernel" tests/guest/suites/inlined.sh -b "$bprobe" "$kernel" ;;
	casts)		in_flavours casts "$kernel" -b "$bprobe" -w "$O/tests/wl" ;;
	pair)		later "pair-$kernel" tests/guest/suites/pair.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" -n 60000 "$kernel" ;;
	flight)		later "flight-$kernel" tests/guest/suites/flight.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	stacks)		later "stacks-$kernel" tests/guest/suites/stacks.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	load)		later "load-$kernel" tests/guest/suites/load.sh -b "$bprobe" "$kernel" ;;
	# All functions, for an hour: tests/guest/suites/hooks.sh -w all
	hooks)		later "hooks-$kernel" tests/guest/suites/hooks.sh -x "$O/tests/hooks" -o "$O/hooks" -p 4 -w short "$kernel" ;;
	xref)		later "xref-$kernel" tests/guest/suites/xref.sh -x "$O/tests/xrefcheck" -i "$O/tests/imgrefs" -w "$O/tests/wl" "$kernel" ;;
	# 10 million, for half an hour: tests/guest/suites/rings.sh -n 10000000
	rings)		later "rings-$kernel" tests/guest/suites/rings.sh -b "$bprobe" -w "$O/tests/wl" -n 240000 "$kernel" ;;
	renew)		later "renew-$kernel" tests/guest/suites/renew.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	verdict)	later "verdict-$kernel" tests/guest/suites/verdict.sh -p "$O/tests/verdict" -n 1000 "$kernel" ;;
	dialects)	later "dialects-$kernel" tests/guest/suites/dialects.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	columns)	later "columns-$kernel" tests/guest/suites/columns.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	kmem)		later "kmem-$kernel" tests/guest/suites/kmem.sh -b "$bprobe" -k "$O/tests/kmemcheck" "$kernel" ;;
	shown)		later "shown-$kernel" tests/guest/suites/shown.sh -b "$bprobe" -w "$O/tests/wl" "$kernel" ;;
	corpus)		later "corpus-$kernel" tests/guest/suites/corpus.sh -b "$bprobe" -w "$O/tests/wl" -j 1 -k "$kernel" ;;
	esac
}

# guest_suites SUITES KERNELS: the slowest suites come first, so that the last ones to run are short.
guest_suites() {
	local name kernel
	for name in $1; do
		for kernel in $2; do guest_suite "$name" "$kernel"; done
	done
}
suites='life keep many corpus who dialects rings xref hooks dat kprobe compare dynamic hist count switch filter bundle kmem elapsed pair columns types casts inlined lines programs flight stacks load verdict shown renew'

# fetch_kernels: those that are there, one a line. One that its archive dropped is a skip, any other that is missing a failure.
fetch_kernels() {
	local kernel
	for kernel in $(tests/guest/rig/kernels.sh names); do
		tests/guest/rig/kernels.sh fetch "$kernel"
		case $? in
		0)	echo "$kernel" ;;
		3)	echo "ok - kernel $kernel # SKIP its archive does not have it any more" >> "$taps/kernels.tap" ;;
		*)	echo "not ok - fetching kernel $kernel" >> "$taps/kernels.tap" ;;
		esac
	done
}

export -f suite static_binary compat_where_missing demonstration
export bprobe taps O
later layers tests/layers.sh
later names tests/names.sh
later static static_binary
later unit tests/unit/run.sh "$taps"/unit/test_*
later fuzz tests/fuzz/run.sh "$O"/tests/fuzz
later golden tests/golden/run.sh "$bprobe" "$O/tests/btf"
later insn tests/insn/proof.sh --short
[ $size = quick ] || [ $size = distro ] || later model tests/model/run.sh
# For the promised 1 GB: tests/dat/big.sh -m 1024
later dat tests/dat/big.sh -x "$O/tests/big"
later man tests/man.sh "$bprobe"
later completion tests/completion.sh "$bprobe" "$O/tests/btf"
later package tests/package.sh
[ $size = distro ] || later server tests/lines/server.sh "$bprobe" "$O/tests"

case $size in
distro)
	tests/guest/rig/kernels.sh fetch 6.12
	later demo demonstration
	later life-6.12 tests/guest/suites/life.sh -b "$bprobe" -w "$O/tests/wl" -c "$O/tests/bpfcount" 6.12 ;;
short)
	tests/guest/rig/userland.sh fetch && tests/guest/rig/kernels.sh fetch 6.12 && guest_suites "${suites/corpus /}" 6.12
	later parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl" ;;
full)
	tests/guest/rig/userland.sh fetch || echo "not ok - fetching the user land" > "$taps/userland.tap"
	# 6.12 is the slowest.
	fetch_kernels | awk '$1 == "6.12"; $1 != "6.12" { rest = rest $1 "\n" } END { printf "%s", rest }' > "$taps/kernels"
	cat "$taps/kernels.tap" "$taps/userland.tap" 2> /dev/null
	guest_suites "$suites" "$(cat "$taps/kernels")"
	later parsers tests/parsers/parsers.sh -b "$bprobe" -w "$O/tests/wl" ;;
esac
run_queue

sort -rn "$taps/seconds" | awk '{ sum += $1; work += $3 + $4; list = list (NR > 1 ? ", " : "") $2 " " $1 " (" int($3 + $4) ")" }
	END { printf "seconds (at work), the slowest first: %s; all: %d (%d)\n", list, sum, work }'
cat "$taps"/*.tap | awk '
	/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
	/^ok/ { passed++ }
	/^not ok/ { failed++ }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || !passed }'
