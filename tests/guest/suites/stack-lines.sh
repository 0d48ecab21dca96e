#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stack-lines.sh - the lines and inlined functions of stacks (--lines-in-stacks), on each KERNEL given
#
#   [ORACLE_SEED=N] stack-lines.sh [-b BPROBE] [-n CHAINS] KERNEL...       (names that kernels.sh knows)
#
# tests/oracle/stacks.py makes a program whose calls stand in known lines, of several files and of some that #line names, with functions that
# are inlined or not. Two compilers build it in many ways, and a kernel module of the same kind. TAP on stdout. The seed
# is 1, so that a landing does not depend on luck; ORACLE_SEED= (empty) takes a new one each time, and prints it. It has
# found units of split files that were read without their skeleton.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bn "$@"
shift "$suite_shift"
[ "$kills" != 500 ] || kills=12
. "$rig/module.sh"
seed=${ORACLE_SEED-1}
stacks=$(realpath "$here/../../oracle/stacks.py")
cc=${CC:-gcc} cxx=${CXX:-g++} clang=${CLANG:-clang} clangxx=${CLANGXX:-clang++}

# Each line: the program, its compiler, and its options.
builds() {
	cat <<-END
		gcc-O0 $cc -O0 -gdwarf-5
		gcc-O1-dwarf4 $cc -O1 -gdwarf-4
		gcc-O2-pie $cc -O2 -gdwarf-5 -static-pie -fPIE
		gcc-O3-gz $cc -O3 -gdwarf-5 -gz
		gcc-Os-split $cc -Os -gdwarf-5 -gsplit-dwarf
		gcc-O2-stripped $cc -O2 -gdwarf-5
		clang-O0 $clang -O0 -gdwarf-5
		clang-O1-dwarf4 $clang -O1 -gdwarf-4 -static-pie -fPIE
		clang-O2 $clang -O2 -gdwarf-5 -gz
		clang-O3 $clang -O3 -gdwarf-5
		cxx-O2 $cxx -x c++ -O2 -gdwarf-5
		clangxx-O1 $clangxx -x c++ -O1 -gdwarf-4
	END
}

build_all() {
	rm -rf "$work/stk" && mkdir "$work/stk"
	"$stacks" make ${seed:+--seed "$seed"} --chains "$kills" "$work/stk" || echo "not ok - the generator"
	: > "$work/files"
	builds > "$work/builds"
	while read -r name compiler options; do
		case $options in *-static-pie*) ;; *) options="$options -static" ;; esac
		(cd "$work/stk" && "$compiler" $options -w -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -fdebug-prefix-map="$PWD"=/stk -o "$name" stk.c) || {
			echo "not ok - building $name"
			continue
		}
		case $name in
		*-split)
			echo "-f $work/stk/$name-stk.dwo=/stk/$name-stk.dwo" ;;
		*-stripped)
			id=$(readelf -n "$work/stk/$name" | sed -n 's/.*Build ID: //p')
			objcopy --only-keep-debug "$work/stk/$name" "$work/stk/$name.debug" && strip "$work/stk/$name"
			echo "-f $work/stk/$name.debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ;;
		esac >> "$work/files"
		echo "-f $work/stk/$name=/stk/$name" >> "$work/files"
	done < "$work/builds"
}

build_modules() {
	module_headers || {
		echo "not ok - fetching the headers"
		return
	}
	rm -rf "$work/stkm" "$modules"/stk-* && mkdir "$work/stkm"
	"$stacks" make --module ${seed:+--seed "$seed"} --chains "$kills" "$work/stkm" || echo "not ok - the generator"
	for name in gcc clang; do
		flags="-std=gnu11 -g -w -Wno-error -I$work/stkm -ffile-prefix-map=$work/stkm/= -ffile-prefix-map=$modules/stk-$name/="
		case $name in
		gcc)	module_build stk-gcc "$work/stkm/stk.c" "$flags" CC="$cc" ;;
		clang)	module_build stk-clang "$work/stkm/stk.c" "$flags" CC="$clang" $for_clang ;;
		esac || {
			echo "not ok - building the module by $name"
			continue
		}
		echo "-f $modules/stk-$name/stk.ko=/stkm/$name.ko" >> "$work/files"
	done
}

tests() {
	build_all
	build_modules
	suite_guest $(cat "$work/files") "$here/stack-lines.guest" > "$work/out"
	grep -v '^@' "$work/out"
	while read -r name compiler options; do
		case $options in *'-x c++'*) with=--cxx ;; *) with= ;; esac
		for way in live read; do
			sed -n "s/^@$name-$way //p" "$work/out" | "$stacks" check $with "$work/stk" "$name, $way"
		done
	done < "$work/builds"
	for name in gcc clang; do
		for way in live read; do
			sed -n "s/^@module-$name-$way //p" "$work/out" | "$stacks" check "$work/stkm" "a module by $name, $way"
		done
	done
}
suite_kernels tests "$@"
