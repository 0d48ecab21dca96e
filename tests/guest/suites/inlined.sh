#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# inlined.sh - inlined functions and lines of a kernel module, on each KERNEL given: 6.1 or 6.12
#
#   inlined.sh [-b BPROBE] KERNEL...     (names that headers.sh knows)
#
# TAP on stdout. The tests are in inlined.guest, the module is inlmod.c. It is built here, since that needs the kernel's headers, which are
# downloaded once (headers.sh): by two compilers, with DWARF 4 and 5, and once with no function inlined.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES ARCH CROSS_COMPILE

# Debian's kernels are configured for gcc. For clang: no flags of gcc, and a program of the kernel's to list the calls of __fentry__, without
# which the kernel takes a function for one that must not be probed. clang 14 warns of headers of 6.12.
for_clang='LLVM_IAS=1 CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y KCFLAGS=-w
CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_FTRACE_MCOUNT_USE_RECORDMCOUNT=y BUILD_C_RECORDMCOUNT=y
CONFIG_RETHUNK= CONFIG_MITIGATION_RETHUNK= CONFIG_SLS= CONFIG_MITIGATION_SLS= CONFIG_INIT_STACK_ALL_ZERO= CONFIG_INIT_STACK_NONE=y'

# build_module NAME FLAGS WORD OF make...: $modules/NAME/inlmod.ko, if there is none, or an older one than what it is made from
build_module() {
	dir=$modules/$1
	[ -e "$dir/inlmod.ko" ] && [ "$dir/inlmod.ko" -nt "$here/../tools/inlmod.c" ] && [ "$dir/inlmod.ko" -nt "$here/inlined.sh" ] && return
	rm -rf "$dir"
	mkdir -p "$dir" && cp "$here/../tools/inlmod.c" "$dir/" && printf 'obj-m := inlmod.o\nccflags-y := %s\n' "$2" > "$dir/Makefile" || return 1
	shift 2
	make -s -C "$headers" M="$dir" "$@" modules > "$dir/log" 2>&1 < /dev/null && return
	tail -n 20 "$dir/log" | sed 's/^/#   /'
	rm -f "$dir/inlmod.ko"
	return 1
}

tests() {
	"$rig/headers.sh" fetch "$kernel" && headers=$("$rig/headers.sh" path "$kernel") || {
		echo "not ok - fetching the headers"
		return
	}
	mkdir -p "$build/tests" && modules=$(cd "$build/tests" && pwd)/inlmod/$(cat "${headers%/build}/version") || return
	: > "$work/files"
	for name in outlined gcc5 gcc4 clang5 clang4; do
		case $name in
		outlined) build_module $name '-gdwarf-5 -DOUTLINED' CC="${CC:-gcc}" ;;
		gcc?)	build_module $name "-gdwarf-${name#gcc}" CC="${CC:-gcc}" ;;
		clang?)	build_module $name "-gdwarf-${name#clang}" CC="${CLANG:-clang}" $for_clang ;;
		esac || {
			echo "not ok - building the module: $name"
			return
		}
		echo "-f $modules/$name/inlmod.ko=/mod/$name.ko" >> "$work/files"
	done
	# The comment in front of a function is what to ask for at its entry.
	awk '/^\/\* .* \*\/$/ { arguments = $0; gsub(/^\/\* | \*\/$/, "", arguments); at = NR }
		/^SMALL/ && at == NR - 1 {
			name = $0; sub(/\(.*/, "", name); sub(/.* /, "", name)
			print "p:e_" name " inlmod:" name "@inlmod.c " arguments
		}' "$here/../tools/inlmod.c" > "$work/definitions"
	sed -n 's/.*@\([a-z_]*\) \*\/$/\1/p' "$here/../tools/inlmod.c" | while read -r name; do
		echo "$name=$(grep -n "@$name \\*/" "$here/../tools/inlmod.c" | cut -d: -f1)"
	done > "$work/lines"
	suite_guest $(cat "$work/files") -f "$work/definitions=/definitions" -f "$work/lines=/lines" -f "$here/inlined.awk=/inlined.awk" \
		"$here/inlined.guest"
}
suite_kernels tests "$@"
