#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clang.sh - bprobe built by clang: without a warning, static and hardened; the unit tests and the golden tests pass. TAP on stdout
#
# The planted faults: a warning of clang's that gcc has not must end the build. tests/build.sh has its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
O=$tmp/build
n=0

told() {	# told TEXT STATUS: with the end of what was printed
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		grep -vE '^  [A-Z]+ ' "$tmp/said" | tail -n 20 | sed 's/^/# /'
	fi
}
# tap NAME COMMAND...: the tests that another suite prints, with the name in front of them.
tap() {
	local name=$1
	shift
	"$@" > "$tmp/tap" 2> "$tmp/tap.err"
	if ! grep -qE '^(ok|not ok)' "$tmp/tap"; then
		cp "$tmp/tap.err" "$tmp/said"
		told "$name prints tests" 1
	fi
	awk -v n=$n -v name="$name" '
		/^1\.\./ { next }
		/^(not )?ok / { head = $1 == "ok" ? "ok" : "not ok"; sub(/^(not )?ok [0-9]* ?-/, ""); $0 = head " " ++n " - " name ":" $0 }
		{ print }' "$tmp/tap"
	n=$((n + $(grep -cE '^(ok|not ok) ' "$tmp/tap")))
}
build() {	# build TARGET...
	make -j"$(nproc)" CC=clang CFLAGS='-O2 -gdwarf-4 -grecord-command-line' WERROR=1 O="$O" "$@" > "$tmp/said" 2>&1
}

if ! command -v clang > /dev/null || ! echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c -o "$tmp/none" - 2> /dev/null; then
	echo "ok 1 - bprobe built by clang # SKIP there is no clang with its sanitizers: tests/setup.sh analyzers installs it"
	echo 1..1
	exit
fi
cat > "$tmp/planted.c" << 'END'
int planted(int a);
int planted(int a)
{
	return a == 1 ? a = a : a;
}
END
clang -Wall -Werror -c -o "$tmp/planted.o" "$tmp/planted.c" > "$tmp/said" 2>&1
grep -q Wself-assign "$tmp/said" && gcc -Wall -Werror -c -o "$tmp/planted.o" "$tmp/planted.c"
told "clang warns of a mistake that gcc does not warn of" $?
build all tests
told "bprobe and its tests are built without a warning" $?
CC=clang tap build tests/build.sh "$O/bprobe" "$O"
tap unit tests/unit/run.sh "$O"/tests/unit/test_*
tap golden tests/golden/run.sh "$O/bprobe" "$O/tests/btf"
echo "1..$n"
