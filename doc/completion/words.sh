#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# words.sh < FILE.in > FILE - puts the words of the program's tables into a completion: @ATTACH@ and @TYPES@
#
# It reads the rows in the sources, because the program may be built for another machine.
set -eu
cd "$(dirname "$0")/../.."

attach="auto single"
for row in $(grep -oE '\<ROW\([a-z_]+\)' user/attach/backends.h | sed 's/ROW(//; s/)//' | grep -vx name); do
	name=$(sed -n "/^const struct backend backend_$row = {/,/^}/s/^\t\.name = \"\(.*\)\",/\1/p" user/attach/*.c)
	[ -n "$name" ] || { echo "words.sh: user/attach/ has no row of backend_$row" >&2; exit 1; }
	attach="$attach $name"
done
types=$({
	grep -oE '\{ "[^"]+", TYPE_' user/lang/type_words.c
	sed -E 's/WORD\("([a-z]+)", BUFFER/WORD("\1(", BUFFER/' user/lang/shown.h | grep -oE '\<WORD\("[^"]+"'	# a length follows
} | grep -oE '"[^"]+"' | tr -d '"' | paste -sd ' ')
[ "${types#* mac }" != "$types" ] || { echo "words.sh: user/lang/shown.h has no words" >&2; exit 1; }
sed "s|@ATTACH@|$attach|; s|@TYPES@|$types|"
