#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# oracle.sh - values that bprobe must print because the traced program was told to pass them, on each KERNEL given
#
#   [ORACLE_SEED=N] oracle.sh [-b BPROBE] [-n FUNCTIONS] KERNEL...       (names that headers.sh knows)
#
# tests/oracle/oracle.py makes a kernel module whose functions have random prototypes, and says what must be printed. It is built by two
# compilers. Where modules have no BTF (5.10), DWARF describes the parameters. TAP on stdout; what is wrong is printed as a case that can
# be kept.
#
# The seed is 1, so that a landing does not depend on luck; ORACLE_SEED= (empty) takes a new one each time. What it has found: the places
# of all parameters behind a structure by value, bit-fields without sign, and that clang 14 does not pass 128-bit integers as the psABI
# says. Planted faults that it finds: register N for parameter N (call_places() without the loop over words), RSH instead of ARSH in
# emit_bit_field(), fetch.shift left out.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bn "$@"
shift "$suite_shift"
[ "$kills" != 500 ] || kills=40
. "$rig/module.sh"
oracle=$here/../../oracle/oracle.py seed=${ORACLE_SEED-1}

tests() {
	module_headers || {
		echo "not ok - fetching the headers"
		return
	}
	btf=yes
	grep -q '^CONFIG_DEBUG_INFO_BTF_MODULES=y' "$("$rig/kernels.sh" path "$kernel")/config" || btf=
	: > "$work/files"
	rm -rf "$modules"/orac-*
	for name in gcc-O2 gcc-Os clang-O2; do
		case $name in clang-*) without=--no-int128 ;; *) without= ;; esac
		[ "$btf" ] || without="$without --no-btf"
		mkdir -p "$work/$name" && "$oracle" make $without ${seed:+--seed $seed} --functions "$kills" "$work/$name" || return
		case $name in
		gcc-*)	module_build orac-$name "$work/$name/orac.c" "-g -w -Wno-error ${name#gcc}" CC="${CC:-gcc}" ;;
		clang-*) module_build orac-$name "$work/$name/orac.c" "-g ${name#clang}" CC="${CLANG:-clang}" $for_clang ;;
		esac && { [ ! "$btf" ] || module_btf "$modules/orac-$name/orac.ko"; } || {
			echo "not ok - building the module: $name, seed $(cat "$work/$name/seed")"
			continue
		}
		sed 's/@:/orac:/' "$work/$name/defs" > "$work/$name/definitions"
		echo "-f $modules/orac-$name/orac.ko=/orac/$name.ko -f $work/$name/definitions=/orac/$name.defs" >> "$work/files"
	done
	suite_guest $(cat "$work/files") "$here/oracle.guest" > "$work/out"
	grep -v '^@' "$work/out"
	for name in gcc-O2 gcc-Os clang-O2; do
		[ ! -e "$work/$name/definitions" ] || sed -n "s/^@$name //p" "$work/out" | "$oracle" check "$work/$name" | sed "s/^\(ok\|not ok\) - /&$name: /"
	done
}
suite_kernels tests "$@"
