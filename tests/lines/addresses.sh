#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# addresses.sh DIR [FILE]... - the lines and inlined functions of addresses, beside those of addr2line (binutils), which reads debug
# information with a reader of its own
#
# DIR has places and the programs that lw.c becomes (Makefile). Each byte of its functions is asked for. FILE is another one, such as a
# vmlinux: 3,000 of its bytes are drawn (LINES_SEED=N). TAP on stdout.
#
# addr2line 2.40 says another file where a line of a macro of an included file is drawn into several: such rows have the same line, and
# readelf's rows are as ours. They are counted, and may be 1 of 30.
set -u
dir=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compare NAME FILE: the addresses in $work/addresses
compare() {
	"$dir/places" -a "$2" < "$work/addresses" > "$work/ours"
	addr2line -afi -e "$2" < "$work/addresses" > "$work/theirs"
	# Of the directories where compilers ran, only addr2line speaks. Code without lines is one function, "??".
	top=$(readelf --debug-dump=info --dwarf-depth=1 "$2" 2> /dev/null | sed -n 's/.*DW_AT_comp_dir *: \((.*): \)*//p' | sort -u)
	awk -v top="$(echo "$top" | tr '\n' '|')" -v name="$1" '
		BEGIN { nr_tops = split(top, tops, "|") }
		function clean(text,   i) {
			sub(/ \(discriminator [0-9]+\)$/, "", text)
			for (i = 1; i <= nr_tops; i++)
				if (tops[i] != "" && index(text, tops[i] "/") == 1) text = substr(text, length(tops[i]) + 2)
			while (sub(/^\.\//, "", text));
			return text
		}
		function last(text) { sub(/.* /, "", text); return text }
		function numbers(text) { gsub(/[^ ]*:/, ":", text); return text }
		/^0x[0-9a-f]{16}$/ || /^0x................$/ { at = $0; if (FNR == NR) order[++nr] = at; next }
		FNR == NR { ours[at] = ours[at] " " clean($0); next }
		{ theirs[at] = theirs[at] " " clean($0) }
		END {
			for (i = 1; i <= nr; i++) {
				at = order[i]
				if (ours[at] == theirs[at]) { equal++; continue }
				# Symbols of assembler may be in each other, and both are names of the place.
				if (ours[at] ~ /\.S:[0-9]+$/ && last(ours[at]) == last(theirs[at])) { equal++; continue }
				# Padding and data have no function; there addr2line takes what is in front.
				if (ours[at] == "") { none++; continue }
				if (numbers(ours[at]) == numbers(theirs[at])) { files++; continue }
				bad++
				if (bad <= 3) printf "# %s\n#   addr2line:%s\n#   bprobe:   %s\n", at, theirs[at], ours[at]
			}
			ok = equal && !bad && files * 30 <= equal
			printf "%s - %s: %d addresses have the functions and lines that addr2line has; %d have another file, %d are in no function, %d differ\n", ok ? "ok" : "not ok", name, equal, files, none, bad
			exit !ok
		}' "$work/ours" "$work/theirs" || failed=1
}

failed=0
for name in gcc5 gcc4 clang5 clang4 packed shared; do
	nm -S "$dir/lw-$name" | awk '$3 ~ /[tT]/ && $4 ~ /^(visit|other|main)(\.[a-z0-9.]*)?$/ { print $1, $2 }' | while read -r start size; do
		seq $((0x$start)) $((0x$start + 0x$size - 1))
	done | xargs printf '%x\n' > "$work/addresses"
	compare "lw-$name" "$dir/lw-$name"
done
# A large function that the linker drops leaves its range at address 0, where the program's own code is.
{
	echo 'int dropped(volatile int *n) {'
	for i in $(seq 3 1500); do echo "*n = *n * $i + $i;"; done
	echo 'return *n; } int main(void) { return 0; }'
} > "$work/drop.c"
"${CC:-gcc}" -O1 -g -ffunction-sections -Wl,--gc-sections -fPIE -pie -o "$work/drop" "$work/drop.c"
nm "$work/drop" | awk '$3 == "_start" { print $1 }' > "$work/addresses"
chmod 755 "$work"			# who reads debug information has no rights
if [ "$("$dir/places" -a "$work/drop" < "$work/addresses" | grep -c .)" = 1 ]; then
	echo "ok - an address without debug information is in no function that was dropped"
else
	echo "not ok - an address without debug information is in a function that was dropped"
	failed=1
fi
for file; do
	nm -S "$file" | awk 'NF == 4 && $3 ~ /[tT]/ && $4 !~ /^__pfx_/ { print $1, $2 }' | awk -v seed="${LINES_SEED:-1}" '
		{ all[NR] = $0 }
		END { srand(seed); for (i = 0; i < 3000; i++) { split(all[int(rand() * NR) + 1], f); printf "%s %s %d\n", f[1], f[2], 1000 * rand() } }' |
		while read -r start size part; do
			printf '%x\n' $((0x$start + 0x$size * part / 1000))
		done > "$work/addresses"
	compare "${file##*/}" "$file"
done
exit $failed
