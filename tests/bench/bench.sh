#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh - what bprobe costs, compared with the kernel's tracer, bpftrace and perf
#
#   bench.sh [-b BPROBE] [-p PART]... [-r ROWS] [KERNEL...]
#                                          print the table (kernels: 6.12 7.2)
#   bench.sh --check [-b BPROBE]           TAP: bprobe's own figures against reference.tsv (6.12; 7.2: patterns)
#   bench.sh --reference [-b BPROBE]       write reference.tsv
#
# PART is hits, stacks, hist, dynamic, bpftrace, perf, attach, every, stream, dat, start, life or machine (default: all).
# machine is attach, start and life in the machine flavour of guest.sh, with modules, and with one processor as all of these. Counts instructions, in guests
# under -icount. Writes $O/bench/figures.tsv (kernel, row, column, value, spread in percent), $O/bench/table.txt
# and each guest's own output beside them. doc/benchmark.md says what the figures are.
set -u

here=$(dirname "$0")
guest=$here/../guest
build=${O:-$here/../../build}
out=$build/bench
bprobe=$build/bprobe
mode=table parts= rows= other_rows= rounds=2 flavour=
reference=$here/reference.tsv

die() { printf 'bench.sh: %s\n' "$1" >&2; exit 1; }

while [ $# -gt 0 ]; do
	case $1 in
	--check|--reference)	mode=${1#--} ;;
	-b)	bprobe=$2; shift ;;
	-p)	parts="$parts $2"; shift ;;
	-r)	rows=$2; shift ;;
	-*)	sed -n '6,9s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
	*)	break ;;
	esac
	shift
done
kernels=${*:-6.12 7.2}
[ $mode = table ] || { kernels='6.12 7.2' parts='hits dat dynamic' rounds=1 columns=kernel
	rows='open pgid ret-pgid reg128 str4 mid drop-number' other_rows='open pgid ret-pgid'; }
[ $mode != check ] || parts="$parts hist attach every stream start life machine"
: "${parts:=hits stacks hist dynamic bpftrace perf attach every stream dat start life machine}" "${columns=kernel floor}"

[ $mode = table ] || out=$out/check
mkdir -p "$out/bin" || exit 1
for program in calls floor; do
	[ "$out/bin/$program" -nt "$here/$program.c" ] ||
		${CC:-gcc} -O2 -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -static -o "$out/bin/$program" "$here/$program.c" \
			$([ $program = calls ] || { pkg-config --static --libs libbpf libelf zlib; echo "$build/compat.a"; }) || exit 1
done
# A copy: if somebody builds meanwhile, what is measured does not change.
cp "$bprobe" "$out/bin/bprobe" || die "no bprobe to measure: run make"
"$guest/rig/kernels.sh" fetch $kernels || exit 1
case " $parts " in *' machine '*)
	"$guest/rig/userland.sh" fetch || exit 1
	mkdir -p "$build/tests" && cp "$out/bin/floor" "$build/tests/" || exit 1 ;;	# where guest.sh takes it from
esac

run_guest() {	# run_guest KERNEL NAME PAYLOAD OPTION...: its output is $out/KERNEL.NAME.log
	log=$out/$1$flavour.$2.log start=$(date +%s)
	{
		echo "rounds=$rounds rows='$rows' other_rows='$other_rows' columns='$columns' only= bpftrace=bpftrace-${2##*-}"
		# On 7.2 only what differs there is held: the newest hooks.
		[ $mode = table ] || [ "$1" != 7.2 ] || echo "rows='$other_rows' only='auto pattern kprobe'"
		case $mode:$2 in
		check:attach)	echo "counts='100 1000' only_backends=auto" ;;
		check:hist)	echo "rows='hist-pid hist-log2 hist-func hist-elapsed hist-pair hist-made hist-stack hist-string' only=auto" ;;
		check:stream|check:start)	echo only_backends=auto ;;
		check:dynamic|reference:dynamic)	echo rows= ;;	# all
		esac
		# bpftrace starts slowly: only rows that show something new, and the old version once.
		case $2 in
		bpftrace-*)	[ -n "$rows" ] || echo "rows='open pgid ret-pgid reg32 str4 mid'" ;;
		esac
		[ "$2" != bpftrace-12 ] || echo rounds=1
		[ -z "$flavour" ] || echo "counts='1 10 100'"
	} > "$out/settings"
	guest_kernel=$1 guest_name=$2 payload=$3
	shift 3
	nice "$guest/rig/guest.sh" -i -k "$guest_kernel" -t "${BENCH_SECONDS:-1500}" -f "$out/bin/calls=/bin/calls" \
		-f "$out/bin/floor=/bin/floor" -f "$out/bin/bprobe=/bin/bprobe" -f "$out/settings=/settings" \
		-f "$here/lib.guest=/bench/lib.guest" -f "$here/bpftrace.lib=/bench/bpftrace.lib" \
		"$@" "$here/$payload" > "$log" 2>&1
	[ $? -ne 125 ] || echo "not ok - the guest ended early" >> "$log"
	echo "# $guest_kernel$flavour $guest_name: $(($(date +%s) - start)) s" >&2
}

with_program() {	# with_program KERNEL NAME PAYLOAD PROGRAM
	"$here/programs.sh" fetch "$4" || exit 1
	dir=$("$here/programs.sh" path "$4") || exit 1
	for file in "$dir"/bin/*; do :; done
	run_guest "$1" "$2" "$3" -m 3072 -f "$dir/lib=/lib" -f "$dir/lib64=/lib64" -f "$file"
}

# A machine's figures are those of a kernel of another name. Each function attached takes ftrace and kprobes much longer there.
with_machine() {	# with_machine KERNEL
	flavour=-machine
	machine_parts='start attach life'
	[ $mode = table ] || machine_parts=start
	for part in $machine_parts; do
		rm -f "$out/$1-machine.$part".log
		run_guest "$1" "$part" "$part.guest" -M
	done
	flavour=
}

for kernel in $kernels; do
	for part in $parts; do
		rm -f "$out/$kernel.$part".log "$out/$kernel.$part"-*.log
		case $mode:$kernel:$part in
		table:*|*:hits|*:dynamic|check:7.2:every)	;;
		check:*:hist)	run_guest "$kernel" hist hist.guest; continue ;;	# without bpftrace
		*:7.2:*|*:every)	continue ;;
		check:*:start)	run_guest "$kernel" start start.guest; continue ;;	# without bpftrace
		esac
		case $part in
		hits|stacks|attach|every|stream|life)	run_guest "$kernel" "$part" "$part.guest" ;;
		machine) with_machine "$kernel" ;;
		perf)	with_program "$kernel" perf perf.guest perf-12 ;;
		hist|dynamic)	with_program "$kernel" "$part" "$part.guest" bpftrace-sid ;;
		dat)	with_program "$kernel" dat dat.guest trace-cmd-12 ;;
		bpftrace|start)
			for suite in 12 sid; do
				with_program "$kernel" "$part-$suite" "$part.guest" "bpftrace-$suite"
			done ;;
		*)	die "no part is called '$part'" ;;
		esac
	done
done

# All figures: a part that was not run now keeps its last ones.
for log in "$out"/*.*.log; do
	name=${log##*/}
	sed -n "s/^fig	/${name%.*.log}	/p" "$log"
done | awk -f "$here/figures.awk" > "$out/figures.tsv"

# limits [check]: each limit as TAP. Those without a figure are left out, unless bench-check has to measure them.
limits() {
	awk -F '\t' -v check="${1:-}" '
		# A column, or "COLUMN beyond COLUMN": the first without the second.
		function get(kernel, row, columns,    of) {
			if (split(columns, of, " beyond ") < 2) return figure[kernel, row, columns]
			if (figure[kernel, row, of[1]] == "" || figure[kernel, row, of[2]] == "") return ""
			return figure[kernel, row, of[1]] - figure[kernel, row, of[2]]
		}
		FNR == NR { figure[$1, $2, $3] = $4; next }
		/^#/ { next }
		{
			value = get($1, $2, $3)
			base = $4 == "-" ? 1 : get($1, $2, $4)
			name = $1 " " $2 " " $3
			if (value == "" || base == "" || base + 0 == 0) {
				if (check) print "not ok - " name ": no figure"
				next
			}
			if ($4 == "-" && value > 1e6) base = 1e6
			unit = $4 == "-" ? " " $6 : " of " ($2 ~ /^dat/ ? "trace-cmd" : $4 == "bpftrace" ? "bpftrace" : $4 ~ /^floor/ ? "a bare link" : "the kernel\047s tracer")
			verdict = value / base > $5 ? "not ok" : "ok"
			printf "%s - %s: %.3f%s (at most %s)\n", verdict, name, value / base, unit, $5
		}' "$out/figures.tsv" "$here/limits.tsv"
}

# The reference has hits only; what else is measured has limits. On 7.2 the kernel's part of a signal varies by 4 % of a hit.
only_limits='^7.2\tdynamic|\t(hist|attach|detach|every|stream|start|memory|maps|life)[^\t]*\t'

case $mode in
reference)
	grep -P '\tbprobe-' "$out/figures.tsv" | grep -Pv "$only_limits" > "$reference"
	cat "$reference" ;;
check)
	cat "$out"/*.log | grep -E '^(ok|not ok|#)'
	grep -P '\tbprobe-' "$out/figures.tsv" | grep -Pv "$only_limits" > "$out/own.tsv"
	awk -F '\t' '
		FNR == NR { reference[$1 " " $2 " " $3] = $4; next }
		{
			key = $1 " " $2 " " $3
			seen[key] = 1
			if (!(key in reference)) { print "# " key ": " $4 ", which no reference has"; next }
			grown = ($4 / reference[key] - 1) * 100
			verdict = grown > 3 ? "not ok" : "ok"
			unit = $2 ~ /bytes/ ? "bytes" : "instructions"
			printf "%s - %s: %.1f %s a hit, %+.1f %% against the reference\n", verdict, key, $4, unit, grown
		}
		END { for (key in reference) if (!(key in seen)) print "not ok - " key ": no figure" }' "$reference" "$out/own.tsv" > "$out/check" ||
		echo "not ok - the figures could not be compared" >> "$out/check"
	limits check >> "$out/check"
	cat "$out/check"
	! cat "$out/check" "$out"/*.log | grep -q '^not ok' ;;
table)
	cat "$out"/*.log | grep '^not ok' | sed 's/^/# /' >&2
	{ awk -f "$here/table.awk" "$out/figures.tsv"; printf '\nLimits\n\n'; limits; } | tee "$out/table.txt" ;;
esac
