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
. "$rig/module.sh"

tests() {
	module_headers || {
		echo "not ok - fetching the headers"
		return
	}
	source=$here/../tools/inlmod.c
	: > "$work/files"
	for name in outlined gcc5 gcc4 clang5 clang4; do
		case $name in
		outlined) module_build inlmod-$name "$source" '-gdwarf-5 -DOUTLINED' CC="${CC:-gcc}" ;;
		gcc?)	module_build inlmod-$name "$source" "-gdwarf-${name#gcc}" CC="${CC:-gcc}" ;;
		clang?)	module_build inlmod-$name "$source" "-gdwarf-${name#clang}" CC="${CLANG:-clang}" $for_clang ;;
		esac || {
			echo "not ok - building the module: $name"
			return
		}
		echo "-f $modules/inlmod-$name/inlmod.ko=/mod/$name.ko" >> "$work/files"
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
