#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [-q] DIR - each fuzz target of DIR with mutations of one fixed chance, as TAP
#
# What is mutated: the target's own seeds, and what seeds.sh takes from the corpora. -q: a seventh of the mutations, for `make quick`.
# tests/long/fuzz.sh is the long form.
set -u
share=1
[ "$1" != -q ] || { share=7; shift; }
here=$(dirname "$0")
n=0
# A finding of UBSan alone would only be printed.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# What fuzz_program and fuzz_dwarf change. fuzz_kmem changes the tests' model of a kernel.
"${CC:-gcc}" -g -O2 -shared -fPIC -nostdlib -o "$1/traced.so" "$here/traced.c" || exit 1
"${CC:-gcc}" -shared -nostdlib -Wl,-z,max-page-size=256,-z,noseparate-code,--version-script="$here/program.map" \
	-o "$1/program.so" "$here/program.S" || exit 1
for source in "$here"/fuzz_*.c; do
	target=$(basename "$source" .c)
	count=8000 corpus=-
	case $target in
	fuzz_program) corpus=$1/program.so ;;
	fuzz_kmem) corpus=$1/../image/vmlinux count=1600 ;;	# 1 ms, too
	fuzz_dwarf) corpus=$1/traced.so count=1600 ;;	# 1 ms
	fuzz_dat) count=300 ;;				# each is a whole file: 20 ms
	*) "$here/seeds.sh" "$target" > "$1/$target.tsv"; [ ! -s "$1/$target.tsv" ] || corpus=$1/$target.tsv ;;
	esac
	for from in "$corpus" -; do
		case $corpus in */*.so|*/vmlinux) from=$corpus ;; esac	# it has no seeds of its own
		n=$((n + 1))
		if said=$("$1/$target" "$from" $((count / share)) "$n" 2>&1); then
			echo "ok $n - $said"
		else
			echo "not ok $n - $target $from $((count / share)) $n"
			echo "$said" | head -n 40 | sed 's/^/# /'
		fi
	done
done
echo "1..$n"
