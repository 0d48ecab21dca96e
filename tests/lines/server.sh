#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# server.sh BPROBE DIR - the debug information of a program comes from Debian's debuginfod, on the loopback address
#
# DIR has lw-stripped and lw-stripped.debug (Makefile). TAP on stdout. Nothing is traced: --explain shows what was found.
set -u
bprobe=$(realpath "$1") dir=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null; rm -rf "$work"' EXIT
line=$(grep -n '@visit \*/' "$here/../guest/tools/lw.c" | cut -d: -f1)
definition="p:v $dir/lw-stripped:lw.c:$line here"

. "$here/../guest/rig/lib.sh"

# The program itself has no debug information, and nobody asks a server without DEBUGINFOD_URLS.
mkdir "$work/files" "$work/cache"
cp "$dir/lw-stripped.debug" "$work/files/"
export DEBUGINFOD_CACHE_PATH="$work/cache" HOME="$work"
unset DEBUGINFOD_URLS
"$bprobe" -q --explain "$definition" > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'no debug information' "$work/err"
check $? "without a server there is no debug information" "$work/err"

# A port that is free: the server ends at once if it is not. It answers when it has read the directory.
id=$(readelf -n "$dir/lw-stripped" | sed -n 's/.*Build ID: //p')
for try in 1 2 3 4 5; do
	port=$((20000 + ($$ + try * 997) % 20000))
	debuginfod -d :memory: -p $port -F "$work/files" > "$work/server" 2>&1 &
	server=$!
	for second in $(seq 60); do
		kill -0 $server 2> /dev/null || break
		rm -rf "$work/cache"
		DEBUGINFOD_URLS=http://127.0.0.1:$port debuginfod-find debuginfo "$id" > /dev/null 2>&1 && break 2
		sleep 1
	done
	kill $server 2> /dev/null
	server=
done
[ -n "$server" ]
check $? "debuginfod has the file" "$work/server"

rm -rf "$work/cache"
DEBUGINFOD_URLS=http://127.0.0.1:$port "$bprobe" -q --explain "$definition" > "$work/out" 2> "$work/err"
check $? "with a server the line has a place" "$work/err"
"$bprobe" -q --explain "p:v $dir/lw-gcc5:lw.c:$line here" 2> /dev/null | sed -n 's/lw-gcc5/lw-stripped/; s/^p:/p:/p' > "$work/wanted"
grep '^p:' "$work/out" > "$work/got"
cmp -s "$work/wanted" "$work/got"
check $? "... the same as the program with its own debug information" "$work/wanted" "$work/got"
grep -q "GET /buildid/$id/debuginfo 200" "$work/server"
check $? "... which came from the server" "$work/server"

# Once fetched it stays in the client's cache.
kill $server
wait $server 2> /dev/null
server=
DEBUGINFOD_URLS=http://127.0.0.1:$port "$bprobe" -q --explain "$definition" > "$work/out" 2> "$work/err"
check $? "... and is still known when the server has ended" "$work/err"
rm -rf "$work/cache"
DEBUGINFOD_URLS=http://127.0.0.1:$port "$bprobe" -q --explain "$definition" > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'no debug information' "$work/err"
check $? "a server that does not answer is no debug information" "$work/err"
exit $failed
