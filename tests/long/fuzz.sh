#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz.sh [-t SECONDS] [TARGET...] - libFuzzer on the targets of tests/fuzz, each for a part of its two CPU hours. TAP on stdout
#
# Each TARGET (default: all) runs for SECONDS (default: so many that all of them take 20 minutes), and goes on where the last call
# ended: $O/long/fuzz/TARGET has the inputs that reached something new, and in `state` the CPU seconds so far. A target has had enough after
# 7,200 CPU seconds, or when the last 1,800 reached nothing new. Then its inputs only run once more.
#
# A test fails if a target finds something: a crash, a leak, a finding of ASan or UBSan, a broken rule of its own, or an input that takes
# longer than 20 seconds. The input is $O/long/fuzz/TARGET/found-*, and stays until somebody removes it; '$O/libfuzzer/TARGET FILE'
# repeats it.
#
# The planted faults: words_choice() of base/words.c with one choice too many (fuzz_kept: ASan, from its seeds), and a buf_fini() left out in
# take_numbered() of lang/bpftrace.c (fuzz_bpftrace: LeakSanitizer, within a minute). The rules of the targets found faults that nobody had planted.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
seconds=
while getopts t: option; do
	case $option in
	t) seconds=$OPTARG ;;
	*) exit 64 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- $(basename -s .c -a tests/fuzz/fuzz_*.c)
: "${seconds:=$((1200 * $(nproc) / $#))}"
export O seconds whole=7200 flat=1800
export fuzzers=$O/libfuzzer work=$O/long/fuzz
export ASAN_OPTIONS=allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1

mkdir -p "$work"
make --no-print-directory -j"$(nproc)" O="$O" $(printf "$fuzzers/%s $O/tests/fuzz/%s " $(for t; do echo "$t $t"; done)) "$O/tests/image/vmlinux" "$O/tests/recording" "$O/tests/made" > "$work/make" 2>&1 || {
	echo "not ok 1 - the targets are built (tests/setup.sh fuzz installs libFuzzer)"
	tail -n 5 "$work/make" | sed 's/^/# /'
	echo 1..1
	exit 1
}
gcc -g -O2 -shared -fPIC -nostdlib -o "$work/traced.so" tests/fuzz/traced.c || exit 1
gcc -g -gdwarf-4 -O1 -shared -fPIC -nostdlib -o "$work/traced-4.so" tests/fuzz/traced.c || exit 1
gcc -g -O0 -shared -fPIC -nostdlib -o "$work/traced-0.so" tests/fuzz/traced.c || exit 1
clang -g -O2 -shared -fPIC -nostdlib -o "$work/traced-clang.so" tests/fuzz/traced.c || exit 1
for compiler in g++ clang++; do
	$compiler -g -O2 -shared -fPIC -nostdlib -o "$work/traced-$compiler.so" tests/fuzz/traced.cc || exit 1
done
gcc -shared -nostdlib -Wl,-z,max-page-size=256,-z,noseparate-code,--version-script=tests/fuzz/program.map -o "$work/program.so" tests/fuzz/program.S || exit 1

seeds() {	# seeds TARGET DIR: what it begins with
	local file=$work/$1/corpus.tsv
	tests/fuzz/seeds.sh "$1" > "$file"
	rm -rf "$2"
	mkdir "$2"
	case $1 in
	fuzz_program)	file=$work/program.so ;;
	fuzz_dwarf)	file=$work/traced.so ;;
	fuzz_kmem)	file=$O/tests/image/vmlinux ;;
	esac
	"$O/tests/fuzz/$1" -w "$2" "$file" > /dev/null || return
	case $1 in
	fuzz_dwarf)	cp "$work"/traced-*.so "$2" ;;
	fuzz_dat)	# With stacks, strange names and symbols; and one that was not completed
		base64 -d tests/dat/version-1.dat.gz.b64 | gunzip > "$2/version-1"
		for kind in known hostile; do "$O/tests/recording" "$2/$kind" tests/report/symbols.txt $kind 20 > /dev/null; done
		printf '%s\n' '100 0 7 8 wl one 5' '200 1 7 8 wl two 6 3' | "$O/tests/made" "$2/cut" host 3 50 f cut > /dev/null ;;
	esac
}

part() {	# part TARGET: its line of TAP, without a number
	local target=$1 dir=$work/$1 cpu=0 since=0 edges=0 enough='' TIMEFORMAT='%U %S' status took said
	mkdir -p "$dir/corpus"
	seeds "$target" "$dir/seeds" || { echo "not ok - $target: no seeds"; return; }
	[ ! -e "$dir/state" ] || read -r cpu since edges < "$dir/state"
	set -- -max_total_time="$seconds" -print_final_stats=1
	[ ! -s "$dir/seeds.words" ] || set -- "$@" -dict="$dir/seeds.words"
	if [ "$cpu" -ge "$whole" ] || [ $((cpu - since)) -ge "$flat" ]; then
		enough=yes
		set -- -runs=0
	fi
	{ time "$fuzzers/$target" "$@" -timeout=20 -rss_limit_mb=3000 -artifact_prefix="$dir/found-" "$dir/corpus" "$dir/seeds" > "$dir/log" 2>&1; } 2> "$dir/time"
	status=$?
	took=$(tail -n 1 "$dir/time" | awk '{ printf "%d", $1 + $2 + 0.5 }')
	said=$(awk -v cpu="$cpu" -v since="$since" -v took="$took" -v enough=$enough '
		/ cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		/INITED/ { first = cov }
		/^stat::number_of_executed_units/ { executed = $2 }
		/^stat::new_units_added/ { added = $2 }
		END {
			if (enough) took = 0
			cpu += took
			if (cov > first) since = cpu
			printf "%d %d %d %d %d %d %d\n", cpu, since, cov, cov - first, executed, added, cpu - since
		}' "$dir/log")
	set -- $said
	echo "$1 $2 $3" > "$dir/state"
	said="$target: $5 executions in $took CPU seconds, $1 of $whole so far, $3 edges (+$4), $6 new inputs, flat for $7 s${enough:+: enough, its inputs run once more}"
	if [ $status -eq 0 ]; then
		echo "ok - $said"
	else
		echo "not ok - $said"
		sed -n '/ERROR: \|runtime error\|^fuzz_\|SUMMARY\|^    #[0-9] \|Test unit written/p' "$dir/log" | head -n 40 | sed 's/^/# /'
	fi
}

export -f part seeds
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I % bash -c 'part %' | awk '/^(not )?ok/ { sub(/ok/, "ok " ++n) } { print; fflush() } END { print "1.." n }'
