#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# go-names.sh BPROBE - names as Go's compiler gives them: methods, results and what it has moved to the heap
#
# Go is not needed: gcc's assembler text of a C program gets such names. TAP on stdout. Nothing is traced.
set -u
bprobe=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"		# who reads debug information has no rights
. "$here/../guest/rig/lib.sh"
cd "$work" || exit 1

cat > go.c << 'END'
struct shape { long w, h; };
__attribute__((noinline, noclone)) long method(struct shape *s, long k)
{
	long result = s->w * s->h;
	long moved = result * k;
	__asm__ volatile("" : : "r"(moved), "r"(k), "r"(s) : "memory");
	return result + moved;
}
int main(void)
{
	return (int)method(&(struct shape){ 2, 3 }, 4);
}
END
gcc -O1 -g -S -o go.s go.c
# The names of the function, and of two variables; then its symbol.
sed -i 's/"method"/"main.(*Shape).Area"/; s/"result"/"~r0"/; s/"moved"/"\&moved"/' go.s
gcc -g -c -o go.o go.s && objcopy --redefine-sym 'method=main.(*Shape).Area' go.o && gcc -o go go.o
check $? "a program has the names" /dev/null

"$bprobe" --vars "$work/go:main.(*Shape).Area:2" > out 2> err
is "--vars: status" $? 0
is "... lists what can be asked for" "$(head -n 1 out | sed 's/^[^ ]* //')" "$work/go:main.(*Shape).Area:2 s k"
grep -q '~r0\|&moved' out
[ $? = 1 ]; check $? "... and no name that nobody can write" out
"$bprobe" -q --explain "p:e $work/go:main.(*Shape).Area:2 k w=s->w" > out 2> err
is "a line of a method: status" $? 0
grep -q '^p:uprobes/e [^ ]*/go:0x[0-9a-f]* k=%[a-z]*:s64 w=+0(%[a-z]*):s64$' out; check $? "... has its variables" out err
grep -q 'main\.(\*Shape)\.Area:2: 1 place: main\.(\*Shape)\.Area+0x' err; check $? "... and its name" err
"$bprobe" --lines "$work/go:main.(*Shape).Area" > out 2> err
is "--lines of a method: status" $? 0
grep -q '^p:main_Shape_Area_L2 [^ ]*/go:main\.(\*Shape)\.Area:2  # ' out; check $? "... has its lines" out
exit $failed
