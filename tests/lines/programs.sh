#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# programs.sh [-n DRAWS] [-s SEED] - places and variables of many builds of a program, beside perf probe
#
# source.py makes the program, with the seed. Of each build perf.py compares DRAWS places. What perf cannot read (split debug information, dwz,
# a stripped program with its debug file) has a twin of the same code, and must say the same as that. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${O:-build} draws=12 seed=1
while getopts n:s: option; do
	case $option in
	n)	draws=$OPTARG ;;
	s)	seed=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
build=$(realpath "$build")
work=$(mktemp -d "${TMPDIR:-/tmp}/programs.XXXXXX") || exit 1
chmod 755 "$work"				# who reads debug information has no rights
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cc=${CC:-gcc} cxx=${CXX:-g++} clang=${CLANG:-clang} clangxx=${CLANGXX:-clang++}

compare() {	# compare NAME PROGRAM FUNCTIONS
	python3 tests/lines/perf.py "$build/tests/places" "$build/tests/scopes" "$2" "$draws" "$((seed + number))" "$3" | sed "/ places: /s|^\(\(not \)*ok - \)[^:]*:|\1$1:|"
	number=$((number + 1))
}

make_one() {	# make_one NAME COMPILER OPTION...: $work/NAME/NAME
	local name=$1
	shift
	mkdir -p "$work/$name" && cp "$work"/source/* "$work/$name/" && (cd "$work/$name" && "$@" -g -w -o "$name" prog.c) && return
	echo "not ok - building $name"
	return 1
}

# Does it say the same of the same code as its twin? The twin was compared with perf.
same_as() {	# same_as NAME PROGRAM TWIN
	objcopy -O binary --only-section=.text "$2" "$work/text" && objcopy -O binary --only-section=.text "$3" "$work/twin-text" &&
		cmp -s "$work/text" "$work/twin-text" || { echo "not ok - $1: it has other code than its twin"; return; }
	# Each line of each function, with all that is a variable somewhere.
	variables=$(sed -n 's/.*[ *]\([pv][0-9][0-9]*\)\( =\|\[\|;\|,\|)\).*/\1/p' "$work/source/"*.[ch] | sort -u | head -n 12 | tr '\n' ' ')
	while read -r function; do
		for line in $(seq 0 25); do echo "$function:$line $variables"; done
	done < "$work/source/functions" > "$work/questions"
	# The reasons may be others: a compiler writes the same otherwise in split debug information.
	"$build/tests/places" -x "$2" < "$work/questions" | sed "s/=-[^ ]*/=-/g" > "$work/answers"
	"$build/tests/places" -x "$3" < "$work/questions" | sed "s/=-[^ ]*/=-/g" > "$work/twin-answers"
	# A value that only one has is fine, since compilers write some places otherwise there: what both have must be equal.
	paste -d '\t' "$work/twin-answers" "$work/answers" | awk -F '\t' '
		{
			n = split($1, a, " "); split($2, b, " ")
			if (a[1] != b[1]) { places_bad++; print "# twin: " $1; print "# this: " $2; next }
			places += a[1] ~ /^0x/
			for (i = 2; i <= n; i++) {
				one = a[i]; other = b[i]
				if (one == other) equal += one !~ /=-$/
				else if (one ~ /=-$/) better++
				else if (other ~ /=-$/) worse++
				else { different++; print "# twin: " a[1] " " one; print "# this: " other }
			}
		}
		END { printf "places: %d equal, 0 better, 0 worse, %d different; variables: %d equal, %d better, %d worse, %d different\n", places, places_bad, equal, better, worse, different; exit !(places > 20 && !places_bad && !different) }
	' > "$work/verdict"
	if [ $? = 0 ]; then
		echo "ok - $1: $(tail -n 1 "$work/verdict")"
	else
		echo "not ok - $1: its answers are not its twin's"
head -n 10 "$work/verdict"
	fi
}

mkdir "$work/source" && tests/lines/source.py "$seed" 24 "$work/source" || exit 1
number=1
for level in 0 1 2 3; do
	for dwarf in 4 5; do
		# Addresses of one that is not PIE are those in the file.
		pie=$([ $(((level + dwarf) % 2)) = 0 ] && echo "-fPIE -pie" || echo "-fno-pie -no-pie")
		for compiler in "$cc" "$clang"; do
			name=${compiler##*/}-O$level-dwarf$dwarf
			make_one "$name" "$compiler" -O$level -gdwarf-$dwarf $pie && compare "$name" "$work/$name/$name" "$work/source/functions"
		done
	done
done
for compiler in "$cc" "$clang"; do
	name=${compiler##*/}-O2-gz
	make_one "$name" "$compiler" -O2 -gz && compare "$name" "$work/$name/$name" "$work/source/functions"
done
for what in "$cxx -O0" "$cxx -O2" "$clangxx -O1" "$clangxx -O3"; do
	name=$(echo "$what" | sed 's|.*/||; s/ /-/')
	make_one "$name" $what -x c++ && compare "$name" "$work/$name/$name" "$work/source/functions"
done

for what in "$cc 5" "$cc 4" "$clang 5"; do
	compiler=${what% *} dwarf=${what#* }
	name=${compiler##*/}-split-dwarf$dwarf
	make_one "$name-twin" "$compiler" -O2 -gdwarf-$dwarf -fno-pie -no-pie && make_one "$name" "$compiler" -O2 -gdwarf-$dwarf -gsplit-dwarf -fno-pie -no-pie &&
		same_as "$name" "$work/$name/$name" "$work/$name-twin/$name-twin"
done
twin=$work/${cc##*/}-O2-dwarf4/${cc##*/}-O2-dwarf4
if [ -e "$twin" ] && command -v dwz > /dev/null; then
	cp "$twin" "$work/shared" && cp "$twin" "$work/shared2" && dwz -m "$work/common" -M common "$work/shared" "$work/shared2" && same_as dwz "$work/shared" "$twin"
else
	echo "ok - # SKIP there is no dwz"
fi
twin=$work/${cc##*/}-O2-dwarf5/${cc##*/}-O2-dwarf5
objcopy --only-keep-debug "$twin" "$work/stripped.debug" && objcopy --strip-all --add-gnu-debuglink="$work/stripped.debug" "$twin" "$work/stripped"
n=0 bad=0 nr_variables=0
while read -r function; do
	for line in '' :3 :7; do
		"$build/bprobe" -q --explain "p:a $work/stripped:$function$line \$vars" 2>&1 | grep '^[pr]:' | sed "s|$work/stripped|TWIN|g" > "$work/got"
		"$build/bprobe" -q --explain "p:a $twin:$function$line \$vars" 2>&1 | grep '^[pr]:' | sed "s|$twin|TWIN|g" > "$work/wanted"
		n=$((n + $(grep -c . "$work/wanted")))
		nr_variables=$((nr_variables + $(grep -o '=' "$work/wanted" | wc -l)))
		cmp -s "$work/wanted" "$work/got" || { bad=$((bad + 1)); diff "$work/wanted" "$work/got" | head -n 3 | sed 's/^/# /'; }
	done
done < "$work/source/functions"
[ $n -gt 20 ] && [ $bad = 0 ] && echo "ok - stripped, with a debug file: places: $n equal, 0 better, 0 worse, 0 different; variables: $nr_variables equal, 0 better, 0 worse, 0 different" ||
	echo "not ok - stripped, with a debug file: $n places, $bad differ from its twin's"

if command -v rustc > /dev/null; then
	printf '%s\n' sum_of twice depth_of choose > "$work/rust-functions"
	for level in 0 2; do
		rustc -g -C opt-level=$level -o "$work/rust-O$level" tests/lines/prog.rs 2> "$work/log" && compare rust-O$level "$work/rust-O$level" "$work/rust-functions" ||
			{ echo "not ok - building rust-O$level"; sed 's/^/# /' "$work/log"; }
	done
else
	echo "ok - # SKIP there is no rustc: no program in Rust"
fi
