#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# layers.sh - a lower layer never includes a higher one, and only cli/ prints or exits.
#
# What each layer may include of the others is the table below; everything else is
# an error. TAP on standard output.
set -u
cd "$(dirname "$0")/.."
n=0 failed=0

result() { # ok|not ok, text
	n=$((n + 1))
	[ "$1" = ok ] || failed=$((failed + 1))
	echo "$1 $n - $2"
}

allowed() {
	case $1 in
	base) echo "base" ;;
	compat) echo "compat" ;;
	lang) echo "base lang" ;;
	kernel) echo "base kernel" ;;
	plan) echo "base lang kernel plan" ;;
	run) echo "base lang kernel plan run" ;;
	out) echo "base lang kernel plan out" ;;
	cli) echo "base lang kernel plan run out cli" ;;
	*) return 1 ;;
	esac
}

for dir in user/*/; do
	layer=$(basename "$dir")
	if ! may=$(allowed "$layer"); then
		result "not ok" "user/$layer is a layer that tests/layers.sh does not know"
		continue
	fi
	bad=$(sed -n "s|^#include \"\([a-z]*\)/.*|\1|p" "$dir"*.[ch] | sort -u | while read -r other; do
		case " $may " in *" $other "*) ;; *) echo "$other" ;; esac
	done)
	if [ -z "$bad" ]; then
		result ok "$layer includes: $may"
	else
		result "not ok" "$layer includes a layer above or beside it: $bad"
		for other in $bad; do grep -n "^#include \"$other/" "$dir"*.[ch] | sed 's/^/# /'; done
	fi
done

# The contract with BPF is no business of the text and of the facts about the kernel.
bad=$(grep -ln '"bprobe_abi.h"' user/base/*.[ch] user/lang/*.[ch] user/kernel/*.[ch])
if [ -z "$bad" ]; then result ok "include/ is for plan, run, out and cli"; else result "not ok" "include/ is used by $bad"; fi

# Out of memory (base/arena.c, base/buf.c, run/ring.c) is the one exception, see base/arena.h.
bad=$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|_exit|abort|fprintf|fputs)\(' user/base/*.c user/lang/*.c \
	user/kernel/*.c user/plan/*.c user/run/*.c user/out/*.c user/compat/*.c |
	grep -vE 'bprobe: out of memory|abort\(\);')
if [ -z "$bad" ]; then
	result ok "nothing below cli/ prints or exits"
else
	result "not ok" "something below cli/ prints or exits"
	echo "$bad" | sed 's/^/# /'
fi
echo "1..$n"
[ "$failed" -eq 0 ]
