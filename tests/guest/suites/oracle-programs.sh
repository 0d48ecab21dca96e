#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# oracle-programs.sh - values that bprobe must print because the traced program was told to pass them: oracle.sh for user programs, on
# each KERNEL given
#
#   [ORACLE_SEED=N] oracle-programs.sh [-b BPROBE] [-n FUNCTIONS] KERNEL...       (names that kernels.sh knows)
#
# tests/oracle/oracle.py makes a program whose functions have random prototypes, with floats between the other parameters. Two compilers
# build it, with and without optimization. Its definitions fetch parameters at the entry by their names, their members and their numbers,
# and return values. TAP on stdout.
#
# The seed is 1; ORACLE_SEED= (empty) takes a new one. What it has found: parameters that have a place in the function's frame were fetched
# there at the entry, where they are not yet (without optimization all of them, else those whose address is taken): at -O0 gcc's programs had
# 117 of 327 values, clang's 36 of 343. Members of a structure in a register were refused. clang -O changes how functions are called that
# only their own file calls, so such functions are only in the others. Planted faults that it finds: entry_hides() that is always false,
# may_be_changed() that is always false (with --static for clang-O2).
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bn "$@"
shift "$suite_shift"
[ "$kills" != 500 ] || kills=40
oracle=$here/../../oracle/oracle.py seed=${ORACLE_SEED-1}
programs="gcc-O0 gcc-O2 clang-O0 clang-O2"

tests() {
	: > "$work/files"
	for name in $programs; do
		# Before version 18 clang did not pass 128-bit integers as the psABI says.
		case $name in clang-*) compiler=${CLANG:-clang} with=--no-int128 ;; *) compiler=${CC:-gcc} with= ;; esac
		[ $name = clang-O2 ] || with="$with --static"
		rm -rf "$work/$name" && mkdir "$work/$name" && "$oracle" make --user $with ${seed:+--seed $seed} --functions "$kills" "$work/$name" &&
			"$compiler" "-${name#*-}" -g -static -w -o "$work/$name/orac" "$work/$name/orac.c" || {
			echo "not ok - building the program: $name"
			continue
		}
		sed "s|@:|/orac/$name:|" "$work/$name/defs" > "$work/$name/definitions"
		echo "-f $work/$name/orac=/orac/$name -f $work/$name/definitions=/orac/$name.defs" >> "$work/files"
	done
	for compiler in ${CXX:-g++} ${CLANGXX:-clang++}; do
		"$compiler" -O0 -g -static -o "$work/reference-${compiler##*/}" "$here/../tools/reference.cc" || echo "not ok - building reference.cc by $compiler"
		echo "-f $work/reference-${compiler##*/}=/reference/${compiler##*/}" >> "$work/files"
	done
	suite_guest $(cat "$work/files") "$here/oracle-programs.guest" > "$work/out"
	grep -v '^@' "$work/out"
	for name in $programs; do
		[ ! -e "$work/$name/definitions" ] || sed -n "s/^@$name //p" "$work/out" | "$oracle" check "$work/$name" | sed "s/^\(ok\|not ok\) - /&$name: /"
	done
}
suite_kernels tests "$@"
