#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# statics.sh BPROBE - variables of functions that the compiler has copied: is it the right one, where others have its name? TAP
#
# Where each variable is, nm says, by the names that the compiler gives the static ones (f.m, calls.0). Nothing is attached.
set -u
bprobe=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
nr=0
check() { nr=$((nr + 1)); [ "$1" = 0 ] && echo "ok $nr - $2" || { echo "not ok $nr - $2"; sed 's/^/# /' "$tmp/said"; }; }

cat > "$tmp/clang.c" << 'END'
long n = -5;
volatile long sink;
static inline __attribute__((__always_inline__)) long f(long a)
{
	extern void declared_here(void);
	static long m = 12;
	m += a; __asm__ volatile("nop" : : "r"(&m) : "memory");
	return m;
}
static inline __attribute__((__always_inline__)) long g(long a)
{
	static long m = 22;
	static long n = 33;
	m += a; n += m; __asm__ volatile("nop" : : "r"(&m), "r"(&n) : "memory");
	return m + n;
}
int main(int argc, char **argv) { sink = f(argc); sink += g(argc); return n + !argv; }
END
cat > "$tmp/gcc.c" << 'END'
long p = -1;
volatile long sink;
static __attribute__((noinline)) long part(long p, long q)
{
	static long calls;
	calls += q; __asm__ volatile("nop" : : "r"(&calls) : "memory");
	return calls;
}
int main(int argc, char **argv) { sink = part(argc * 3, argc); return p + !argv; }
END
"${CLANG:-clang}" -g -O0 -static -o "$tmp/clang" "$tmp/clang.c" && "${CC:-gcc}" -g -O2 -static -o "$tmp/gcc" "$tmp/gcc.c" ||
	{ echo "not ok 1 - the programs are built"; echo 1..1; exit; }

# offset FILE SYMBOL: where the variable is in the file
offset() {
	address=0x$(nm "$tmp/$1" | awk -v name="$2" '$3 == name { print $1; exit }')
	readelf -lW "$tmp/$1" | awk '$1 == "LOAD" { print $2, $3, $6 }' | while read -r at start length; do
		[ $((address)) -lt $((start)) ] || [ $((address)) -ge $((start + length)) ] || printf '0x%x\n' $((address - start + at))
	done
}

says() { "$bprobe" --explain --no-lint "p $tmp/$1:$2 x=$3" > "$tmp/said" 2>&1; }

# is FILE PLACE VARIABLE SYMBOL: the variable is that of the symbol
is() { says "$1" "$2" "$3"; grep -q " x=@+$(offset "$1" "$4"):" "$tmp/said"; check $? "$1: $3 at $2 is $4"; }

is clang f:4 m f.m
is clang f m f.m
is clang g:4 m g.m
is clang g m g.m
is clang f:4 n n
is clang main n n
says clang g:4 n; grep -q "several variables have the name 'n'" "$tmp/said"; check $? "clang: which n is meant in g, it does not say"
is gcc part:3 calls calls.0
is gcc main p p
# $vars and --vars have what the copy leaves out, and so has the help for a wrong name.
"$bprobe" --explain --no-lint "p $tmp/gcc:part:3 \$vars" > "$tmp/said" 2>&1
grep -q " q=%di:s64 calls=@+$(offset gcc calls.0):s64\$" "$tmp/said"; check $? 'gcc: $vars at part:3 are a parameter and the static variable'
says gcc part:3 cals; grep -q 'help: did you mean calls?' "$tmp/said"; check $? "gcc: the help for 'cals' at part:3"
"$bprobe" --vars "$tmp/gcc:part:3" > "$tmp/said" 2>&1; grep -q '^p:.* q calls$' "$tmp/said"; check $? "gcc: --vars has both"
echo "1..$nr"
