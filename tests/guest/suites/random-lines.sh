#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# random-lines.sh - random lines, variables and C expressions in random programs, beside what the programs print, on each KERNEL given
#
#   random-lines.sh [-b BPROBE] [-n PROGRAMS] [-r FIRST] KERNEL...
#
# PROGRAMS (20) programs of tests/random/lines.py with the seeds from FIRST (0) on. FIRST can be "next": those that were not run in this
# build folder yet. gcc and clang build each of them with -O0 and with -O2. Without optimization each expression must be taken, and each pass
# of a line must be hit once. With it the compiler may leave variables out; a value that bprobe prints must be the program's. A failure
# names the seed, the definition with this one expression and both values, so it is small as it is. TAP on stdout.
#
# It has found a planted fault: the offset of a member is 8 too much (find_member(), user/elf/dwarf/types.c). Of program 2, 40 values and all
# four builds failed.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=20		# suite_options calls the number of -n so
suite_options bnr "$@"
shift "$suite_shift"
. "$rig/random.sh"
lines=$here/../../random/lines.py
# Nothing may depend on what C leaves open.
flags="-g -w -fwrapv -fno-strict-aliasing -static"
builds="gcc-O0 gcc-O2 clang-O0 clang-O2"

build_one() {	# build_one SEED
	local seed=$1 where=$work/rows/$1 name compiler
	mkdir -p "$where" && python3 -B "$lines" make "$seed" "$where" && ${CC:-gcc} -O0 $flags -DSHOW -o "$where/show" "$where/prog.c" &&
		timeout 60 "$where/show" > "$where/known" || { echo "not ok - program $seed: building it"; return; }
	for name in $builds; do
		case $name in clang-*) compiler=${CLANG:-clang} ;; *) compiler=${CC:-gcc} ;; esac
		$compiler "-${name#*-}" $flags -o "$where/$name" "$where/prog.c" || { echo "not ok - program $seed: building $name"; continue; }
		python3 -B "$lines" choose "$bprobe" "$name" "$where" | sed "s!^\(not ok\|ok\) - !&program $seed, $name: !; s!$where/!!"
		[ -s "$where/$name.defs" ] || continue
		sed "s|$where/|/random/$seed/|" "$where/$name.defs" > "$where/$name.there"
		echo "$seed $name" >> "$work/programs"
	done
}

# So many in a guest, whose memory has them all.
part=25

tests() {
	local first_of_part last name seed
	random_rows "random-lines.$kernel"
	last=$((first + kills - 1))
	for first_of_part in $(seq "$first" $part $last); do
		rm -rf "$work/rows" && : > "$work/programs"
		for seed in $(seq "$first_of_part" $((first_of_part + part - 1 < last ? first_of_part + part - 1 : last))); do
			build_one "$seed"
		done
		GUEST_SECONDS=2400 suite_guest $(while read -r seed name; do
			echo "-f $work/rows/$seed/$name=/random/$seed/$name -f $work/rows/$seed/$name.there=/random/$seed/$name.defs"
		done < "$work/programs") -f "$work/programs=/programs" "$here/random-lines.guest" > "$work/out"
		grep -v '^@' "$work/out"
		while read -r seed name; do
			sed -n "s/^@$seed $name //p" "$work/out" | python3 -B "$lines" check "$name" "$work/rows/$seed" |
				sed "s!^\(not ok\|ok\) - !&program $seed, $name: !"
		done < "$work/programs"
	done
	echo "# programs $first to $last"
	random_ran "$kills"
}
suite_kernels tests "$@"
