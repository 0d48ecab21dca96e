#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [-q] DIR - each fuzz target of DIR with mutations of one fixed chance, as TAP
#
# The corpus of definitions is what is mutated, and each target's own seeds. -q: a tenth of the mutations, for `make quick`.
set -u
share=1
[ "$1" != -q ] || { share=10; shift; }
corpus=$(dirname "$0")/../corpus/kernel.tsv
n=0
# What fuzz_program changes.
"${CC:-gcc}" -shared -nostdlib -Wl,-z,max-page-size=256,-z,noseparate-code,--version-script="$(dirname "$0")/program.map" \
	-o "$1/program.so" "$(dirname "$0")/program.S" || exit 1
for target in fuzz_kprobe fuzz_dialect fuzz_filter fuzz_trigger fuzz_pair fuzz_cexpr fuzz_synthetic fuzz_answer fuzz_btf fuzz_elf fuzz_format fuzz_program fuzz_dat; do
	for from in - "$corpus"; do
		count=15000
		case $target in
		fuzz_btf|fuzz_elf|fuzz_format|fuzz_answer|fuzz_synthetic|fuzz_cexpr) from=- ;;	# its seed is a file
		fuzz_program) from=$1/program.so ;;
		fuzz_dat) from=- count=750 ;;			# each is a whole file: 15 ms
		esac
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
